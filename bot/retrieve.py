"""A question to its candidates: dense and BM25 side by side, the union, no blending of scores."""

import asyncio
from collections.abc import Collection, Sequence
from concurrent.futures import Executor
from typing import Protocol

import numpy as np

from bot.types import Candidate, Query
from ingest.embed import Vectors
from ingest.types import Chunk

SLACK = 10  # asked on top of k, for ids that an index still holds and the ledger has retired
RRF_K = 60  # Cormack, Clarke and Buettcher, "Reciprocal rank fusion", SIGIR 2009

Ranked = Sequence[tuple[str, float]]


class QueryEmbedder(Protocol):
    """Turns a question into a unit vector."""

    def embed_query(self, text: str) -> Vectors:
        """Shape (dimensions,)."""


class DenseIndex(Protocol):
    """Passages by the cosine of their vectors."""

    def query(self, vector: Vectors, k: int) -> list[tuple[str, float]]:
        """Up to `k` ids with their cosine, best first."""

    def cosines(self, vector: Vectors, ids: Collection[str]) -> dict[str, float]:
        """The cosine of given passages; an id that the index does not hold is left out."""


class Lexical(Protocol):
    """Passages by BM25."""

    def search(self, query: Sequence[str], k: int) -> list[tuple[str, float]]:
        """Up to `k` ids with their score, best first, averaged over the query's texts."""

    def scores(self, query: Sequence[str], ids: Collection[str]) -> dict[str, float]:
        """The score of given passages."""


class Passages(Protocol):
    """What is live, by the ledger."""

    def live(self, ids: Collection[str]) -> dict[str, Chunk]:
        """The passages of those ids that are live; the others are left out."""


class Retriever:
    """Finds candidates; all its work runs in the pool."""

    def __init__(
        self,
        embedder: QueryEmbedder,
        dense: DenseIndex,
        lexical: Lexical,
        passages: Passages,
        *,
        dense_k: int,
        lexical_k: int,
        budget: int,
        pool: Executor,
    ) -> None:
        self._embedder = embedder
        self._dense = dense
        self._lexical = lexical
        self._passages = passages
        self._dense_k = dense_k
        self._lexical_k = lexical_k
        self._budget = budget
        self._pool = pool

    async def retrieve(self, query: Query, also: Collection[str] = ()) -> list[Candidate]:
        """At most `budget` candidates, in the order of their fused rank.

        The live ones of the ids in `also` come behind them where they are not among them.
        """
        loop = asyncio.get_running_loop()
        (vector, dense), lexical = await asyncio.gather(
            loop.run_in_executor(self._pool, self._search_dense, query),
            loop.run_in_executor(self._pool, self._search_lexical, query),
        )
        return await loop.run_in_executor(
            self._pool, self._join, query, vector, dense, lexical, also
        )

    def _search_dense(self, query: Query) -> tuple[Vectors, Ranked]:
        vectors = [self._embedder.embed_query(text) for text in query.texts]
        vector: Vectors = np.mean(vectors, axis=0, dtype=np.float32)
        return vector, self._dense.query(vector, self._dense_k + SLACK)

    def _search_lexical(self, query: Query) -> Ranked:
        return self._lexical.search(query.texts, self._lexical_k + SLACK)

    def _join(
        self,
        query: Query,
        vector: Vectors,
        dense: Ranked,
        lexical: Ranked,
        also: Collection[str],
    ) -> list[Candidate]:
        chunks = self._passages.live({*also, *(i for i, _ in (*dense, *lexical))})
        dense_rank = _ranks(dense, chunks, self._dense_k)
        lexical_rank = _ranks(lexical, chunks, self._lexical_k)
        kept = fuse(dense_rank, lexical_rank)[: self._budget]
        kept += sorted(i for i in also if i in chunks and i not in kept)
        cosine = dict(dense) | self._dense.cosines(vector, set(kept) - dense_rank.keys())
        bm25 = self._lexical.scores(query.texts, kept)
        return [
            Candidate(
                chunk=chunks[i],
                cosine=cosine.get(i),
                bm25=bm25.get(i),
                dense_rank=dense_rank.get(i),
                lexical_rank=lexical_rank.get(i),
            )
            for i in kept
        ]


def _ranks(found: Ranked, live: Collection[str], k: int) -> dict[str, int]:
    """Ranks from 1 among the live ones, the first `k` of them."""
    ids = [i for i, _ in found if i in live]
    return {i: rank for rank, i in enumerate(ids[:k], start=1)}


def fuse(*rankings: dict[str, int]) -> list[str]:
    """The union by reciprocal rank fusion, best first, equal ones by id."""
    scores: dict[str, float] = {}
    for ranking in rankings:
        for i, rank in ranking.items():
            scores[i] = scores.get(i, 0.0) + 1 / (RRF_K + rank)
    return sorted(scores, key=lambda i: (-scores[i], i))
