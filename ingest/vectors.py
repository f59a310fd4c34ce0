"""The dense index: the one place that talks to Chroma."""

import hashlib
import shutil
import sqlite3
import threading
from collections.abc import Collection, Sequence
from contextlib import closing, suppress
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from ingest.embed import Vectors
from ingest.errors import LedgerError

if TYPE_CHECKING:
    from chromadb.api.client import Client
    from chromadb.api.models.Collection import Collection as ChromaCollection

FILE = "chroma.sqlite3"
BATCH = 2000
PROBE = 10
MAX_FREE = 0.25  # of the pages
BUSY_S = 5.0


class VectorIndex:
    """Passage ids and their unit vectors in an embedded Chroma, one collection an embedding recipe.

    Derived from the ledger: it may be deleted at any time and rebuilt. The process must hold the
    data folder's lock, and have one object of this class. Any thread may read, one at a time write.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._opening = (
            threading.RLock()
        )  # so that nobody reads what is being erased, or opens twice
        self._client: Client | None = None
        self._collections: dict[str, ChromaCollection] = {}

    @staticmethod
    def load() -> None:
        """Import what an index is opened with, which takes seconds; nothing is opened."""
        import_module("chromadb")

    @property
    def _opened(self) -> "Client":
        if self._client is None:
            import chromadb
            from chromadb.api.shared_system_client import SharedSystemClient
            from chromadb.config import Settings

            try:
                self._folder.mkdir(parents=True, exist_ok=True)
                settings = Settings(anonymized_telemetry=False)
                opened = chromadb.PersistentClient(str(self._folder), settings=settings)
                self._client = cast("Client", opened)
            except Exception as error:  # Chroma has no common error class
                SharedSystemClient.clear_system_cache()  # it would hand the broken one out again
                raise LedgerError(
                    f"{self._folder} cannot be opened as a Chroma index ({error}):"
                    " `python -m ingest --rebuild` makes it anew from the ledger."
                ) from error
        return self._client

    def exists(self) -> bool:
        """Whether there is an index on the disk."""
        return (self._folder / FILE).exists()

    def _collection(self, recipe: str) -> "ChromaCollection":
        with self._opening:
            if recipe not in self._collections:
                self._collections[recipe] = self._opened.get_or_create_collection(
                    collection_name(recipe),
                    configuration={"hnsw": {"space": "cosine"}},
                    metadata={"recipe": recipe},
                    embedding_function=None,
                )
            return self._collections[recipe]

    def put(self, recipe: str, ids: Sequence[str], vectors: Vectors) -> None:
        """Add or replace; `vectors` has a row an id."""
        if not ids:
            return
        collection = self._collection(recipe)
        for start in range(0, len(ids), BATCH):
            rows = slice(start, start + BATCH)
            collection.upsert(ids=list(ids[rows]), embeddings=np.asarray(vectors[rows]))

    def delete(self, recipe: str, ids: Collection[str]) -> None:
        """Remove; unknown ids are no error."""
        if not ids:
            return
        collection = self._collection(recipe)
        every = list(ids)
        for start in range(0, len(every), BATCH):
            collection.delete(ids=every[start : start + BATCH])

    def query(self, recipe: str, vector: Vectors, k: int) -> list[tuple[str, float]]:
        """Give the `k` nearest ids with their cosine, best first; fewer when it holds fewer."""
        with self._opening:
            collection = self._collection(recipe)
            k = min(k, collection.count())
            if k == 0:
                return []
            found: Any = collection.query(
                query_embeddings=np.asarray(vector)[None, :], n_results=k, include=["distances"]
            )
        pairs = zip(found["ids"][0], found["distances"][0], strict=True)
        return [(id_, 1.0 - float(distance)) for id_, distance in pairs]

    def cosines(self, recipe: str, vector: Vectors, ids: Collection[str]) -> dict[str, float]:
        """Give the cosine of those of the ids that it holds."""
        return {id_: float(row @ vector) for id_, row in self.rows(recipe, ids).items()}

    def rows(self, recipe: str, ids: Collection[str]) -> dict[str, Vectors]:
        """Give the vectors of those of the ids that it holds."""
        if not ids:
            return {}
        with self._opening:
            got: Any = self._collection(recipe).get(ids=list(ids), include=["embeddings"])
        return {
            id_: np.asarray(row, dtype=np.float32)
            for id_, row in zip(got["ids"], got["embeddings"], strict=True)
        }

    def count(self, recipe: str) -> int:
        """How many ids it holds."""
        return self._collection(recipe).count()

    def is_sound(self, recipe: str) -> bool:
        """Whether a search finds what it holds: a hard kill can lose the graph and keep the ids."""
        some: Any = self._collection(recipe).get(limit=1, include=["embeddings"])
        if not some["ids"]:
            return True
        wanted = min(PROBE, self.count(recipe))
        return len(self.query(recipe, np.asarray(some["embeddings"][0]), wanted)) == wanted

    def ids(self, recipe: str) -> set[str]:
        """All ids that it holds."""
        return set(self._collection(recipe).get(include=[])["ids"])

    def drop_others(self, recipe: str) -> None:
        """Delete the collections of every other recipe."""
        keep = collection_name(recipe)
        with self._opening:
            for collection in self._opened.list_collections():
                if collection.name != keep:
                    self._opened.delete_collection(collection.name)
            self._collections = {r: c for r, c in self._collections.items() if r == recipe}

    def close(self) -> None:
        """Release the client; the object may be used again and opens anew."""
        with self._opening:
            if self._client is not None:
                self._client.close()
                self._client = None
                self._collections = {}
                with suppress(sqlite3.Error):  # then the file stays as large as it is
                    _give_back(self._folder / FILE)

    def erase(self) -> None:
        """Delete the whole index from the disk, whatever state it is in."""
        with self._opening:
            self.close()
            if self._folder.is_dir():
                shutil.rmtree(self._folder, ignore_errors=True)
            else:
                self._folder.unlink(missing_ok=True)


def _give_back(file: Path) -> None:
    """Shrink Chroma's database when much of it is free: its log holds each vector for a while."""
    with closing(sqlite3.connect(file, timeout=BUSY_S)) as database:
        pages, free = (
            database.execute(f"PRAGMA {what}").fetchone()[0]
            for what in ("page_count", "freelist_count")
        )
        if free > MAX_FREE * pages:
            database.execute("VACUUM")


def collection_name(recipe: str) -> str:
    """Name the collection of an embedding recipe."""
    return f"passages-{hashlib.sha1(recipe.encode(), usedforsecurity=False).hexdigest()[:12]}"
