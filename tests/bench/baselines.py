"""What one would build instead, from the libraries that people use. Needs the extra `bench`.

Both see the question as typed, with the same embedding model as the product.
"""

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

import numpy as np
from rank_bm25 import BM25Okapi

from ingest.embed import Vectors
from tests.bench.corpus import KeptEmbedder
from tests.bench.evalset import Doc, Found

if TYPE_CHECKING:
    from langchain_text_splitters import RecursiveCharacterTextSplitter

POOL = 40
RRF_K = 60
SHOWN_CHARS = 1200

_HEADING = re.compile(r"#{1,6} ")


@dataclass(frozen=True)
class Ranked:
    """Best first; `evidence` is the score that a threshold would be put on."""

    found: list[Found]
    evidence: float


class Baseline(Protocol):
    @property
    def passages(self) -> Sequence[Found]: ...

    def search(self, question: str, hidden: Collection[int] = ()) -> Ranked:
        """As if the passages `hidden`, by number, were not there."""


def split(docs: Sequence[Doc]) -> list[Found]:
    """Pieces of 1,000 characters, 200 of them overlapping."""
    splitter = _splitter(1000, 200)
    return [Found(doc.name, piece) for doc in docs for piece in splitter.split_text(doc.text)]


def split_by_heading(docs: Sequence[Doc]) -> list[Found]:
    """Sections with their heading, in pieces of at most what is shown."""
    splitter = _splitter(SHOWN_CHARS, 0)
    return [
        Found(doc.name, piece)
        for doc in docs
        for section in _sections(doc.text)
        for piece in splitter.split_text(section)
    ]


def _splitter(size: int, overlap: int) -> "RecursiveCharacterTextSplitter":
    from langchain_text_splitters import RecursiveCharacterTextSplitter

    return RecursiveCharacterTextSplitter(chunk_size=size, chunk_overlap=overlap)


def _sections(text: str) -> Iterator[str]:
    section, fenced = "", False
    for line in text.splitlines(keepends=True):
        if line.lstrip().startswith(("```", "~~~")):
            fenced = not fenced
        if not fenced and _HEADING.match(line) and section:
            yield section
            section = ""
        section += line
    yield section


def _on_spaces(text: str) -> list[str]:
    return text.lower().split()


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())


@dataclass
class _Index:
    """Both lists of candidates over the same passages."""

    passages: Sequence[Found]
    embedder: KeptEmbedder
    tokens: Callable[[str], list[str]]
    vectors: Vectors = field(init=False)
    bm25: BM25Okapi = field(init=False)

    def __post_init__(self) -> None:
        self.vectors = self.embedder.embed_passages([p.text for p in self.passages])
        self.bm25 = BM25Okapi([self.tokens(p.text) for p in self.passages])

    def cosines(self, question: str, hidden: Collection[int]) -> Vectors:
        cosines: Vectors = self.vectors @ self.embedder.embed_query(question)
        cosines[list(hidden)] = -1
        return cosines

    def candidates(self, question: str, hidden: Collection[int]) -> tuple[list[int], list[int]]:
        dense = _best(self.cosines(question, hidden))
        scores = np.asarray(self.bm25.get_scores(self.tokens(question)))
        scores[list(hidden)] = 0
        return dense, [i for i in _best(scores) if scores[i] > 0]


def _best(scores: Vectors) -> list[int]:
    return [int(i) for i in np.argsort(-scores, kind="stable")[:POOL]]


class Splitter:
    """A splitter, dense and BM25 on `split()`, fused by rank; evidence is the best cosine."""

    name = "splitter, fusion"

    def __init__(self, docs: Sequence[Doc], embedder: KeptEmbedder) -> None:
        self.passages = split(docs)
        self._index = _Index(self.passages, embedder, _on_spaces)

    def search(self, question: str, hidden: Collection[int] = ()) -> Ranked:
        fused: dict[int, float] = {}
        for ranking in self._index.candidates(question, hidden):
            for rank, i in enumerate(ranking, start=1):
                fused[i] = fused.get(i, 0.0) + 1 / (RRF_K + rank)
        order = sorted(fused, key=lambda i: -fused[i])
        best = float(self._index.cosines(question, hidden).max())
        return Ranked([self.passages[i] for i in order], best)


class Plain:
    """Sections, the union of dense and BM25 on words, late interaction; evidence is its score.

    Each token of the question counts alike (Khattab and Zaharia, ColBERT, 2020).
    """

    name = "plain"

    def __init__(self, docs: Sequence[Doc], embedder: KeptEmbedder) -> None:
        self.passages = split_by_heading(docs)
        self._embedder = embedder
        self._index = _Index(self.passages, embedder, _words)

    def search(self, question: str, hidden: Collection[int] = ()) -> Ranked:
        dense, lexical = self._index.candidates(question, hidden)
        union = list(dict.fromkeys([*dense, *lexical]))
        texts = [question, *(self.passages[i].text for i in union)]
        (_, asked), *passages = self._embedder.embed_tokens(texts)
        words = asked.astype(np.float32)
        scores = [
            float((words @ v.T.astype(np.float32)).max(axis=1).mean()) if len(v) else -1.0
            for _, v in passages
        ]
        order = np.argsort(-np.asarray(scores), kind="stable")
        return Ranked([self.passages[union[i]] for i in order], max(scores))
