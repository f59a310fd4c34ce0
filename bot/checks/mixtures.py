"""What stands in one place told of another: dates, rows of a table, passages. Pure."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from bot.checks.bindings import CLAUSE, is_year
from bot.reading.dates import Date, same_date
from bot.reading.facts import facts
from bot.reading.quantities import Quantity
from bot.reading.statements import Statement, negations
from ingest.analyze import analyze

_TOGETHER = re.compile(
    r"\b(?:and|or|both|than|unlike|each|all|every|either|neither|more|most|\w+est)\b", re.IGNORECASE
)
_NAME = re.compile(r"(?<=\s)[A-Z][a-z]\w+\b")
_DATED = re.compile(r"[,;:.!?](?=\s|$)|[()]|\s-\s|\b(?:and|but|while|whereas)\b", re.IGNORECASE)
_MARGIN = 2  # content words by which another line must be nearer


def other_dates(claim: Statement, source: Sequence[Statement]) -> Iterator[str]:
    """A date or year taken from another part than the one that says the rest of its own."""
    parts = [part for s in source for part in s.clauses]
    for mine in map(Statement, _DATED.split(claim.text)):
        moments = list(_moments(mine))
        for kind, value, words in moments if len(moments) == 1 else ():
            held = [mine.overlap(p) for p in parts if (kind, value) in _values(p)]
            rivals = [
                mine.overlap(p)
                for p in parts
                if kind in {k for k, _ in _values(p)} and (kind, value) not in _values(p)
            ]
            if held and rivals and max(rivals) - max(held) >= _MARGIN:
                yield f"{words!r} stands in another part of the source"


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
        before = analyze(CLAUSE.split(part.text[max(0, at - 40) : at])[-1])
        if at >= 0 and before and before[-1].isalpha():
            told.append((kind, value, before[-1]))
    return told


def other_passages(claim: Statement, source: Sequence[Statement]) -> Iterator[str]:
    """A number of one passage told of what only another passage names."""
    passages = {
        id_: Statement(" ".join(s.text for s in source if s.passage == id_))
        for id_ in dict.fromkeys(s.passage for s in source)
    }
    if len(passages) < 2:  # noqa: PLR2004
        return
    for clause in claim.clauses:
        named = re.compile(rf"\b(?:{'|'.join(_NAME.findall(clause.text)) or '(?!)'})\b")
        naming = {id_ for id_, said in passages.items() if named.search(said.text)}
        for quantity in clause.quantities:
            holding = {id_ for id_, said in passages.items() if said.holds(quantity)}
            if naming and holding and not naming & holding:
                yield f"{quantity.bare} does not stand in a passage that names what it is told of"


def _moments(part: Statement) -> Iterator[tuple[str, Date | Quantity, str]]:
    for fact in facts(part.text):
        if isinstance(fact.value, Date):
            yield "date", replace(fact.value, year=0), fact.words
        elif isinstance(fact.value, Quantity) and is_year(fact.value):
            yield "year", fact.value, fact.words


def _values(part: Statement) -> set[tuple[str, Date | Quantity]]:
    return {(kind, value) for kind, value, _ in _moments(part)}


def mixed_rows(claim: Statement, source: Sequence[Statement]) -> Iterator[str]:
    """One row's cell told of another row: all words stand in the table, in no row together."""
    rows = [s for s in source if s.listed and s.row]
    if not rows or len(claim.clauses) > 1 or negations(claim.text) or _TOGETHER.search(claim.text):
        return
    held = Counter(stem for row in rows for stem in row.stems)
    telling = {stem for stem in claim.stems if 0 < held[stem] < len(rows)}
    outside = frozenset[str]().union(*(s.stems for s in source if not s.row))
    best = max(rows, key=lambda row: len(row.stems & telling))
    if (missing := telling - best.stems - outside) and len(best.stems & telling) > 1:
        yield f"{min(missing)!r} stands in another row than the rest"
