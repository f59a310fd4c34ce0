"""The self-retrieval probe: text lifted out of a passage must find that passage again."""

import random
from collections.abc import Callable

from bot.evaluate.types import Probe
from ingest.index import Index
from ingest.types import Chunk

SAMPLE = 1000
CHARS = 200
DEPTH = 5
SEED = 7


def probe(
    index: Index,
    progress: Callable[[int, int], None] = lambda *_: None,
    sample: int = SAMPLE,
) -> Probe:
    """Ask both indexes for every live passage, or for a fixed sample, by its own first text.

    A passage counts as found when it, or one of equal text, is among the first five. Blocks. Wants
    BM25 loaded.
    """
    passages = [c for c in index.ledger.all_live() if c.visible.strip()]
    twins: dict[str, set[str]] = {}
    for chunk in passages:
        twins.setdefault(lifted(chunk), set()).add(chunk.id)
    if len(passages) > sample:
        passages = random.Random(SEED).sample(passages, sample)  # noqa: S311 - no secret
    dense = bm25 = 0
    lost: list[str] = []
    for done, chunk in enumerate(passages):
        progress(done, len(passages))
        text = lifted(chunk)
        vector = index.serving.embed_query(text)
        by_dense = _found(index.query(vector, DEPTH), twins[text])
        by_bm25 = _found(index.lexical.search(text, DEPTH), twins[text])
        dense, bm25 = dense + by_dense, bm25 + by_bm25
        if not (by_dense or by_bm25):
            lost.append(chunk.id)
    n = len(passages)
    return Probe(n, dense / n if n else 0.0, bm25 / n if n else 0.0, tuple(lost))


def lifted(chunk: Chunk) -> str:
    """The first 200 visible characters of a passage, white space folded."""
    return " ".join(chunk.visible.split())[:CHARS]


def _found(hits: list[tuple[str, float]], wanted: set[str]) -> bool:
    return any(id_ in wanted for id_, _ in hits)
