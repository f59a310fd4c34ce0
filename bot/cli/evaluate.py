"""`python -m bot eval`: the cases, measured."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bar

from bot.cli.shared import err, waiting
from bot.evaluate.cases import read_cases
from bot.evaluate.figures import figures_of
from bot.evaluate.saved import to_json
from bot.evaluate.session import Wanted, open_index, run_cases
from bot.evaluate.types import Run
from bot.evaluate.withdraw import EvaluationIndex
from bot.settings import Settings
from bot.wiring import Parts, open_parts
from ingest.sync import Progress

log = logging.getLogger(__name__)

LOGGED_EVERY = 100

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Output:
    """Where the outcome goes."""

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
    with showing() as progress, open_index(settings, corpus, progress) as index:

        async def work(parts: Parts) -> Run:
            return await run_cases(parts, index, file, cases, wanted, progress=progress)

        run = with_index(settings, index, work)
    print(to_json(run, figures_of(run)), flush=True)


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
        yield _logged
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Bar(*columns, TimeRemainingColumn(), console=err, transient=True) as bar:
        tasks = {}

        def progress(stage: str, done: int, total: int) -> None:
            if stage not in tasks:
                tasks[stage] = bar.add_task(stage, total=total)
            bar.update(tasks[stage], completed=done, total=total)

        yield progress


def _logged(stage: str, done: int, total: int) -> None:
    if done and (done % LOGGED_EVERY == 0 or done == total):
        log.info("%s: %d of %d", stage, done, total)
