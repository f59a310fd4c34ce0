"""`python -m bot eval`: the cases, measured."""

import asyncio
import json
import logging
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bar

from bot.cli.figures import print_comparison, print_figures
from bot.cli.shared import err, print_json
from bot.evaluate.cases import read_cases
from bot.evaluate.compare import Comparison, compare
from bot.evaluate.figures import Figures, figures_of
from bot.evaluate.report import report_page
from bot.evaluate.saved import read_run, to_data
from bot.evaluate.session import Wanted, open_index, run_cases
from bot.evaluate.types import Run
from bot.evaluate.withdraw import EvaluationIndex
from bot.settings import Settings
from bot.wiring import Parts, open_parts
from ingest.sync import Progress

log = logging.getLogger(__name__)

LOGGED_EVERY_S = 10

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Output:
    """Where the outcome goes: data on stdout, a folder for a page, beside an earlier run."""

    as_json: bool = False
    report: Path | None = None
    against: Path | None = None


def evaluate(
    settings: Settings, file: Path, corpus: Path | None, wanted: Wanted, output: Output
) -> None:
    """Run the cases and say what came of them.

    Raises:
        FootnoteError: a file cannot be read, a line of it is wrong, or the index is empty.
    """
    cases = read_cases(file)
    old = read_run(output.against) if output.against else None
    with showing() as progress, open_index(settings, corpus, progress) as index:

        async def work(parts: Parts) -> Run:
            return await run_cases(parts, index, file, cases, wanted, progress=progress)

        run = with_index(settings, index, work)
    figures = figures_of(run)
    comparison = compare(run, old) if old else None
    if output.report is not None:
        _write_report(output.report, run, figures, comparison)
    if output.as_json:
        print_json(to_data(run, figures, comparison))
        return
    print_figures(run, figures)
    if comparison is not None:
        print_comparison(comparison)


def _write_report(folder: Path, run: Run, figures: Figures, comparison: Comparison | None) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    page = folder / "report.html"
    page.write_text(report_page(run, figures, comparison), encoding="utf-8")
    saved = json.dumps(to_data(run, figures, comparison), ensure_ascii=False)
    (folder / "run.json").write_text(saved + "\n", encoding="utf-8")
    err.print(f"The report: {page}", markup=False)


def with_index(
    settings: Settings, index: EvaluationIndex, work: Callable[[Parts], Awaitable[T]]
) -> T:
    """Load the models, do the work, close them."""

    async def opened() -> T:
        async with open_parts(settings, index) as parts:
            return await work(parts)

    return asyncio.run(opened())


@contextmanager
def showing() -> Iterator[Progress]:
    """Show progress as bars in a terminal, as log lines elsewhere."""
    if not err.is_terminal:
        yield _Logged()
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Bar(*columns, TimeRemainingColumn(), console=err, transient=True) as bar:
        tasks = {}

        def progress(stage: str, done: int, total: int) -> None:
            if stage not in tasks:
                tasks[stage] = bar.add_task(stage, total=total)
            bar.update(tasks[stage], completed=done, total=total)

        yield progress


class _Logged:
    """Progress as log lines, one in a while."""

    def __init__(self) -> None:
        self._last_s = time.monotonic()

    def __call__(self, stage: str, done: int, total: int) -> None:
        now_s = time.monotonic()
        if done == total or now_s - self._last_s >= LOGGED_EVERY_S:
            self._last_s = now_s
            log.info("%s: %d of %d", stage, done, total)
