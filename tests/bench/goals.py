"""What each figure is meant to reach.

Some goals were set on a whole public set, beside what the plain pipeline reached there. Where one
has another part of the set, the distance to the plain pipeline is what is comparable.
"""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Goal:
    """`figure` as it was set, `plain` what the plain pipeline reached where it was set.

    None: the figure holds as it is. `measure`, of the `pipeline`, is what it is compared with.
    """

    figure: float | None
    plain: float | None = None
    measure: str = ""
    pipeline: str = "plain"

    def here(self, figures: Mapping[tuple[str, str], float]) -> float | None:
        """The figure to reach on the part of the set at hand, from pipelines' figures by measure.

        None where what it is compared with was not measured.
        """
        if self.plain is None and not self.measure:
            return self.figure
        reached = figures.get((self.pipeline, self.measure))
        if reached is None:
            return None
        return reached + (self.figure or 0.0) - (self.plain or 0.0)


def beyond(figure: float, plain: float, measure: str) -> Goal:
    return Goal(figure, plain, measure)


GOALS: Mapping[tuple[str, str], Goal] = {
    ("gds_way", "shown@1"): Goal(0.88),
    ("gds_way", "shown@5"): Goal(0.98),
    ("trec_cast", "recall@1, follow-ups by rule"): beyond(0.38, 0.38, "recall@1, raw turn"),
    ("trec_cast", "recall@5, follow-ups by rule"): beyond(0.80, 0.68, "recall@5, raw turn"),
    ("workarena_kb", "recall@1"): beyond(0.94, 0.92, "recall@1"),
    ("workarena_kb", "recall@5"): beyond(0.99, 0.98, "recall@5"),
    ("codebase", "recall@5"): beyond(0.83, 0.75, "recall@5"),
    ("codebase", "nDCG@10"): beyond(0.76, 0.67, "nDCG@10"),
    ("xquad", "nDCG@10, de"): Goal(None, None, "nDCG@10, de", "BM25"),
    ("xquad", "nDCG@10, es"): Goal(None, None, "nDCG@10, es", "BM25"),
}
