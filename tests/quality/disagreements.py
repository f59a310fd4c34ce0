"""Conflict lines under right answers, and how many planted conflicts are named; on public sets.

The answer to a question is the line that decides, quoted; what it is made from are the passages
that the product finds beside it. No line is right there unless a reader finds that the documents
do disagree: each is printed. Then a copy of the deciding passage with one value changed stands

- faq: on another page about the same ("X FAQ");
- elsewhere: under the headings of another document of the set;
- line: the deciding line alone, within the best passage of another document;
- twin: on a page about another thing, its last heading the same, where it is no conflict unless
  the text itself names what it is about.
"""

import random
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from rich.console import Console
from rich.table import Table

from bot.disputes import in_words, name_conflicts
from bot.evaluate.cases import Case
from bot.found import Found
from bot.reading.dates import Date, Time
from bot.reading.facts import facts
from bot.reading.quantities import Quantity
from bot.reading.units import Unit, units
from bot.types import Citation, Conflict, Quote, Sentence
from ingest.types import SEPARATOR, Chunk
from tests.bench.corpus import kept_embedder, opened
from tests.bench.evalset import load
from tests.bench.product import search_all

SETS = ("gds_way", "civicactions", "govuk_dev", "k8s_community")
PLANTS = ("faq", "elsewhere", "line", "twin")
_WORDS = {"one": "four", "two": "five", "three": "six", "four": "nine", "eight": "ten"}
_YEARS = range(1900, 2200)


@dataclass(frozen=True, slots=True)
class Decided:
    """A question, what was found for it, and the passage and units that decide."""

    found: Found
    chunk: Chunk
    units: tuple[Unit, ...]

    def conflicts(self, beside: Sequence[Chunk]) -> tuple[Conflict, ...]:
        """Those that are named when the deciding units are the answer."""
        quotes = tuple(
            Quote(self.chunk.id, self.text(unit), unit.start, unit.end) for unit in self.units
        )
        said = Sentence(" ".join(unit.text for unit in self.units), (1,))
        cited = [Citation(1, self.chunk, quotes)]
        passages = [self.chunk, *(c for c in beside if c.id != self.chunk.id)]
        found = self.found
        return name_conflicts(found.standalone, [said], cited, passages, found.imprints)[1]

    def text(self, unit: Unit) -> str:
        """A unit as it is written."""
        return self.chunk.text[unit.start - self.chunk.start : unit.end - self.chunk.start]


def print_disagreements(console: Console, folder: Path) -> None:
    """Answers with a conflict line, each line, and the planted conflicts that are named, by set."""
    shown = Table("set", "answers", "with a conflict line (goal 0)", *PLANTS)
    total = Counter[str]()
    for name in SETS:
        cases, live = _decided(folder / name)
        own = Counter({"answers": len(cases)})
        for case in cases:
            named = case.conflicts(tuple(case.found.passages.values()))
            own["lines"] += bool(named)
            for conflict in named:
                console.print(f"{case.found.standalone}: {in_words(conflict)}", markup=False)
        for kind, case, plant in _plants(cases, live, random.Random(name)):
            own[f"planted {kind}"] += 1
            own[kind] += bool(case.conflicts([plant]))
        shown.add_row(name, *_cells(own))
        total += own
    shown.add_row("all", *_cells(total))
    console.print(shown)


def _cells(counts: Counter[str]) -> list[str]:
    planted = [f"{counts[kind]}/{counts[f'planted {kind}']}" for kind in PLANTS]
    return [str(counts["answers"]), str(counts["lines"]), *planted]


def _decided(folder: Path) -> tuple[list[Decided], list[Chunk]]:
    chosen = load(folder)
    with kept_embedder(chosen) as embedder, opened(chosen, embedder) as (index, settings):
        searched = search_all(chosen, index, settings, withdraw=False)
        live = list(index.ledger.all_live())
    answerable = [case for case in chosen.cases if case.answerable is True]
    found = (_decide(case, searched.of(case), live) for case in answerable)
    return [decided for decided in found if decided], live


def _decide(case: Case, found: Found, live: Sequence[Chunk]) -> Decided | None:
    for chunk in [*found.passages.values(), *live]:
        spans = [s for p in case.places if p.doc == chunk.doc for s in p.spans if s in chunk.text]
        if spans:
            start = chunk.start + chunk.text.index(spans[0])
            end = start + len(spans[0])
            own = (u for u in units(chunk) if u.kind in ("prose", "item", "row"))
            hit = tuple(u for u in own if not u.in_context and u.start < end and start < u.end)
            return Decided(found, chunk, hit) if hit else None
    return None


def _plants(
    cases: Sequence[Decided], live: Sequence[Chunk], rng: random.Random
) -> Iterator[tuple[str, Decided, Chunk]]:
    for case in cases:
        changed = ((unit, _changed(case.text(unit))) for unit in case.units)
        unit, line = next(((u, text) for u, text in changed if text), (None, ""))
        if unit is None:
            continue
        at = unit.start - case.chunk.start
        text = case.chunk.text
        copy = text[:at] + line + text[at + unit.end - unit.start :]
        title, *below = case.chunk.heading.split(SEPARATOR)
        other = rng.choice([c for c in live if c.doc != case.chunk.doc and c.heading])
        twin = SEPARATOR.join([other.heading.split(SEPARATOR)[0], *(below or [title])[-1:]])
        faq = SEPARATOR.join([f"{title} FAQ", *below])
        yield "faq", case, _copy(case.chunk, "faq.md", faq, copy)
        yield "elsewhere", case, _copy(case.chunk, other.doc, other.heading, copy)
        yield "twin", case, _copy(case.chunk, other.doc, twin, copy)
        beside = next((h.chunk for h in case.found.hits if h.chunk.doc != case.chunk.doc), None)
        if beside is not None and unit.kind == "prose":
            yield (
                "line",
                case,
                _copy(beside, beside.doc, beside.heading, f"{beside.text}\n\n{line}"),
            )


def _copy(chunk: Chunk, doc: str, heading: str, text: str) -> Chunk:
    end = chunk.start + len(text)
    return replace(chunk, id="planted", doc=doc, heading=heading, text=text, end=end, hidden=())


def _changed(text: str) -> str | None:
    """A line with one value changed: a number, date or time; None where it has none."""
    for fact in facts(text):
        match fact.value:
            case Quantity() as number:
                other = bool(number.unit) or number.value not in _YEARS
            case Date() | Time():
                other = True
            case _:
                other = False
        at = text.find(fact.words)
        if other and at >= 0 and (words := _another(fact.words)):
            return text[:at] + words + text[at + len(fact.words) :]
    return None


def _another(words: str) -> str | None:
    if digits := re.search(r"\d+", words):
        number = int(digits.group())
        changed = number + 1 if number < 12 else number - 1  # a day, an hour too
        return f"{words[: digits.start()]}{changed}{words[digits.end() :]}"
    spelled = re.search(r"[a-z]+", words, re.IGNORECASE)
    if not spelled or spelled.group().casefold() not in _WORDS:
        return None
    return words.replace(spelled.group(), _WORDS[spelled.group().casefold()], 1)
