"""The report's pictures: recall by depth, fates of questions, evidence, risk."""

from collections.abc import Mapping, Sequence

from bot.evaluate import metrics
from bot.evaluate.charts import Axis, Series, curves, histograms
from bot.evaluate.figures import (
    FATES,
    UNANSWERABLE,
    Fate,
    Figures,
    is_answerable,
    is_lost,
    unanswerable,
)
from bot.evaluate.markup import Markup, el
from bot.evaluate.types import STAGES, Run
from bot.evaluate.words import KINDS, STAGE_NAMES

DEPTHS = range(1, 21)
SHARES = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)


def recall_chart(run: Run) -> Markup:
    """Draw the recall of each stage as more passages are shown."""
    trials = [q.trials["asked"] for q in run.questions if q.trials["asked"].places]
    series = [
        Series(
            STAGE_NAMES[stage],
            f"s-{stage}",
            [
                (k, sum(metrics.recall(t.places[stage].rank, k) for t in trials) / len(trials))
                for k in DEPTHS
            ],
        )
        for stage in STAGES
    ]
    return curves("Recall at k", Axis("k", (1, 5, 10, 15, 20)), Axis("recall", SHARES), series)


def fates(figures: Figures, top_k: int) -> Markup | None:
    """Draw which stage lost the answer of how many questions."""
    total = sum(figures.fates.values())
    if not total:
        return None
    names: Mapping[Fate, str] = {
        "passed": f"a right passage in the top {top_k}, and let through",
        "refused": "ranked well, but refused by the gate",
        "ranked too low": f"found, but ranked below {top_k}",
        "not found": "found by neither retriever",
    }
    rows = [
        el(
            "li",
            el("b", figures.fates.get(fate, 0)),
            el("span", names[fate]),
            el("i", style=f"width:{100 * figures.fates.get(fate, 0) / total:.1f}%"),
            class_=fate.replace(" ", "-"),
        )
        for fate in FATES
    ]
    title = el("figcaption", f"What became of {total} answerable questions")
    return el("figure", title, el("ul", rows, class_="fates"), class_="chart")


def risk_chart(run: Run, figures: Figures) -> Markup:
    """Draw the risk as more questions are answered, and where the gate stands."""
    series = []
    for kind, r in figures.refusals.items():
        asked = [q for q in run.questions if is_answerable(q)]
        bad = [t for q in run.questions if (t := unanswerable(q, kind))]
        wrong = [is_lost(q, run.top_k) for q in asked if q.trials["asked"].passed]
        wrong += [True for t in bad if t.passed]
        dot = (len(wrong) / (len(asked) + len(bad)), sum(wrong) / len(wrong)) if wrong else None
        series.append(Series(KINDS[kind], f"s-{kind}", r.curve, dot))
    across, up = Axis("coverage: share of all questions answered", SHARES), Axis("risk", SHARES)
    return curves("Risk as more is answered; the gate stands at the dots", across, up, series)


def evidence_chart(run: Run) -> Markup:
    """Draw how the evidence is spread over questions of each kind."""
    good = [q.trials["asked"].evidence for q in run.questions if is_answerable(q)]
    groups: list[tuple[str, str, Sequence[float]]] = [("answerable", "s-answerable", good)]
    for kind in UNANSWERABLE:
        bad = [t.evidence for q in run.questions if (t := unanswerable(q, kind))]
        if bad:
            groups.append((KINDS[kind], f"s-{kind}", bad))
    return histograms("Evidence by kind of question", groups)
