"""The order of a pool: what a passage scores against the others, by weights from a fitted file.

A conditional logit (McFadden, 1974): a score is the log-odds of being the passage that answers, up
to what all of the pool have in common. `python -m tests.bench fit` writes the file.
"""

import math
from collections.abc import Mapping
from functools import cache
from importlib import resources

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel

FILE = "order-{}.json"
SCORES = ("maxsim", "cosine", "bm25", "codes")
ALONE = "bm25_alone"
MARKS = ("same_language", "told")
ALIKE = 1e-6  # of a spread: all are the same, whatever the rounding

Floats = NDArray[np.float32]


class FittedOrder(BaseModel):
    """The weights for a reranker, the sets that they were fitted on, and what they came to.

    `figures` are means over the sets, each counted with weights that were fitted on the others,
    except those in `one_set`: a weight that a single set shows cannot be left out there.
    """

    reranker: str
    made_at: str
    sets: tuple[str, ...]
    weights: dict[str, float]
    one_set: dict[str, str]
    figures: dict[str, float]

    def scores(self, features: Mapping[str, Floats]) -> Floats:
        """What orders a pool, higher is better."""
        total = np.zeros(len(features["told"]), np.float32)
        for name, term in terms(features).items():
            total += np.float32(self.weights[name]) * term
        return total


def terms(features: Mapping[str, Floats]) -> dict[str, Floats]:
    """By name what is weighed, a number for each passage of the pool.

    Scores are standardised within the pool. Where the model does not know the language of the
    question its vectors are noise, and words alone decide.
    """
    marks = {name: features[name] for name in MARKS}
    if not features["known_language"].all():
        return {ALONE: standardised(features["bm25"]), **marks}
    return {name: standardised(features[name]) for name in SCORES} | marks


def standardised(values: Floats) -> Floats:
    """In spreads from the pool's mean."""
    spread = float(values.std())
    if spread < ALIKE:
        return np.zeros_like(values)
    standard: Floats = (values - values.mean()) / np.float32(spread)
    return standard


def less_likely(probability: float, log_odds: float) -> float:
    """A probability after its log-odds are changed by a weight."""
    odds = probability * math.exp(log_odds)
    return odds / (1 - probability + odds)


@cache
def fitted_order(reranker: str) -> FittedOrder:
    """What was fitted for a reranker and comes with the package."""
    file = resources.files("bot.ranking") / FILE.format(reranker)
    return FittedOrder.model_validate_json(file.read_text(encoding="utf-8"))
