"""One run of the cases, from an opened index to what was found."""

import asyncio
import logging
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from bot.evaluate.cases import Case
from bot.evaluate.gold import Library
from bot.evaluate.originals import Originals
from bot.evaluate.probe import probe
from bot.evaluate.runs import OnFound, Runner
from bot.evaluate.types import Probe, Question, Run
from bot.evaluate.withdraw import EvaluationIndex
from bot.model import Usage
from bot.settings import Settings
from bot.stages import Judge
from bot.wiring import Parts
from ingest.errors import FootnoteError, SettingsError
from ingest.sources.jsonl import JsonlSource
from ingest.sync import Progress

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a run should do beside searching; `judge` implies `answers`.

    `prices` are those of a million tokens, read and written.
    """

    withdraw: bool = False
    answers: bool = False
    judge: bool = False
    probe: bool = True
    prices: tuple[float, float] | None = None


@contextmanager
def open_index(
    settings: Settings, corpus: Path | None, progress: Progress = lambda *_: None
) -> Iterator[EvaluationIndex]:
    """Open the index of the settings, or make one of a corpus file for as long as it is open.

    Raises:
        BusyError: another process owns the index.
        FootnoteError: there is no passage in it, or the corpus is none.
    """
    if corpus is None:
        with EvaluationIndex(settings) as index:
            index.repair(progress)
            _require_passages(index, f"{settings.data} holds no passage: run `python -m ingest`.")
            yield index
        return
    with tempfile.TemporaryDirectory(prefix="footnote-eval-") as folder:
        elsewhere = settings.model_copy(update={"data": Path(folder)})
        with EvaluationIndex(elsewhere, JsonlSource(corpus)) as index:
            report = index.sync(progress=progress)
            for failure in report.failed:
                log.warning("%s: %s", failure.doc, failure.error)
            _require_passages(index, f"{corpus} holds no text.")
            yield index


def _require_passages(index: EvaluationIndex, told: str) -> None:
    if not index.ledger.counts()[1]:
        raise FootnoteError(told)


async def run_cases(
    parts: Parts,
    index: EvaluationIndex,
    file: Path,
    cases: Sequence[Case],
    wanted: Wanted,
    *,
    progress: Progress = lambda *_: None,
    on_found: OnFound = lambda *_: None,
) -> Run:
    """Run every case, one after the other, and the self-retrieval probe."""
    library = Library(index.ledger.all_live(), Originals(index.sources()))
    judge = _judge(parts) if wanted.judge else None
    # What is judged for the log alone would count as tokens of whatever question comes next.
    pipeline = replace(parts.pipeline, review=None)
    runner = Runner(
        pipeline,
        index,
        library,
        withdraw=wanted.withdraw,
        answers=wanted.answers or wanted.judge,
        judge=judge,
        usage=parts.model.usage if parts.model else Usage(),
        on_found=on_found,
    )
    questions: list[Question] = []
    for done, case in enumerate(cases):
        progress("cases", done, len(cases))
        questions.append(await runner.run(case))
    progress("cases", len(cases), len(cases))
    return Run(
        cases=file.name,
        made_at=datetime.now(UTC).isoformat(timespec="seconds"),
        documents=len(library.by_doc),
        passages=len(library.by_id),
        embedder=index.serving.recipe,
        reranker=pipeline.reranker.name,
        generator=(pipeline.generator or pipeline.quoter).name,
        top_k=pipeline.top_k,
        probe=await _probed(index, progress) if wanted.probe else None,
        questions=tuple(questions),
        prices=wanted.prices,
    )


async def _probed(index: EvaluationIndex, progress: Progress) -> Probe:
    """The probe off the loop, so that an interrupt is heard."""
    return await asyncio.to_thread(probe, index, lambda n, total: progress("probe", n, total))


def _judge(parts: Parts) -> Judge:
    """The one of the settings, whether it judges answers otherwise or not.

    Raises:
        SettingsError: there is no key.
    """
    if parts.judge is None:
        raise SettingsError("--judge asks a language model: set ANTHROPIC_API_KEY.")
    return parts.judge
