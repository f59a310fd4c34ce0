"""Public sets in one shape: a folder with `questions.jsonl` and `docs/` or `corpus.jsonl`."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bot.evaluate.cases import Case, read_cases
from bot.evaluate.metrics import ndcg
from ingest.parse import supported
from tests.commands import HANDBOOK, ROOT


@dataclass(frozen=True)
class Doc:
    name: str
    text: str


@dataclass(frozen=True)
class Found:
    """What stands at a rank: a document's name and the text that would be shown."""

    doc: str
    text: str


@dataclass(frozen=True)
class EvalSet:
    """`corpus` is None where the documents are the files of the folder `files`."""

    name: str
    questions: Path
    files: Path
    corpus: Path | None
    docs: tuple[Doc, ...]
    cases: tuple[Case, ...]


def load(folder: Path) -> EvalSet:
    corpus, files, questions = folder / "corpus.jsonl", folder / "docs", folder / "questions.jsonl"
    there = corpus.exists()
    return EvalSet(
        folder.name,
        questions,
        files,
        corpus if there else None,
        tuple(_lines(corpus) if there else _files(files)),
        tuple(read_cases(questions)),
    )


def sample_handbook() -> EvalSet:
    """The sample handbook with the cases that its quality is held by."""
    cases = ROOT / "tests" / "quality" / "cases.jsonl"
    return EvalSet("handbook", cases, HANDBOOK, None, (), tuple(read_cases(cases)))


def sets_of(folder: Path | None, names: Sequence[str]) -> list[EvalSet]:
    """The sample handbook and those of the folder."""
    return [sample_handbook(), *([load(folder / name) for name in names] if folder else [])]


def answers(case: Case, doc: str, text: str) -> bool:
    """Whether a text of this document answers: it holds a span, or the document is named."""
    if case.places:
        return any(p.doc == doc and any(span in text for span in p.spans) for p in case.places)
    return doc in case.gold_docs


def rank_of(case: Case, ranking: Sequence[Found]) -> int | None:
    """The rank of the first that answers, from 1."""
    return next((n for n, f in enumerate(ranking, 1) if answers(case, f.doc, f.text)), None)


def gain_of(case: Case, ranking: Sequence[Found]) -> float:
    """nDCG@10: over texts where a span answers, else over documents at their first passage."""
    if case.places:
        return ndcg([answers(case, f.doc, f.text) for f in ranking], 1)
    docs = dict.fromkeys(found.doc for found in ranking)
    return ndcg([doc in case.gold_docs for doc in docs], len(set(case.gold_docs)))


def _lines(corpus: Path) -> list[Doc]:
    lines = corpus.read_text(encoding="utf-8").split("\n")
    rows = [json.loads(line) for line in lines if line]
    return [Doc(row["doc"], row["text"]) for row in rows]


def _files(folder: Path) -> list[Doc]:
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    named = [(path, path.relative_to(folder).as_posix()) for path in paths]
    return [Doc(name, path.read_bytes().decode()) for path, name in named if supported(name)]
