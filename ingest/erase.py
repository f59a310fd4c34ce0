"""Text that leaves the ledger for good, its file's free pages and its log included."""

import time
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import Literal

from sqlalchemy import Connection, Engine, column, delete, inspect, select, table
from sqlalchemy.dialects.sqlite import insert

from ingest.errors import LedgerError
from ingest.rows import portions
from ingest.schema import erasures, passages, vectors

Kind = Literal["purged", "expired"]

# Of the tables that `bot.schema` declares in the same database: nothing here imports it.
citations = table(
    "citations",
    *map(column, ("answer_id", "passage_id", "heading", "text", "quotes")),
)
answers = table(
    "answers",
    *map(column, ("id", "question", "standalone", "text", "channel", "thread_ts")),
)


@contextmanager
def erasing(engine: Engine) -> Iterator[Connection]:
    """A transaction in which SQLite overwrites what it deletes."""
    with engine.begin() as connection:
        connection.exec_driver_sql("PRAGMA secure_delete=ON")
        yield connection


def scrub(engine: Engine) -> None:
    """Write the file anew without its free pages, and empty its write-ahead log.

    Raises:
        LedgerError: there is no room for it, or somebody goes on reading.
    """
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.exec_driver_sql("VACUUM")
    if not empty_log(engine):
        raise LedgerError(
            "The text is gone from the record, but another process is reading it, so that the"
            " write-ahead log may still hold a copy: run the same command again in a moment."
        )


def empty_log(engine: Engine) -> bool:
    """Whether the write-ahead log could be emptied: a reader may need it still."""
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        busy = connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)").one()[0]
    return not busy


def keeps_answers(connection: Connection) -> bool:
    """Whether the record of answers is in this database: no bot may have run here yet."""
    return inspect(connection).has_table(citations.name)


def erase(connection: Connection, ids: Collection[str], kind: Kind, now: float) -> None:
    """Take the text of passages, live or retired, with its quotations and vectors.

    The ids stay and say when that was; one that was purged stays so.
    """
    blank = {"text": "", "heading": "", "context": "[]", "hidden": "[]"}
    p = passages.c
    for some in portions(ids):
        mine = p.id.in_(some)
        update = passages.update().where(mine)
        connection.execute(update.where(p.retired_at.is_(None)).values(retired_at=now))
        connection.execute(update.values(**blank, text_hash="", embed_hash=""))
        put = insert(erasures).values([{"id": i, "kind": kind, "at": now} for i in some])
        put = put.on_conflict_do_update(
            index_elements=["id"],
            set_={"kind": kind, "at": now},
            where=erasures.c.kind != "purged",
        )
        connection.execute(put)
        if keeps_answers(connection):
            query = citations.update().where(citations.c.passage_id.in_(some))
            connection.execute(query.values(text="", heading="", quotes="[]"))
    connection.execute(delete(vectors).where(vectors.c.embed_hash.not_in(select(p.embed_hash))))


def expire(engine: Engine, days: int) -> int:
    """Take the text of passages that were retired longer ago than that; give how many."""
    now = time.time()
    p = passages.c
    with erasing(engine) as connection:
        old = select(p.id).where(
            p.retired_at < now - days * 24 * 60 * 60, p.id.not_in(select(erasures.c.id))
        )
        ids = connection.scalars(old).all()
        if ids:
            erase(connection, ids, "expired", now)
    if ids:
        empty_log(engine)
    return len(ids)
