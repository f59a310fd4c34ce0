"""Yes for no: what a sentence affirms or denies against its source, and opposite words. Pure.

Rules over words, for English. They see what is said with the source's own words.
"""

import re
from collections.abc import Iterator, Sequence

from bot.reading.statements import Statement, nearest, negations
from ingest.analyze import analyze

_SCOPE_END = re.compile(
    r"[,;:.!?](?=\s|$)|[()]|\s-\s|\b(?:but|and|because|if|unless|while|when|although|so|except|until)\b",
    re.IGNORECASE,
)
_OR = re.compile(r"\b(?:or|nor)\b", re.IGNORECASE)
_BUT = re.compile(
    r",?\s*but\s+(?:at|after|before|on|in|by|for|with|to|only|rather|instead|when|if|from|as|every"
    r"|each|once|always|an?|the)\b",
    re.IGNORECASE,
)
_RESTRICTS = re.compile(r"\b(?:only|unless|except|until|optional)\b", re.IGNORECASE)
_LIMITED = re.compile(r"\b(?:only|except|unless|some|most|certain)\b", re.IGNORECASE)
# Words that deny without a negation.
_EXCLUDES = re.compile(
    r"\b(?:avoid|exclud|exempt|except|forbid|forbad|prohibit|refus|reject|den(?:y|ie)|fail|lack"
    r"|rather than|instead|unable|unless|stop|miss|free of|far from|turned down|short of|without)",
    re.IGNORECASE,
)
_IF = r"(?:if|unless|when|whether)\b(?:\s\w+){0,4}"
_WHO = r"(?:who|that|which)(?:\s(?:do|does|did|is|are|was|were|has|have|had|can|could|will))?"
_SUPPOSES = re.compile(rf"\b{_IF}\s?$", re.IGNORECASE)
_PICKS_OUT = re.compile(rf"\b(?:{_IF}|{_WHO})\s?$", re.IGNORECASE)
_WAITS = re.compile(r"\b(?:before|until|till|unless|yet)\b", re.IGNORECASE)
_ABSOLUTE = re.compile(
    r"\b(?:never|always|under no circumstances|without (?:any )?(?:exceptions?|agreement|approval"
    r"|strings|reason)|in (?:all|every|any) cases?|no exceptions?|regardless)\b",
    re.IGNORECASE,
)
_EVERY = re.compile(r"\b(?:all|every|everybody|everyone|everything)\b", re.IGNORECASE)
_EXCEPTS = re.compile(
    r"\b(?:unless|exempt\w*|except(?:ion)?s?|only (?:if|when|where|for|as|with)|apart from"
    r"|all but|provided|other than|on condition)\b",
    re.IGNORECASE,
)
_ONLY_IF = re.compile(r"\b(?:only (?:if|when|where|for|with|as|after)|unless)\b", re.IGNORECASE)
_CONDITION = re.compile(
    r"\b(?:only|unless|if|when|where|after|except|provided|may|can|sometimes|certain|some|under"
    r"|with|for)\b",
    re.IGNORECASE,
)
_PART_END = re.compile(r"[,;.](?=\s|$)")
_NOBODY = frozenset(analyze("nobody nothing none never nowhere without cannot no one"))
_NEXT_WORD = 10  # letters after a negation's scope, for the "until" that ends it
_CLOSE = 0.5  # share of a claim's words in a statement that speaks of the same thing

_OPPOSITE_PAIRS = """
smaller larger, inside outside, includes excludes, open closed
, included excluded, allowed forbidden, first last, increases decreases, earlier later
, oldest newest, enable disable, enabled disabled, required optional, internal external
, incoming outgoing, paid unpaid, public private, higher lower, with without, accept reject
, guilty innocent, true false, minimum maximum, north south, east west, freshwater saltwater
, buys sells, win lose, import export, above below, rarely often, common rare
"""
_KINDS = """
third fourth fifth sixth seventh eighth ninth tenth
, red orange yellow green blue white black grey gray brown purple pink
, man woman boy girl, men women boys girls
, son daughter, brother sister, husband wife, father mother, king queen, morning evening afternoon
, spring summer autumn winter
, northern southern eastern western, left right
"""
_OPPOSITES = [
    {stem for word in pair.split() for stem in analyze(word) or [word]}
    for pair in f"{_OPPOSITE_PAIRS}, {_KINDS}".split(",")
]
_WORD = re.compile(r"[^\W\d_][\w'-]*")


def _scopes(text: str, *, contrasts: bool = True) -> Iterator[tuple[int, str, tuple[str, ...]]]:
    """For each negation its place, the words that it negates and their stems, the nearest first.

    Without `contrasts` a negation that "but" goes on from is left out ("not yearly, but at once").
    """
    for at in negations(text):
        rest = text[at:]
        end = _SCOPE_END.search(rest)
        if not contrasts and end and _BUT.match(rest, end.start()):
            continue
        for words in _OR.split(rest[: end.start()] if end else rest):
            if stems := tuple(analyze(words)):
                yield at, words, stems


def negated(text: str) -> set[str]:
    """Stems that a negation of the text reaches."""
    return {stem for _, _, scope in _scopes(text) for stem in scope}


def denied(claim: Statement, source: Sequence[Statement]) -> Iterator[str]:
    """The claim affirms what the source negates."""
    excluding = {word.casefold() for word in _EXCLUDES.findall(claim.text)}
    if any(word not in s.text.casefold() for word in excluding for s in [_whole(source)]):
        return
    its_negated = negated(claim.text)
    denying = [part for part in claim.clauses if negations(part.text)]
    affirmed = claim.stems - its_negated - frozenset().union(*(part.stems for part in denying))
    its_affirmed = {stem for s in source for stem in s.stems - negated(s.text)}
    most = max((claim.overlap(statement) for statement in source), default=0)
    tied = sum(claim.overlap(statement) == most for statement in source if statement.listed) > 1
    for statement in source:
        own_line = statement.listed and claim.overlap(statement) == most and not tied
        elsewhere = set() if own_line else its_affirmed  # another row may well affirm it
        for at, _, scope in _scopes(statement.text, contrasts=False):
            if _SUPPOSES.search(_before(statement.text, at)):
                continue
            head, others = scope[0], statement.stems - set(scope) - _NOBODY
            whole = len(scope) > 1 and set(scope) <= affirmed and not _said(scope, source)
            alone = head in affirmed - elsewhere and (affirmed & others or not others)
            limited = its_negated & set(scope) or _LIMITED.search(statement.text)
            if (whole or alone) and not limited:
                yield f"the source negates {head!r}"


def _said(scope: Sequence[str], source: Sequence[Statement]) -> bool:
    """Whether some statement affirms all of what another negates: for others, in other cases."""
    return any(s.stems >= set(scope) and not negated(s.text) & set(scope) for s in source)


def affirmed(claim: Statement, source: Sequence[Statement]) -> Iterator[str]:
    """The claim negates what a statement of the same thing affirms without a limit."""
    its_negated = {stem for s in source for stem in negated(s.text)}
    for at, words, scope in _scopes(claim.text):
        head = scope[0]
        goes_on = claim.text[at : at + len(words) + _NEXT_WORD]
        if _PICKS_OUT.search(_before(claim.text, at)) or _WAITS.search(goes_on):
            continue
        if its_negated & set(scope):
            continue
        telling = [
            s
            for s in source
            if head in s.stems - its_negated and claim.overlap(s) >= _CLOSE * len(claim.stems)
        ]
        limited = all(_RESTRICTS.search(s.text) or _EXCLUDES.search(s.text) for s in telling)
        if telling and not limited:
            yield f"the source does not negate {head!r}"


def _whole(source: Sequence[Statement]) -> Statement:
    return Statement(" ".join(s.text for s in source))


def _before(text: str, at: int) -> str:
    """What stands before the negation that ends there."""
    return re.sub(r"(?<!\S)\S+$", "", text[:at])


def opposites(claim: Statement, source: Sequence[Statement]) -> Iterator[str]:
    """A word whose opposite the nearest statements have in its place."""
    said = _stems(claim.text)
    all_words = set().union(*(_stems(s.text) for s in source))
    near = set().union(*(_stems(s.text) for s in nearest(claim, source)))
    for pair in _OPPOSITES:
        if len(pair & said) > 1 or negations(claim.text):
            continue
        for word in pair & said - all_words:
            if other := pair - {word} & near:
                yield f"{word!r}, in the source {min(other)!r}"


def _stems(text: str) -> set[str]:
    return {stem for word in _WORD.findall(text) for stem in analyze(word) or [word.casefold()]}


def exceptions(claim: Statement, source: Sequence[Statement]) -> Iterator[str]:
    """Never, always, without exception: where the nearest statement makes an exception."""
    match = _ABSOLUTE.search(claim.text) or _EVERY.search(claim.text)
    if not match or _EXCEPTS.search(claim.text.replace(match[0], "")):
        return
    for statement in nearest(claim, source):
        close = claim.overlap(statement) >= _CLOSE * len(claim.stems)
        if close and (other := _EXCEPTS.search(statement.text)):
            yield f"{match.group()!r}, in the source {other.group()!r}"


def restrictions(claim: Statement, source: Sequence[Statement]) -> Iterator[str]:
    """What holds only if, said as if it held always."""
    if _CONDITION.search(claim.text):
        return
    for statement in source:
        if not (match := _ONLY_IF.search(statement.text)):
            continue
        rule = Statement(statement.text[: match.start()])
        condition = frozenset(
            analyze(_PART_END.split(statement.text[match.end() :], maxsplit=1)[0])
        )
        if claim.stems and claim.stems <= rule.stems and not claim.stems & condition:
            yield f"in the source {match.group()!r}"
