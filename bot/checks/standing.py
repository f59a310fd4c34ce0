"""Values stand in what a sentence cites, in whatever spelling, or come from the question. Pure."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from decimal import Decimal

from bot.reading.dates import Date, Time, bare_hours, dates, same_date, same_time, times
from bot.reading.derived import counts_a_list, is_reckoned, unwritten
from bot.reading.facts import (
    EMAIL,
    URL,
    VERSION,
    Fact,
    Rest,
    address_of,
    facts,
    version_of,
    weekdays,
)
from bot.reading.fold import fold, plain
from bot.reading.notation import COMMA_LANGUAGES, plain_notation
from bot.reading.quantities import Quantity, implied, named_units, quantities
from bot.reading.statements import negations
from ingest.analyze import analyze
from ingest.languages import language_of
from ingest.types import Chunk

_IN_UNITS = re.compile(r"\b(?:in|number of|many) [a-z]+\b", re.IGNORECASE)
_DIGIT_RUN = re.compile(r"(?<![\d.,])[1-9]\d{2,}(?![.,]?\d)")
_DOTTED = re.compile(r"(?<![\w.])v?\d+(?:\.\d+){2,}", re.IGNORECASE)
_DIGITS = re.compile(r"\d+")
_LAST_DAYS = 28  # of a month, at its end
_PIECE = re.compile(r"[^\W\d_]+|\d+")
_HUMPS = re.compile(r"(?<=[a-z])(?=[A-Z])|-")  # AdTrav, Ad-Trav
_KEY = r"(?m)^[ \t>*#`-]{0,20}\[?\"?"  # before a key of a configuration file
_AGAIN = re.compile(r" \((\d+)\) (?=\w)")  # two (2) months
_SPANS = frozenset({"time", "months"})


class Evidence:
    """What texts state: a cited passage with its heading and context, or a question."""

    def __init__(self, texts: Sequence[str], heading: str = "") -> None:
        parts = [heading, *texts]
        self.language = language_of("\n".join(texts))
        words = plain_notation("\n".join(plain(part) for part in parts), self.language)
        words = _AGAIN.sub(r" \1 ", words)
        self._words = words.casefold()
        self._raw = "\n".join(fold(part).text for part in parts).casefold()
        self._lines = "\n".join(texts).casefold()
        tables = [line for text in texts for line in text.splitlines() if "|" in line]
        self._units = named_units("\n".join([heading, *tables, *_IN_UNITS.findall(words)]))
        self._take(words)

    def _take(self, words: str) -> None:
        rest = Rest(words)
        links = [*rest.take(URL), *rest.take(EMAIL)]
        self._addresses = {address_of(link) for link in links}
        self._addresses |= {re.sub(r"^\w+://(www\.)?", "", a) for a in self._addresses}
        self._dates = [date for _, date in rest.take_spans(dates(rest.text))]
        self._times = [time for _, time in rest.take_spans(times(rest.text))]
        self._times += bare_hours(words)
        self._weekdays = weekdays(words)
        self._versions = {version_of(word) for word in rest.take(VERSION)}
        self._quantities = [q for _, _, q in quantities(rest.text)] + list(implied(rest.text))
        self._quantities += unwritten(rest.text)
        numbers = {Decimal(run) for run in _DIGIT_RUN.findall(words)}
        written = [n for d in self._dates for n in (d.year, d.day, *(d.slashed or ()))]
        numbers |= {Decimal(n) for n in written if n}
        numbers |= {Decimal(t.minutes // 60 % 12) for t in self._times}
        numbers |= {Decimal(version) for version in self._versions if version.isdecimal()}
        self._numbers = numbers | {q.bare for q in self._quantities if not q.digits}
        self._years = {int(n) for n in numbers if n == int(n) and 1900 <= n <= 2200}  # noqa: PLR2004

    def holds(self, fact: Fact, sentence: str = "") -> bool:
        """Whether the fact stands there, in whatever form, or its sentence counts it."""
        match fact.value:
            case Date():
                return self._holds_date(fact.value)
            case Quantity():
                return (
                    self._holds_quantity(fact.value)
                    or self._holds_in_its_notation(fact.words)
                    or is_reckoned(fact.value, sentence, self._quantities)
                    or counts_a_list(fact.value, fact.words, sentence)
                )
            case Time():
                return any(same_time(fact.value, time) for time in self._times)
            case str():
                return self._holds_words(fact)

    def has_kin(self, fact: Fact, following: str) -> bool:
        """Whether a value of the same kind stands there, which the fact's may be told instead of.

        Args:
            fact: of a sentence.
            following: the sentence's words after it: what a number counts.
        """
        match fact.value:
            case Date():
                return bool(self._dates)
            case Time():
                return bool(self._times)
            case Quantity() if fact.value.unit:
                kinds = _SPANS if fact.value.unit in _SPANS else {fact.value.unit}
                return any(q.unit in kinds for q in self._quantities)
            case Quantity():
                counted = analyze(following)[:1]
                its = quantities(self._words)
                return any(counted == analyze(self._words[end : end + 40])[:1] for _, end, _ in its)
            case str():
                return re.search(_shape(fact.value), self._words) is not None

    def _holds_in_its_notation(self, words: str) -> bool:
        """Of a text that writes 1.250 for 1250, whatever language the sentence is in."""
        if self.language not in COMMA_LANGUAGES:
            return False
        read = quantities(plain_notation(words, self.language))
        return bool(read) and all(self._holds_quantity(q) for _, _, q in read)

    def _holds_date(self, date: Date) -> bool:
        """As a whole, or with its day apart from its month: "in December, from the 5th"."""
        if any(same_date(date, other, self._years) for other in self._dates):
            return True
        ends = date.day >= _LAST_DAYS and "end of " in self._words
        if not date.day or not (ends or Decimal(date.day) in self._numbers):
            return False
        months = [other for other in self._dates if not (other.day or other.slashed)]
        return any(same_date(replace(date, day=0), other, self._years) for other in months)

    def _holds_words(self, fact: Fact) -> bool:
        words = str(fact.value)
        if fact.kind == "address":
            return words in self._addresses or words.removeprefix("www.") in self._addresses
        if fact.kind == "weekday":
            return int(words) in self._weekdays
        if fact.kind == "version" and words in self._versions:
            return True
        if _stands(words, self._words) or _stands(words, self._raw):
            return True
        return fact.kind in ("identifier", "code") and self._holds_pieces(fact.words)

    def _holds_pieces(self, identifier: str) -> bool:
        """ISO-27001 and ISO27001 are one; so are AdTrav and Ad-Trav, and the path of a key."""
        if re.search(r"\s", identifier):
            return False
        if any(char.isdigit() for char in identifier):
            pieces = _PIECE.findall(identifier.casefold())
            pattern = r"[\s_\-./:#]{0,2}".join(map(re.escape, pieces))
            return re.search(rf"(?<!\w){pattern}(?!\w|[.,]\d)", self._words) is not None
        if "_" not in identifier and len(humps := _HUMPS.split(identifier)) > 1:
            pattern = r"[\s-]?".join(re.escape(hump.casefold()) for hump in humps)
            return re.search(rf"(?<!\w){pattern}(?!\w)", self._words) is not None
        keys = identifier.casefold().split(".")
        return len(keys) > 1 and all(
            re.search(rf"{_KEY}{re.escape(key)}\"?\]?\s*(?:[:=\]{{]|$)", self._lines)
            for key in keys
            if key
        )

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


def _shape(words: str) -> str:
    """What has the same letters and other digits; of a name without digits, itself."""
    digits = re.sub(r"\d+", "0", words)
    return r"(?<!\w)" + re.escape(digits).replace("0", r"\d+") + r"(?!\w)"


def evidence_of(passages: Iterable[Chunk]) -> Evidence:
    """What these passages state together."""
    chunks = list(passages)
    texts = [text for chunk in chunks for text in (*chunk.visible_context, chunk.visible)]
    return Evidence(texts, "\n".join(chunk.heading for chunk in chunks))


def missing_fact(text: str, cited: Sequence[Chunk], question: str) -> Fact | None:
    """The first value of a sentence that neither stands in what it cites nor may be the question's.

    A value of the question may be repeated, where it is not told instead of one of the same kind
    that stands there: beside such a one, in a denial, or where there is none.
    """
    evidence = evidence_of(cited)
    read = facts(plain_notation(text, language_of(text)))
    lacking = [fact for fact in read if not evidence.holds(fact, text)]
    if not lacking:
        return None
    parts = (" ".join(_DIGITS.findall(version)) for version in _DOTTED.findall(question))
    asked = Evidence([question, *parts])
    held = [fact for fact in read if fact not in lacking]
    denies = bool(negations(text))
    for fact in lacking:
        following = text[text.find(fact.words) + len(fact.words) :][:40]
        beside = any(_kind(fact) == _kind(other) for other in held)
        told = denies or beside or not evidence.has_kin(fact, following)
        if not (question and told and asked.holds(fact)):
            return fact
    return None


def _kind(fact: Fact) -> str:
    if isinstance(fact.value, Quantity):
        return "span" if fact.value.unit in _SPANS else f"number {fact.value.unit}"
    return fact.kind
