"""The report: one HTML page that needs nothing from elsewhere."""

from collections.abc import Sequence
from importlib.resources import files

from bot.evaluate import sections
from bot.evaluate.audit import audit
from bot.evaluate.compare import Comparison
from bot.evaluate.figures import Figures
from bot.evaluate.markup import Markup, el
from bot.evaluate.types import Run
from bot.evaluate.words import missing_lines

STYLE = files("bot.evaluate") / "report.css"


def report_page(run: Run, figures: Figures, comparison: Comparison | None = None) -> str:
    """Write the page."""
    title = f"Evaluation of {run.cases}"
    head = el(
        "head",
        el("meta", charset="utf-8"),
        el("meta", name="viewport", content="width=device-width, initial-scale=1"),
        el("title", title),
        el("style", Markup(STYLE.read_text("utf-8"))),
    )
    parts: Sequence[Markup | None] = (
        _top(run, title),
        sections.headline(figures),
        _missing(run),
        sections.comparison(comparison) if comparison else None,
        sections.retrieval(run, figures) if figures.retrieval else None,
        sections.follow_ups(figures) if figures.follow_ups else None,
        sections.refusals(run, figures) if figures.coverage else None,
        sections.answers(figures.answers) if figures.answers else None,
        audit(run),
        el(
            "footer", sections.probe_line(run.probe) if run.probe else None, " ", sections.INTERVALS
        ),
    )
    body = el("body", el("main", parts))
    return f"<!doctype html>\n{el('html', head, body, lang='en')}\n"


def _top(run: Run, title: str) -> Markup:
    facts = {
        "made": run.made_at.replace("T", " ").replace("+00:00", " UTC"),
        "cases": f"{len(run.questions)}",
        "documents": f"{run.documents}",
        "passages": f"{run.passages}",
        "embedder": run.embedder,
        "reranker": run.reranker,
        "answers by": run.generator,
    }
    listed = [el("div", el("dt", name), el("dd", value)) for name, value in facts.items()]
    return el("header", el("h1", title), el("dl", listed, class_="facts"))


def _missing(run: Run) -> Markup | None:
    lines = missing_lines(run)
    if not lines:
        return None
    told = f"Gold that no passage holds: {len(lines)}"
    items = el("ul", [el("li", line) for line in lines])
    return el("details", el("summary", told), items, class_="warning")
