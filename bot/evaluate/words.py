"""How stages, kinds and figures are written for people."""

from collections.abc import Mapping

from bot.evaluate.cases import Answerable
from bot.evaluate.figures import Unanswerable
from bot.evaluate.metrics import Figure
from bot.evaluate.types import Question, Run, Stage

STAGE_NAMES: Mapping[Stage, str] = {
    "dense": "dense alone",
    "bm25": "BM25 alone",
    "union": "union's ceiling",
    "reranked": "reranked",
    "shown": "with its section",
}
KINDS: Mapping[Unanswerable, str] = {
    "own": "as written",
    "page_withdrawn": "page withdrawn",
    "passage_withdrawn": "passage withdrawn",
}
VERDICTS = {"up": "higher", "down": "lower", "noise": "no more than noise", "same": "the same"}
LARGE = 100
TINY = 0.005  # two decimals would show nothing


def missing_lines(run: Run) -> list[str]:
    """What the cases name and no passage holds, a line each."""
    return [f"line {q.line}: {told}." for q in run.questions for told in gold_notes(q)]


def gold_notes(question: Question) -> list[str]:
    """What is wrong with the gold of a question, and how that is counted."""
    gone = [f"{told} now: not counted" for told in question.missing]
    return gone + [
        f"{told}, though its document does: a miss of ingestion" for told in question.unreachable
    ]


def answerable_word(answerable: Answerable) -> str:
    """Say `yes`, `no`, `partial`, or a dash where nobody judged."""
    if isinstance(answerable, bool):
        return "yes" if answerable else "no"
    return answerable or "–"


def number(value: float, sign: str = "") -> str:
    """Write counts whole, large numbers without decimals, others as `.87`, `1.00`, `+.03`."""
    if 0 < abs(value) < TINY:
        return f"{value:{sign}.2g}"
    if isinstance(value, int) or abs(value) >= LARGE:
        return f"{value:{sign},.0f}"
    written = f"{value:{sign}.2f}"
    return written.replace("0.", ".", 1) if abs(value) < 1 and "0." in written[:3] else written


def figure_text(figure: Figure, sign: str = "") -> str:
    """Write a figure with its interval; a dash where no question measures it."""
    if not figure.n:
        return "–"
    low, high = number(figure.low, sign), number(figure.high, sign)
    return f"{number(figure.value, sign)} [{low}, {high}]"
