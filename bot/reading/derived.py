"""Numbers that a text says without writing them: fractions, pairs, "18 of them", sums. Pure."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from decimal import Decimal
from itertools import combinations

from bot.reading.quantities import Quantity, number, quantities, unit_of

_PARTS = {"half": 2, "third": 3, "quarter": 4, "fifth": 5, "sixth": 6, "eighth": 8, "tenth": 10}
_FRACTION = re.compile(
    r"\b(?:(?P<count>an?|one|two|three|four)[\s-])?(?P<part>half|halves|(?:third|quarter|fifth"
    r"|sixth|eighth|tenth)s?)\b(?:\s(?:of\s)?an?\s(?P<unit>\w+)\b)?",
    re.IGNORECASE,
)
_COUNTS = {
    **dict.fromkeys(("pair", "couple", "both", "twice", "second", "double"), 2),
    **dict.fromkeys(("trio", "thrice", "triple"), 3),
    **dict.fromkeys(("single", "once", "sole", "alone"), 1),
    "dozen": 12,
}
_COUNT = re.compile(rf"\b(?:{'|'.join(_COUNTS)})\b", re.IGNORECASE)
_OF_THEM = re.compile(r",?\s(?:of\s)?(?:them|these|those|which)\b")
_IN_ALL = re.compile(
    r"\b(?P<part>[\d,.]{1,30}|[a-z]+) in (?P<all>[\d,.]{1,30}|[a-z]+)\b", re.IGNORECASE
)
_YEARS = re.compile(r"(?<!\d)(?P<century>1\d|20)\d\d[-/](?P<year>\d\d)(?!\d)")
_RECKONS = re.compile(
    r"\b(?:in total|total(?:s|led|ling)?|altogether|combined|together|overall|difference"
    r"|remain(?:s|ed|ing|der)?|rest|left|missing|others?|another|still|again|cheaper|dearer|younger|older"
    r"|(?:more|less|fewer|longer|shorter|higher|lower|later|earlier|further|lasted)\b)",
    re.IGNORECASE,
)
_LISTING = re.compile(
    r"\s(?:(?:main|key|different|other|possible|distinct|specific|separate|primary)\s)?"
    r"(?:ways?|steps?|reasons?|options?|types?|kinds?|things?|factors?|methods?|parts?"
    r"|categories|examples?|conditions?|cases?|passages?|points?|sources?)\b",
    re.IGNORECASE,
)
_ABOUT = re.compile(
    r"\b(?:about|around|roughly|approximately|almost|nearly|some|over|more than|under|less than"
    r"|close to|just)\b",
    re.IGNORECASE,
)
_NEAR = Decimal("0.05")  # how far from a number what is about as much may lie
_AGED = re.compile(r"\bage|\bold\b", re.IGNORECASE)
_FIRST_YEAR, _LAST_YEAR = 1000, 2100
_FEW = 10  # a text that lists as many things need not count them itself


def unwritten(text: str) -> Iterator[Quantity]:
    """What a folded text says in other words than a number and its unit."""
    for match in _FRACTION.finditer(text):
        yield from _fraction(match)
    for match in _COUNT.finditer(text):
        value = Decimal(_COUNTS[match.group().lower()])
        yield Quantity(value, spelled=True, bare=value)
    for match in _IN_ALL.finditer(text):
        part, whole = number(match["part"]), number(match["all"])
        if part and whole and part < whole:
            yield Quantity(part / whole * 100, "%", bare=part / whole * 100)
    for match in _YEARS.finditer(text):
        year = Decimal(match["century"] + match["year"])
        yield Quantity(year, bare=year)
    yield from _of_them(text)


def _fraction(match: re.Match[str]) -> Iterator[Quantity]:
    name = match["part"].lower()
    part = _PARTS["half" if name == "halves" else name.rstrip("s") if name != "half" else name]
    share = (number(match["count"] or "") or Decimal(1)) / part
    yield Quantity(share * 100, "%", bare=share * 100)
    if match["unit"] and (unit := unit_of(match["unit"])):
        yield Quantity(share * unit[1], unit[0], bare=share)


def _of_them(text: str) -> Iterator[Quantity]:
    """The 18 of "26 weeks, 18 of them at full pay" are weeks as well."""
    last: Quantity | None = None
    for _, end, found in quantities(text):
        if found.unit and found.bare:
            last = found
        elif last is not None and _OF_THEM.match(text[end:]):
            factor = last.value / last.bare
            yield replace(found, value=found.bare * factor, unit=last.unit)


def is_reckoned(claim: Quantity, text: str, source: Sequence[Quantity]) -> bool:
    """Whether a sentence may have reckoned a number from the source's.

    A sum or a difference where it speaks of such, the years between two years, what is missing to
    100 %, and what is "about" as much.
    """
    values = {q.value for q in source if q.unit == claim.unit and not q.digits}
    if _RECKONS.search(text):
        values |= {Decimal(100)} if claim.unit == "%" else set()
        if any(claim.value in (a + b, abs(a - b)) for a, b in combinations(values, 2)):
            return True
    if _ABOUT.search(text) and any(abs(claim.value - v) <= abs(v) * _NEAR for v in values):
        return True
    aged = claim.unit == "months" or (not claim.unit and _AGED.search(text))
    years = claim.value / 12 if claim.unit else claim.value
    written = {q.value for q in source if not q.unit and _FIRST_YEAR <= q.value <= _LAST_YEAR}
    return bool(aged) and any(abs(a - b) == years for a, b in combinations(written, 2))


def counts_a_list(claim: Quantity, words: str, text: str) -> bool:
    """Whether a number counts what its sentence lists: "there are three reasons"."""
    if claim.unit or not 1 <= claim.value <= _FEW:
        return False
    number_word = re.escape(words)
    pattern = rf"{number_word}(?={_LISTING.pattern})|\bof (?:the|its|these|those) {number_word}\b"
    return re.search(pattern, text, re.IGNORECASE) is not None
