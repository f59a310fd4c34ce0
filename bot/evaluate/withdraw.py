"""An index from which passages can be withdrawn for a while, as if they had never been there."""

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager

from bot.settings import Settings
from ingest.embed import Vectors
from ingest.index import Index
from ingest.lexical import LexicalIndex
from ingest.sources import Source
from ingest.types import Chunk


class _Lexical(LexicalIndex):
    """BM25 that passes over the withdrawn; its word statistics keep counting them."""

    hidden: frozenset[str] = frozenset()

    def search(self, query: str | Sequence[str], k: int) -> list[tuple[str, float]]:
        found = super().search(query, k + len(self.hidden))
        return [(id_, score) for id_, score in found if id_ not in self.hidden][:k]


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

    def sources(self) -> Sequence[Source]:
        """Give the source that it was made with, else those of the settings."""
        return super().sources() if self._source is None else [self._source]

    @contextmanager
    def without(self, ids: Collection[str]) -> Iterator[None]:
        """Withdraw passages from both indexes and from what is live."""
        self.lexical.hidden = frozenset(ids)
        try:
            yield
        finally:
            self.lexical.hidden = frozenset()

    def query(self, vector: Vectors, k: int) -> list[tuple[str, float]]:
        """Give the nearest passages that are not withdrawn."""
        hidden = self.lexical.hidden
        found = super().query(vector, k + len(hidden))
        return [(id_, cosine) for id_, cosine in found if id_ not in hidden][:k]

    def live(self, ids: Collection[str]) -> dict[str, Chunk]:
        """Give those of the ids that are live and not withdrawn."""
        return super().live([id_ for id_ in ids if id_ not in self.lexical.hidden])
