"""The record of documents and passages, live and retired: the truth that indexes derive from."""

import json
import sqlite3
from collections.abc import Collection, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, fields, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal, Self

import numpy as np
from sqlalchemy import Engine, and_, func, or_, select
from sqlalchemy.dialects.sqlite import insert

from ingest.blocked import Blocked
from ingest.commit import Changes, Committed, Known, commit, is_live, note
from ingest.embed import Vectors
from ingest.errors import LedgerError
from ingest.private import create_private
from ingest.rows import chunk_of, portions, sha256, text_hash
from ingest.schema import (
    blocked,
    documents,
    erasures,
    failures,
    front_matter,
    meta,
    open_database,
    passages,
    recipes,
    vectors,
    versions,
)
from ingest.types import Chunk, Failure, Imprint

FILE = "footnote.db"
ID_CHARS = 12


@dataclass(frozen=True, slots=True)
class Erasure:
    """When a passage lost its text for good, and whether a person or its age was the reason."""

    kind: Literal["purged", "expired"]
    at: datetime


@dataclass(frozen=True, slots=True)
class Passage:
    """A passage as the ledger keeps it. `version` and `ingested_at` are its document's.

    One with an erasure has an empty text and no heading.
    """

    chunk: Chunk
    version: int
    ingested_at: datetime
    retired_at: datetime | None
    successor: str | None
    erased: Erasure | None = None


class Ledger:
    """One SQLite file, opened by any number of readers; only the holder of the data lock writes.

    Methods block on the file: call them off the event loop.
    """

    def __init__(self, data: Path) -> None:
        self.engine: Engine = open_database(data / FILE)

    @classmethod
    def existing(cls, data: Path) -> Self:
        """Open the ledger of a folder to read; nothing is created.

        Raises:
            LedgerError: there is none yet, or it cannot be opened.
        """
        if not (data / FILE).exists():
            raise LedgerError(
                f"FOOTNOTE_DATA={data} holds no ledger: nothing has been taken in there yet"
                " (`python -m ingest` does), or the folder is another one."
            )
        return cls(data)

    def close(self) -> None:
        """Close the file."""
        self.engine.dispose()

    def known(self) -> dict[str, Known]:
        """Every document that was ever taken in, by its name."""
        d = documents.c
        names = [f.name for f in fields(Known) if f.name != "removed"]
        query = select(*(d[name] for name in names), d.removed_at.is_not(None).label("removed"))
        with self.engine.connect() as connection:
            rows = connection.execute(query).mappings()
            return {row["doc"]: Known(**row) for row in rows}

    def live(self, ids: Collection[str]) -> dict[str, Chunk]:
        """Those of the ids that are live now, with their passages."""
        found: dict[str, Chunk] = {}
        with self.engine.connect() as connection:
            for some in portions(ids):
                query = select(passages).where(passages.c.id.in_(some), is_live())
                found.update((row.id, chunk_of(row)) for row in connection.execute(query))
        return found

    def all_live(self) -> Iterator[Chunk]:
        """Every live passage, by document and place."""
        query = select(passages).where(is_live()).order_by(passages.c.doc, passages.c.start)
        with self.engine.connect() as connection:
            result = connection.execution_options(yield_per=1000).execute(query)
            yield from (chunk_of(row) for row in result)

    def live_hashes(self, ids: Collection[str] | None = None) -> dict[str, str]:
        """Those of the ids (default: all) that are live, with the hash of what is embedded."""
        query = select(passages.c.id, passages.c.embed_hash).where(is_live())
        with self.engine.connect() as connection:
            if ids is None:
                return dict(connection.execute(query).all())
            found: dict[str, str] = {}
            for some in portions(ids):
                rows = connection.execute(query.where(passages.c.id.in_(some)))
                found.update(rows.all())
        return found

    def find(self, passage_id: str) -> Passage | None:
        """Give a passage, live or retired, or None when the id was never given out."""
        v = versions.c
        with self.engine.connect() as connection:
            row = connection.execute(select(passages).where(passages.c.id == passage_id)).first()
            if row is None:
                return None
            query = select(v.ingested_at).where(v.doc == row.doc, v.version == row.version)
            ingested = connection.scalar(query) or row.added_at
            gone = connection.execute(select(erasures).where(erasures.c.id == row.id)).first()
        retired = None if row.retired_at is None else datetime.fromtimestamp(row.retired_at, UTC)
        when = datetime.fromtimestamp(ingested, UTC)
        erased = Erasure(gone.kind, datetime.fromtimestamp(gone.at, UTC)) if gone else None
        return Passage(chunk_of(row), row.version, when, retired, row.successor, erased)

    def blocked(self) -> Blocked:
        """What was purged, as ingestion knows it again."""
        b, p = blocked.c, passages.c
        purged = select(p.digest).join(erasures, erasures.c.id == p.id)
        with self.engine.connect() as connection:
            rows = connection.execute(select(b.key, b.words)).all()
            digests = connection.scalars(purged.where(erasures.c.kind == "purged"))
            return Blocked(
                frozenset(row.key for row in rows if not row.words),
                frozenset(row.key for row in rows if row.words),
                frozenset(row.words for row in rows if row.words),
                frozenset(digests),
            )

    def same_text(self, chunk: Chunk) -> Passage | None:
        """Give a live passage that has the text of this one, wherever it stands."""
        query = select(passages.c.id).where(passages.c.text_hash == text_hash(chunk), is_live())
        with self.engine.connect() as connection:
            id_ = connection.scalar(query.order_by(passages.c.doc != chunk.doc, passages.c.id))
        return self.find(id_) if id_ else None

    def nearest(self, passage: Passage, at_least: float) -> Passage | None:
        """Give the live passage of the same document with the highest cosine, if it is enough."""
        p = passages.c
        query = select(p.id, p.embed_hash).where(p.doc == passage.chunk.doc, is_live())
        with self.engine.connect() as connection:
            rows = connection.execute(query).all()
        own = sha256(passage.chunk.embedded)
        recipe = self.read_note("recipe") or ""
        have = self.vectors(recipe, {own, *(row.embed_hash for row in rows)})
        if own not in have:
            return None
        scored = [
            (float(have[row.embed_hash] @ have[own]), row.id)
            for row in rows
            if row.embed_hash in have
        ]
        best, id_ = max(scored, default=(0.0, ""))
        return self.find(id_) if best >= at_least else None

    def backup(self, file: Path) -> None:
        """Write a consistent copy, whoever is writing meanwhile.

        Raises:
            LedgerError: the file exists, or cannot be written.
        """
        if file.exists():
            raise LedgerError(f"{file} exists: name a new file for the copy.")
        part = file.with_name(file.name + ".part")
        try:
            part.unlink(missing_ok=True)  # of a copy that was cut off, with rights of its own
            create_private(part)
            with self.engine.connect() as connection, closing(sqlite3.connect(part)) as copy:
                raw = connection.connection.driver_connection
                assert isinstance(raw, sqlite3.Connection)  # noqa: S101 - the only driver in use
                raw.backup(copy)
            part.replace(file)
        except (sqlite3.Error, OSError) as error:
            part.unlink(missing_ok=True)
            raise LedgerError(f"{file} cannot be written ({error}).") from error

    def near(self, chunk: Chunk, chars: int) -> list[Chunk]:
        """Give a live passage with those of its document that end or begin within `chars` of it."""
        p = passages.c
        close = and_(p.start >= chunk.end - chars, p.end <= chunk.start + chars)
        query = select(passages).where(p.doc == chunk.doc, or_(close, p.id == chunk.id), is_live())
        with self.engine.connect() as connection:
            return [chunk_of(row) for row in connection.execute(query.order_by(p.start))]

    def imprints(self, docs: Collection[str]) -> dict[str, Imprint]:
        """Give what the live ones among these documents say of themselves."""
        d, p = documents.c, passages.c
        first = select(p.doc, func.min(p.start).label("start")).where(is_live()).group_by(p.doc)
        found: dict[str, Imprint] = {}
        with self.engine.connect() as connection:
            for some in portions(docs):
                opening = first.where(p.doc.in_(some)).subquery()
                same = and_(p.doc == opening.c.doc, p.start == opening.c.start, is_live())
                rows = connection.execute(select(passages).join(opening, same))
                texts = {row.doc: chunk_of(row).visible for row in rows}
                query = select(d.doc, d.title, d.mtime_ns, front_matter.c.content)
                query = query.join(front_matter, front_matter.c.doc == d.doc, isouter=True)
                query = query.where(d.doc.in_(some), d.removed_at.is_(None))
                for row in connection.execute(query):
                    said = json.loads(row.content or "{}")
                    opened, modified = texts.get(row.doc, ""), row.mtime_ns / 1e9
                    found[row.doc] = Imprint(row.doc, row.title, said, opened, modified)
        return found

    def counts(self) -> tuple[int, int]:
        """How many documents and passages are live."""
        of_documents = select(func.count()).where(documents.c.removed_at.is_(None))
        of_passages = select(func.count()).select_from(passages).where(is_live())
        with self.engine.connect() as connection:
            return connection.scalar(of_documents) or 0, connection.scalar(of_passages) or 0

    def failed(self) -> tuple[Failure, ...]:
        """Documents that the last sync could not take in."""
        query = select(failures.c.doc, failures.c.error).order_by(failures.c.doc)
        with self.engine.connect() as connection:
            return tuple(Failure(*row) for row in connection.execute(query))

    def warnings(self) -> tuple[Failure, ...]:
        """Live documents of which a part could not be read."""
        d = documents.c
        query = select(d.doc, d.warning).where(d.warning != "", d.removed_at.is_(None))
        with self.engine.connect() as connection:
            return tuple(Failure(*row) for row in connection.execute(query.order_by(d.doc)))

    def read_note(self, key: str) -> str | None:
        """Read a note of the ledger about itself (`recipe`, `generation`, `last_sync` …)."""
        with self.engine.connect() as connection:
            return connection.scalar(select(meta.c.value).where(meta.c.key == key))

    def write_note(self, key: str, value: str) -> None:
        """Write such a note."""
        with self.engine.begin() as connection:
            note(connection, key, value)

    def vectors(self, recipe: str, hashes: Collection[str]) -> dict[str, Vectors]:
        """Those of the hashed texts that were embedded before, with their vectors."""
        found: dict[str, Vectors] = {}
        v = vectors.c
        with self.engine.connect() as connection:
            for some in portions(hashes):
                query = select(v.embed_hash, v.vector).join(recipes)
                query = query.where(recipes.c.recipe == recipe, v.embed_hash.in_(some))
                for embed_hash, blob in connection.execute(query):
                    found[embed_hash] = np.frombuffer(blob, np.float16).astype(np.float32)
        return found

    def keep_vectors(self, recipe: str, hashes: Sequence[str], rows: Vectors) -> None:
        """Keep vectors at once, so that no kill makes anybody embed those texts again.

        In half precision, which changes a cosine by some .0001.
        """
        if not hashes:
            return
        with self.engine.begin() as connection:
            connection.execute(insert(recipes).values(recipe=recipe).on_conflict_do_nothing())
            id_ = connection.scalar(select(recipes.c.id).where(recipes.c.recipe == recipe))
            values = [
                {"recipe": id_, "embed_hash": key, "vector": np.float16(row).tobytes()}
                for key, row in zip(hashes, rows, strict=True)
            ]
            connection.execute(insert(vectors).on_conflict_do_nothing(), values)

    def assign_ids(self, chunks: Sequence[Chunk]) -> list[Chunk]:
        """Give each passage the shortest prefix of its digest that stands for no other digest.

        Ids given out before stay as they are.
        """
        by_digest: dict[str, str] = {}
        by_id: dict[str, str] = {}
        p = passages.c
        with self.engine.connect() as connection:
            for some in portions({chunk.digest for chunk in chunks}):
                query = select(p.digest, p.id).where(p.digest.in_(some))
                by_digest.update(connection.execute(query).all())
            for some in portions({chunk.digest[:ID_CHARS] for chunk in chunks}):
                query = select(p.id, p.digest).where(p.id.in_(some))
                by_id.update(connection.execute(query).all())
            result = []
            for chunk in chunks:
                id_ = by_digest.get(chunk.digest)
                length = ID_CHARS
                while id_ is None:
                    wanted = chunk.digest[:length]
                    owner = by_id.get(wanted)
                    if owner is None and length > ID_CHARS:
                        owner = connection.scalar(select(p.digest).where(p.id == wanted))
                    id_ = wanted if owner in {None, chunk.digest} else None
                    length += 1
                by_digest[chunk.digest] = id_
                by_id[id_] = chunk.digest
                result.append(replace(chunk, id=id_))
        return result

    def commit(self, changes: Changes) -> Committed:
        """Make a sync's outcome live, in one transaction."""
        return commit(self.engine, changes)
