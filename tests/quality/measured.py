"""The sample handbook's cases and judged sentences, measured. `python -m tests.quality` records."""

import json
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from pydantic import TypeAdapter

from bot.evaluate.cases import read_cases
from bot.evaluate.session import Wanted, run_cases
from bot.evaluate.types import Question, Run
from bot.evaluate.withdraw import EvaluationIndex
from bot.settings import Settings
from bot.wiring import open_parts
from ingest.embed import Embedder, Serving
from tests.quality.agreement import BLIND, SENTENCES, judgements

HERE = Path(__file__).parent
HANDBOOK = HERE.parents[1] / "bot" / "demo" / "handbook"
RECORDED = HERE / "recorded.json"
CASES = HERE / "cases.jsonl"


@dataclass(frozen=True)
class Measured:
    """A run over the cases, and by sentence whether verification agrees with the person."""

    run: Run
    agreed: dict[str, bool]


_RECORD = TypeAdapter(Measured)


@contextmanager
def handbook(embedder: Embedder) -> Iterator[EvaluationIndex]:
    """An index of the sample handbook that lives as long as it is open."""
    with tempfile.TemporaryDirectory() as data:
        given = {"docs": str(HANDBOOK), "data": Path(data), "reranker": "late-interaction"}
        index = EvaluationIndex(Settings(_env_file=None).model_copy(update=given))
        index.embedder, index.serving = embedder, Serving(embedder)
        with index:
            index.sync()
            yield index


async def measure(embedder: Embedder) -> Measured:
    with handbook(embedder) as index:
        settings = Settings(_env_file=None).model_copy(update=index.settings.model_dump())
        async with open_parts(settings, index) as parts:
            run = await run_cases(parts, index, CASES, read_cases(CASES), Wanted())
    return Measured(run, judge_sentences())


def judge_sentences() -> dict[str, bool]:
    return {
        f"{path.stem} {n} {judged.line.sentence}": judged.agrees
        for path in (SENTENCES, BLIND)
        for n, judged in enumerate(judgements(path), start=1)
    }


def record(measured: Measured) -> None:
    """Keep what a later run is held against: ranks and verdicts, not the passages."""
    run = replace(measured.run, questions=tuple(map(_bare, measured.run.questions)))
    data = _RECORD.dump_python(replace(measured, run=run), mode="json")
    RECORDED.write_text(json.dumps(data, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


def _bare(question: Question) -> Question:
    trials = {way: replace(trial, hits=()) for way, trial in question.trials.items()}
    return replace(question, trials={"asked": trials["asked"]}, gold=question.gold[:1])


def recorded() -> Measured:
    return _RECORD.validate_json(RECORDED.read_bytes())
