"""Numbers with what they count: plain, per cent, money, units of time and size. Pure."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from decimal import Decimal

from bot.lexicon import alternatives, either, numbered, valued
from ingest.caches import cached
from ingest.languages import ENGLISH

_SIGNS = "$€£¥₹%"
_SYMBOLS = dict(zip(_SIGNS, ("USD", "EUR", "GBP", "JPY", "INR", "%"), strict=True))
_SYMBOLS |= {"us$": "USD", "a$": "AUD", "c$": "CAD"}
_HUNDREDTH = Decimal("0.01")
_WORDS = valued("money")
_CODES = frozenset(_WORDS.values()) - {"%"}
# Unit: dimension and how many of the dimension's smallest it is.
_UNITS = {
    name: (told.partition("=")[0].replace("_", " "), Decimal(told.partition("=")[2]))
    for name, told in valued("units").items()
}
_QUALIFIERS = {word: "" if kind == "more" else kind for word, kind in valued("qualifiers").items()}
_SCALES = {name: int(value) for name, value in valued("scales").items()}
_SMALL = numbered("numbers", ENGLISH, first=0)
_TENS = {word: 10 * n for word, n in numbered("tens", ENGLISH, first=2).items()}
_NAMED = _SMALL | _TENS


_DIGITS = r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d{1,3}(?:[ ']\d{3})+(?!\d)|\d+(?:[.,]\d+)*"
_ONES = either(word for word, n in _SMALL.items() if 0 < n < 10)  # noqa: PLR2004 - one digit
_BELOW_100 = rf"(?:{either(_TENS)})(?:[- ](?:{_ONES}))?|{either(_SMALL)}"
_SPELLED = (
    rf"(?:an?|{_ONES})\s(?:hundred)(?:\sand\s(?:{_BELOW_100}))?"
    rf"|a\s(?=(?:thousand|million|billion)\b)|{_BELOW_100}"
)
_NUMBER = re.compile(
    rf"(?P<before>(?:us|a|c)?[$€£¥₹]\s?|\b(?:{either(_WORDS)})\s)?"
    rf"(?<![\w.])(?P<sign>(?<![^\s(])-|\bminus\s)?"
    rf"(?:(?P<digits>{_DIGITS})|\b(?P<spelled>{_SPELLED})\b)"
    rf"(?:st|nd|rd|th)?"
    rf"(?:\s?-?(?P<scale>k|bn|mn)\b|[\s-](?P<scale_word>hundred|thousand|million|billion)\b)?"
    rf"(?:\s?(?P<symbol>[{_SIGNS}])|[\s-]?(?P<word>{either(_WORDS)})\b"
    rf"|[\s-]?(?:(?P<qualifier>{either(_QUALIFIERS)})[\s-]?)?(?P<unit>{either(_UNITS)})\b)?",
    re.IGNORECASE,
)
_SHORT = 2  # letters of an abbreviated unit, which no article precedes
_ARTICLE = re.compile(
    rf"\b(?:{alternatives('articles')})\s"
    rf"(?P<unit>{either(u for u in _UNITS if len(u) > _SHORT)})\b",
    re.IGNORECASE,
)
_RANGE = re.compile(r"\s*(?:-|to|and|or|up to|/|bis|und|oder)\s*")
_FREE = re.compile(rf"[{_SIGNS}]|\b(?:{either(_WORDS)}|{either(_UNITS)})\b", re.IGNORECASE)


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
