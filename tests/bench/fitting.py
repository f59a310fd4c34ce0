"""Evidence fitted as a logistic regression, each set left out in turn. Pure, given the samples."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression

from bot.evaluate.metrics import Figure, auroc, share_at_or_above, threshold_at
from bot.ranking.evidence import MOST_SPREADS, Feature, Fitted

Numbers = NDArray[np.float64]
Group = str  # yes, own, near (a near miss among the own ones), page_withdrawn, passage_withdrawn

ANSWERABLE_SHARE = 0.75  # of the questions that people ask of a handbook: as in the sets
# What perhaps must let through and answer may: a little stricter than what is to hold elsewhere,
# which is .98 and .10. Of those never answered .08 here come to .10 left out, .07 to .06.
PASSING, NOT_ANSWERED = 0.99, 0.07
REGULARISATION = 1.0  # scikit-learn's C on standardised features; 0.01 to 10 are alike
EXAMPLES = 200.0  # what all weights add up to
RESAMPLES, SEED, BINS = 400, 7, 10


@dataclass(frozen=True)
class Asked:
    """A question with the features of its hits, best first."""

    line: int
    group: Group
    hits: tuple[Mapping[str, float], ...]


Sample = Sequence[Asked]


@dataclass(frozen=True)
class Counted:
    """The evidence of a set's questions by values fitted on other sets, and those values."""

    fitted: Fitted
    evidence: Mapping[Group, Numbers]

    def against(self, *groups: Group) -> Numbers:
        return np.concatenate([self.evidence.get(g, np.zeros(0)) for g in groups])


def fit(samples: Sequence[Sample], names: Sequence[str]) -> Fitted:
    """The values for these sets, each of which weighs the same; thresholds included."""
    rows, labels, weights = [], [], []
    for sample in samples:
        for one, weight in zip(sample, _weights(sample), strict=True):
            if one.hits and weight:
                rows.append([one.hits[0][name] for name in names])
                labels.append(one.group == "yes")
                weights.append(weight)
    x, w = np.asarray(rows, np.float64), np.asarray(weights) * EXAMPLES / sum(weights)
    mean = np.average(x, axis=0, weights=w)
    spread = np.sqrt(np.average((x - mean) ** 2, axis=0, weights=w)) + 1e-9
    model = LogisticRegression(C=REGULARISATION)
    standardised = np.clip((x - mean) / spread, -MOST_SPREADS, MOST_SPREADS)
    model.fit(standardised, labels, sample_weight=w)
    features = {
        name: Feature(mean=round(m, 5), spread=round(s, 5), weight=round(c, 4))
        for name, m, s, c in zip(names, mean, spread, model.coef_[0], strict=True)
    }
    made = Fitted(
        reranker="late-interaction",
        made_at="",
        sets=(),
        features=features,
        bias=round(float(model.intercept_[0]), 4),
        perhaps=0.0,
        answer=1.0,
        figures={},
    )
    return _with_thresholds(made, samples)


def evidence_of(fitted: Fitted, sample: Sample) -> dict[Group, Numbers]:
    """As the gate has it: that of the best hit."""
    by_group: dict[Group, list[float]] = {}
    for one in sample:
        best = max((fitted.probability(hit) for hit in one.hits), default=0.0)
        by_group.setdefault(one.group, []).append(best)
    return {group: np.asarray(values) for group, values in by_group.items()}


def left_out(
    samples: Mapping[str, Sample], names: Sequence[str], only_counted: Collection[str] = ()
) -> dict[str, Counted]:
    """Each set by values that were fitted on the others, but for those that are only counted."""
    counted = {}
    for name, sample in samples.items():
        others = [s for key, s in samples.items() if key != name and key not in only_counted]
        values = fit(others, names)
        counted[name] = Counted(values, evidence_of(values, sample))
    return counted


def never_answered(one: Counted) -> Numbers:
    return one.against("own", "near")


def calibration_error(*counted: Counted) -> float:
    """The expected calibration error over the questions as people asked them, in ten bins.

    Of some fifty questions of one set it is .08 or so by chance alone.
    """
    right = np.concatenate([one.evidence["yes"] for one in counted])
    wrong = np.concatenate([never_answered(one) for one in counted])
    p = np.concatenate([right, wrong])
    y = np.concatenate([np.ones(len(right)), np.zeros(len(wrong))])
    bins = np.minimum((p * BINS).astype(int), BINS - 1)
    gaps = [(bins == b).mean() * abs(p[bins == b].mean() - y[bins == b].mean()) for b in set(bins)]
    return float(sum(gaps))


FIGURES = {
    "AUROC never answered": lambda c: auroc(c.evidence["yes"], never_answered(c)),
    "AUROC page withdrawn": lambda c: auroc(c.evidence["yes"], c.against("page_withdrawn")),
    "AUROC near misses": lambda c: auroc(c.evidence["yes"], c.against("passage_withdrawn")),
    "AUROC near misses as written": lambda c: auroc(c.evidence["yes"], c.against("near")),
    "answerable not refused": lambda c: share_at_or_above(c.evidence["yes"], c.fitted.perhaps),
    "answerable in answer": lambda c: share_at_or_above(c.evidence["yes"], c.fitted.answer),
    "never answered in answer": lambda c: share_at_or_above(never_answered(c), c.fitted.answer),
    "never answered refused": lambda c: 1 - share_at_or_above(never_answered(c), c.fitted.perhaps),
    "calibration error": calibration_error,
}
NEEDS = {"AUROC near misses": "passage_withdrawn", "AUROC near misses as written": "near"}


def figures_of(counted: Counted, names: Sequence[str] = ()) -> dict[str, float]:
    """Those that the set has questions for."""
    return {
        name: float(count(counted))
        for name, count in FIGURES.items()
        if (not names or name in names) and len(counted.against(NEEDS.get(name, "yes")))
    }


def means(counted: Mapping[str, Counted], names: Sequence[str] = ()) -> dict[str, float]:
    """Over the sets, each weighing the same; the calibration error over all their questions."""
    every = [figures_of(one, names) for one in counted.values()]
    told = {
        name: fmean(own[name] for own in every if name in own)
        for name in names or FIGURES
        if any(name in own for own in every)
    }
    if "calibration error" in told:
        told["calibration error"] = calibration_error(*counted.values())
    return told


def resampled(counted: Counted, rng: np.random.Generator) -> Counted:
    """The same with each group's questions drawn anew."""
    drawn = {g: v[rng.integers(0, len(v), len(v))] for g, v in counted.evidence.items() if len(v)}
    return replace(counted, evidence=drawn)


def intervals(counted: Mapping[str, Counted], resamples: int = RESAMPLES) -> dict[str, Figure]:
    """The means with their 95 % bootstrap intervals over questions."""
    rng = np.random.default_rng(SEED)
    draws = [
        means({name: resampled(one, rng) for name, one in counted.items()})
        for _ in range(resamples)
    ]
    return {
        name: _figure(value, [draw[name] for draw in draws])
        for name, value in means(counted).items()
    }


def differences(
    new: Mapping[str, Counted],
    old: Mapping[str, Counted],
    names: Sequence[str],
    resamples: int = RESAMPLES,
) -> dict[str, Figure]:
    """The means of new less those of old over the same questions, drawn together."""
    now, before = means(new, names), means(old, names)
    a, b = np.random.default_rng(SEED), np.random.default_rng(SEED)
    draws = []
    for _ in range(resamples):
        drawn = means({name: resampled(one, a) for name, one in new.items()}, names)
        other = means({name: resampled(one, b) for name, one in old.items()}, names)
        draws.append({name: drawn[name] - other[name] for name in drawn})
    return {name: _figure(now[name] - before[name], [draw[name] for draw in draws]) for name in now}


def _figure(value: float, draws: Sequence[float]) -> Figure:
    low, high = np.quantile(np.asarray(draws), [0.025, 0.975])
    return Figure(value, float(low), float(high), len(draws))


def _with_thresholds(made: Fitted, samples: Sequence[Sample]) -> Fitted:
    """Those that the zones want, pooled over the sets."""
    evidence = [evidence_of(made, sample) for sample in samples]
    right = np.concatenate([one["yes"] for one in evidence])
    wrong = np.concatenate([one[g] for one in evidence for g in ("own", "near") if g in one])
    allowed = np.quantile(wrong, 1 - NOT_ANSWERED, method="higher")
    perhaps = min(threshold_at(right.tolist(), PASSING), float(allowed))
    return made.model_copy(
        update={"perhaps": round(perhaps, 4), "answer": round(float(allowed) + 5e-5, 4)}
    )


def _weights(sample: Sample) -> list[float]:
    """Of answerable questions three quarters; of the rest as much for those never answered as for
    those whose passage alone was withdrawn. Withdrawn pages are counted, and not fitted on."""
    counts = {
        "yes": sum(one.group == "yes" for one in sample),
        "own": sum(one.group in {"own", "near"} for one in sample),
        "passage_withdrawn": sum(one.group == "passage_withdrawn" for one in sample),
    }
    rest = [kind for kind in ("own", "passage_withdrawn") if counts[kind]]
    shares = {"yes": ANSWERABLE_SHARE} | dict.fromkeys(rest, (1 - ANSWERABLE_SHARE) / len(rest))
    kinds = ["own" if one.group == "near" else one.group for one in sample]
    return [shares.get(kind, 0.0) / max(counts.get(kind, 0), 1) for kind in kinds]
