"""Numbers with what they count: plain, per cent, money, units of time and size. Pure."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from decimal import Decimal

from ingest.caches import cached

_SYMBOLS = {
    "us$": "USD",
    "a$": "AUD",
    "c$": "CAD",
    "$": "USD",
    "€": "EUR",
    "£": "GBP",
    "¥": "JPY",
    "₹": "INR",
    "%": "%",
}
_HUNDREDTH = Decimal("0.01")
_ONE = Decimal(1)
_CODE_LIST = "USD EUR GBP CHF JPY INR AUD CAD SEK NOK DKK PLN CZK"
_CODES = _CODE_LIST.split()
_WORDS = {
    **dict.fromkeys(("percent", "per cent", "pct", "percentage points"), "%"),
    **dict.fromkeys(("dollar", "dollars", "us dollars"), "USD"),
    **dict.fromkeys(("euro", "euros"), "EUR"),
    **dict.fromkeys(("pound", "pounds", "pounds sterling", "p", "pence"), "GBP"),
    **{code.lower(): code for code in _CODES},
    "yen": "JPY",
}
# Unit: dimension and how many of the dimension's smallest it is.
_UNITS: dict[str, tuple[str, Decimal]] = {}
for _dimension, _factor, _names in (
    ("time", "0.001", "ms millisecond milliseconds"),
    ("time", "1", "s sec secs second seconds"),
    ("time", "60", "min mins minute minutes"),
    ("time", "3600", "h hr hrs hour hours"),
    ("time", "86400", "d day days"),
    ("time", "604800", "wk wks week weeks"),
    ("months", "1", "month months"),
    ("months", "12", "yr yrs year years"),
    ("months", "120", "decade decades"),
    ("months", "1200", "century centuries"),
    ("time", "1209600", "fortnight fortnights"),
    ("bytes", "1", "byte bytes"),
    ("bytes", "1000", "kb kilobyte kilobytes"),
    ("bytes", "1000000", "mb megabyte megabytes"),
    ("bytes", "1000000000", "gb gigabyte gigabytes"),
    ("bytes", "1000000000000", "tb terabyte terabytes"),
    ("bytes", "1024", "kib"),
    ("bytes", "1048576", "mib"),
    ("bytes", "1073741824", "gib"),
    ("bytes", "1099511627776", "tib"),
    ("length", "1", "mm"),
    ("length", "10", "cm"),
    ("length", "1000", "metre metres meter meters"),
    ("length", "1000000", "km kilometre kilometres kilometer kilometers"),
    ("miles", "1", "mile miles"),
    ("feet", "1", "ft foot feet"),
    ("inches", "1", "inch inches"),
    ("celsius", "1", "°c"),
    ("fahrenheit", "1", "°f"),
    ("volume", "1", "ml millilitre millilitres milliliter milliliters"),
    ("volume", "1000", "litre litres liter liters"),
    ("mass", "1", "g gram grams"),
    ("mass", "1000", "kg kilogram kilograms kilo kilos"),
    ("pixels", "1", "px pixel pixels"),
    ("tokens", "1", "token tokens"),
):
    _UNITS |= dict.fromkeys(_names.split(), (_dimension, Decimal(_factor)))
_UNITS |= dict.fromkeys(("square kilometres", "square kilometers", "sq km", "km²"), ("area", _ONE))
_UNITS |= dict.fromkeys(("square miles", "sq mi"), ("square miles", _ONE))
_QUALIFIERS = {
    **dict.fromkeys(("working", "business"), "working"),
    **dict.fromkeys(("calendar", "consecutive"), "calendar"),
    **dict.fromkeys(("full", "whole", "paid", "unpaid", "additional", "extra", "more"), ""),
}
_SCALES = {
    **dict.fromkeys(("k", "thousand"), 10**3),
    **dict.fromkeys(("million", "mn"), 10**6),
    **dict.fromkeys(("bn", "billion"), 10**9),
    "hundred": 100,
}
_SMALL_NAMES = """
zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen
sixteen seventeen eighteen nineteen
"""
_TENS_NAMES = "twenty thirty forty fifty sixty seventy eighty ninety"
_SMALL = _SMALL_NAMES.split()
_TENS = _TENS_NAMES.split()
_NAMED = {w: i for i, w in enumerate(_SMALL)} | {w: 10 * i for i, w in enumerate(_TENS, 2)}


def _any(words: Iterator[str] | dict[str, object]) -> str:
    return "|".join(sorted(map(re.escape, words), key=len, reverse=True))


_DIGITS = r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d{1,3}(?:[ ']\d{3})+(?!\d)|\d+(?:[.,]\d+)*"
_BELOW_100 = rf"(?:{'|'.join(_TENS)})(?:[- ](?:{'|'.join(_SMALL[1:10])}))?|{'|'.join(_SMALL[::-1])}"
_SPELLED = (
    rf"(?:an?|{'|'.join(_SMALL[1:10])})\s(?:hundred)(?:\sand\s(?:{_BELOW_100}))?"
    rf"|a\s(?=(?:thousand|million|billion)\b)|{_BELOW_100}"
)
_NUMBER = re.compile(
    rf"(?P<before>(?:us|a|c)?[$€£¥₹]\s?|\b(?:{_any(iter(_WORDS))})\s)?"
    rf"(?<![\w.])(?P<sign>(?<![^\s(])-|\bminus\s)?"
    rf"(?:(?P<digits>{_DIGITS})|\b(?P<spelled>{_SPELLED})\b)"
    rf"(?:st|nd|rd|th)?"
    rf"(?:\s?-?(?P<scale>k|bn|mn)\b|[\s-](?P<scale_word>hundred|thousand|million|billion)\b)?"
    rf"(?:\s?(?P<symbol>[$€£¥₹%])|[\s-]?(?P<word>{_any(iter(_WORDS))})\b"
    rf"|[\s-]?(?:(?P<qualifier>{_any(iter(_QUALIFIERS))})[\s-])?(?P<unit>{_any(iter(_UNITS))})\b)?",
    re.IGNORECASE,
)
_SHORT = 2  # letters of an abbreviated unit, which no article precedes
_ARTICLE = re.compile(
    rf"\b(?:an?|per|each|every)\s(?P<unit>{_any(u for u in _UNITS if len(u) > _SHORT)})\b",
    re.IGNORECASE,
)
_RANGE = re.compile(r"\s*(?:-|to|and|or|up to|/)\s*")
_FREE = re.compile(
    rf"[$€£¥₹%]|\b(?:{_any(iter(_WORDS))}|{_any(iter(_UNITS))})\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number; `unit` is "", "%", a currency code or a dimension, whose smallest it counts.

    `digits` keeps a number that begins with zeros as it was written; `spelled` marks number words.
    """

    value: Decimal
    unit: str = ""
    qualifier: str = ""
    digits: str = ""
    spelled: bool = False
    bare: Decimal = Decimal(0)  # the number as written, before its unit's factor


@cached(chars=500_000)
def quantities(text: str) -> tuple[tuple[int, int, Quantity], ...]:
    """Start, end and value of each number of a folded text, in order.

    In "3-5 days", "between €5 and 10" and "30, 7 and 1 days" all numbers have the unit.
    """
    found = [(m.start(), m.end(), _quantity(m)) for m in _NUMBER.finditer(text)]
    shared = set()
    for i in reversed(range(len(found) - 1)):
        (start, end, low), (next_start, next_end, high) = found[i : i + 2]
        between = text[end:next_start]
        if not _RANGE.fullmatch(between) and not (i + 1 in shared and between == ", "):
            continue
        shared.add(i)
        if not high.unit and low.unit in _CODES:
            found[i + 1] = (next_start, next_end, replace(high, unit=low.unit))
        elif high.unit and not low.unit:
            factor = high.value / high.bare if high.bare else Decimal(1)
            spread = replace(low, value=low.bare * factor, unit=high.unit, qualifier=high.qualifier)
            found[i] = (start, end, spread)
    return tuple(found)


def _quantity(match: re.Match[str]) -> Quantity:
    value, digits = _value(match)
    scale = (match["scale"] or match["scale_word"] or "").lower()
    value *= _SCALES.get(scale, 1)
    if match["sign"]:
        value = -value
    money = (match["before"] or match["symbol"] or match["word"] or "").strip().lower()
    spelled = match["spelled"] is not None
    if money:
        unit = _SYMBOLS.get(money) or _WORDS[money]
        value *= _HUNDREDTH if money in ("p", "pence") else 1
        return Quantity(value, unit, digits=digits, spelled=spelled, bare=value)
    if match["unit"]:
        dimension, factor = _UNITS[match["unit"].lower()]
        qualifier = _QUALIFIERS.get((match["qualifier"] or "").lower(), "")
        return Quantity(value * factor, dimension, qualifier, digits, spelled, value)
    return Quantity(value, digits=digits, spelled=spelled, bare=value)


def _value(match: re.Match[str]) -> tuple[Decimal, str]:
    """The number, and its digits when zeros stand before it (a code, not a count)."""
    if spelled := match["spelled"]:
        return _named(spelled), ""
    written = match["digits"]
    if re.fullmatch(r"\d{1,3}(,\d{3})+(\.\d+)?", written):
        return Decimal(written.replace(",", "")), ""
    written = re.sub(r"[ ']", "", written)
    if re.fullmatch(r"\d{1,3}(\.\d{3}){2,}", written):
        return Decimal(written.replace(".", "")), ""
    if re.fullmatch(r"\d{1,3}(\.\d{3})+,\d+", written):
        return Decimal(written.replace(".", "").replace(",", ".")), ""
    if written.count(",") + written.count(".") > 1:
        return Decimal(re.sub(r"[.,]", "", written)), written
    zeros = written if re.fullmatch(r"0\d+", written) else ""
    return Decimal(written.replace(",", ".")), zeros


def _named(spelled: str) -> Decimal:
    """Of "forty-two", "a hundred and five"; an article alone is 1."""
    words = [word for word in re.split(r"[\s-]+", spelled.lower()) if word != "and"]
    if words[1:2] == ["hundred"]:
        return 100 * Decimal(_NAMED.get(words[0], 1)) + sum(_NAMED[word] for word in words[2:])
    return Decimal(sum(_NAMED.get(word, 1) for word in words if word))


def number(written: str) -> Decimal | None:
    """The value of one number, in digits or spelled; None for any other word."""
    match = _NUMBER.fullmatch(written)
    return _value(match)[0] if match else None


def unit_of(name: str) -> tuple[str, Decimal] | None:
    """The dimension of a unit and how many of its smallest it is; None for any other word."""
    return _UNITS.get(name.lower())


def implied(text: str) -> Iterator[Quantity]:
    """What "a week" or "an hour" says without a number."""
    for match in _ARTICLE.finditer(text):
        dimension, factor = _UNITS[match["unit"].lower()]
        yield Quantity(factor, dimension, bare=Decimal(1))


def named_units(text: str) -> dict[str, set[Decimal]]:
    """Units that a heading or a table's header names, with the factors of their smallest."""
    units: dict[str, set[Decimal]] = {}
    for match in _FREE.finditer(text):
        name = match.group().lower()
        dimension, factor = _UNITS.get(name) or (
            _SYMBOLS.get(name) or _WORDS[name],
            Decimal(1),
        )
        units.setdefault(dimension, set()).add(factor)
    return units
