"""What people build first: a character splitter, the same model, BM25 on split(), rank fusion.

Needs `pip install langchain-text-splitters`.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from rank_bm25 import BM25Okapi

from ingest.embed import Vectors
from ingest.types import Chunk
from tests.bench.evalset import Doc

RRF_K = 60
POOL = 40


def split(docs: Sequence[Doc], size: int = 1000, overlap: int = 200) -> list[Chunk]:
    """Passages of a recursive character splitter."""
    from langchain_text_splitters import RecursiveCharacterTextSplitter

    splitter = RecursiveCharacterTextSplitter(
        chunk_size=size, chunk_overlap=overlap, add_start_index=True
    )
    chunks = []
    for doc in docs:
        for n, piece in enumerate(splitter.create_documents([doc.text])):
            start, text = piece.metadata["start_index"], piece.page_content
            chunks.append(Chunk(f"{doc.name}#{n}", doc.name, "", start, start + len(text), text))
    return chunks


@dataclass
class Fusion:
    """Dense and BM25 fused by rank, nothing reranked."""

    chunks: Sequence[Chunk]
    vectors: Vectors

    def __post_init__(self) -> None:
        self.bm25 = BM25Okapi([c.text.lower().split() for c in self.chunks])

    def dense(self, vector: Vectors) -> list[int]:
        return list(np.argsort(-(self.vectors @ vector), kind="stable")[:POOL])

    def lexical(self, question: str) -> list[int]:
        scores = self.bm25.get_scores(question.lower().split())
        order = np.argsort(-scores, kind="stable")[:POOL]
        return [int(i) for i in order if scores[i] > 0]

    def search(self, question: str, vector: Vectors) -> list[tuple[Chunk, float]]:
        fused: dict[int, float] = {}
        for ranking in (self.dense(vector), self.lexical(question)):
            for rank, i in enumerate(ranking, start=1):
                fused[i] = fused.get(i, 0.0) + 1 / (RRF_K + rank)
        return [(self.chunks[i], s) for i, s in sorted(fused.items(), key=lambda x: -x[1])]
