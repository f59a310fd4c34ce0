"""`python -m bot calibrate`: the gate's thresholds, chosen on cases and kept in the data folder."""

from pathlib import Path

from rich.table import Table
from rich.text import Text

from bot.calibration import write_calibrated
from bot.cli.evaluate import showing, with_index
from bot.cli.shared import out, print_json
from bot.evaluate.calibrate import LIMITS, Choice, Evidence, Sample, choose
from bot.evaluate.cases import Case, read_cases
from bot.evaluate.figures import UNANSWERABLE, is_answerable
from bot.evaluate.session import Wanted, open_index, run_cases
from bot.evaluate.types import Run, Way
from bot.evaluate.words import KINDS, figure_text, number
from bot.pipeline import Found
from bot.settings import Settings
from bot.wiring import Parts
from ingest.errors import FootnoteError


def calibrate(
    settings: Settings,
    file: Path,
    corpus: Path | None,
    max_false_answers: float,
    *,
    as_json: bool,
) -> None:
    """Choose, show the trade-off, and keep what was chosen.

    Raises:
        FootnoteError: the cases hold nothing answerable or nothing unanswerable, or every threshold
            within the limit refuses everything; nothing was written.
    """
    cases = read_cases(file)
    seen: dict[tuple[int, Way], Found] = {}

    def keep(case: Case, way: Way, found: Found) -> None:
        seen[case.line, way] = found

    with showing() as progress, open_index(settings, corpus, progress) as index:

        async def work(parts: Parts) -> Run:
            wanted = Wanted(withdraw=True)
            return await run_cases(
                parts, index, file, cases, wanted, progress=progress, on_found=keep
            )

        run = with_index(settings, index, work)
    sample = _sample(run, seen)
    chosen, *trade_off = choose(sample, [max_false_answers, *LIMITS])
    if not chosen.coverage.value:
        raise FootnoteError(
            f"With at most {max_false_answers:g} false answers the gate would refuse everything:"
            " allow more, or give more cases. Nothing was written."
        )
    kept = write_calibrated(
        settings.data,
        run.reranker,
        chosen.thresholds,
        cases=file.name,
        max_false_answers=max_false_answers,
    )
    if as_json:
        print_json(_json(run, kept, chosen, trade_off))
    else:
        _print(run, sample, trade_off)
        out.print(
            Text(f"\nChosen for at most {max_false_answers:g}: {_told(chosen)}.", style="bold")
        )
        out.print(Text(f"Kept for {run.reranker} in {kept}; settings still come first."))


def _sample(run: Run, seen: dict[tuple[int, Way], Found]) -> Sample:
    """What the gate saw, sorted into what should pass and what should not."""
    sample = Sample()
    for question in run.questions:
        for way in question.trials:
            found = seen[question.line, way]
            evidence = Evidence(found.standalone, found.hits[: run.top_k])
            if way == "asked" and is_answerable(question):
                sample.answerable.append(evidence)
            elif way == "asked" and question.answerable is False:
                sample.unanswerable.setdefault("own", []).append(evidence)
            elif way in {"page_withdrawn", "passage_withdrawn"}:
                sample.unanswerable.setdefault(way, []).append(evidence)
    if not sample.answerable or not sample.unanswerable:
        raise FootnoteError("To calibrate takes answerable cases that name what answers them.")
    return sample


def _print(run: Run, sample: Sample, trade_off: list[Choice]) -> None:
    kinds = [kind for kind in UNANSWERABLE if kind in sample.unanswerable]
    title = f"{run.cases}, {run.reranker}: what each limit on false answers costs"
    table = Table(title=title, title_justify="left", title_style="bold", box=None, pad_edge=False)
    heads = [f"{KINDS[kind]} ({len(sample.unanswerable[kind])})" for kind in kinds]
    covered = f"answered ({len(sample.answerable)})"
    for head in ("at most", covered, *heads, "min_score", "min_hits", "sure_score"):
        table.add_column(head, justify="right")
    for limit, choice in zip(LIMITS, trade_off, strict=True):
        t = choice.thresholds
        rates = [figure_text(choice.false_answers[kind]) for kind in kinds]
        thresholds = (number(t.min_score), str(t.min_hits), number(t.sure_score))
        table.add_row(number(limit), figure_text(choice.coverage), *rates, *thresholds)
    out.print(table)


def _told(choice: Choice) -> str:
    t = choice.thresholds
    rule = f"{t.min_hits} passages of {t.min_score:g}, or one of {t.sure_score:g}"
    return f"{rule}; {number(choice.coverage.value)} of the answerable questions pass"


def _json(run: Run, kept: Path, chosen: Choice, trade_off: list[Choice]) -> dict[str, object]:
    rows = zip(LIMITS, trade_off, strict=True)
    return {
        "reranker": run.reranker,
        "file": str(kept),
        "chosen": _choice_json(chosen),
        "trade_off": [{"max_false_answers": limit} | _choice_json(c) for limit, c in rows],
    }


def _choice_json(choice: Choice) -> dict[str, object]:
    t = choice.thresholds
    return {
        "min_score": t.min_score,
        "min_hits": t.min_hits,
        "sure_score": t.sure_score,
        "coverage": choice.coverage.value,
        "false_answers": {kind: rate.value for kind, rate in choice.false_answers.items()},
        "false_mean": choice.false_mean,
    }
