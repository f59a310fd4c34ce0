"""Sentences that were written to a local model's word on each: a cross-encoder for entailment."""

import asyncio
import logging
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import Executor
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from bot import hub
from bot.reading.cited import cited_text
from bot.settings import Settings
from bot.types import Claim, Judged, JudgeVerdict
from ingest.errors import SettingsError

if TYPE_CHECKING:
    from sentence_transformers import CrossEncoder

log = logging.getLogger(__name__)

UPHELD = 0.5  # of the probability: of entailment against contradiction, or that it is supported
ENTAILS, CONTRADICTS = "entail", "contradict"  # how the labels of models for inference begin


class EntailmentJudge:
    """Reads what a sentence cites and the sentence together.

    A model with one output gives the probability that the text supports the sentence; one for
    natural language inference has labels for entailment and contradiction, and what it finds
    neutral counts by which of the two is likelier. `verdicts` adds up those of all calls.

    Args:
        name: what it is called; a hub's name or a folder.
        model: loaded, giving logits.
        pool: where it runs.

    Raises:
        SettingsError: the model's labels are none of these.
    """

    def __init__(self, name: str, model: "CrossEncoder", pool: Executor) -> None:
        self.name = name
        self.verdicts: Counter[JudgeVerdict] = Counter()
        self._model = model
        self._pool = pool
        self._places = _places(name, model)

    async def check(self, claims: Sequence[Claim]) -> tuple[Judged, ...]:
        """A word on each, in their order."""
        if not claims:
            return ()
        loop = asyncio.get_running_loop()
        upheld = await loop.run_in_executor(self._pool, self._score, claims)
        words: list[JudgeVerdict] = ["yes" if share >= UPHELD else "no" for share in upheld]
        self.verdicts.update(words)
        return tuple(Judged(c.text, word) for c, word in zip(claims, words, strict=True))

    def _score(self, claims: Sequence[Claim]) -> list[float]:
        pairs = [
            ("\n".join(cited_text(p, claim.quotes) for p in claim.passages), claim.text)
            for claim in claims
        ]
        logits = np.asarray(self._model.predict(pairs, show_progress_bar=False), np.float64)
        return [self._upheld(row) for row in logits.reshape(len(pairs), -1)]

    def _upheld(self, logits: NDArray[np.float64]) -> float:
        if self._places is None:
            return float(1 / (1 + np.exp(-logits[0])))
        entails, contradicts = (float(logits[place]) for place in self._places)
        return float(1 / (1 + np.exp(contradicts - entails)))


def _places(name: str, model: "CrossEncoder") -> tuple[int, int] | None:
    """Where the logits of entailment and contradiction stand; None for a single output."""
    named = getattr(model.config, "id2label", None) or {}
    labels = {int(i): str(label).lower() for i, label in named.items()}
    if len(labels) <= 1:
        return None
    found = [
        next((i for i, label in labels.items() if label.startswith(begin)), -1)
        for begin in (ENTAILS, CONTRADICTS)
    ]
    if min(found) < 0:
        told = ", ".join(labels[i] for i in sorted(labels))
        raise SettingsError(
            f"FOOTNOTE_VERIFIER={name}: needs one output, or labels for entailment and"
            f" contradiction; it has {told}."
        )
    return found[0], found[1]


def choose_verifier(settings: Settings, pool: Executor) -> EntailmentJudge | None:
    """The cross-encoder of the settings if its weights can be had.

    Blocking; called once, at start. Loaded and pinned as the reranker is.

    Raises:
        SettingsError: it is a model of another kind.
    """
    name = settings.verifier
    if not name:
        return None
    folder = hub.obtain(name, settings)
    model = hub.load(folder, probabilities=False) if folder is not None else None
    if model is None:
        why = "could not be loaded" if folder else "is not on this machine and was not fetched"
        log.warning("The verifier %s %s.", name, why)
        return None
    return EntailmentJudge(name, model, pool)
