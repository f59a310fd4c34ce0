"""Dates and times of day in the ways people write them, as comparable values. Pure."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from bot.lexicon import alternatives, either, numbered

_MONTHS = numbered("months")
_MONTH = rf"(?P<month>{either(_MONTHS)})\.?"
# These are other words as well: a capital and a word that goes before a month tell.
_OTHER_WORDS = {"march", "may", "mai", "mars", "sept"}
_LEAST = 4  # letters of a month that no day or year stands beside
_FULL = either(word for word in _MONTHS.keys() - _OTHER_WORDS if len(word) >= _LEAST)
_CAPITAL = either(word.capitalize() for word in _OTHER_WORDS)
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th|er)?"
_YEAR = r"(?:,?\s+(?:de\s+)?(?P<year>\d{4}))"
_PATTERNS = tuple(
    re.compile(rf"(?<![\w.-])(?:{pattern})(?![\w-])", re.IGNORECASE)
    for pattern in (
        r"(?P<year>\d{4})-(?P<nmonth>\d{2})-(?P<day>\d{2})(?:[T ](?=\d\d:))?",
        r"(?P<year>\d{4})/(?P<nmonth>\d{2})/(?P<day>\d{2})",
        r"(?P<a>\d{1,2})[/.](?P<b>\d{1,2})[/.](?P<year>\d{4}|\d{2}(?!\.))",
        rf"{_DAY}\.?\s+(?:(?:of|de)\s+)?{_MONTH}{_YEAR}?",
        rf"{_MONTH}\s+{_DAY}{_YEAR}?",
        rf"{_MONTH}{_YEAR}",
        rf"(?P<full>{_FULL})",
        rf"(?:{alternatives('before_months')})\s+(?P<full>(?-i:{_CAPITAL}))",
    )
)
_CLOCK = {word: n for word, n in numbered("numbers", first=0).items() if 1 <= n <= 12}  # noqa: PLR2004 - hours
_HOUR = rf"(?:{either(_CLOCK)}|1[0-2]|[1-9])"
_TIME = re.compile(
    r"(?<![\w:.])(?P<h>\d{1,2})(?:[:.](?P<m>[0-5]\d))?(?::\d{2})?\s?(?P<half>[ap]m\b|[ap]\.m\.)"
    r"|(?<![\w:.])(?P<hour>[01]?\d|2[0-4])(?:[:.](?P<minute>[0-5]\d))?\s?uhr\b(?:\s?(?P<after>[0-5]\d)\b)?"
    r"|(?<![\w:.])(?P<h24>[01]?\d|2[0-4])(?::|\s?h\s?)(?P<m24>[0-5]\d)(?::[0-5]\d)?(?![\w:])"
    r"|\b(?P<word>noon|midday|midnight)\b"
    rf"|\b(?:(?P<past>half(?=\spast|\s\w+)|a?\s?quarter(?=\spast))(?:\spast)?|(?P<to>a?\s?quarter)\sto|(?P<halb>halb)"
    rf"|viertel\s(?P<nach>nach|vor))\s(?P<spoken>{_HOUR})\b"
    rf"|\b(?P<oclock>{_HOUR})\so'?clock\b",
    re.IGNORECASE,
)
_UP_TO = re.compile(r"\s?(?:-|to|and|until|till)\s?", re.IGNORECASE)
_BARE_HOUR = re.compile(
    r"(?<![\w:.])(?P<h>1[0-2]|[1-9])\s?(?:-|to|until|and)\s?\d{1,2}(?:[:.]\d\d)?\s?(?P<half>[ap])\.?m\b",
    re.IGNORECASE,
)
HALF_DAY = 720  # minutes


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
        month = _MONTHS[name.lower()]
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


@dataclass(frozen=True, slots=True)
class Time:
    """Minutes since midnight; `half` is "am" or "pm" where the text says so, `spoken` that neither.

    Of a spoken time ("half past four") the half of the day is open, and `minutes` below 720.
    """

    minutes: int
    half: str = ""
    spoken: bool = False


def same_time(claim: Time, source: Time) -> bool:
    """Whether they may be one; a half of the day that only one of them names is no difference."""
    if claim.minutes == source.minutes:
        return True
    open_ = claim.spoken or source.spoken or (bool(source.half) and not claim.half)
    return open_ and claim.minutes % HALF_DAY == source.minutes % HALF_DAY


def times(text: str) -> Iterator[tuple[int, int, Time]]:
    """Start, end and value of each time of day; in "1:30 to 3 pm" both are in the afternoon."""
    found = [(match.start(), match.end(), _time(match)) for match in _TIME.finditer(text)]
    for i, (start, end, time) in enumerate(found):
        following = found[i + 1] if i + 1 < len(found) else None
        if following and following[2].half and not (time.half or time.spoken):
            shifted = time.minutes % HALF_DAY + HALF_DAY * (following[2].half == "pm")
            if _UP_TO.fullmatch(text[end : following[0]]) and shifted < following[2].minutes:
                time = Time(shifted, following[2].half)  # noqa: PLW2901 - the same, in its half
        yield start, end, time


def bare_hours(text: str) -> Iterator[Time]:
    """The 9 of "9 to 11 am"."""
    for match in _BARE_HOUR.finditer(text):
        yield Time(int(match["h"]) * 60, spoken=True)


def _time(match: re.Match[str]) -> Time:
    if word := match["word"]:
        return Time(0 if word.lower() == "midnight" else HALF_DAY)
    if half := match["half"]:
        name = half[0].lower() + "m"
        hour = int(match["h"]) % 12 + 12 * (name == "pm")
        return Time(hour * 60 + int(match["m"] or 0), name)
    if hour_ := match["hour"] or match["h24"]:
        return Time(
            int(hour_) % 24 * 60 + int(match["minute"] or match["after"] or match["m24"] or 0)
        )
    named = (match["spoken"] or match["oclock"]).lower()
    at = (_CLOCK.get(named) or int(named)) * 60
    if match["halb"]:
        at -= 30
    elif match["to"] or (match["nach"] or "").lower() == "vor":
        at -= 15
    elif match["past"] or match["nach"]:
        at += 30 if (match["past"] or "").lower() == "half" else 15
    return Time(at % HALF_DAY, spoken=True)
