"""Are the passages strong enough to answer from? Only absolute evidence counts here."""

from collections.abc import Sequence
from dataclasses import dataclass

from bot.settings import Settings
from bot.types import Hit, Verdict

LATE_INTERACTION = "late-interaction"
PERHAPS_SHARE = 0.25  # of what is needed to quote


@dataclass(frozen=True, slots=True)
class Thresholds:
    """Evidence, 0 to 1: `min_score` in `min_hits` passages, or `sure_score` in one, passes."""

    min_score: float
    min_hits: int
    sure_score: float

    @property
    def perhaps_score(self) -> float:
        """What one passage must reach at the least: under it nothing is near."""
        return PERHAPS_SHARE * min(self.min_score, self.sure_score)


# A cross-encoder's evidence is the probability that it gives.
CROSS_ENCODER_DEFAULT = Thresholds(min_score=0.35, min_hits=2, sure_score=0.8)

# Chosen on gds_way, mtrag_un and the sample handbook: of answerable questions .80, .81 and .75
# pass, of those whose page was withdrawn .09, .15 and .22, of those whose passage alone was
# withdrawn .44 and .38 (mtrag_un: a passage is a page), of those never answered .15, .09 and .30.
LATE_INTERACTION_DEFAULT = Thresholds(min_score=0.4, min_hits=2, sure_score=0.5)


def thresholds_for(
    reranker: str, settings: Settings, calibrated: Thresholds | None = None
) -> Thresholds:
    """Calibrated thresholds or the reranker's own; a setting that is given replaces its one."""
    shipped = LATE_INTERACTION_DEFAULT if reranker == LATE_INTERACTION else CROSS_ENCODER_DEFAULT
    own = calibrated or shipped
    return Thresholds(
        min_score=own.min_score if settings.min_score is None else settings.min_score,
        min_hits=own.min_hits if settings.min_hits is None else settings.min_hits,
        sure_score=own.sure_score if settings.sure_score is None else settings.sure_score,
    )


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
        strong = sum(hit.evidence >= self.thresholds.min_score for hit in hits)
        if best >= self.thresholds.sure_score or strong >= self.thresholds.min_hits:
            return Verdict("answer", best)
        perhaps = best >= self.thresholds.perhaps_score
        return Verdict("perhaps" if perhaps else "refused", best, "weak_evidence")
