"""Evidence: the fitted probability that what was found answers the question.

A logistic regression on few features of a hit. Its values, the gate's thresholds and what they came
to on sets that were left out are a file, which `python -m tests.bench fit` writes.
"""

import math
from collections.abc import Mapping
from functools import cache
from importlib import resources

from pydantic import BaseModel

FILE = "evidence-{}.json"
MOST_SPREADS = 2.0  # in a small collection a page stands out further than in any that was fitted on


class Feature(BaseModel):
    """How a feature counts: `weight` for each `spread` that it lies over `mean`, in log-odds."""

    mean: float
    spread: float
    weight: float

    def standardised(self, value: float) -> float:
        """How many spreads a value lies over the mean; what few questions show counts no more."""
        return min(max((value - self.mean) / self.spread, -MOST_SPREADS), MOST_SPREADS)


class Fitted(BaseModel):
    """What was fitted for a reranker: on which sets, when, and what it came to where it was not.

    `perhaps` and `answer` are the least evidence of the gate's zones. `figures` are the means over
    the sets, each counted with values that were fitted on the others.
    """

    reranker: str
    made_at: str
    sets: tuple[str, ...]
    features: dict[str, Feature]
    bias: float
    perhaps: float
    answer: float
    figures: dict[str, float]

    def usual(self, name: str) -> float:
        """The mean of a feature, which neither adds to the evidence nor takes from it."""
        return self.features[name].mean

    def probability(self, features: Mapping[str, float]) -> float:
        """The evidence of a hit, 0 to 1."""
        log_odds = self.bias + sum(
            own.weight * own.standardised(features[name]) for name, own in self.features.items()
        )
        return 1 / (1 + math.exp(-log_odds))


LATE_INTERACTION = "late-interaction"


def evidence_name(reranker: str) -> str:
    """Names what the evidence of a reranker is: a calibrated threshold holds for that alone."""
    return f"fitted {fitted(reranker).made_at}" if reranker == LATE_INTERACTION else "probability"


@cache
def fitted(reranker: str) -> Fitted:
    """What was fitted for a reranker and comes with the package."""
    file = resources.files("bot.ranking") / FILE.format(reranker)
    return Fitted.model_validate_json(file.read_text(encoding="utf-8"))
