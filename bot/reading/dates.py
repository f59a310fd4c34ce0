"""Dates and times of day in the ways people write them, as comparable values. Pure."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

_MONTH_NAMES = """
january february march april may june july august september october november december
"""
_MONTHS = _MONTH_NAMES.split()
_MONTH = r"(?P<month>" + "|".join(f"{m[:3]}(?:{m[3:]})?" for m in _MONTHS) + r"|sept)\.?"
_BEFORE_MONTH = "in|since|until|by|from|of|during|before|after|and|or|to|every|each|through"
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_YEAR = r"(?P<year>\d{4})"
_PATTERNS = tuple(
    re.compile(rf"(?<![\w.-])(?:{pattern})(?![\w-])", re.IGNORECASE)
    for pattern in (
        r"(?P<year>\d{4})-(?P<nmonth>\d{2})-(?P<day>\d{2})(?:[T ](?=\d\d:))?",
        r"(?P<year>\d{4})/(?P<nmonth>\d{2})/(?P<day>\d{2})",
        r"(?P<a>\d{1,2})[/.](?P<b>\d{1,2})[/.](?P<year>\d{4}|\d{2}(?!\.))",
        rf"{_DAY}\.?\s+(?:of\s+)?{_MONTH}(?:,?\s+{_YEAR})?",
        rf"{_MONTH}\s+{_DAY}(?:,?\s+{_YEAR})?",
        rf"{_MONTH},?\s+{_YEAR}",
        rf"(?P<full>{'|'.join(m for m in _MONTHS if m not in ('march', 'may'))})",
        # These two are verbs as well: a capital and a word that goes before a month tell.
        rf"(?:{_BEFORE_MONTH})\s+(?P<full>(?-i:March|May))",
    )
)
_TIME = re.compile(
    r"(?<![\w:.])(?P<h>\d{1,2})(?::(?P<m>\d{2}))?(?::\d{2})?\s*(?P<half>[ap]m\b|[ap]\.m\.)"
    r"|(?<![\w:.])(?P<h24>[01]?\d|2[0-3]):(?P<m24>[0-5]\d)(?::[0-5]\d)?(?![\w:])"
    r"|\b(?P<word>noon|midday|midnight)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Date:
    """A date as far as it is written: 0 stands for what is not. `slashed` keeps 3/4/2026's order.

    Of a slashed date `month` and `day` are 0 when both readings are possible.
    """

    year: int
    month: int
    day: int
    slashed: tuple[int, int] | None = None

    def readings(self) -> set[tuple[int, int]]:
        """The (month, day) pairs that it may mean."""
        if self.slashed is None:
            return {(self.month, self.day)}
        a, b = self.slashed
        return {(m, d) for m, d in ((a, b), (b, a)) if 1 <= m <= 12}  # noqa: PLR2004 - months


def dates(text: str) -> Iterator[tuple[int, int, Date]]:
    """Start, end and value of each date, in no order, none inside another."""
    taken: list[tuple[int, int]] = []
    for pattern in _PATTERNS:
        for match in pattern.finditer(text):
            if any(match.start() < end and start < match.end() for start, end in taken):
                continue
            if date := _date(match.groupdict()):
                taken.append(match.span())
                yield *match.span(), date


def _date(parts: dict[str, str | None]) -> Date | None:
    year = int(parts.get("year") or 0)
    if parts.get("a"):
        a, b = int(parts["a"] or 0), int(parts["b"] or 0)
        year += 2000 if year < 100 else 0  # noqa: PLR2004 - two digits
        date = Date(year, 0, 0, (a, b))
        return date if max(a, b) <= 31 and date.readings() else None  # noqa: PLR2004 - days
    if name := parts.get("month") or parts.get("full"):
        month = next(i for i, m in enumerate(_MONTHS, 1) if m[:3] == name[:3].lower())
    else:
        month = int(parts.get("nmonth") or 0)
    day = int(parts.get("day") or 0)
    return Date(year, month, day) if month <= 12 and day <= 31 else None  # noqa: PLR2004 - as above


def same_date(claim: Date, source: Date, years: set[int]) -> bool:
    """Whether the source's date says all that the claim's does.

    `years` are the years that stand elsewhere in the source: a page headed 2026 dates "1 March".
    """
    if claim.year and source.year and claim.year != source.year:
        return False
    if claim.year and not source.year and claim.year not in years:
        return False
    if claim.slashed and source.slashed:
        return claim.slashed == source.slashed
    return any(
        month == other and (not day or day == its_day)
        for month, day in claim.readings()
        for other, its_day in source.readings()
    )


def times(text: str) -> Iterator[tuple[int, int, int]]:
    """Start, end and minutes since midnight of each time of day."""
    for match in _TIME.finditer(text):
        if match["word"]:
            yield *match.span(), 0 if match["word"].lower() == "midnight" else 720
        elif match["half"]:
            hour = int(match["h"]) % 12 + (12 if match["half"][0] in "pP" else 0)
            yield *match.span(), hour * 60 + int(match["m"] or 0)
        else:
            yield *match.span(), int(match["h24"]) * 60 + int(match["m24"])
