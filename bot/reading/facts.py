"""Hard facts: what a sentence states that must stand in its source to the letter. Pure."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeVar

from bot.lexicon import either, listed, numbered
from bot.reading.dates import Date, Time, dates, times
from bot.reading.fold import fold, plain
from bot.reading.quantities import Quantity, quantities
from ingest.caches import cached

T = TypeVar("T")

CACHED_CHARS = 500_000  # of texts whose facts are kept: passages' sentences come again and again

URL = re.compile(
    r"(?:https?|ftp|ssh|file)://[^\s<>\"'\]})|]+|\bwww\.[^\s<>\"'\]})|]+", re.IGNORECASE
)
EMAIL = re.compile(r"(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
VERSION = re.compile(
    r"(?<![\w.])(?:v(?:ersions?\s|\.\s?)?\d+(?:\.\d+)*|\d+(?:\.\d+){2,})"
    r"(?:-[a-z]+[\w.]*)?(?![\w-]|\.\d)",
    re.IGNORECASE,
)
_TOKEN = re.compile(
    r"(?<![\w/])(?:#|--?(?=[a-z])|[./~]{0,60}/|\.(?=\w))?\w+(?:[-./:@+=]++\w+)*/?", re.IGNORECASE
)
_CODE = re.compile(r"(?<!`)(`++)(.+?)(?<!`)\1(?!`)", re.DOTALL)
_NUMBER_LIKE = re.compile(
    r"\d[\d.,]*(?:st|nd|rd|th|k|bn|mn|-?[^\W\d_]{1,12}|-\d[\d.,]*)?", re.IGNORECASE
)
_WEEK = numbered("weekdays", first=0)
_WEEKDAY = re.compile(rf"\b({either(day.capitalize() for day in _WEEK)})s?\b")
_WEEK_GROUPS = {"weekdays_only": range(5), "weekends": range(5, 7), "daily": range(7)}
_TO = re.compile(r"\s?(?:-|to|through|until|till|bis)\s?", re.IGNORECASE)
_CAMEL = re.compile(r"[a-z][A-Z]|[A-Z]{2}[a-z]")
_PLURAL = re.compile(r"[A-Z]{2,}s")  # PRs
_ABBREVIATION = re.compile(r"(?:[a-z]\.)+[a-z]", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Fact:
    """One hard fact of a sentence: what kind it is, its words there, and its comparable value."""

    kind: str
    words: str
    value: str | Time | Date | Quantity


@cached(chars=CACHED_CHARS)
def facts(text: str) -> tuple[Fact, ...]:
    """The hard facts of a sentence in Markdown."""
    found = [Fact("code", m[2].strip(), fold(m[2]).text.casefold()) for m in _CODE.finditer(text)]
    rest = Rest(plain(text))
    found += [Fact("address", w, address_of(w)) for w in rest.take(URL)]
    found += [Fact("address", w, address_of(w)) for w in rest.take(EMAIL)]
    found += [Fact("date", w, d) for w, d in rest.take_spans(dates(rest.text))]
    found += [Fact("time", w, t) for w, t in rest.take_spans(times(rest.text))]
    found += [Fact("version", w, version_of(w)) for w in rest.take(VERSION)]
    found += [Fact("weekday", w, str(min(weekdays(w)))) for w in rest.take(_WEEKDAY)]
    tokens = [m for m in _TOKEN.finditer(rest.text) if _is_identifier(m.group())]
    found += [Fact("identifier", m.group(), m.group().casefold()) for m in tokens]
    rest.blank(m.span() for m in tokens)
    found += [Fact("number", w, q) for w, q in rest.take_spans(quantities(rest.text))]
    return tuple(found)


class Rest:
    """A text of which what has been understood is blanked out, so that nothing counts twice."""

    def __init__(self, text: str) -> None:
        self.text = text

    def blank(self, spans: Iterable[tuple[int, int]]) -> None:
        """Take these ranges out."""
        letters = list(self.text)
        for start, end in spans:
            letters[start:end] = "\0" * (end - start)
        self.text = "".join(letters)

    def take(self, pattern: re.Pattern[str]) -> list[str]:
        """Take out what the pattern finds, and give it."""
        spans = [(*match.span(), None) for match in pattern.finditer(self.text)]
        return [words for words, _ in self.take_spans(spans)]

    def take_spans(self, spans: Iterable[tuple[int, int, T]]) -> list[tuple[str, T]]:
        """Take out these ranges; give their words with their values."""
        taken = list(spans)
        words = [self.text[start:end].strip() for start, end, _ in taken]
        self.blank((start, end) for start, end, _ in taken)
        return [(word, value) for word, (_, _, value) in zip(words, taken, strict=True)]


def weekdays(text: str) -> set[int]:
    """The weekdays that a text names, Monday 0, those within ranges too."""
    days = [(*m.span(), _WEEK[m[1].casefold()]) for m in _WEEKDAY.finditer(text)]
    named = {day for _, _, day in days}
    for (_, end, first), (start, _, last) in pairwise(days):
        if _TO.fullmatch(text[end:start]):
            named |= {(first + n) % 7 for n in range((last - first) % 7)}
    for kind, group in _WEEK_GROUPS.items():
        named |= set(group) if any(word in text.casefold() for word in listed(kind)) else set()
    return named


def address_of(words: str) -> str:
    """An address as it is compared."""
    return words.rstrip(".,;:!?").rstrip("/").casefold()


def version_of(words: str) -> str:
    """A version's number alone."""
    return re.sub(r"^v(?:ersions?\s|\.\s?)?", "", words.casefold())


def _is_identifier(word: str) -> bool:
    if _NUMBER_LIKE.fullmatch(word) or word.strip("-/.").isdigit():
        return word.startswith("#")
    if word.startswith(("#", "--", "/", "./", "~/")) or "_" in word or "::" in word:
        return True
    if any(c.isdigit() for c in word) and any(c.isalpha() for c in word):
        return True
    if _PLURAL.fullmatch(word) or _ABBREVIATION.fullmatch(word):
        return False
    return bool(_CAMEL.search(word)) or bool(re.search(r"\w[.@=]\w|\w/\w+\.\w|:\w+/", word))
