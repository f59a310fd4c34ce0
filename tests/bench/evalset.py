"""Public sets in one shape: documents, and questions with what answers them."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from bot.types import Turn
from ingest.parse import supported


@dataclass(frozen=True)
class Doc:
    """`path` says how to read it: a corpus line is plain text."""

    name: str
    path: str
    text: str


@dataclass(frozen=True)
class Case:
    """A question; `spans` by document are exact substrings, any of which answers it."""

    q: str
    gold_docs: frozenset[str]
    spans: Mapping[str, tuple[str, ...]]
    answerable: bool | None
    history: tuple[Turn, ...]
    standalone: str
    kind: str
    lang: str


@dataclass(frozen=True)
class EvalSet:
    name: str
    docs: tuple[Doc, ...]
    cases: tuple[Case, ...]


def load(folder: Path) -> EvalSet:
    corpus = folder / "corpus.jsonl"
    docs = _lines(corpus) if corpus.exists() else _files(folder / "docs")
    raw = (json.loads(line) for line in (folder / "questions.jsonl").open(encoding="utf-8"))
    return EvalSet(folder.name, tuple(docs), tuple(_case(r) for r in raw))


def _lines(corpus: Path) -> list[Doc]:
    rows = [json.loads(line) for line in corpus.open(encoding="utf-8")]
    return [Doc(row["doc"], row["doc"] + ".txt", row["text"]) for row in rows]


def _files(folder: Path) -> list[Doc]:
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    names = [(path, path.relative_to(folder).as_posix()) for path in paths]
    return [
        Doc(name, name, path.read_bytes().decode("utf-8"))
        for path, name in names
        if supported(name)
    ]


def _case(raw: dict[str, object]) -> Case:
    spans: dict[str, list[str]] = {}
    if file := raw.get("file"):
        spans[str(file)] = [str(raw["span"]), *map(str, _list(raw.get("also_ok")))]
    for other in _list(raw.get("also_in")):
        name, span = (other["file"], other["span"]) if isinstance(other, dict) else other
        spans.setdefault(str(name), []).append(str(span))
    gold = frozenset(map(str, _list(raw.get("gold_docs")))) | spans.keys()
    answerable = raw.get("answerable")
    return Case(
        q=str(raw["q"]),
        gold_docs=frozenset(gold),
        spans={name: tuple(texts) for name, texts in spans.items()},
        answerable=answerable if isinstance(answerable, bool) else None,
        history=tuple(Turn(t["role"], t["text"]) for t in _list(raw.get("history"))),
        standalone=str(raw.get("standalone") or raw["q"]),
        kind=str(raw.get("kind") or ""),
        lang=str(raw.get("lang") or ""),
    )


def _list(value: object) -> list:  # type: ignore[type-arg]
    return list(value) if isinstance(value, list) else []
