"""Numbers that a text says without writing them: fractions, pairs, sums, what it lists. Pure."""

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from itertools import combinations

from bot.lexicon import alternatives, either, valued
from bot.reading.quantities import Quantity, number, unit_of

_PARTS = valued("fractions")
_FRACTION = re.compile(
    rf"\b(?:(?P<count>an?|one|two|three|four)[\s-])?(?P<part>{either(_PARTS)})\b"
    r"(?:\s(?:of\s)?an?\s(?P<unit>\w+)\b)?",
    re.IGNORECASE,
)
_COUNTS = valued("counts")
_COUNT = re.compile(rf"\b(?:{either(_COUNTS)})\b", re.IGNORECASE)
_IN_ALL = re.compile(
    r"\b(?P<part>[\d,.]{1,30}|[a-z]+) in (?P<all>[\d,.]{1,30}|[a-z]+)\b", re.IGNORECASE
)
_RECKONS = re.compile(rf"\b(?:{alternatives('reckons')})\b", re.IGNORECASE)
_NEARLY = re.compile(rf"\b(?:{alternatives('nearly')})\b", re.IGNORECASE)
_LISTING = rf"\s(?:\w+\s)?(?:{alternatives('listings')})\b"
_NEAR = Decimal("0.05")  # how far from a number what is about as much may lie
_FIRST_YEAR, _LAST_YEAR = 1000, 2100
_FEW = 10  # a text that lists as many things need not count them itself


def unwritten(text: str) -> Iterator[Quantity]:
    """What a folded text says in other words than a number and its unit."""
    for match in _FRACTION.finditer(text):
        share = (number(match["count"] or "") or Decimal(1)) / int(_PARTS[match["part"].lower()])
        yield Quantity(share * 100, "%", bare=share * 100)
        if match["unit"] and (unit := unit_of(match["unit"])):
            yield Quantity(share * unit[1], unit[0], bare=share)
    for match in _COUNT.finditer(text):
        value = Decimal(_COUNTS[match.group().lower()])
        yield Quantity(value, spelled=True, bare=value)
    for match in _IN_ALL.finditer(text):
        part, whole = number(match["part"]), number(match["all"])
        if part and whole and part < whole:
            yield Quantity(part / whole * 100, "%", bare=part / whole * 100)


def is_reckoned(claim: Quantity, text: str, source: Sequence[Quantity]) -> bool:
    """Whether a sentence may have reckoned a number from the source's.

    A sum or a difference where it speaks of such, the time between two years, what is missing to
    100 %, and what is "about" as much.
    """
    values = {q.value for q in source if q.unit == claim.unit and not q.digits}
    if _NEARLY.search(text) and any(abs(claim.value - v) <= abs(v) * _NEAR for v in values):
        return True
    years = {q.value for q in source if not q.unit and _FIRST_YEAR <= q.value <= _LAST_YEAR}
    spans = {abs(a - b) * 12 for a, b in combinations(years, 2)}
    if claim.unit == "months" and claim.value in spans:
        return True
    whole = {Decimal(100)} if claim.unit == "%" else set[Decimal]()
    pairs = combinations(values | whole, 2)
    return bool(_RECKONS.search(text)) and any(claim.value in (a + b, abs(a - b)) for a, b in pairs)


def counts_a_list(claim: Quantity, words: str, text: str) -> bool:
    """Whether a number counts what its sentence lists: "there are three reasons"."""
    if claim.unit or not 1 <= claim.value <= _FEW:
        return False
    counted = re.escape(words)
    pattern = rf"{counted}(?={_LISTING})|\bof (?:the|its|these|those) {counted}\b"
    return re.search(pattern, text, re.IGNORECASE) is not None
