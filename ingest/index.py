"""The ledger and the indexes derived from it, opened together by the one process that owns them."""

import json
import logging
import threading
from collections.abc import Collection, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

import numpy as np

from ingest.embed import Embedder, Serving, Vectors
from ingest.ledger import Ledger
from ingest.lexical import LexicalIndex
from ingest.lock import DataLock
from ingest.rows import sha256
from ingest.settings import IngestSettings
from ingest.sources import Source
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
        self.serving = Serving(self.embedder)
        self.lexical = LexicalIndex()
        self.vectors = VectorIndex(settings.data / "chroma")
        self._lock = DataLock(settings.data)
        self._writing = threading.Lock()
        self._damaged = False

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
        if self._recipe != self.embedder.recipe:
            made_by = json.loads(self.ledger.read_note("embedder") or "{}")
            self.serving.current = Embedder(self.settings.model_copy(update=made_by))
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

    def sources(self) -> Sequence[Source]:
        """Give the places that documents come from.

        Raises:
            SettingsError: the settings name none, or two of the same name.
        """
        return open_sources(self.settings)

    def load_lexical(self) -> None:
        """Build BM25 from the ledger; only processes that answer questions need it."""
        self.lexical.update(list(self.ledger.all_live()))

    @property
    def _recipe(self) -> str:
        """The recipe of the live index."""
        return self.ledger.read_note("recipe") or self.embedder.recipe

    def _agrees(self, *, counting: bool) -> bool:
        """Whether nothing speaks for the dense index being behind the ledger, or broken."""
        if self._damaged or self.ledger.read_note(UNFINISHED):
            return False
        if not self.vectors.exists():
            return not self.ledger.counts()[1]
        try:
            return not counting or self.vectors.count(self._recipe) == self.ledger.counts()[1]
        except Exception as error:  # noqa: BLE001 - Chroma has no common error class
            log.warning("The dense index cannot be read: %s", error)
            self._damaged = True
            return False

    def compare(self) -> tuple[set[str], set[str]]:
        """Ids of live passages that the dense index lacks, and ids in it that are not live."""
        live = self.ledger.live_hashes().keys()
        present = self.vectors.ids(self._recipe) if self.vectors.exists() else set()
        return live - present, present - live

    def repair(self, progress: Progress = lambda *_: None, *, counting: bool = True) -> str | None:
        """Make the dense index agree with the ledger; say in a line what was mended, or None.

        Only what differs is touched, unless the index is damaged: then it is made anew.

        Args:
            progress: told how far it is.
            counting: open the index and count; else only look whether a pass was cut short or the
                index is gone, which costs nothing.
        """
        if self._agrees(counting=counting):
            return None
        with self._writing:
            missing, stale = self._differences()
            self._put(missing, progress)
            self.vectors.delete(self._recipe, stale)
            self.vectors.drop_others(self._recipe)
            self.ledger.write_note(UNFINISHED, "")
            self._damaged = False
        counts = f"put {len(missing)} passages, dropped {len(stale)}"
        return f"The dense index did not agree with the ledger: {counts}."

    def _differences(self) -> tuple[set[str], set[str]]:
        """Compare; a damaged index is erased, so that everything is missing."""
        try:
            if not self._damaged:
                return self.compare()
        except Exception as error:  # noqa: BLE001 - Chroma has no common error class
            log.warning("The dense index cannot be read: %s", error)
        self.vectors.erase()
        return set(self.ledger.live_hashes()), set()

    def rebuild(self, progress: Progress = lambda *_: None) -> int:
        """Make the dense index anew from the ledger; give the number of passages in it."""
        with self._writing:
            self.vectors.erase()
            live = set(self.ledger.live_hashes())
            self._put(live, progress)
            self.ledger.write_note(UNFINISHED, "")
        return len(live)

    def sync(
        self,
        below: Sequence[Path] | None = None,
        *,
        accept_removals: bool = False,
        progress: Progress = lambda *_: None,
    ) -> Report:
        """Take in what changed; the next question sees it. See `ingest.sync.sync`."""
        if mended := self.repair(progress, counting=False):
            log.info(mended)
        with self._writing:
            parts = Parts(
                settings=self.settings,
                sources=self.sources(),
                ledger=self.ledger,
                vectors=self.vectors,
                embedder=self.embedder,
                progress=progress,
            )
            report, committed = sync(parts, below, accept_removals=accept_removals)
            self.serving.current = self.embedder
            self.lexical.update(committed.put, committed.dropped)
            self.vectors.delete(self.embedder.recipe, committed.dropped)
            self.ledger.write_note(UNFINISHED, "")
        return report

    def query(self, vector: Vectors, k: int) -> list[tuple[str, float]]:
        """Give the nearest passages' ids with their cosine, best first.

        Nothing when the dense index is damaged: BM25 serves until the next sync has made it anew.
        """
        try:
            return self.vectors.query(self.serving.recipe, vector, k)
        except Exception:
            log.exception("The dense index is damaged; BM25 serves until it is made anew")
            self._damaged = True
            return []

    def cosines(self, vector: Vectors, ids: Collection[str]) -> dict[str, float]:
        """Give the cosine of those of the passages that the dense index holds."""
        return {} if self._damaged else self.vectors.cosines(self.serving.recipe, vector, ids)

    def live(self, ids: Collection[str]) -> dict[str, Chunk]:
        """Those of the ids that are live now, with their passages."""
        return self.ledger.live(ids)

    def _put(self, wanted: set[str], progress: Progress) -> None:
        """Put passages into Chroma from the ledger's vectors; embed again what it lost."""
        recipe, ids = self._recipe, sorted(wanted)
        for start in range(0, len(ids), BATCH):
            some = ids[start : start + BATCH]
            progress("indexing", start, len(ids))
            hashes = self.ledger.live_hashes(some)
            have = self.ledger.vectors(recipe, set(hashes.values()))
            lost = [id_ for id_ in some if hashes[id_] not in have]
            if lost:
                chunks = self.ledger.live(lost).values()
                keys = [sha256(c.embedded) for c in chunks]
                rows = self.serving.embed_passages([c.embedded for c in chunks])
                self.ledger.keep_vectors(recipe, keys, rows)
                have.update(zip(keys, rows, strict=True))
            self.vectors.put(recipe, some, np.stack([have[hashes[id_]] for id_ in some]))
        progress("indexing", len(ids), len(ids))
