"""Figures over questions, each with an interval."""

import math
from collections.abc import Callable, Sequence

import numpy as np

RESAMPLES = 2000


def recall(ranks: Sequence[int | None], k: int) -> list[float]:
    """For each question 1.0 if its first right passage is among the first `k`."""
    return [float(rank is not None and rank <= k) for rank in ranks]


def ndcg(relevant: Sequence[bool], gold: int, k: int = 10) -> float:
    """Binary nDCG@k of one ranking; `gold` is how many right documents there are."""
    gain = sum(1 / math.log2(i + 2) for i, right in enumerate(relevant[:k]) if right)
    ideal = sum(1 / math.log2(i + 2) for i in range(min(gold, k)))
    return gain / ideal if ideal else 0.0


def auroc(right: Sequence[float], wrong: Sequence[float]) -> float:
    """How often a right one scores above a wrong one; ties count half."""
    a, b = np.asarray(right)[:, None], np.asarray(wrong)[None, :]
    return float(np.mean((a > b) + 0.5 * (a == b)))


def interval(values: Sequence[float]) -> str:
    """The mean and its 95 % bootstrap interval."""
    array = np.asarray(values)
    rng = np.random.default_rng(0)
    means = array[rng.integers(0, len(array), (RESAMPLES, len(array)))].mean(axis=1)
    low, high = np.quantile(means, [0.025, 0.975])
    return f"{array.mean():.3f} [{low:.2f}, {high:.2f}]"


def auroc_interval(right: Sequence[float], wrong: Sequence[float]) -> str:
    """AUROC and its 95 % bootstrap interval."""
    a, b = np.asarray(right), np.asarray(wrong)
    rng = np.random.default_rng(0)
    pick: Callable[[np.ndarray], np.ndarray] = lambda x: x[rng.integers(0, len(x), len(x))]  # noqa: E731
    low, high = np.quantile([auroc(pick(a), pick(b)) for _ in range(300)], [0.025, 0.975])
    return f"{auroc(a, b):.3f} [{low:.2f}, {high:.2f}]"
