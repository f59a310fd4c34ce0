"""The product's own stages over an evaluation set, held in memory."""

import asyncio
import hashlib
import tempfile
from collections.abc import Collection, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from bot.gate import LATE_INTERACTION_DEFAULT, Gate
from bot.rerank import LateInteractionReranker
from bot.retrieve import Retriever
from bot.rewrite import RuleRewriter
from bot.types import Hit, Query, Turn
from ingest.chunk import chunk
from ingest.embed import Embedder, Vectors
from ingest.lexical import LexicalIndex
from ingest.parse import parse
from ingest.types import Chunk, Sizes
from tests.bench.evalset import Doc

DENSE_K = LEXICAL_K = 40
BUDGET = 80


def chunks_of(docs: Sequence[Doc], embedder: Embedder, sizes: Sizes) -> list[Chunk]:
    return [
        passage
        for doc in docs
        for passage in chunk(
            "eval",
            doc.path,
            doc.name,
            parse(doc.path, doc.text.encode()),
            embedder.count_tokens,
            sizes,
        )
    ]


def embedded(texts: Sequence[str], embedder: Embedder) -> Vectors:
    """Vectors of texts, kept in the temporary folder between runs."""
    key = hashlib.sha256("\0".join([embedder.recipe, *texts]).encode()).hexdigest()[:24]
    file = Path(tempfile.gettempdir()) / "footnote-bench" / f"{key}.npy"
    if file.exists():
        return np.load(file)
    vectors = embedder.embed_passages(texts)
    file.parent.mkdir(exist_ok=True)
    np.save(file, vectors)
    return vectors


@dataclass
class Memory:
    """Dense index, BM25 and ledger in one; `hidden` ids are as if they had never been there."""

    chunks: Sequence[Chunk]
    vectors: Vectors
    lexical: LexicalIndex
    hidden: frozenset[str] = frozenset()
    rows: dict[str, int] = field(init=False)

    def __post_init__(self) -> None:
        self.rows = {c.id: row for row, c in enumerate(self.chunks)}

    def query(self, vector: Vectors, k: int) -> list[tuple[str, float]]:
        scores = self.vectors @ vector
        order = np.argsort(-scores, kind="stable")[: k + len(self.hidden)]
        found = [(self.chunks[row].id, float(scores[row])) for row in order]
        return [(i, score) for i, score in found if i not in self.hidden][:k]

    def cosines(self, vector: Vectors, ids: Collection[str]) -> dict[str, float]:
        return {i: float(self.vectors[self.rows[i]] @ vector) for i in ids}

    def search(self, query: Sequence[str], k: int) -> list[tuple[str, float]]:
        found = self.lexical.search(query, k + len(self.hidden))
        return [(i, score) for i, score in found if i not in self.hidden][:k]

    def scores(self, query: Sequence[str], ids: Collection[str]) -> dict[str, float]:
        return self.lexical.scores(query, ids)

    def live(self, ids: Collection[str]) -> dict[str, Chunk]:
        return {i: self.chunks[self.rows[i]] for i in ids if i not in self.hidden}


class Pipeline:
    """Rewrite, retrieve and rerank as the bot does, without a language model."""

    def __init__(self, chunks: Sequence[Chunk], embedder: Embedder) -> None:
        lexical = LexicalIndex()
        lexical.update(chunks)
        self.memory = Memory(chunks, embedded([c.embedded for c in chunks], embedder), lexical)
        pool = ThreadPoolExecutor(2)
        self.retriever = Retriever(
            embedder,
            self.memory,
            self.memory,
            self.memory,
            dense_k=DENSE_K,
            lexical_k=LEXICAL_K,
            budget=BUDGET,
            pool=pool,
        )
        self.reranker = LateInteractionReranker(embedder, lexical.idf, pool, cache_mb=4000)
        self.rewriter = RuleRewriter(lexical.idf)
        self.gate = Gate(LATE_INTERACTION_DEFAULT)

    def rewrite(self, question: str, history: Sequence[Turn]) -> Query:
        return asyncio.run(self.rewriter.rewrite(question, history))

    def hits(self, query: Query) -> list[Hit]:
        async def both() -> list[Hit]:
            return await self.reranker.rerank(query, await self.retriever.retrieve(query))

        return asyncio.run(both())

    @contextmanager
    def without(self, ids: Collection[str]) -> Iterator[None]:
        """As if those passages were not in the documents."""
        self.memory.hidden = frozenset(ids)
        try:
            yield
        finally:
            self.memory.hidden = frozenset()
