"""The ledger and the indexes derived from it, opened together by the one process that owns them."""

import json
import logging
import threading
from collections.abc import Collection, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

import numpy as np

from ingest.commit import Committed
from ingest.embed import Embedder, Serving, Vectors
from ingest.erase import expire, scrub
from ingest.errors import StoppedError
from ingest.ledger import Ledger
from ingest.lexical import LexicalIndex
from ingest.lock import DataLock
from ingest.purge import Plan, carry_out, plan
from ingest.reader import Reader
from ingest.rows import sha256
from ingest.settings import IngestSettings
from ingest.sources import Source
from ingest.sources.folder import open_sources
from ingest.sync import UNFINISHED, Parts, Progress, sync
from ingest.types import Chunk, Report
from ingest.vectors import VectorIndex

BATCH = 2000
SAME_VECTOR = 0.999  # cosine; what half precision and Chroma do to a vector costs less
DAMAGED = "The dense index is damaged; BM25 serves until the next sync has made it anew"
SYNC_ERROR = "sync_error"  # the ledger's note of why the last pass failed

log = logging.getLogger(__name__)


class Index:
    """Holds the data folder's lock from `__enter__` to `__exit__`.

    Methods block: call them off the event loop. Any number of threads may read; syncs queue.
    """

    def __init__(self, settings: IngestSettings) -> None:
        self.settings = settings
        self.embedder = Embedder(settings)
        self.serving = Serving(self.embedder)
        self.reader = Reader(settings)
        self.lexical = LexicalIndex()
        self.vectors = VectorIndex(settings.data / "chroma")
        self._lock = DataLock(settings.data)
        self._writing = threading.Lock()
        self._damaged = False
        self._generation: str | None = None  # of BM25; None while this process needs none

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
        self.reader.close()
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
        self._generation = self._ledgers_generation()
        live = list(self.ledger.all_live())
        self.lexical.update(live, self.lexical.ids() - {chunk.id for chunk in live})

    def _catch_up(self) -> None:
        """Make what is in memory follow a pass that failed between its commit and its end."""
        if self._recipe == self.embedder.recipe:
            self.serving.current = self.embedder
        if self._generation not in {None, self._ledgers_generation()}:
            self.load_lexical()

    def _ledgers_generation(self) -> str:
        return self.ledger.read_note("generation") or "0"

    @property
    def _ledger_generation(self) -> str:
        """What the ledger has come to; empty before the first pass."""
        return self.ledger.read_note("generation") or ""

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
            if not counting:
                return True
            self._damaged = not self.vectors.is_sound(self._recipe)
            counts_agree = self.vectors.count(self._recipe) == self.ledger.counts()[1]
        except Exception as error:  # noqa: BLE001 - Chroma has no common error class
            log.warning("The dense index cannot be read: %s", error)
            self._damaged = True
        return not self._damaged and counts_agree

    def compare(self) -> tuple[set[str], set[str]]:
        """Ids of live passages that the dense index lacks, and ids in it that are not live."""
        live = self.ledger.live_hashes().keys()
        present = self.vectors.ids(self._recipe) if self.vectors.exists() else set()
        return live - present, present - live

    def differing(self) -> set[str]:
        """Ids of live passages whose vector in the dense index is not the ledger's."""
        hashes = self.ledger.live_hashes()
        ids, wrong = sorted(hashes), set[str]()
        for start in range(0, len(ids), BATCH):
            some = ids[start : start + BATCH]
            held = self.vectors.rows(self._recipe, some)
            kept = self.ledger.vectors(self._recipe, {hashes[id_] for id_ in held})
            for id_, row in held.items():
                own = kept.get(hashes[id_])
                if own is not None and float(row @ own) < SAME_VECTOR:
                    wrong.add(id_)
        return wrong

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
            self._catch_up()
            replaced = set(json.loads(self.ledger.read_note(UNFINISHED) or "[]"))
            missing, stale = self._differences()
            missing |= self.ledger.live_hashes(replaced).keys()
            self._put(missing, progress)
            self.vectors.delete(self._recipe, stale)
            self.vectors.drop_others(self._recipe)
            self.ledger.write_note(UNFINISHED, "")
            self._damaged = False
        if not missing and not stale:
            return "The last sync was cut short; the indexes agree with the ledger all the same."
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

    def purge(self, targets: Sequence[str]) -> Plan:
        """Take passages and whole documents out of everything; give what that was.

        Safe to kill at any point: the same call completes it. The dense index is erased, as its
        graph keeps vectors that are deleted; the next `repair` makes it anew. This process does
        not: the graph's file takes over what stood in memory, and the text just did.

        Raises:
            SettingsError: a target is neither an id nor a document; nothing was changed.
            LedgerError: another process reads, so that the log still holds a copy.
        """
        with self._writing:
            planned = plan(self.ledger.engine, targets)
            carry_out(self.ledger.engine, planned, UNFINISHED)
            if self._generation is not None:
                self.load_lexical()
            self.vectors.erase()
            scrub(self.ledger.engine)
        return planned

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
        reread: bool = False,
        progress: Progress = lambda *_: None,
    ) -> Report:
        """Take in what changed; the next question sees it. See `ingest.sync.sync`.

        When a pass over everything fails, the ledger notes why, until one has ended well.
        """
        try:
            report = self._pass(
                below, accept_removals=accept_removals, reread=reread, progress=progress
            )
        except StoppedError:
            raise
        except Exception as error:
            if below is None:
                self._note_failure(str(error) or type(error).__name__)
            raise
        if below is None:
            self._note_failure("")
        return report

    def _pass(
        self,
        below: Sequence[Path] | None,
        *,
        accept_removals: bool,
        reread: bool,
        progress: Progress,
    ) -> Report:
        if mended := self.repair(progress, counting=self._generation is not None):
            log.warning(mended)
        with self._writing:
            parts = Parts(
                settings=self.settings,
                sources=self.sources(),
                ledger=self.ledger,
                vectors=self.vectors,
                embedder=self.embedder,
                reader=self.reader,
                progress=progress,
            )
            former = self._recipe
            report, committed = sync(parts, below, accept_removals=accept_removals, reread=reread)
            self.serving.current = self.embedder
            self._follow(committed)
            if former != self._recipe:
                self.vectors.drop_others(self._recipe)
            self._write_note(UNFINISHED, "")
        if self.settings.keep_versions:
            expire(self.ledger.engine, int(self.settings.keep_versions.removesuffix("d")))
        return report

    def _follow(self, committed: Committed) -> None:
        """Make the indexes follow what was committed."""
        if self._generation is not None:
            self.lexical.update(committed.put, committed.dropped)
            self._generation = self._ledgers_generation()
        self.vectors.delete(self._recipe, committed.dropped)

    def _note_failure(self, text: str) -> None:
        try:
            self._write_note(SYNC_ERROR, text)
        except Exception:
            log.exception("The failure of the sync could not be noted")

    def _write_note(self, key: str, value: str) -> None:
        """Write a note of the ledger, if that changes it."""
        if (self.ledger.read_note(key) or "") != value:
            self.ledger.write_note(key, value)

    def query(self, vector: Vectors, k: int) -> list[tuple[str, float]]:
        """Give the nearest passages' ids with their cosine, best first.

        Nothing when the dense index is damaged: BM25 serves until the next sync has made it anew.
        """
        recipe = self.serving.recipe
        try:
            return self.vectors.query(recipe, vector, k)
        except Exception:
            if recipe == self.serving.recipe:  # else a sync just put another model's in its place
                log.exception(DAMAGED)
                self._damaged = True
            return []

    def cosines(self, vector: Vectors, ids: Collection[str]) -> dict[str, float]:
        """Give the cosine of those of the passages that the dense index holds."""
        try:
            return {} if self._damaged else self.vectors.cosines(self.serving.recipe, vector, ids)
        except Exception:
            log.exception(DAMAGED)
            self._damaged = True
            return {}

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
