"""Figures of rankings and refusals, each with an interval. Pure: numbers in, numbers out."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

RESAMPLES = 2000
CONFIDENCE = 0.95
SEED = 20_240_131  # any fixed number: the same cases give the same interval
CELLS = 2_000_000  # of the resampling's index matrix held at once

Numbers = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure and its 95 % bootstrap interval, over `n` questions."""

    value: float
    low: float
    high: float
    n: int


def recall(rank: int | None, k: int) -> float:
    """1.0 when the first right passage is among the first `k`; ranks count from 1."""
    return float(rank is not None and rank <= k)


def reciprocal_rank(rank: int | None, k: int = 10) -> float:
    """1 / rank within the first `k`, else 0."""
    return 1 / rank if rank is not None and rank <= k else 0.0


def ndcg(right: Sequence[bool], needed: int, k: int = 10) -> float:
    """Binary nDCG@k (Järvelin and Kekäläinen, 2002) of one ranking, 0 to 1.

    Args:
        right: for each rank whether what stands there is right.
        needed: how many right ones a perfect ranking shows; further ones gain nothing.
        k: the depth.
    """
    places = [place for place, is_right in enumerate(right[:k]) if is_right][:needed]
    ideal = sum(1 / math.log2(place + 2) for place in range(min(needed, k)))
    return sum(1 / math.log2(place + 2) for place in places) / ideal if ideal else 0.0


def auroc(right: Sequence[float], wrong: Sequence[float]) -> float:
    """How often a right one scores above a wrong one; ties count half; 0.5 when one side is empty.

    Mann-Whitney's U over the number of pairs, from ranks.
    """
    if not len(right) or not len(wrong):
        return 0.5
    values, inverse, counts = np.unique(
        np.concatenate([right, wrong]), return_inverse=True, return_counts=True
    )
    del values
    mean_rank = np.cumsum(counts) - (counts - 1) / 2
    ranks = float(mean_rank[inverse][: len(right)].sum())
    return (ranks - len(right) * (len(right) + 1) / 2) / (len(right) * len(wrong))


def mean(values: Sequence[float]) -> Figure:
    """The mean and its interval, by resampling questions."""
    data = np.asarray(values, np.float64)
    if not len(data):
        return Figure(math.nan, math.nan, math.nan, 0)
    rng = np.random.default_rng(SEED)
    portion = max(CELLS // len(data), 1)
    means: list[Numbers] = []
    for done in range(0, RESAMPLES, portion):
        rows = min(portion, RESAMPLES - done)
        means.append(data[rng.integers(0, len(data), (rows, len(data)))].mean(axis=1))
    low, high = _interval(np.concatenate(means))
    return Figure(float(data.mean()), low, high, len(data))


def of_two(
    statistic: Callable[[Numbers, Numbers], float],
    first: Sequence[float],
    second: Sequence[float],
    resamples: int = 500,
) -> Figure:
    """A statistic of two groups of questions and its interval; each group is resampled alone."""
    a, b = np.asarray(first, np.float64), np.asarray(second, np.float64)
    n = len(a) + len(b)
    if not len(a) or not len(b):
        return Figure(math.nan, math.nan, math.nan, n)
    rng = np.random.default_rng(SEED)
    drawn = [
        statistic(a[rng.integers(0, len(a), len(a))], b[rng.integers(0, len(b), len(b))])
        for _ in range(resamples)
    ]
    low, high = _interval(np.asarray(drawn))
    return Figure(float(statistic(a, b)), low, high, n)


def auroc_figure(right: Sequence[float], wrong: Sequence[float]) -> Figure:
    """The AUROC and its interval."""
    return of_two(lambda a, b: auroc(a.tolist(), b.tolist()), right, wrong)


def difference(new: Sequence[float], old: Sequence[float]) -> Figure:
    """The mean of new - old over the same questions, in the same order, and its paired interval."""
    return mean([n - o for n, o in zip(new, old, strict=True)])


def auroc_difference(
    new: tuple[Sequence[float], Sequence[float]],
    old: tuple[Sequence[float], Sequence[float]],
    resamples: int = 500,
) -> Figure:
    """AUROC of new - old and its paired interval.

    Args:
        new: evidence of right and of wrong questions.
        old: that of the same questions, in the same order.
        resamples: how often questions are drawn.
    """
    right = np.asarray([new[0], old[0]], np.float64)
    wrong = np.asarray([new[1], old[1]], np.float64)
    n = right.shape[1] + wrong.shape[1]
    if not right.shape[1] or not wrong.shape[1]:
        return Figure(math.nan, math.nan, math.nan, n)

    def gain(a: Numbers, b: Numbers) -> float:
        return auroc(a[0].tolist(), b[0].tolist()) - auroc(a[1].tolist(), b[1].tolist())

    rng = np.random.default_rng(SEED)
    drawn = [
        gain(
            right[:, rng.integers(0, right.shape[1], right.shape[1])],
            wrong[:, rng.integers(0, wrong.shape[1], wrong.shape[1])],
        )
        for _ in range(resamples)
    ]
    low, high = _interval(np.asarray(drawn))
    return Figure(gain(right, wrong), low, high, n)


def is_noise(change: Figure) -> bool:
    """Whether the interval of a difference holds 0."""
    return not change.n or change.low <= 0 <= change.high


def threshold_at(evidence: Sequence[float], coverage: float) -> float:
    """The highest threshold that at least the share `coverage` of the evidence reaches."""
    ordered = np.sort(np.asarray(evidence, np.float64))[::-1]
    return float(ordered[max(math.ceil(coverage * len(ordered)), 1) - 1])


def share_at_or_above(evidence: Sequence[float], threshold: float) -> float:
    """The share that reaches a threshold."""
    return float(np.mean(np.asarray(evidence, np.float64) >= threshold))


def false_answers_at(
    answerable: Sequence[float], unanswerable: Sequence[float], coverage: float
) -> Figure:
    """The share of unanswerable questions answered when `coverage` of the answerable ones are."""
    return of_two(
        lambda a, b: share_at_or_above(b.tolist(), threshold_at(a.tolist(), coverage)),
        answerable,
        unanswerable,
    )


def risk_coverage(evidence: Sequence[float], wrong: Sequence[bool]) -> list[tuple[float, float]]:
    """Points (coverage, risk) as the threshold falls (El-Yaniv and Wiener, 2010).

    Coverage is the share of all questions that is answered, risk the share of those answered that
    would be answered wrongly. Questions of equal evidence come in together.
    """
    order = sorted(range(len(evidence)), key=lambda i: -evidence[i])
    points: list[tuple[float, float]] = []
    errors = 0
    for n, i in enumerate(order, start=1):
        errors += wrong[i]
        last = n == len(order)
        if last or evidence[order[n]] != evidence[i]:
            points.append((n / len(order), errors / n))
    return points


def _interval(draws: Numbers) -> tuple[float, float]:
    tail = (1 - CONFIDENCE) / 2
    low, high = np.quantile(draws, [tail, 1 - tail])
    return float(low), float(high)
