"""Figures of an evaluation as tables in a terminal."""

from collections.abc import Mapping

from rich.table import Table
from rich.text import Text

from bot.cli.shared import out
from bot.evaluate.compare import Comparison
from bot.evaluate.figures import COVERAGES, MEASURES, Answers, Figures, Row
from bot.evaluate.metrics import Figure
from bot.evaluate.types import Probe, Run
from bot.evaluate.words import KINDS, STAGE_NAMES, VERDICTS, figure_text, missing_lines, number

STYLES = {"up": "bold", "down": "bold", "noise": "dim", "same": "dim"}


def print_figures(run: Run, figures: Figures) -> None:
    """Print everything that was measured."""
    told = f"{run.cases}: {len(run.questions)} cases over {run.documents} documents"
    out.print(Text(f"{told}, {run.passages} passages; reranker {run.reranker}.", style="bold"))
    for line in missing_lines(run):
        out.print(Text(line, style="yellow"))
    if figures.retrieval:
        stages = {STAGE_NAMES[stage]: row for stage, row in figures.retrieval.items()}
        _print_rows("Retrieval", stages)
        _print_rows("By kind, reranked", figures.kinds)
        _print_rows("Follow-ups, reranked", figures.follow_ups)
    _print_refusals(figures)
    if figures.answers is not None:
        _print_answers(figures.answers)
    if run.probe is not None:
        _print_probe(run.probe)


def _print_rows(title: str, rows: Mapping[str, Row]) -> None:
    if not rows:
        return
    shown = table(title, "", *MEASURES, "n")
    for name, row in rows.items():
        n = next(iter(row.values())).n
        shown.add_row(name, *map(cell, row.values()), str(n))
    out.print(shown)


def _print_refusals(figures: Figures) -> None:
    if figures.coverage is not None:
        told = f"Of {figures.coverage.n} answerable questions, the gate lets through"
        out.print(Text(f"\n{told} {figure_text(figures.coverage)}."))
    if not figures.refusals:
        return
    heads = [f"false at {share:.0%}" for share in COVERAGES]
    shown = table(
        "Questions that nothing answers",
        "",
        "false answers",
        "recall",
        "precision",
        "AUROC",
        *heads,
    )
    for kind, r in figures.refusals.items():
        measured = [r.false_answers, r.recall, r.precision, r.auroc, *r.false_at.values()]
        shown.add_row(f"{KINDS[kind]} ({r.unanswerable})", *map(cell, measured))
    out.print(shown)


def _print_answers(answers: Answers) -> None:
    shown = table("Answers", "", "")
    abstained = ", ".join(f"{n} {reason}" for reason, n in answers.abstained.items())
    dropped = ", ".join(f"{n} {rule}" for rule, n in answers.dropped.items())
    rows = {
        "answered": str(answers.answered),
        "abstained": abstained or "none",
        "unanswerable, yet answered": figure_text(answers.answered_unanswerable),
        "sentences cited": figure_text(answers.sentences_cited),
        "invalid citations": str(answers.invalid_citations),
        "sentences dropped": dropped or "none",
        "answers that cite a right passage": figure_text(answers.cites_gold),
        "answers whose citations hold the value": figure_text(answers.holds_value),
        "citations an answer": figure_text(answers.citations_each),
        "seconds an answer": figure_text(answers.seconds_each),
    }
    if answers.faithful.n:
        rows["sentences that the judge upholds"] = figure_text(answers.faithful)
        rows["sentences without a verdict"] = str(answers.unjudged)
    if answers.tokens_read_each.value > 0:
        rows["tokens read an answer"] = figure_text(answers.tokens_read_each)
        rows["tokens written an answer"] = figure_text(answers.tokens_written_each)
        rows["cost an answer"] = figure_text(answers.cost_each)
    for name, value in rows.items():
        if value != "–":
            shown.add_row(name, value)
    out.print(shown)


def _print_probe(probe: Probe) -> None:
    told = f"Self-retrieval of {probe.passages} passages: dense {probe.dense:.1%}"
    lost = f", lost to both: {', '.join(probe.lost[:5])}" if probe.lost else ""
    out.print(Text(f"\n{told}, BM25 {probe.bm25:.1%}{lost}."))


def print_comparison(comparison: Comparison) -> None:
    """Print what changed, and say which changes are no more than noise."""
    shown = table(f"Against {comparison.old}", "", "then", "now", "difference", "")
    for name, change in comparison.changes.items():
        word = Text(VERDICTS[change.verdict], style=STYLES[change.verdict])
        then, now = number(change.old), number(change.new)
        shown.add_row(name, then, now, figure_text(change.difference, sign="+"), word)
    out.print(shown)
    for m in comparison.moved:
        ranks = f"rank {m.old_rank or '–'} → {m.new_rank or '–'}"
        gate = (
            ""
            if m.old_passed == m.new_passed
            else f", gate {_gate(m.old_passed)} → {_gate(m.new_passed)}"
        )
        out.print(Text(f"  line {m.line}: {ranks}{gate}: {m.q}", style="dim"))
    if comparison.alone:
        out.print(Text(f"{comparison.alone} questions are in one of the runs only.", style="dim"))


def _gate(passed: bool) -> str:  # noqa: FBT001 - a word for it
    return "passed" if passed else "refused"


def cell(figure: Figure) -> Text:
    """Write a figure with its interval below it, so that a table of many fits 80 columns."""
    if not figure.n:
        return Text("–")
    interval = f"\n{number(figure.low)}–{number(figure.high)}"
    return Text(number(figure.value)) + Text(interval, style="dim")


def table(title: str, first: str, *heads: str) -> Table:
    """Give an empty table, its first column for names and the others for figures."""
    made = Table(title=title, title_justify="left", title_style="bold", box=None, pad_edge=False)
    made.add_column(first)
    for head in heads:
        made.add_column(head, justify="right")
    return made
