"""Are the passages strong enough to answer from? Only absolute evidence counts here."""

from collections.abc import Sequence
from dataclasses import dataclass

from bot.ranking.evidence import LATE_INTERACTION, fitted
from bot.settings import Settings
from bot.types import Hit, Verdict


@dataclass(frozen=True, slots=True)
class Thresholds:
    """The least evidence of the zones, 0 to 1: of perhaps `min_score`, of answer `sure_score`."""

    min_score: float
    sure_score: float


# A cross-encoder's evidence is the probability that it gives; none is at hand to fit with.
CROSS_ENCODER_DEFAULT = Thresholds(min_score=0.05, sure_score=0.5)


def thresholds_for(
    reranker: str, settings: Settings, calibrated: Thresholds | None = None
) -> Thresholds:
    """Calibrated thresholds or the reranker's own; a setting that is given replaces its one."""
    own = calibrated or shipped(reranker)
    return Thresholds(
        min_score=own.min_score if settings.min_score is None else settings.min_score,
        sure_score=own.sure_score if settings.sure_score is None else settings.sure_score,
    )


def shipped(reranker: str) -> Thresholds:
    """The thresholds that come with the program."""
    if reranker != LATE_INTERACTION:
        return CROSS_ENCODER_DEFAULT
    return Thresholds(fitted(reranker).perhaps, fitted(reranker).answer)


@dataclass(frozen=True, slots=True)
class Gate:
    """Judges the hits of one question."""

    thresholds: Thresholds

    def judge(self, question: str, hits: Sequence[Hit]) -> Verdict:
        """The zone; outside `answer` for `no_passages` or `weak_evidence`.

        The evidence is that of the best hit.
        """
        del question
        if not hits:
            return Verdict("refused", 0.0, "no_passages")
        best = max(hit.evidence for hit in hits)
        if best >= self.thresholds.sure_score:
            return Verdict("answer", best)
        perhaps = best >= self.thresholds.min_score
        return Verdict("perhaps" if perhaps else "refused", best, "weak_evidence")
