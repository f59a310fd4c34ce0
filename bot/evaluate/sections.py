"""The report's sections of figures: tables with bars, curves as pictures."""

from collections.abc import Mapping, Sequence

from bot.evaluate import pictures
from bot.evaluate.compare import Change, Comparison
from bot.evaluate.figures import (
    COVERAGES,
    MEASURES,
    Answers,
    Figures,
    Row,
)
from bot.evaluate.markup import Child, Markup, el
from bot.evaluate.metrics import Figure
from bot.evaluate.types import Probe, Run
from bot.evaluate.words import KINDS, STAGE_NAMES, VERDICTS, figure_text, number

INTERVALS = (
    "Each figure is followed by its 95 % interval, made by resampling the questions: a change"
    " smaller than that is no change."
)


def headline(figures: Figures) -> Markup:
    """Write the few figures that matter most, large."""
    cards: list[Markup] = []
    if row := figures.retrieval.get("reranked"):
        cards += [_card("right passage first", row["recall@1"])]
        cards += [_card("in the top 5", row["recall@5"]), _card("nDCG@10", row["ndcg@10"])]
    if figures.coverage is not None:
        cards.append(_card("answerable questions let through", figures.coverage))
    for kind, told in figures.refusals.items():
        cards.append(_card(f"false answers, {KINDS[kind]}", told.false_answers))
    return el("section", cards, class_="cards")


def retrieval(run: Run, figures: Figures) -> Markup:
    """Write what each stage found, and the same by kind of question."""
    stages = {STAGE_NAMES[stage]: row for stage, row in figures.retrieval.items()}
    told = (
        "At least one right passage among the first k; MRR and nDCG over the first ten. The union's"
        " ceiling is what a perfect order of all candidates would give."
    )
    kinds = _rows("Kind, reranked", figures.kinds) if figures.kinds else None
    drawn = el("div", pictures.recall_chart(run), pictures.fates(figures, run.top_k), class_="pair")
    return _section("Retrieval", told, _rows("Stage", stages), drawn, kinds)


def follow_ups(figures: Figures) -> Markup:
    """Write what the rewrite gains over the raw turn, and what a person would gain."""
    told = "Follow-up questions as they were typed, as they were rewritten, and as a person would."
    return _section("Follow-ups", told, _rows("Question, reranked", figures.follow_ups))


def refusals(run: Run, figures: Figures) -> Markup:
    """Write how well the gate tells what nothing answers."""
    told = (
        "Questions that nothing answers, as they were written or made by withdrawing what answers"
        " an answerable one: its whole documents, or the right passages alone (a near miss)."
    )
    if not figures.refusals:
        told = "The cases hold no question that nothing answers; withdrawing makes some."
    spread = pictures.evidence_chart(run)
    if not figures.refusals:
        return _section("Refusals", told, spread)
    heads = [f"false at {share:.0%} coverage" for share in COVERAGES]
    names = ("Questions", "n", "false answers", "refused", "refusals right", "AUROC", *heads)
    rows = []
    for kind, r in figures.refusals.items():
        measured = [r.false_answers, r.recall, r.precision, r.auroc, *r.false_at.values()]
        rows.append([KINDS[kind], number(r.unanswerable), *map(_cell, measured)])
    drawn = el("div", spread, pictures.risk_chart(run, figures), class_="pair")
    return _section("Refusals", told, _table(names, rows), drawn)


def answers(told: Answers) -> Markup:
    """Write what was answered and how it held up."""
    rows: list[tuple[str, Child]] = [
        ("answered", number(told.answered)),
        ("abstained", _counts(told.abstained)),
        ("unanswerable, yet answered", figure_text(told.answered_unanswerable)),
        ("sentences cited", figure_text(told.sentences_cited)),
        ("invalid citations", number(told.invalid_citations)),
        ("sentences dropped", _counts(told.dropped)),
        ("sentences that the judge upholds", figure_text(told.faithful)),
        ("sentences without a verdict", number(told.unjudged) if told.faithful.n else "–"),
        ("answers that cite a right passage", figure_text(told.cites_gold)),
        ("answers whose citations hold the value", figure_text(told.holds_value)),
        ("citations an answer", figure_text(told.citations_each)),
        ("seconds an answer", figure_text(told.seconds_each)),
        ("tokens read, written an answer", _tokens(told)),
        ("cost an answer", figure_text(told.cost_each)),
    ]
    shown = [[name, value] for name, value in rows if value != "–"]
    return _section("Answers", "", _table(("Of the answers", ""), shown, class_="narrow"))


def comparison(told: Comparison) -> Markup:
    """Write what changed against an earlier run."""
    rows = [_change(name, change) for name, change in told.changes.items()]
    moved = [
        el(
            "li",
            el("b", f"line {m.line}"),
            f" rank {m.old_rank or '–'} → {m.new_rank or '–'}",
            None
            if m.old_passed == m.new_passed
            else ", now passed"
            if m.new_passed
            else ", now refused",
            ": ",
            m.q,
        )
        for m in told.moved
    ]
    listed = el(
        "details", el("summary", f"{len(moved)} questions moved"), el("ul", moved), class_="moved"
    )
    alone = f" {told.alone} questions are in one of the runs only." if told.alone else ""
    names = ("Figure", "then", "now", "difference", "")
    about = f"Against {told.old}, over the questions of both.{alone}"
    return _section("What changed", about, _table(names, rows), listed)


def probe_line(probe: Probe) -> str:
    """Say what the self-retrieval probe found."""
    told = f"Self-retrieval of {probe.passages} passages: dense {probe.dense:.1%}, BM25"
    lost = f"; lost to both: {', '.join(probe.lost[:10])}" if probe.lost else ""
    return f"{told} {probe.bm25:.1%}{lost}."


def _section(title: str, told: str, *children: Child) -> Markup:
    return el("section", el("h2", title), el("p", told, class_="told") if told else None, children)


def _card(name: str, figure: Figure) -> Markup:
    if not figure.n:
        return el("div", el("b", "–"), el("span", name), class_="card")
    interval = f"{number(figure.low)} to {number(figure.high)}, n = {figure.n}"
    return el(
        "div", el("b", number(figure.value)), el("span", name), el("small", interval), class_="card"
    )


def _rows(first: str, rows: Mapping[str, Row]) -> Markup:
    body = []
    for name, row in rows.items():
        n = next(iter(row.values())).n
        body.append([name, number(n), *(_cell(figure, bar=True) for figure in row.values())])
    return _table((first, "n", *MEASURES), body)


def _cell(figure: Figure, *, bar: bool = False) -> Markup:
    if not figure.n:
        return el("span", "–")
    interval = el("small", f"{number(figure.low)}–{number(figure.high)}")
    drawn = None
    if bar:
        low, high = 100 * figure.low, 100 * figure.high
        whisker = el("u", style=f"left:{low:.1f}%;width:{high - low:.1f}%")
        drawn = el("span", el("i", style=f"width:{100 * figure.value:.1f}%"), whisker, class_="bar")
    return el("span", el("b", number(figure.value)), " ", interval, drawn, class_="cell")


def _table(names: Sequence[str], rows: Sequence[Sequence[Child]], class_: str = "") -> Markup:
    head = el("tr", [el("th", name) for name in names])
    body = [el("tr", [el("td", value) for value in row]) for row in rows]
    table = el("table", el("thead", head), el("tbody", body), class_=class_ or None)
    return el("div", table, class_="wide")


def _counts(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{n} {name.replace('_', ' ')}" for name, n in counts.items()) or "none"


def _tokens(told: Answers) -> str:
    if not told.tokens_read_each.value:
        return "–"
    return f"{figure_text(told.tokens_read_each)}, {figure_text(told.tokens_written_each)}"


def _change(name: str, change: Change) -> list[Child]:
    word = el("span", VERDICTS[change.verdict], class_=f"verdict {change.verdict}")
    difference = figure_text(change.difference, sign="+")
    return [name, number(change.old), number(change.new), difference, word]
