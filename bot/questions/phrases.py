"""A phrase put in the place of its like in an earlier question. Pure."""

import re
from dataclasses import dataclass

from ingest.analyze import analyze, identifiers

MAX_NAME_WORDS = 2  # of a name typed in small letters: "new york"

PREPOSITIONS = (
    r"in|on|at|for|of|with|without|from|to|into|under|over|above|below|between|after|before|during"
    r"|by|since|until|per|near|via"
)
PREPOSITION = re.compile(rf"(?:{PREPOSITIONS})\b", re.IGNORECASE)
CLAUSE = re.compile(
    r"\b(?:is|are|was|were|am|be|do|does|did|can|could|will|would|should|shall|has|have|had|may"
    r"|must|might|get|gets|got|need|want|know|what|whats|how|who|when|where|why|which|whose|i|we"
    r"|you|they|he|she|it|its|that|this|these|those|them|there|if|not|n['’]t)\b|['’](?:s|re)\s",
    re.IGNORECASE,
)
_PERSON = re.compile(
    r"(?:(?:an?|the|our|all|any)\s+)?(?:[\w-]+\s+)?(?:\w+-)?(?:intern|contractor|employee|manager"
    r"|director|freelancer|student|trainee|apprentice|guest|visitor|customer|admin|owner|user"
    r"|member|colleague|worker|temp|part-timer|starter|joiner|parent|agent|engineer|developer"
    r"|designer|lead|partner|supplier|vendor|teacher|pensioner|executive|staff|people)s?",
    re.IGNORECASE,
)
_SUBJECT = re.compile(
    r"(?<=\b)(do|does|can|could|may|must|should|will|are|am|is)\s+(i|we|you)\b", re.IGNORECASE
)
_NAME = re.compile(r"(?<=[\w,] )[A-Z][\w-]*(?: [A-Z][\w-]*)*")
_NUMBER = re.compile(
    r"(?:[$€£]\s?)?\d[\d,.]*\s?(?:%|[km]\b)?(?:\s(?:pounds|euros|dollars|gbp|eur|usd)\b)?",
    re.IGNORECASE,
)
_DETERMINED = re.compile(r"\b(?:an?|the|my|our|your|his|her|their)\s+", re.IGNORECASE)
_PLURAL = re.compile(r"[a-z-]{3,}(?<!s)s", re.IGNORECASE)
_PLURALS = re.compile(r"(?:[a-z-]+ )?[a-z-]{3,}(?<!s)s", re.IGNORECASE)
_ENDS_IN_SUBJECT = re.compile(r"\b(?:i|we|you|they|people|who)\s+$", re.IGNORECASE)
_ONE = re.compile(r"(?<!\s)\s+ones?$", re.IGNORECASE)
_WORD = re.compile(r"\w(?:[\w'’.-]|,(?=\d))*(?<=\w)|\w")


@dataclass(frozen=True, slots=True)
class Fragment:
    """What a follow-up says when it says no more than a phrase."""

    preposition: str
    phrase: str
    corrects: bool

    @property
    def text(self) -> str:
        """The phrase with its preposition."""
        return f"{self.preposition} {self.phrase}".strip()


def placed_in(before: str, new: Fragment) -> str | None:
    """The question before with the fragment in the place of its like, or after it."""
    for place in _PLACES:
        if (placed := place(before, new)) is not None:
            return placed
    if new.corrects and not new.preposition:
        return _last_noun(before, new)
    return f"{before} {new.text}" if new.preposition else None


def _replace(text: str, start: int, end: int, by: str) -> str:
    return text[:start] + by + text[end:]


def _identifier(before: str, new: Fragment) -> str | None:
    """ERR_4013 by ERR_4022."""
    if not identifiers(new.phrase):
        return _code_number(before, new.phrase)
    for word in _WORD.finditer(before):
        if identifiers(word.group()):
            bare = _DETERMINED.sub("", new.phrase, count=1)
            return _replace(before, word.start(), word.end(), bare)
    return None


def _code_number(before: str, phrase: str) -> str | None:
    """The number of ERR_4013 by 4022."""
    for word in _WORD.finditer(before) if phrase.isdigit() else ():
        digits = re.search(r"(?<!\d)\d+$", word.group())
        if digits and identifiers(word.group()) and len(digits.group()) == len(phrase):
            return _replace(before, word.end() - len(phrase), word.end(), phrase)
    return None


def _shared_head(before: str, new: Fragment) -> str | None:
    """The team plan by the silver plan; the business one takes the head of what it is like."""
    one = _ONE.search(new.phrase)
    if one:
        return _modifier(before, new.phrase[: one.start()])
    head = analyze(new.phrase)[-1:]
    words = new.phrase.split()
    if not head or analyze(words[-1]) != head or len(words) < 2:  # noqa: PLR2004
        return None
    found = [m for m in _WORD.finditer(before) if analyze(m.group()) == head]
    if not found:
        return None
    start = _phrase_start(before, found[-1].start())
    return _replace(before, start, found[-1].end(), new.phrase)


def _modifier(before: str, modifier: str) -> str | None:
    phrases = list(re.finditer(r"\bthe\s+([\w-]+)\s+([\w-]+)", before, re.IGNORECASE))
    if not phrases:
        return None
    last = phrases[-1]
    return _replace(before, last.start(), last.end(), f"{modifier} {last.group(2)}")


def _phrase_start(text: str, head: int) -> int:
    """Where the noun phrase begins whose head begins there: its words back to what ends it."""
    start = head
    for word in reversed(list(_WORD.finditer(text[:head]))):
        if text[word.end() : start].strip():
            break
        if PREPOSITION.fullmatch(word.group()) or CLAUSE.fullmatch(word.group()):
            break
        if re.fullmatch(r"much|many|and|or|as", word.group(), re.IGNORECASE):
            break
        start = word.start()
        if _DETERMINED.match(word.group() + " "):
            break
    return start


def _phrases(text: str, preposition: str) -> list[tuple[int, int, int]]:
    """Start, start of the noun phrase and end of each phrase with a preposition."""
    found = []
    for match in re.finditer(rf"\b(?:{preposition})\s+(?=\w)", text, re.IGNORECASE):
        end = match.end()
        for word in _WORD.finditer(text, match.end()):
            if end != match.end() and text[end : word.start()].strip():
                break
            if PREPOSITION.fullmatch(word.group()) or CLAUSE.fullmatch(word.group()):
                break
            end = word.end()
        if end > match.end():
            found.append((match.start(), match.end(), end))
    return found


def _same_preposition(before: str, new: Fragment) -> str | None:
    found = _phrases(before, re.escape(new.preposition)) if new.preposition else []
    if not found:
        return None
    start, _, end = found[-1]
    return _replace(before, start, end, new.text)


def _number(before: str, new: Fragment) -> str | None:
    """A number by a number; with its preposition where the new one has another."""
    if not re.search(r"\d", new.phrase):
        return None
    for start, noun, end in reversed(_phrases(before, PREPOSITIONS)):
        if re.search(r"\d", before[noun:end]):
            return _replace(before, start if new.preposition else noun, end, new.text)
    found = _NUMBER.search(before)
    return _replace(before, found.start(), found.end(), new.text) if found else None


def _person(before: str, new: Fragment) -> str | None:
    """Do I get, and for contractors: do contractors get."""
    if not _PERSON.fullmatch(new.phrase):
        return None
    subject = _SUBJECT.search(before)
    if subject:
        return _replace(before, subject.start(2), subject.end(2), new.phrase)
    people = [m for m in _WORD.finditer(before) if _PERSON.fullmatch(m.group())]
    if not people:
        return None
    start = _phrase_start(before, people[-1].start())
    return _replace(before, start, people[-1].end(), new.phrase)


def _name(before: str, new: Fragment) -> str | None:
    """London by Berlin, and by what is typed in small letters where London fills a phrase."""
    if new.preposition and not new.phrase[:1].isupper():
        return None
    names = [m for m in _NAME.finditer(before) if not re.fullmatch("I|I[A-Z]+", m.group())]
    phrases = _phrases(before, PREPOSITIONS)
    if not new.phrase[:1].isupper():
        if len(new.phrase.split()) > MAX_NAME_WORDS:
            return None
        filling = {noun for _, noun, _ in phrases}
        names = [m for m in names if m.start() in filling]
    if not names:
        return None
    return _replace(before, names[-1].start(), names[-1].end(), new.phrase)


def _article(before: str, new: Fragment) -> str | None:
    """A hotel by a taxi."""
    article = re.match(r"an?\s", new.phrase, re.IGNORECASE)
    if not article:
        return None
    found = list(re.finditer(r"\ban?\s+[\w-]+", before, re.IGNORECASE))
    if not found:
        return None
    return _replace(before, found[0].start(), found[0].end(), new.phrase)


def _plural(before: str, new: Fragment) -> str | None:
    """Logs by backups: how long do you keep logs, and backups."""
    if new.preposition or not _PLURALS.fullmatch(new.phrase):
        return None
    plurals = [m for m in _WORD.finditer(before) if _PLURAL.fullmatch(m.group())]
    found = [m for m in plurals if not CLAUSE.fullmatch(m.group())]
    if not found:
        return None
    start = _phrase_start(before, found[-1].start())
    if _DETERMINED.match(before[start:]):
        return None
    words = list(_WORD.finditer(before[start : found[-1].end()]))
    if len(words) > 1 and _ENDS_IN_SUBJECT.search(before[:start]):
        start += words[1].start()  # the first one is the verb
    return _replace(before, start, found[-1].end(), new.phrase)


def _last_noun(before: str, new: Fragment) -> str | None:
    """My old laptop, at the end, by the phone: my old phone."""
    found = re.search(_DETERMINED.pattern + r"(?:[\w-]+\s+)?(\w[\w-]*)$", before, re.IGNORECASE)
    if not found or re.search(r"\b(?:and|or)\b", new.phrase):
        return None
    bare = _DETERMINED.sub("", new.phrase, count=1)
    return _replace(before, found.start(1), found.end(1), bare)


_PLACES = (
    _identifier,
    _shared_head,
    _same_preposition,
    _number,
    _person,
    _name,
    _article,
    _plural,
)
