"""The gate's thresholds, chosen on cases: as many answers as a limit on false ones allows."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product

import numpy as np

from bot.evaluate import metrics
from bot.evaluate.figures import Unanswerable
from bot.evaluate.metrics import Figure
from bot.gate import Gate, Thresholds
from bot.types import Hit

STEPS = 24  # values tried of each threshold
MOST_HITS = 3
REFUSES_ALL = 1.01  # no evidence is above 1
LIMITS = (0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.5)


@dataclass(frozen=True, slots=True)
class Evidence:
    """What the gate sees of one question."""

    question: str
    hits: tuple[Hit, ...]


@dataclass(slots=True)
class Sample:
    """Questions that should pass the gate, and those that should not, by kind."""

    answerable: list[Evidence] = field(default_factory=list)
    unanswerable: dict[Unanswerable, list[Evidence]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Choice:
    """Thresholds and what they do: `coverage` is the share of answerable questions that pass.

    `false_answers` is the share of unanswerable ones that pass, by kind; `false_mean` the mean of
    the kinds, so that each weighs the same however many cases it has.
    """

    thresholds: Thresholds
    coverage: Figure
    false_answers: Mapping[Unanswerable, Figure]
    false_mean: float


def choose(sample: Sample, limits: Sequence[float]) -> list[Choice]:
    """For each limit the thresholds that pass most answerable questions within it.

    Of equals the one with fewer false answers is taken, then the stricter one.
    """
    tried = [(thresholds, *_shares(sample, thresholds)) for thresholds in grid(sample)]
    chosen = []
    for limit in limits:
        within = [t for t in tried if t[2] <= limit]
        best = max(within, key=lambda t: (t[1], -t[2], t[0].min_score, t[0].sure_score))
        chosen.append(_choice(sample, best[0]))
    return chosen


def grid(sample: Sample) -> Iterator[Thresholds]:
    """Thresholds at quantiles of the evidence that was seen; the last refuse everything."""
    groups = [sample.answerable, *sample.unanswerable.values()]
    seen = [hit.evidence for group in groups for one in group for hit in one.hits]
    steps = np.quantile(seen, np.linspace(0, 1, STEPS)) if seen else ()
    values = [*sorted({round(float(step), 4) for step in steps}), REFUSES_ALL]
    for low, high in product(values, values):
        if low <= high:
            for hits in range(1, MOST_HITS + 1):
                yield Thresholds(min_score=low, min_hits=hits, sure_score=high)


def _shares(sample: Sample, thresholds: Thresholds) -> tuple[float, float]:
    coverage = float(np.mean(_passes(sample.answerable, thresholds)))
    kinds = [np.mean(_passes(group, thresholds)) for group in sample.unanswerable.values()]
    return coverage, float(np.mean(kinds))


def _choice(sample: Sample, thresholds: Thresholds) -> Choice:
    return Choice(
        thresholds=thresholds,
        coverage=metrics.mean(_passes(sample.answerable, thresholds)),
        false_answers={
            kind: metrics.mean(_passes(group, thresholds))
            for kind, group in sample.unanswerable.items()
        },
        false_mean=_shares(sample, thresholds)[1],
    )


def _passes(group: Sequence[Evidence], thresholds: Thresholds) -> list[bool]:
    gate = Gate(thresholds)
    return [gate.judge(one.question, one.hits).passed for one in group]
