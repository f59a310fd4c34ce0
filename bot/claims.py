"""What a sentence may not turn round: negations, bounds, quantifiers, subjects, pairs of things.

Rules over words, for English; each finds one kind of contradiction and names what it saw. They see
what is said with the source's own words: a paraphrase without them passes.
"""

import re
from collections.abc import Callable, Iterator, Sequence

from bot.bindings import other_lines, other_neighbours, other_rates, turned_bounds
from bot.facts import facts
from bot.fold import plain
from bot.statements import Statement, content, nearest, negations, reworded
from ingest.analyze import analyze
from ingest.languages import ENGLISH, UNKNOWN, language_of

NEGATION = "negation"
BOUNDS = "bounds"
QUANTIFIERS = "quantifiers"
SUBJECT = "subject"
JOINED = "joined"
RATES = "rates"

_SCOPE_END = re.compile(
    r"[,;:.!?](?=\s|$)|[()]|\s-\s|\b(?:but|and|or|nor|because|if|unless|while|when|although|so|except|until)\b",
    re.IGNORECASE,
)
_BUT = re.compile(r",?\s*but\b", re.IGNORECASE)
_RESTRICTS = re.compile(r"\b(?:only|unless|except|until|optional)\b", re.IGNORECASE)

_CLAIMS_ALL = re.compile(
    r"\b(?:all|every|everybody|everyone|everything|always|any|anybody|anyone|regardless"
    r"|whatever)\b",
    re.IGNORECASE,
)
_ALL = re.compile(
    rf"{_CLAIMS_ALL.pattern}|\b(?:each|both|whichever|entire|whole|no|nobody|nothing|never)\b",
    re.IGNORECASE,
)
_CLAIMS_ONLY = re.compile(r"\b(?:only|solely|exclusively)\b", re.IGNORECASE)
_ONLY = re.compile(
    r"\b(?:only|solely|exclusively|just|alone|nobody else|no other|except|must|nothing else)\b",
    re.IGNORECASE,
)
_LIMITED = re.compile(r"\b(?:only|except|unless|some|most|certain)\b", re.IGNORECASE)

_OPPOSITE_PAIRS = """
smaller larger, before after, inside outside, between outside, includes excludes, open closed
, included excluded, allowed forbidden, first last, increases decreases, earlier later
, oldest newest, enable disable, enabled disabled, required optional, internal external
, incoming outgoing, paid unpaid, public private, higher lower, with without, accept reject
"""
_OPPOSITES = [set(pair.split()) for pair in _OPPOSITE_PAIRS.split(",")]

# Whom a rule is for. A passage that speaks to "you" speaks to employees and users.
_AUDIENCES = {
    word: group
    for group, words in {
        "employees": "employee employees staff worker workers colleague colleagues",
        "contractors": "contractor contractors freelancer freelancers consultant consultants",
        "interns": "intern interns trainee trainees apprentice apprentices",
        "managers": "manager managers supervisor supervisors",
        "directors": "director directors",
        "admins": "admin admins administrator administrators",
        "owners": "owner owners",
        "members": "member members",
        "guests": "guest guests visitor visitors",
        "customers": "customer customers client clients",
        "users": "user users",
        "agents": "agent agents",
        "applicants": "applicant applicants candidate candidates",
        "students": "student students",
    }.items()
    for word in words.split()
}
_ADDRESSED = re.compile(r"\b(?:you|your|yours|we|our|people|everyone|everybody)\b", re.IGNORECASE)
_NAME = re.compile(r"(?<=[a-z,;)] )[A-Z][\w'-]*\w")
_WORD = re.compile(r"[^\W\d_][\w'-]*")


def contradiction(text: str, source: Sequence[Statement]) -> tuple[str, str] | None:
    """The rule that a sentence breaks against its source, and what was seen; None if it holds."""
    claim = Statement(plain(reworded(text, source)))
    if language_of(claim.text) not in (ENGLISH, UNKNOWN):
        return None
    for rule, check in _RULES:
        if (seen := next(check(claim, source), None)) is not None:
            return rule, seen
    return None


def _scopes(text: str, *, contrasts: bool = True) -> Iterator[tuple[str, ...]]:
    """For each negation the stems it negates, the nearest first.

    Without `contrasts` a negation that "but" goes on from is left out ("not yearly, but at once").
    """
    for at in negations(text):
        rest = text[at:]
        end = _SCOPE_END.search(rest, 1)
        scope = tuple(analyze(rest[: end.start()] if end else rest))
        if scope and (contrasts or end is None or not _BUT.match(rest, end.start())):
            yield scope


def _negated(text: str) -> set[str]:
    return {stem for scope in _scopes(text) for stem in scope}


def _denied(claim: Statement, source: Sequence[Statement]) -> Iterator[str]:
    """The claim affirms what the source negates."""
    negated = _negated(claim.text)
    affirmed = claim.stems - negated
    its_affirmed = {stem for s in source for stem in s.stems - _negated(s.text)}
    most = max((claim.overlap(statement) for statement in source), default=0)
    for statement in source:
        own_line = statement.listed and claim.overlap(statement) == most
        elsewhere = set() if own_line else its_affirmed  # another row may well affirm it
        for scope in _scopes(statement.text, contrasts=False):
            head, others = scope[0], statement.stems - set(scope)
            whole = len(scope) > 1 and set(scope) <= affirmed
            alone = head in affirmed - elsewhere and (affirmed & others or not others)
            limited = negated & set(scope) or _LIMITED.search(statement.text)
            if (whole or alone) and not limited:
                yield f"the source negates {head!r}"


def _affirmed(claim: Statement, source: Sequence[Statement]) -> Iterator[str]:
    """The claim negates what the source affirms, and nowhere negates or limits."""
    its_negated = {stem for s in source for stem in _negated(s.text)}
    its_affirmed = {stem for s in source for stem in s.stems - _negated(s.text)}
    for head, *_ in _scopes(claim.text):
        limited = any(head in s.stems and _RESTRICTS.search(s.text) for s in source)
        if head in its_affirmed - its_negated and not limited:
            yield f"the source does not negate {head!r}"


def _opposites(claim: Statement, source: Sequence[Statement]) -> Iterator[str]:
    said = _words(claim.text)
    all_words = set().union(*(_words(s.text) for s in source))
    near = set().union(*(_words(s.text) for s in nearest(claim, source)))
    for pair in _OPPOSITES:
        for word in pair & said - all_words:
            if other := pair - {word} & near:
                yield f"{word!r}, in the source {min(other)!r}"


def _words(text: str) -> set[str]:
    return {word.casefold() for word in _WORD.findall(text)}


def _quantifiers(claim: Statement, source: Sequence[Statement]) -> Iterator[str]:
    all_text = " ".join(s.text for s in source)
    near_text = " ".join(s.text for s in nearest(claim, source))
    for claims, has, text in (
        (_CLAIMS_ALL, _ALL, near_text),
        (_CLAIMS_ONLY, _ONLY, all_text),
    ):
        if (match := claims.search(claim.text)) and not has.search(text):
            yield f"{match.group()!r} has no counterpart in the source"


def _subject(claim: Statement, source: Sequence[Statement]) -> Iterator[str]:
    text = " ".join(s.text for s in source)
    stems = content(text)
    groups = _audiences(text)
    if _ADDRESSED.search(text):
        groups |= {"employees", "users"}
    for missing in sorted(_audiences(claim.text) - groups):
        yield f"the source does not speak of {missing}"
    initials = "".join(word[0] for word in _WORD.findall(text) if word[0].isupper())
    understood = " ".join(fact.words for fact in facts(claim.text))
    for name in set(_NAME.findall(claim.text)) - set(_WORD.findall(understood)):
        known = set(analyze(name)) <= stems or re.search(rf"\b{re.escape(name)}\b", text)
        if not known and not (name.isupper() and name in initials):
            yield f"the source does not name {name!r}"


def _audiences(text: str) -> set[str]:
    words = (word.casefold() for word in _WORD.findall(text))
    return {_AUDIENCES[word] for word in words if word in _AUDIENCES}


Check = Callable[[Statement, Sequence[Statement]], Iterator[str]]

_RULES: tuple[tuple[str, Check], ...] = (
    (NEGATION, _denied),
    (NEGATION, _affirmed),
    (NEGATION, _opposites),
    (BOUNDS, turned_bounds),
    (RATES, other_rates),
    (QUANTIFIERS, _quantifiers),
    (SUBJECT, _subject),
    (JOINED, other_lines),
    (JOINED, other_neighbours),
)
