"""The order of a pool fitted as a conditional logit, each set left out in turn. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from bot.evaluate.metrics import Figure, ndcg, recall
from bot.ranking.order import ALONE, FittedOrder, standardised, terms

Numbers = NDArray[np.float64]
Features = Mapping[str, NDArray[np.float32]]

REGULARISATION = 0.3  # of the squared weights; 0.01 to 0.3 are alike, 1 shrinks what few sets show
EXAMPLES = 100.0  # what the questions of a set add up to
RESAMPLES, SEED = 400, 7
ONE_SET = {"told": "trec_cast"}  # only its earlier answers are passages of the set
CODES_ALONE = "codes_alone"
MEASURES = ("recall@1", "recall@5", "nDCG@10")


@dataclass(frozen=True)
class Pool:
    """A question's candidates: by name a number for each, and which of them answer."""

    terms: Features
    right: NDArray[np.bool_]


Sets = Mapping[str, Sequence[Pool]]


def pool_of(features: Features, right: Sequence[bool]) -> Pool:
    """With what is weighed, and beside it what could be where words are alone."""
    weighed = terms(features)
    more = {CODES_ALONE: standardised(features["codes"])} if ALONE in weighed else {}
    return Pool({**weighed, **more}, np.asarray(right, np.bool_))


def fit_weights(sets: Sequence[Sequence[Pool]], names: Sequence[str]) -> dict[str, float]:
    """The weights for these sets, each of which weighs the same; 0 for what none of them has."""
    rows, weights = [], []
    for pools in sets:
        telling = [pool for pool in pools if pool.right.any() and not pool.right.all()]
        rows += telling
        weights += [EXAMPLES / len(telling)] * len(telling)
    x, right, there = _padded(rows, names)
    w = np.asarray(weights)

    def loss(values: Numbers) -> tuple[float, Numbers]:
        scores = np.where(there, x @ values, -np.inf)
        odds = np.exp(scores - scores.max(axis=1, keepdims=True))
        ours = odds * right
        told = np.log(odds.sum(axis=1)) - np.log(ours.sum(axis=1))
        pull = odds / odds.sum(axis=1, keepdims=True) - ours / ours.sum(axis=1, keepdims=True)
        slope = np.einsum("n,np,npf->f", w, pull, x)
        return float(w @ told + REGULARISATION * values @ values / 2), slope + (
            REGULARISATION * values
        )

    found = minimize(loss, np.zeros(len(names)), jac=True, method="L-BFGS-B").x
    return {name: float(value) for name, value in zip(names, found, strict=True)}


def _padded(
    pools: Sequence[Pool], names: Sequence[str]
) -> tuple[Numbers, NDArray[np.bool_], NDArray[np.bool_]]:
    """What is weighed, which answer, and which places are taken: (pools, places of the largest)."""
    size = max(len(pool.right) for pool in pools)
    x = np.zeros((len(pools), size, len(names)))
    right, there = np.zeros((2, len(pools), size), np.bool_)
    for n, pool in enumerate(pools):
        there[n, : len(pool.right)] = True
        right[n, : len(pool.right)] = pool.right
        for f, name in enumerate(names):
            if name in pool.terms:
                x[n, : len(pool.right), f] = pool.terms[name]
    return x, right, there


def measured(pools: Sequence[Pool], weights: Mapping[str, float]) -> Numbers:
    """Shape (pools, measures): where the first that answers comes, last among its equals."""
    rows = []
    for pool in pools:
        scores = np.zeros(len(pool.right))
        for name, weight in weights.items():
            scores += weight * pool.terms.get(name, 0.0)
        ranking = pool.right[np.lexsort((pool.right, -scores))]
        rank = int(ranking.argmax()) + 1 if ranking.any() else None
        rows.append([recall(rank, 1), recall(rank, 5), ndcg(ranking.tolist(), 1)])
    return np.asarray(rows)


def left_out_weights(sets: Sets, names: Sequence[str]) -> dict[str, dict[str, float]]:
    """For each set the weights that were fitted on the others.

    What one set alone shows is fitted on all: its figure there is none of a set left out.
    """
    everywhere = fit_weights(list(sets.values()), names)
    weights = {}
    for name in sets:
        own = fit_weights([pools for other, pools in sets.items() if other != name], names)
        weights[name] = own | {n: everywhere[n] for n in ONE_SET if n in names}
    return weights


def left_out_figures(sets: Sets, names: Sequence[str]) -> dict[str, Numbers]:
    weights = left_out_weights(sets, names)
    return {name: measured(pools, weights[name]) for name, pools in sets.items()}


def mean_of(figures: Mapping[str, Numbers]) -> dict[str, float]:
    """By measure, over the sets, each weighing the same."""
    means = np.mean([rows.mean(axis=0) for rows in figures.values()], axis=0)
    return dict(zip(MEASURES, map(float, means), strict=True))


def compared(new: Mapping[str, Numbers], old: Mapping[str, Numbers]) -> dict[str, Figure]:
    """By measure the mean of new less that of old over the same questions, drawn together."""
    gains = [new[name] - old[name] for name in new]
    rng = np.random.default_rng(SEED)
    draws = [
        np.mean([g[rng.integers(0, len(g), len(g))].mean(axis=0) for g in gains], axis=0)
        for _ in range(RESAMPLES)
    ]
    low, high = np.quantile(np.asarray(draws), [0.025, 0.975], axis=0)
    values = [fmean(float(g[:, m].mean()) for g in gains) for m in range(len(MEASURES))]
    return {
        name: Figure(values[m], float(low[m]), float(high[m]), RESAMPLES)
        for m, name in enumerate(MEASURES)
    }


def fitted_on(sets: Sets, names: Sequence[str], reranker: str, made_at: str) -> FittedOrder:
    """The file's content: weights of all sets, figures of those left out."""
    figures = mean_of(left_out_figures(sets, names))
    return FittedOrder(
        reranker=reranker,
        made_at=made_at,
        sets=tuple(sets),
        weights={n: round(w, 4) for n, w in fit_weights(list(sets.values()), names).items()},
        one_set=ONE_SET,
        figures={name: round(value, 3) for name, value in figures.items()},
    )
