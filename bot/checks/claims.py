"""What a sentence may not turn round: negations, universals, names, what is counted. English.

Rules over words, seen with the source's own. A rule stands here only while it drops at most 1 % of
the true ones that it was not made from and catches what the exact checks do not
(`python -m tests.quality --sentences --eval FOLDER`).
"""

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import islice

from bot.checks.names import unknown_names
from bot.lexicon import alternatives, stems
from bot.reading.fold import plain
from bot.reading.quantities import Quantity, quantities
from bot.reading.statements import Statement, nearest, negations, reworded
from ingest.analyze import analyze
from ingest.languages import ENGLISH, UNKNOWN, language_of

NEGATION = "negation"
QUANTIFIERS = "quantifiers"
SUBJECT = "subject"
JOINED = "joined"

_CLOSE = 0.5  # share of a sentence's words in a statement that speaks of the same thing
_COUNTABLE = 3  # up to which texts count without a number: twice, a pair, both
_NEAR_CHARS = 40


def _words(kind: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{alternatives(kind, ENGLISH)})\b", re.IGNORECASE)


_IDIOMS = "".join(rf"(?!(?<=\b{word} )all\b)" for word in ("of", "at", "in", "after", "above"))
_ALL = re.compile(
    rf"{_IDIOMS}{_words('universals').pattern}(?! (?:who|that|with)\b)", re.IGNORECASE
)
_SOME_ALL = _words("universal")
_LIMITED = _words("limited")
_SCOPE_END = re.compile(
    rf"[,;:.!?](?=\s|$)|[()]|\s-\s|{_words('conjunctions').pattern}", re.IGNORECASE
)
_OR = re.compile(r"\b(?:or|nor)\b", re.IGNORECASE)
_GOES_ON = re.compile(rf",?\s*but\s+(?:{alternatives('contrasts', ENGLISH)})\b", re.IGNORECASE)
_ADJACENT = re.compile(r"\s([a-z]+)", re.IGNORECASE)
_LISTED = re.compile(r"\s?(?:,|-|and|or|to)\s?\d")


def contradiction(text: str, source: Sequence[Statement]) -> tuple[str, str] | None:
    """The rule that a sentence breaks against its source, and what was seen; None if it holds."""
    return next(contradictions(text, source), None)


def contradictions(text: str, source: Sequence[Statement]) -> Iterator[tuple[str, str]]:
    """Each rule that it breaks, with what was seen; none where either is in another language."""
    claim = Statement(plain(reworded(text, source)))
    languages = {language_of(claim.text), language_of("\n".join(s.text for s in source))}
    if not languages <= {ENGLISH, UNKNOWN}:
        return
    for rule, check in _RULES:
        for seen in islice(check(claim, source), 1):
            yield rule, seen


def denied(claim: Statement, source: Sequence[Statement]) -> Iterator[str]:
    """The claim affirms what the source negates."""
    said = frozenset[str]().union(*(s.stems for s in source))
    if (claim.stems & stems("denials")) - said:
        return  # it denies without a negation
    its_negated = _negated(claim.text)
    denying = [part.stems for part in claim.clauses if negations(part.text)]
    affirmed = claim.stems - its_negated - frozenset().union(*denying)
    elsewhere = {stem for s in source for stem in s.stems - _negated(s.text)}
    for statement in source:
        if claim.overlap(statement) < _CLOSE * len(claim.stems) or _LIMITED.search(statement.text):
            continue
        for scope in _scopes(statement.text, contrasts=False):
            whole = len(scope) > 1 and set(scope) <= affirmed
            if (whole or scope[0] in affirmed - elsewhere) and not its_negated & set(scope):
                yield f"the source negates {scope[0]!r}"


def _scopes(text: str, *, contrasts: bool = True) -> Iterator[tuple[str, ...]]:
    """For each negation the stems of the words that it negates, the nearest first.

    Without `contrasts` a negation that "but" goes on from is left out ("not yearly, but at once").
    """
    for at in negations(text):
        rest = text[at:]
        end = _SCOPE_END.search(rest)
        if not contrasts and end and _GOES_ON.match(rest, end.start()):
            continue
        for words in _OR.split(rest[: end.start()] if end else rest):
            if found := tuple(analyze(words)):
                yield found


def _negated(text: str) -> set[str]:
    """Stems that a negation of the text reaches."""
    return {stem for scope in _scopes(text) for stem in scope}


def universals(claim: Statement, source: Sequence[Statement]) -> Iterator[str]:
    """All, every, always: where nothing near says so."""
    if (match := _ALL.search(claim.text)) and not negations(claim.text):
        named = [w for w in analyze(claim.text[match.end() :]) if w.isalpha()][:1]
        near = [s for s in source if s.stems & set(named)] or nearest(claim, source)
        if not any(_SOME_ALL.search(s.text) for s in near):
            yield f"{match.group()!r} has no counterpart in the source"


def other_neighbours(claim: Statement, source: Sequence[Statement]) -> Iterator[str]:
    """The word after a number has other numbers before it in the source: 4% and 8% exchanged."""
    its = [(s, *pair) for s in source for pair in _neighbours(s.text)]
    for quantity, word in _neighbours(claim.text):
        rivals = [(s, q) for s, q, w in its if w == word and q.unit == quantity.unit]
        near = max((claim.overlap(s) for s in source if s.holds(quantity)), default=0)
        close = max((claim.overlap(s) for s, _ in rivals), default=0) >= near
        if rivals and close and quantity.value not in {q.value for _, q in rivals}:
            yield f"the source has another number before {word!r}"


def _neighbours(text: str) -> Iterator[tuple[Quantity, str]]:
    """Each number and the next content word of its clause; of one without a unit what it counts."""
    word = ""
    for _, end, quantity in reversed(quantities(text)):
        following = text[end : end + _NEAR_CHARS]
        if not _LISTED.match(following):  # else the next number's word is this one's as well
            found = analyze(_SCOPE_END.split(following, maxsplit=1)[0])
            word = found[0] if found and not any(c.isdigit() for c in found[0]) else ""
        counted = _ADJACENT.match(following)
        if word and (
            quantity.unit
            or (quantity.value > _COUNTABLE and counted and analyze(counted[1]) == [word])
        ):
            yield quantity, word


Check = Callable[[Statement, Sequence[Statement]], Iterator[str]]

_RULES: tuple[tuple[str, Check], ...] = (
    (NEGATION, denied),
    (QUANTIFIERS, universals),
    (SUBJECT, unknown_names),
    (JOINED, other_neighbours),
)
