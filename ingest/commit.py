"""The one transaction that makes a sync's outcome live."""

import json
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import ColumnElement, Connection, Engine, Row, bindparam, delete, select
from sqlalchemy.dialects.sqlite import insert

from ingest.errors import LedgerError
from ingest.lineage import link
from ingest.rows import chunk_of, portions, row_of, text_hash
from ingest.schema import documents, erasures, failures, front_matter, meta, passages, versions
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
    ctime_ns: int
    inode: int
    read_at: float
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
    ctime_ns: int
    inode: int
    read_at: float
    content_hash: str
    chunking: str
    chunks: tuple[Chunk, ...]
    warning: str = ""
    front_matter: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Changes:
    """One sync's outcome.

    `touched` are documents that were read again and found unchanged; `notes` of the ledger about
    itself change with the rest.
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
            connection.execute(query.values(_stat_of(known)))
        _replace_failures(connection, changes.failed, now)
        if put or gone:
            bump_generation(connection)
        for key, value in {**changes.notes, "last_sync": str(now)}.items():
            note(connection, key, value)
    return Committed(tuple(put), tuple(chunk.id for chunk in gone))


def note(connection: Connection, key: str, value: str) -> None:
    """Write a note of the ledger about itself."""
    query = insert(meta).values(key=key, value=value)
    connection.execute(query.on_conflict_do_update(index_elements=["key"], set_={"value": value}))


def bump_generation(connection: Connection) -> None:
    """The live passages are not what they were."""
    generation = connection.scalar(select(meta.c.value).where(meta.c.key == "generation"))
    note(connection, "generation", str(int(generation or 0) + 1))


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
        **_stat_of(taken),
        "content_hash": taken.content_hash,
        "chunking": taken.chunking,
        "ingested_at": now,
        "removed_at": None,
        "warning": taken.warning,
    }
    query = insert(documents).values(values)
    connection.execute(query.on_conflict_do_update(index_elements=["doc"], set_=values))
    connection.execute(delete(front_matter).where(front_matter.c.doc == taken.doc))
    if taken.front_matter:
        content = json.dumps(dict(taken.front_matter), ensure_ascii=False)
        connection.execute(insert(front_matter).values(doc=taken.doc, content=content))
    if not same:
        values = {"doc": taken.doc, "version": version, "ingested_at": now}
        connection.execute(insert(versions).values(**values, content_hash=taken.content_hash))
    return version


def _stat_of(document: Known | Taken) -> dict[str, float]:
    return {
        "size": document.size,
        "mtime_ns": document.mtime_ns,
        "ctime_ns": document.ctime_ns,
        "inode": document.inode,
        "read_at": document.read_at,
    }


def _replace_passages(
    connection: Connection, taken: Taken, version: int, now: float
) -> tuple[list[Chunk], list[Chunk]]:
    p = passages.c
    columns = select(passages)
    before = {row.id: row for row in connection.execute(columns.where(p.doc == taken.doc))}
    for some in portions({c.id for c in taken.chunks} - before.keys()):
        # Known under another document's name: the number of sources changed.
        before.update((row.id, row) for row in connection.execute(columns.where(p.id.in_(some))))
    rows = [row_of(chunk) | {"version": version, "retired_at": None} for chunk in taken.chunks]
    for row in rows:
        if row["id"] in before and before[str(row["id"])].digest != row["digest"]:
            raise LedgerError(f"The id {row['id']} would stand for two texts of {taken.doc}.")
    new = [row for row in rows if row["id"] not in before]
    if new:
        first = {"first_version": version, "added_at": now}
        connection.execute(insert(passages), [row | first for row in new])
    kept = [row | {"kept": row["id"], "successor": None} for row in rows if row["id"] in before]
    if kept:
        connection.execute(passages.update().where(p.id == bindparam("kept")), kept)
        back = [{"back": row["id"]} for row in kept]  # what had expired has its text again
        expired = (erasures.c.id == bindparam("back")) & (erasures.c.kind == "expired")
        connection.execute(delete(erasures).where(expired), back)
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
    fresh = {chunk.id for chunk in added}
    twins = _of_texts(connection, retired, is_live())
    standing = [chunk_of(row) for row in twins if row.id not in fresh]
    _write_successors(connection, link(retired, added, standing))
    by_text = {text_hash(chunk): chunk.id for chunk in reversed(added)}
    orphans = _of_texts(connection, added, passages.c.retired_at.is_not(None))
    waiting = {row.id: by_text[row.text_hash] for row in orphans if not _lives_on(connection, row)}
    _write_successors(connection, waiting)


def _of_texts(
    connection: Connection, chunks: Sequence[Chunk], which: ColumnElement[bool]
) -> Iterator[Row[Any]]:
    """Give the rows that have the text of any of the passages, wherever it stands or stood."""
    for some in portions({text_hash(chunk) for chunk in chunks}):
        query = select(passages).where(passages.c.text_hash.in_(some), which)
        yield from connection.execute(query.order_by(passages.c.id)).all()


def _lives_on(connection: Connection, row: Row[Any]) -> bool:
    """Whether the chain of a retired passage's successors ends at a live one."""
    p = passages.c
    retired, successor = True, row.successor
    while retired and successor is not None:
        query = select(p.retired_at.is_not(None), p.successor).where(p.id == successor)
        retired, successor = connection.execute(query).one()
    return not retired


def _write_successors(connection: Connection, links: Mapping[str, str]) -> None:
    if links:
        update = passages.update().where(passages.c.id == bindparam("old"))
        rows = [{"old": old, "new": new} for old, new in links.items()]
        connection.execute(update.values(successor=bindparam("new")), rows)


def _replace_failures(connection: Connection, failed: tuple[Failure, ...], now: float) -> None:
    since = dict(connection.execute(select(failures.c.doc, failures.c.since)).all())
    connection.execute(delete(failures))
    rows = {f.doc: {"doc": f.doc, "error": f.error, "since": since.get(f.doc, now)} for f in failed}
    if rows:
        connection.execute(insert(failures), list(rows.values()))
