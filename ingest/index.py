"""The ledger and the indexes derived from it, opened together by the one process that owns them."""

import logging
import threading
from collections.abc import Collection, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

import numpy as np

from ingest.embed import Embedder, Vectors
from ingest.ledger import Ledger
from ingest.lexical import LexicalIndex
from ingest.lock import DataLock
from ingest.rows import sha256
from ingest.settings import IngestSettings
from ingest.sources.folder import open_sources
from ingest.sync import UNFINISHED, Parts, Progress, sync
from ingest.types import Chunk, Report
from ingest.vectors import VectorIndex

BATCH = 2000

log = logging.getLogger(__name__)


class Index:
    """Holds the data folder's lock from `__enter__` to `__exit__`.

    Methods block: call them off the event loop. Any number of threads may read; syncs queue.
    """

    def __init__(self, settings: IngestSettings) -> None:
        self.settings = settings
        self.embedder = Embedder(settings)
        self.lexical = LexicalIndex()
        self.vectors = VectorIndex(settings.data / "chroma")
        self._lock = DataLock(settings.data)
        self._writing = threading.Lock()

    def __enter__(self) -> Self:
        """Take the lock and open the ledger.

        Raises:
            BusyError: another process owns the indexes.
            LedgerError: the ledger is damaged, or the folder cannot be written.
        """
        self._lock.__enter__()
        try:
            self.ledger = Ledger(self.settings.data)
        except BaseException:
            self._lock.__exit__(None, None, None)
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close everything, in reverse order."""
        self.vectors.close()
        self.ledger.close()
        self._lock.__exit__(kind, error, trace)

    def load_lexical(self) -> None:
        """Build BM25 from the ledger; only processes that answer questions need it."""
        self.lexical.update(list(self.ledger.all_live()))

    def repair(self, *, thorough: bool = False) -> str | None:
        """Finish what a killed pass left over; say what was mended, or None.

        Not thorough, it only looks whether a pass was cut short or Chroma's folder is gone, which
        costs nothing. Thorough, it holds Chroma's ids against the ledger's.
        """
        live = self.ledger.live_hashes()
        cut_short = bool(self.ledger.read_note(UNFINISHED))
        if not (thorough or cut_short or (live and not self.vectors.exists())):
            return None
        with self._writing:
            recipe = self.ledger.read_note("recipe") or self.embedder.recipe
            present = self.vectors.ids(recipe)
            missing, stale = live.keys() - present, present - live.keys()
            if missing:
                self._put(recipe, {id_: live[id_] for id_ in missing})
            if stale:
                self.vectors.delete(recipe, stale)
            if cut_short:
                self.ledger.write_note(UNFINISHED, "")
        if not missing and not stale:
            return None
        counts = f"put {len(missing)} passages, dropped {len(stale)}"
        return f"The dense index was behind the ledger: {counts}."

    def compare(self) -> tuple[int, int]:
        """How many live passages the dense index lacks, and how many it holds that are not live."""
        live = self.ledger.live_hashes().keys()
        present = self._present()
        return len(live - present), len(present - live)

    def _present(self) -> set[str]:
        recipe = self.ledger.read_note("recipe") or self.embedder.recipe
        return self.vectors.ids(recipe) if self.vectors.exists() else set()

    def rebuild(self, progress: Progress = lambda *_: None) -> int:
        """Make the dense index anew from the ledger; give the number of passages in it."""
        with self._writing:
            self.vectors.erase()
            recipe = self.ledger.read_note("recipe") or self.embedder.recipe
            live = self.ledger.live_hashes()
            self._put(recipe, live, progress)
        return len(live)

    def sync(
        self,
        below: Sequence[Path] | None = None,
        *,
        accept_removals: bool = False,
        progress: Progress = lambda *_: None,
    ) -> Report:
        """Take in what changed; the next question sees it. See `ingest.sync.sync`."""
        with self._writing:
            parts = Parts(
                settings=self.settings,
                sources=open_sources(self.settings),
                ledger=self.ledger,
                vectors=self.vectors,
                embedder=self.embedder,
                progress=progress,
            )
            report, committed = sync(parts, below, accept_removals=accept_removals)
            self.lexical.update(committed.put, committed.dropped)
        return report

    def query(self, vector: Vectors, k: int) -> list[tuple[str, float]]:
        """Give the nearest passages' ids with their cosine, best first."""
        return self.vectors.query(self.embedder.recipe, vector, k)

    def cosines(self, vector: Vectors, ids: Collection[str]) -> dict[str, float]:
        """Give the cosine of those of the passages that the dense index holds."""
        return self.vectors.cosines(self.embedder.recipe, vector, ids)

    def live(self, ids: Collection[str]) -> dict[str, Chunk]:
        """Those of the ids that are live now, with their passages."""
        return self.ledger.live(ids)

    def _put(
        self, recipe: str, hashes: dict[str, str], progress: Progress = lambda *_: None
    ) -> None:
        """Put passages into Chroma from the ledger's vectors; embed again what it lost."""
        ids = sorted(hashes)
        for start in range(0, len(ids), BATCH):
            some = ids[start : start + BATCH]
            progress("indexing", start, len(ids))
            have = self.ledger.vectors(recipe, {hashes[id_] for id_ in some})
            lost = [id_ for id_ in some if hashes[id_] not in have]
            if lost:
                chunks = self.ledger.live(lost).values()
                keys = [sha256(c.embedded) for c in chunks]
                rows = self.embedder.embed_passages([c.embedded for c in chunks])
                self.ledger.keep_vectors(recipe, keys, rows)
                have.update(zip(keys, rows, strict=True))
            self.vectors.put(recipe, some, np.stack([have[hashes[id_]] for id_ in some]))
        progress("indexing", len(ids), len(ids))
