"""The one transaction that makes a sync's outcome live."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Connection, Engine, Row, bindparam, delete, select
from sqlalchemy.dialects.sqlite import insert

from ingest.errors import LedgerError
from ingest.lineage import link
from ingest.rows import chunk_of, normalised, row_of, sha256
from ingest.schema import documents, failures, meta, passages, versions
from ingest.types import Chunk, Failure


@dataclass(frozen=True, slots=True)
class Known:
    """What the ledger knows of a document: enough to tell whether it changed."""

    doc: str
    source: str
    path: str
    version: int
    size: int
    mtime_ns: int
    content_hash: str
    chunking: str
    removed: bool


@dataclass(frozen=True, slots=True)
class Taken:
    """A document as a sync read it, ready to be made live. Its chunks have their final ids."""

    doc: str
    source: str
    path: str
    title: str
    size: int
    mtime_ns: int
    content_hash: str
    chunking: str
    chunks: tuple[Chunk, ...]


@dataclass(frozen=True, slots=True)
class Changes:
    """One sync's outcome.

    `touched` are unchanged documents with a new size or time; `notes` of the ledger about itself
    change with the rest.
    """

    taken: tuple[Taken, ...]
    touched: tuple[Known, ...]
    removed: tuple[str, ...]
    failed: tuple[Failure, ...]
    notes: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Committed:
    """What the derived indexes must follow: passages to put or replace, ids to drop."""

    put: tuple[Chunk, ...]
    dropped: tuple[str, ...]


def commit(engine: Engine, changes: Changes) -> Committed:
    """Make a sync's outcome live, whole or not at all."""
    now = time.time()
    put: list[Chunk] = []
    gone: list[Chunk] = []
    with engine.begin() as connection:
        for taken in changes.taken:
            version = _record_document(connection, taken, now)
            new, retired = _replace_passages(connection, taken, version, now)
            put += new
            gone += retired
        for doc in changes.removed:
            gone += _remove_document(connection, doc, now)
        _link_successors(connection, gone, put)
        for known in changes.touched:
            query = documents.update().where(documents.c.doc == known.doc)
            connection.execute(query.values(size=known.size, mtime_ns=known.mtime_ns))
        _replace_failures(connection, changes.failed, now)
        if put or gone:
            generation = connection.scalar(select(meta.c.value).where(meta.c.key == "generation"))
            note(connection, "generation", str(int(generation or 0) + 1))
        for key, value in {**changes.notes, "last_sync": str(now)}.items():
            note(connection, key, value)
    return Committed(tuple(put), tuple(chunk.id for chunk in gone))


def note(connection: Connection, key: str, value: str) -> None:
    """Write a note of the ledger about itself."""
    query = insert(meta).values(key=key, value=value)
    connection.execute(query.on_conflict_do_update(index_elements=["key"], set_={"value": value}))


def is_live() -> ColumnElement[bool]:
    """Tell live passages from retired ones."""
    return passages.c.retired_at.is_(None)


def _record_document(connection: Connection, taken: Taken, now: float) -> int:
    """Write the document and, when its content is new, a version; give the version's number."""
    old = connection.execute(
        select(documents.c.version, documents.c.content_hash).where(documents.c.doc == taken.doc)
    ).first()
    same = old is not None and old.content_hash == taken.content_hash
    version = 1 if old is None else old.version if same else old.version + 1
    values = {
        "doc": taken.doc,
        "source": taken.source,
        "path": taken.path,
        "title": taken.title,
        "version": version,
        "size": taken.size,
        "mtime_ns": taken.mtime_ns,
        "content_hash": taken.content_hash,
        "chunking": taken.chunking,
        "ingested_at": now,
        "removed_at": None,
    }
    query = insert(documents).values(values)
    connection.execute(query.on_conflict_do_update(index_elements=["doc"], set_=values))
    if not same:
        values = {"doc": taken.doc, "version": version, "ingested_at": now}
        connection.execute(insert(versions).values(**values, content_hash=taken.content_hash))
    return version


def _replace_passages(
    connection: Connection, taken: Taken, version: int, now: float
) -> tuple[list[Chunk], list[Chunk]]:
    p = passages.c
    columns = select(passages)
    before = {row.id: row for row in connection.execute(columns.where(p.doc == taken.doc))}
    unknown = [c.id for c in taken.chunks if c.id not in before]
    for id_ in unknown:  # known under another name: the number of sources changed
        before.update((row.id, row) for row in connection.execute(columns.where(p.id == id_)))
    rows = [row_of(chunk) | {"version": version, "retired_at": None} for chunk in taken.chunks]
    for row in rows:
        if row["id"] in before and before[str(row["id"])].digest != row["digest"]:
            raise LedgerError(f"The id {row['id']} would stand for two texts of {taken.doc}.")
    new = [row for row in rows if row["id"] not in before]
    if new:
        first = {"first_version": version, "added_at": now}
        connection.execute(insert(passages), [row | first for row in new])
    for row in rows:
        if row["id"] in before:
            query = passages.update().where(p.id == row["id"])
            connection.execute(query.values(**row, successor=None))
    put = [
        chunk
        for chunk, row in zip(taken.chunks, rows, strict=True)
        if (old := before.get(chunk.id)) is None
        or old.retired_at is not None
        or old.embed_hash != row["embed_hash"]
    ]
    ids = {chunk.id for chunk in taken.chunks}
    gone = [row for id_, row in before.items() if row.retired_at is None and id_ not in ids]
    _retire(connection, gone, now)
    return put, [chunk_of(row) for row in gone]


def _remove_document(connection: Connection, doc: str, now: float) -> list[Chunk]:
    connection.execute(documents.update().where(documents.c.doc == doc).values(removed_at=now))
    gone = connection.execute(select(passages).where(passages.c.doc == doc, is_live())).all()
    _retire(connection, gone, now)
    return [chunk_of(row) for row in gone]


def _retire(connection: Connection, rows: Sequence[Row[Any]], now: float) -> None:
    if rows:
        query = passages.update().where(passages.c.id == bindparam("gone"))
        connection.execute(query.values(retired_at=now), [{"gone": row.id} for row in rows])


def _link_successors(
    connection: Connection, retired: Sequence[Chunk], added: Sequence[Chunk]
) -> None:
    """Give each passage that just retired its successor, and each that waits for its text one."""
    p = passages.c
    links = link(retired, added)
    for chunk in retired:
        if chunk.id not in links:
            text_hash = sha256(normalised(chunk.text))
            query = select(p.id).where(p.text_hash == text_hash, is_live()).order_by(p.id)
            if (same := connection.scalar(query.limit(1))) is not None:
                links[chunk.id] = same
    for chunk in added:
        text_hash = sha256(normalised(chunk.text))
        orphans = select(p.id).where(
            p.text_hash == text_hash, p.retired_at.is_not(None), p.successor.is_(None)
        )
        for id_ in connection.scalars(orphans):
            links.setdefault(id_, chunk.id)
    if links:
        update = passages.update().where(p.id == bindparam("old"))
        rows = [{"old": old, "new": new} for old, new in links.items()]
        connection.execute(update.values(successor=bindparam("new")), rows)


def _replace_failures(connection: Connection, failed: tuple[Failure, ...], now: float) -> None:
    since = dict(connection.execute(select(failures.c.doc, failures.c.since)).tuples().all())
    connection.execute(delete(failures))
    rows = {f.doc: {"doc": f.doc, "error": f.error, "since": since.get(f.doc, now)} for f in failed}
    if rows:
        connection.execute(insert(failures), list(rows.values()))
