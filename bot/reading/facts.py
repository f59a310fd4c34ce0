"""Hard facts: what a sentence states that must stand in its source to the letter. Pure."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import pairwise
from typing import TypeVar

from bot.reading.dates import Date, dates, same_date, times
from bot.reading.derived import counts_a_list, is_reckoned, unwritten
from bot.reading.fold import fold, plain
from bot.reading.quantities import Quantity, implied, named_units, quantities
from ingest.caches import cached
from ingest.types import Chunk

T = TypeVar("T")

CACHED_CHARS = 500_000  # of texts whose facts are kept: passages' sentences come again and again

_URL = re.compile(
    r"(?:https?|ftp|ssh|file)://[^\s<>\"'\]})|]+|\bwww\.[^\s<>\"'\]})|]+", re.IGNORECASE
)
_EMAIL = re.compile(r"(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_VERSION = re.compile(
    r"(?<![\w.])(?:v(?:ersions?\s|\.\s?)?\d+(?:\.\d+)*|\d+(?:\.\d+){2,})"
    r"(?:-[a-z]+[\w.]*)?(?![\w-]|\.\d)",
    re.IGNORECASE,
)
_TOKEN = re.compile(
    r"(?<![\w/])(?:#|--?(?=[a-z])|[./~]{0,60}/|\.(?=\w))?\w+(?:[-./:@+=]++\w+)*/?", re.IGNORECASE
)
_CODE = re.compile(r"(?<!`)(`++)(.+?)(?<!`)\1(?!`)", re.DOTALL)
_PIECE = re.compile(r"[^\W\d_]+|\d+")
_NUMBER_LIKE = re.compile(
    r"\d[\d.,]*(?:st|nd|rd|th|k|bn|mn|-?[^\W\d_]{1,12}|-\d[\d.,]*)?", re.IGNORECASE
)
_LAST_DAYS = 28  # of a month, at its end
_WEEK = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_WEEKDAY = re.compile(r"\b((?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day)s?\b")
_TO = re.compile(r"\s?(?:-|to|through|until|till)\s?", re.IGNORECASE)
_CAMEL = re.compile(r"[a-z][A-Z]|[A-Z]{2}[a-z]")
_IN_UNITS = re.compile(r"\b(?:in|number of|many) [a-z]+\b", re.IGNORECASE)
_DIGIT_RUN = re.compile(r"(?<![\d.,])[1-9]\d{2,}(?![.,]?\d)")


@dataclass(frozen=True, slots=True)
class Fact:
    """One hard fact of a sentence: what kind it is, its words there, and its comparable value."""

    kind: str
    words: str
    value: str | int | Date | Quantity


@cached(chars=CACHED_CHARS)
def facts(text: str) -> tuple[Fact, ...]:
    """The hard facts of a sentence in Markdown."""
    found = [Fact("code", m[2].strip(), fold(m[2]).text.casefold()) for m in _CODE.finditer(text)]
    rest = _Rest(plain(text))
    found += [Fact("address", w, _address(w)) for w in rest.take(_URL)]
    found += [Fact("address", w, _address(w)) for w in rest.take(_EMAIL)]
    found += [Fact("date", w, d) for w, d in rest.take_spans(dates(rest.text))]
    found += [Fact("time", w, t) for w, t in rest.take_spans(times(rest.text))]
    found += [Fact("version", w, _version(w)) for w in rest.take(_VERSION)]
    found += [Fact("weekday", w, w[:3].casefold()) for w in rest.take(_WEEKDAY)]
    tokens = [m for m in _TOKEN.finditer(rest.text) if _is_identifier(m.group())]
    found += [Fact("identifier", m.group(), m.group().casefold()) for m in tokens]
    rest.blank(m.span() for m in tokens)
    found += [Fact("number", w, q) for w, q in rest.take_spans(quantities(rest.text))]
    return tuple(found)


class _Rest:
    """A text of which what has been understood is blanked out, so that nothing counts twice."""

    def __init__(self, text: str) -> None:
        self.text = text

    def blank(self, spans: Iterable[tuple[int, int]]) -> None:
        letters = list(self.text)
        for start, end in spans:
            letters[start:end] = "\0" * (end - start)
        self.text = "".join(letters)

    def take(self, pattern: re.Pattern[str]) -> list[str]:
        spans = [(*match.span(), None) for match in pattern.finditer(self.text)]
        return [words for words, _ in self.take_spans(spans)]

    def take_spans(self, spans: Iterable[tuple[int, int, T]]) -> list[tuple[str, T]]:
        taken = list(spans)
        words = [self.text[start:end].strip() for start, end, _ in taken]
        self.blank((start, end) for start, end, _ in taken)
        return [(word, value) for word, (_, _, value) in zip(words, taken, strict=True)]


def _weekdays(text: str) -> set[str]:
    """The weekdays that a text names, as far as three letters tell, those within ranges too."""
    days = [(m.start(), m.end(), _WEEK.index(m[1][:3].casefold())) for m in _WEEKDAY.finditer(text)]
    named = {day for _, _, day in days}
    for (_, end, first), (start, _, last) in pairwise(days):
        if _TO.fullmatch(text[end:start]):
            named |= {(first + n) % 7 for n in range((last - first) % 7)}
    for words, group in (("weekday", range(5)), ("weekend", (5, 6)), ("daily", range(7))):
        named |= set(group) if words in text.casefold() else set()
    return {_WEEK[day] for day in named}


def _address(words: str) -> str:
    return words.rstrip(".,;:!?").rstrip("/").casefold()


def _version(words: str) -> str:
    return re.sub(r"^v(?:ersions?\s|\.\s?)?", "", words.casefold())


def _is_identifier(word: str) -> bool:
    if _NUMBER_LIKE.fullmatch(word) or word.strip("-/.").isdigit():
        return word.startswith("#")
    if word.startswith(("#", "--", "/", "./", "~/")) or "_" in word or "::" in word:
        return True
    if any(c.isdigit() for c in word) and any(c.isalpha() for c in word):
        return True
    return bool(_CAMEL.search(word)) or bool(re.search(r"\w[.@=]\w|\w/\w+\.\w|:\w+/", word))


class Evidence:
    """What the passages that a sentence cites say: headings, contexts and visible texts."""

    def __init__(self, passages: Iterable[Chunk]) -> None:
        parts: list[str] = []
        tables: list[str] = []
        for chunk in passages:
            texts = [chunk.heading, *chunk.visible_context, chunk.visible]
            parts += texts
            tables.append(chunk.heading)
            tables += [line for text in texts[1:] for line in text.splitlines() if "|" in line]
        words = "\n".join(plain(part) for part in parts)
        self._words = words.casefold()
        self._raw = "\n".join(fold(part).text for part in parts).casefold()
        self._units = named_units("\n".join([*tables, *_IN_UNITS.findall(words)]))
        self._take(words)

    def _take(self, words: str) -> None:
        rest = _Rest(words)
        links = [*rest.take(_URL), *rest.take(_EMAIL)]
        self._addresses = {_address(link) for link in links}
        self._addresses |= {re.sub(r"^\w+://(www\.)?", "", a) for a in self._addresses}
        self._dates = [date for _, date in rest.take_spans(dates(rest.text))]
        self._times = {time for _, time in rest.take_spans(times(rest.text))}
        self._weekdays = _weekdays(words)
        self._versions = {_version(word) for word in rest.take(_VERSION)}
        self._quantities = [q for _, _, q in quantities(rest.text)] + list(implied(rest.text))
        self._quantities += unwritten(rest.text)
        numbers = {Decimal(run) for run in _DIGIT_RUN.findall(words)}
        written = [n for d in self._dates for n in (d.year, d.day, *(d.slashed or ()))]
        numbers |= {Decimal(n) for n in written if n}
        numbers |= {Decimal(t // 60 % 12) for t in self._times}
        self._numbers = numbers | {q.bare for q in self._quantities if not q.digits}
        self._years = {int(n) for n in numbers if n == int(n) and 1900 <= n <= 2200}  # noqa: PLR2004

    def holds(self, fact: Fact, sentence: str = "") -> bool:
        """Whether the fact stands in the passages, in whatever form, or its sentence counts it."""
        match fact.value:
            case Date():
                return self._holds_date(fact.value)
            case Quantity():
                return (
                    self._holds_quantity(fact.value)
                    or is_reckoned(fact.value, sentence, self._quantities)
                    or counts_a_list(fact.value, fact.words, sentence)
                )
            case int():
                return fact.value in self._times
            case str():
                return self._holds_words(fact.kind, fact.value)

    def _holds_date(self, date: Date) -> bool:
        """As a whole, or with its day apart from its month: "in December, from the 5th"."""
        if any(same_date(date, other, self._years) for other in self._dates):
            return True
        ends = date.day >= _LAST_DAYS and "end of " in self._words
        if not date.day or not (ends or Decimal(date.day) in self._numbers):
            return False
        months = [other for other in self._dates if not (other.day or other.slashed)]
        return any(same_date(replace(date, day=0), other, self._years) for other in months)

    def _holds_words(self, kind: str, words: str) -> bool:
        if kind == "address":
            return words in self._addresses or words.removeprefix("www.") in self._addresses
        if kind == "weekday":
            return words in self._weekdays
        if kind == "version" and words in self._versions:
            return True
        if kind == "identifier" and self._holds_pieces(words):
            return True
        return _stands(words, self._words) or _stands(words, self._raw)

    def _holds_pieces(self, identifier: str) -> bool:
        """ISO-27001, ISO 27001 and ISO27001 are one; a name without digits has one spelling."""
        if not any(char.isdigit() for char in identifier):
            return False
        pieces = _PIECE.findall(identifier)
        pattern = r"[\s_\-./:#]{0,2}".join(map(re.escape, pieces))
        return re.search(rf"(?<!\w){pattern}(?!\w|[.,]\d)", self._words) is not None

    def _holds_quantity(self, claim: Quantity) -> bool:
        if claim.digits:
            return _stands(claim.digits, self._words)
        if not claim.unit:
            if claim.spelled and claim.value <= 1:  # "one of the offices"
                return True
            return claim.value in self._numbers or any(
                claim.value == q.value for q in self._quantities if not (q.unit or q.digits)
            )
        if any(_same_quantity(claim, q) for q in self._quantities):
            return True
        factors = self._units.get(claim.unit, ())
        return any(claim.value / factor in self._numbers for factor in factors)


def _same_quantity(claim: Quantity, source: Quantity) -> bool:
    qualified = claim.qualifier and claim.qualifier != source.qualifier
    return claim.unit == source.unit and claim.value == source.value and not qualified


def _stands(words: str, text: str) -> bool:
    """Whether the words stand in the text, not as a part of longer ones."""
    head = r"(?<![\w.])" if words[:1].isdigit() else r"(?<!\w)" if words[:1].isalnum() else ""
    tail = r"(?!\w|[.,]\d)" if words[-1:].isalnum() else ""
    return re.search(head + re.escape(words) + tail, text) is not None
