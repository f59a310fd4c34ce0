"""What decides: the fitted probability that a choice of the passages holds the answer.

A conditional logit over all choices of a question. Its weights, and what they came to on sets that
were left out, are a file, which `python -m tests.bench fit` writes.
"""

from functools import cache
from importlib import resources

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel

FILE = "deciding.json"
# Of a choice: the rank of its passage (log of 1, 2, …); under its headings, the cosine to the
# question and the share of its words, rare ones counting more; how many units it holds (log).
FEATURES = ("rank", "cosine", "words", "units")

Numbers = NDArray[np.float64]


class Deciding(BaseModel):
    """What was fitted: on which sets, when, and what it came to where it was not.

    `figures` are the means over the sets, each counted with weights that were fitted on the others.
    """

    made_at: str
    sets: tuple[str, ...]
    weights: dict[str, float]
    figures: dict[str, float]

    def probabilities(self, features: Numbers) -> Numbers:
        """Those of the choices of one question, which add up to 1.

        Args:
            features: shape (choices, features), columns in the order of the weights.
        """
        scores = features @ np.fromiter(self.weights.values(), np.float64)
        odds = np.exp(scores - scores.max())
        shares: Numbers = odds / odds.sum()
        return shares


@cache
def deciding() -> Deciding:
    """What comes with the package."""
    file = resources.files("bot.ranking") / FILE
    return Deciding.model_validate_json(file.read_text(encoding="utf-8"))
