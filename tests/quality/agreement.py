"""Sentences that a person judged, and what verification says of them; figures by kind and half.

`blind.jsonl` was written before a look at how the checker works: its "dev" half is for improving
the rules, "held-out" for telling what they are worth; no passage stands in both. "dev-2"
to "dev-4" were written later, for improving too.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from pydantic import BaseModel, ConfigDict
from rich.console import Console
from rich.table import Table

from bot.evaluate.metrics import Figure, Numbers, mean, of_two
from bot.types import Draft, Dropped, Quote
from bot.verify import verify
from ingest.types import Chunk

HERE = Path(__file__).parent
SENTENCES = HERE / "sentences.jsonl"
SPLITS = ("dev", "dev-2", "dev-3", "dev-4", "held-out")
BLIND = HERE / "blind.jsonl"


class Line(BaseModel):
    """One judged sentence; it cites its span and, where it is joined from several, `also`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    sentence: str
    file: str
    span: str
    heading: str
    supported: bool
    kind: str
    note: str
    split: str = ""
    also: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Judgement:
    """A person's line beside verification's verdict: the rule that dropped it, or ""."""

    line: Line
    rule: str
    detail: str

    @property
    def agrees(self) -> bool:
        return self.line.supported == (not self.rule)


def judgements(path: Path) -> list[Judgement]:
    lines = path.read_text(encoding="utf-8").splitlines()
    return [_judge(Line.model_validate_json(line)) for line in lines]


def _chunks(line: Line) -> list[Chunk]:
    return [
        Chunk(f"{n:012x}", line.file, line.heading, 0, len(span), span)
        for n, span in enumerate((line.span, *line.also))
    ]


def _judge(line: Line) -> Judgement:
    chunks = _chunks(line)
    quotes = tuple(Quote(c.id, c.text, 0, len(c.text)) for c in chunks)
    result = verify(Draft(line.sentence, quotes), {chunk.id: chunk for chunk in chunks})
    if isinstance(result, Dropped):
        return Judgement(line, result.rule, result.detail)
    return Judgement(line, "", "")


@dataclass(frozen=True, slots=True)
class Agreement:
    """Rates of 0 to 1 with their intervals; precision and recall are those of dropping."""

    balanced: Figure
    kept: Figure  # share of the supported sentences that are shown
    caught: Figure  # share of the unsupported that are dropped: the recall
    precision: float


def agreement(judged: Sequence[Judgement]) -> Agreement:
    good = [float(j.agrees) for j in judged if j.line.supported]
    bad = [float(j.agrees) for j in judged if not j.line.supported]
    dropped = sum(bad) + len(good) - sum(good)
    return Agreement(
        of_two(_balanced, good, bad, resamples=2000),
        mean(good),
        mean(bad),
        sum(bad) / dropped if dropped else 1.0,
    )


def _balanced(good: Numbers, bad: Numbers) -> float:
    return float(np.mean([good.mean(), bad.mean()]))


def print_agreement(console: Console) -> None:
    """The agreement of each half, and by kind."""
    blind = judgements(BLIND)
    halves = {name: [j for j in blind if j.line.split == name] for name in SPLITS}
    sets = {"rules' own": judgements(SENTENCES), **halves}
    shown = Table("sentences", "balanced", "kept", "caught", "precision", "n")
    for name, judged in sets.items():
        told = agreement(judged)
        rates = map(_cell, (told.balanced, told.kept, told.caught))
        shown.add_row(name, *rates, f"{told.precision:.2f}", str(len(judged)))
    console.print(shown)
    kinds = Table("kind", *halves)
    for supported in (True, False):
        for kind in sorted({j.line.kind for j in blind if j.line.supported == supported}):
            kinds.add_row(
                f"{'true' if supported else 'false'}: {kind}",
                *(_share(_of(judged, kind, supported=supported)) for judged in halves.values()),
            )
    console.print(kinds)


def _of(judged: Iterable[Judgement], kind: str, *, supported: bool) -> list[Judgement]:
    return [j for j in judged if (j.line.kind, j.line.supported) == (kind, supported)]


def _share(judged: Sequence[Judgement]) -> str:
    return f"{sum(j.agrees for j in judged)}/{len(judged)}" if judged else ""


def _cell(figure: Figure) -> str:
    return f"{figure.value:.3f} [{figure.low:.2f}, {figure.high:.2f}]"
