"""Values told of another thing than in the source: the words beside them tell. Pure."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from bot.reading.dates import Date, same_date
from bot.reading.derived import unwritten
from bot.reading.facts import facts
from bot.reading.quantities import Quantity, quantities
from bot.reading.statements import Statement
from ingest.analyze import analyze

_COUNTABLE = 3  # up to which texts count without a number: twice, a pair, both
_NEAR_CHARS = 40
_ADJACENT = re.compile(r"\s([a-z]+)", re.IGNORECASE)
_LISTED = re.compile(r"\s?(?:,|-|and|or|to)\s?\d")
_CLAUSE = re.compile(
    r"[,;:.!?](?=\s|$)|[()]|\b(?:if|when|and|but|while|unless|because)\b", re.IGNORECASE
)


def other_neighbours(claim: Statement, source: Sequence[Statement]) -> Iterator[str]:
    """The word after a number has other numbers before it in the source: 4% and 8% exchanged."""
    its = [(s, *pair) for s in source for pair in _neighbours(s.text)]
    for quantity, word in _neighbours(claim.text):
        rivals = [(s, q) for s, q, w in its if w == word and q.unit == quantity.unit]
        near = max((claim.overlap(s) for s in source if s.holds(quantity)), default=0)
        close = max((claim.overlap(s) for s, _ in rivals), default=0) >= near
        said = {q.value for _, q in rivals} | {
            q.value for s, _ in rivals for q in unwritten(s.text)
        }
        if rivals and close and quantity.value not in said:
            yield f"the source has another number before {word!r}"


def _neighbours(text: str) -> Iterator[tuple[Quantity, str]]:
    """Each number and the next content word of its clause; of one without a unit what it counts."""
    word = ""
    for _, end, quantity in reversed(quantities(text)):
        following = text[end : end + _NEAR_CHARS]
        if not _LISTED.match(following):  # else the next number's word is this one's as well
            stems = analyze(_CLAUSE.split(following, maxsplit=1)[0])
            word = stems[0] if stems and not any(c.isdigit() for c in stems[0]) else ""
        counted = _ADJACENT.match(following)
        if word and (
            quantity.unit
            or (quantity.value > _COUNTABLE and counted and analyze(counted[1]) == [word])
        ):
            yield quantity, word


def other_moments(claim: Statement, source: Sequence[Statement]) -> Iterator[str]:
    """The word before a date has other dates after it in the source: opened in 1961, not 2019."""
    known = {pair for s in source for pair in _told(s)}
    for kind, value, word in _told(claim):
        found = {v for k, v, w in known if (k, w) == (kind, word)}
        if found and not any(_same(value, other) for other in found):
            yield f"the source has another {kind} after {word!r}"


def _same(mine: Date | Quantity, other: Date | Quantity) -> bool:
    if isinstance(mine, Date) and isinstance(other, Date):
        return same_date(mine, other, set())
    return mine == other


def _told(part: Statement) -> list[tuple[str, Date | Quantity, str]]:
    """Each date or year and the content word right before it in its clause."""
    told = []
    for kind, value, words in _moments(part):
        at = part.text.find(words)
        before = analyze(_CLAUSE.split(part.text[max(0, at - _NEAR_CHARS) : at])[-1])
        if at >= 0 and before and before[-1].isalpha():
            told.append((kind, value, before[-1]))
    return told


def _moments(part: Statement) -> Iterator[tuple[str, Date | Quantity, str]]:
    for fact in facts(part.text):
        if isinstance(fact.value, Date):
            yield "date", replace(fact.value, year=0), fact.words
        elif isinstance(fact.value, Quantity) and _is_year(fact.value):
            yield "year", fact.value, fact.words


def _is_year(quantity: Quantity) -> bool:
    return not quantity.unit and 1000 <= quantity.value <= 2100  # noqa: PLR2004
