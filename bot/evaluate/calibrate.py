"""The gate's thresholds, chosen on cases: as many answers as a limit on false ones allows."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from bot.evaluate import metrics
from bot.evaluate.figures import Unanswerable
from bot.evaluate.metrics import Figure
from bot.evaluate.words import KINDS
from bot.gate import Gate, Thresholds
from bot.types import Hit
from ingest.printable import counted

STEPS = 100  # values tried
PERHAPS = 0.98  # of the answerable questions are not refused
REFUSES_ALL = 1.01  # no evidence is above 1
ENOUGH = 20  # cases of a kind; with fewer, a share has an interval of four tenths or more
LEAST_COVERAGE = 0.5  # a gate that passes fewer answerable questions than this is of no use
LIMITS = (0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.5)


@dataclass(frozen=True, slots=True)
class Evidence:
    """What the gate sees of a question; `line` is that of its case."""

    line: int
    question: str
    hits: tuple[Hit, ...]

    @property
    def evidence(self) -> float:
        """That of the best hit."""
        return max((hit.evidence for hit in self.hits), default=0.0)


@dataclass(slots=True)
class Sample:
    """Questions that should pass the gate, and those that should not, by kind."""

    answerable: list[Evidence] = field(default_factory=list)
    unanswerable: dict[Unanswerable, list[Evidence]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Effect:
    """What thresholds do: `coverage` is the share of answerable questions that pass.

    `false_answers` is the share of unanswerable ones that pass, by kind; `false_mean` the mean of
    the kinds, so that each weighs the same however many cases it has.
    """

    coverage: Figure
    false_answers: Mapping[Unanswerable, Figure]

    @property
    def false_mean(self) -> float:
        """The mean over the kinds."""
        return float(np.mean([figure.value for figure in self.false_answers.values()]))


Passes = tuple[list[bool], dict[Unanswerable, list[bool]]]
Pick = Callable[[Sample], Thresholds]


def within_limit(limit: float) -> Pick:
    """Pick what passes most answerable questions with at most that mean of false answers.

    Of equals the one with fewer false answers is taken, then the stricter one.
    """

    def pick(sample: Sample) -> Thresholds:
        tried = ((t, *_shares(sample, t)) for t in grid(sample))
        allowed = (t for t in tried if t[2] <= limit)
        return max(allowed, key=lambda t: (t[1], -t[2], t[0].sure_score))[0]

    return pick


def for_coverage(coverage: float) -> Pick:
    """Pick what passes fewest unanswerable questions with at least that share of the others.

    Of a sample without any others everything is refused.
    """

    def pick(sample: Sample) -> Thresholds:
        tried = ((t, *_shares(sample, t)) for t in grid(sample))
        allowed = (t for t in tried if t[1] >= coverage or not sample.answerable)
        return min(allowed, key=lambda t: (t[2], -t[1], -t[0].sure_score))[0]

    return pick


def effect(sample: Sample, thresholds: Thresholds) -> Effect:
    """What thresholds do to a sample."""
    return _counted([_passes(sample, thresholds)])


def held_out(sample: Sample, pick: Pick) -> Effect:
    """What a pick on one half of the cases does to the other half; both ways, counted together.

    A question and what was made of it by withdrawing are in the same half.
    """
    first, second = halves(sample)
    return _counted([_passes(second, pick(first)), _passes(first, pick(second))])


def objection(sample: Sample, done: Effect) -> str | None:
    """Why thresholds with this effect are not worth keeping, in a sentence; None when they are."""
    counts = {"answerable": len(sample.answerable)}
    counts |= {KINDS[kind]: len(some) for kind, some in sample.unanswerable.items()}
    kind = min(counts, key=lambda kind: counts[kind])
    if counts[kind] < ENOUGH:
        few = f"only {counted(counts[kind], 'case')} of a kind ({kind})"
        return f"{few}: with fewer than {ENOUGH} the choice is chance."
    if done.coverage.value < LEAST_COVERAGE:
        share = f"{done.coverage.value:.0%} of the answerable questions would pass"
        return f"only {share}: with under {LEAST_COVERAGE:.0%} a gate is no use."
    return None


def halves(sample: Sample) -> tuple[Sample, Sample]:
    """Every other case, and the rest."""
    groups = [sample.answerable, *sample.unanswerable.values()]
    lines = sorted({one.line for group in groups for one in group})
    chosen = frozenset(lines[::2])
    return _where(sample, lambda e: e.line in chosen), _where(
        sample, lambda e: e.line not in chosen
    )


def grid(sample: Sample) -> Iterator[Thresholds]:
    """What to answer at, at quantiles of the evidence that was seen; the last refuse everything.

    The least that may answer is what `PERHAPS` of the answerable questions reach.
    """
    groups = [sample.answerable, *sample.unanswerable.values()]
    seen = [one.evidence for group in groups for one in group]
    steps = np.quantile(seen, np.linspace(0, 1, STEPS)) if seen else ()
    right = [one.evidence for one in sample.answerable]
    perhaps = metrics.threshold_at(right, PERHAPS) if right else 0.0
    for sure in [0.0, *sorted({round(float(step), 4) for step in steps}), REFUSES_ALL]:
        yield Thresholds(min_score=min(round(perhaps, 4), sure), sure_score=sure)


def _where(sample: Sample, wanted: Callable[[Evidence], bool]) -> Sample:
    unanswerable = {kind: list(filter(wanted, some)) for kind, some in sample.unanswerable.items()}
    return Sample(list(filter(wanted, sample.answerable)), unanswerable)


def _shares(sample: Sample, thresholds: Thresholds) -> tuple[float, float]:
    """The coverage, and the mean over the kinds of false answers."""
    good, bad = _passes(sample, thresholds)
    rates = [_share(some) for some in bad.values() if some]
    return _share(good), _share(rates)


def _share(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0


def _passes(sample: Sample, thresholds: Thresholds) -> Passes:
    gate = Gate(thresholds)

    def judged(group: Iterable[Evidence]) -> list[bool]:
        return [gate.judge(one.question, one.hits).zone == "answer" for one in group]

    bad = {kind: judged(group) for kind, group in sample.unanswerable.items()}
    return judged(sample.answerable), bad


def _counted(parts: Sequence[Passes]) -> Effect:
    kinds = dict.fromkeys(kind for _, bad in parts for kind in bad)
    return Effect(
        coverage=metrics.mean([passed for good, _ in parts for passed in good]),
        false_answers={
            kind: metrics.mean([passed for _, bad in parts for passed in bad.get(kind, ())])
            for kind in kinds
        },
    )
