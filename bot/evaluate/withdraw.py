"""An index from which passages can be withdrawn for a while, as if they had never been there."""

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from typing import Self

from bot.settings import Settings
from ingest.embed import Vectors
from ingest.index import Index
from ingest.ledger import Ledger
from ingest.lexical import LexicalIndex
from ingest.sources import Source
from ingest.types import Chunk


class _Lexical(LexicalIndex):
    """BM25 that passes over the withdrawn; its word statistics keep counting them."""

    hidden: frozenset[str] = frozenset()

    def search(self, query: str | Sequence[str], k: int) -> list[tuple[str, float]]:
        found = super().search(query, k + len(self.hidden))
        return [(id_, score) for id_, score in found if id_ not in self.hidden][:k]


class _Ledger(Ledger):
    """A ledger that keeps the withdrawn out of what stands around a passage."""

    hidden: frozenset[str] = frozenset()

    def near(self, chunk: Chunk, chars: int) -> list[Chunk]:
        return [c for c in super().near(chunk, chars) if c.id not in self.hidden]


class EvaluationIndex(Index):
    """An index for measuring; one task at a time may withdraw.

    Args:
        settings: where it lies.
        source: what it is made of instead of the settings' folders.
    """

    def __init__(self, settings: Settings, source: Source | None = None) -> None:
        super().__init__(settings)
        self.lexical: _Lexical = _Lexical()
        self._source = source

    def __enter__(self) -> Self:
        """Take the lock and open the ledger; see `Index`."""
        super().__enter__()
        self.ledger.close()
        self.ledger: _Ledger = _Ledger(self.settings.data)
        return self

    def sources(self) -> Sequence[Source]:
        """Give the source that it was made with, else those of the settings."""
        return super().sources() if self._source is None else [self._source]

    @contextmanager
    def without(self, ids: Collection[str]) -> Iterator[None]:
        """Withdraw passages from both indexes, from what is live, and from their neighbours."""
        self.lexical.hidden = self.ledger.hidden = frozenset(ids)
        try:
            yield
        finally:
            self.lexical.hidden = self.ledger.hidden = frozenset()

    def query(self, vector: Vectors, k: int) -> list[tuple[str, float]]:
        """Give the nearest passages that are not withdrawn."""
        hidden = self.lexical.hidden
        found = super().query(vector, k + len(hidden))
        return [(id_, cosine) for id_, cosine in found if id_ not in hidden][:k]

    def live(self, ids: Collection[str]) -> dict[str, Chunk]:
        """Give those of the ids that are live and not withdrawn."""
        return super().live([id_ for id_ in ids if id_ not in self.lexical.hidden])
