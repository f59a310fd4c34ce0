"""The ledger's file: one SQLite database, its tables on this side, and how it is opened.

Answers, feedback and handled events are tables of the same database, declared in `bot.record`.
"""

import sqlite3
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from sqlalchemy import (
    Column,
    Dialect,
    Engine,
    ExceptionContext,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    TypeDecorator,
    create_engine,
    event,
    exc,
)

from ingest.errors import LedgerError
from ingest.private import create_private, make_private
from ingest.upgrade import bring_up_to_date

BUSY_TIMEOUT_S = 30
FAULTS = frozenset(
    {
        sqlite3.SQLITE_FULL,
        sqlite3.SQLITE_BUSY,
        sqlite3.SQLITE_IOERR,
        sqlite3.SQLITE_CORRUPT,
        sqlite3.SQLITE_NOTADB,
        sqlite3.SQLITE_READONLY,
        sqlite3.SQLITE_CANTOPEN,
    }
)

metadata = MetaData()


class Hex(TypeDecorator[str]):
    """Hex digits, kept as half as many bytes."""

    impl = LargeBinary
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> bytes | None:  # noqa: ARG002
        """Give what is written."""
        return None if value is None else bytes.fromhex(value)

    def process_result_value(self, value: bytes | None, dialect: Dialect) -> str | None:  # noqa: ARG002
        """Give what was read."""
        return None if value is None else value.hex()


# One row a setting of the ledger itself: schema version, recipe, generation, the last sync.
meta = Table(
    "meta",
    metadata,
    Column("key", String, primary_key=True),
    Column("value", Text, nullable=False),
)

# A document now. `version` counts its contents from 1; `removed_at` is set while it is gone;
# `read_at` says when its bytes were last held against `content_hash`;
# `warning` says what of it could not be read, else empty.
documents = Table(
    "documents",
    metadata,
    Column("doc", String, primary_key=True),
    Column("source", String, nullable=False),
    Column("path", String, nullable=False),
    Column("title", String, nullable=False),
    Column("version", Integer, nullable=False),
    Column("size", Integer, nullable=False),
    Column("mtime_ns", Integer, nullable=False),
    Column("ctime_ns", Integer, nullable=False, server_default="0"),
    Column("inode", Integer, nullable=False, server_default="0"),
    Column("read_at", Float, nullable=False, server_default="0"),
    Column("content_hash", String, nullable=False),
    Column("chunking", String, nullable=False),
    Column("ingested_at", Float, nullable=False),
    Column("removed_at", Float),
    Column("warning", Text, nullable=False),
)

# What a document's front matter says, as written: a JSON object. No row where it has none.
front_matter = Table(
    "front_matter",
    metadata,
    Column("doc", ForeignKey("documents.doc"), primary_key=True),
    Column("content", Text, nullable=False),
)

# Every content that a document ever had here.
versions = Table(
    "versions",
    metadata,
    Column("doc", ForeignKey("documents.doc"), primary_key=True),
    Column("version", Integer, primary_key=True),
    Column("content_hash", String, nullable=False),
    Column("ingested_at", Float, nullable=False),
)

# Every passage that was ever live. `retired_at` is null while it is; `version` is the newest
# version of the document that holds it, and start, end and text are as they stand there. One
# with a row in `erasures` has no text.
passages = Table(
    "passages",
    metadata,
    Column("id", String, primary_key=True),
    Column("digest", Hex, nullable=False, unique=True),
    Column("doc", ForeignKey("documents.doc"), nullable=False),
    Column("heading", Text, nullable=False),
    Column("start", Integer, nullable=False),
    Column("end", Integer, nullable=False),
    Column("text", Text, nullable=False),
    Column("context", Text, nullable=False),
    Column("hidden", Text, nullable=False),
    Column("text_hash", Hex, nullable=False),
    Column("embed_hash", Hex, nullable=False),
    Column("first_version", Integer, nullable=False),
    Column("version", Integer, nullable=False),
    Column("added_at", Float, nullable=False),
    Column("retired_at", Float),
    Column("successor", String),
    Index("passages_by_doc", "doc", "retired_at", "start"),
    Index("passages_by_text", "text_hash"),
)

# The ways in which texts were embedded: the model, and what is put before a text.
recipes = Table(
    "recipes",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("recipe", String, nullable=False, unique=True),
)

# Vectors by what was embedded (recipe and text), so that no text is embedded twice; float16.
vectors = Table(
    "half_vectors",
    metadata,
    Column("recipe", ForeignKey("recipes.id"), primary_key=True),
    Column("embed_hash", Hex, primary_key=True),
    Column("vector", LargeBinary, nullable=False),
)

# Documents that the last sync could not take in; their last good version stays live.
failures = Table(
    "failures",
    metadata,
    Column("doc", String, primary_key=True),
    Column("error", Text, nullable=False),
    Column("since", Float, nullable=False),
)

# Passages whose text is gone for good: `purged` by an administrator, or `expired` by
# FOOTNOTE_KEEP_VERSIONS. Their rows in `passages` stay, without text, heading and hashes of them.
erasures = Table(
    "erasures",
    metadata,
    Column("id", ForeignKey("passages.id"), primary_key=True),
    Column("kind", String, nullable=False),
    Column("at", Float, nullable=False),
)

# Hashes of what was purged and must not be taken in again; `words` is how many words in a row were
# hashed, 0 for a whole text.
blocked = Table(
    "blocked",
    metadata,
    Column("key", String, primary_key=True),
    Column("words", Integer, nullable=False),
)


def open_database(file: Path) -> Engine:
    """Open or create the ledger's database.

    Write-ahead logging lets readers of any process go on beside the one writer; `synchronous=FULL`
    makes a committed transaction survive a power cut.

    Raises:
        LedgerError: the folder cannot be written, or the file is damaged or of another version.
    """
    try:
        make_private(file.parent)
    except OSError as error:
        raise LedgerError(
            f"FOOTNOTE_DATA={file.parent} cannot be created ({error.strerror})."
            " Name a folder that this user may write."
        ) from error
    if file.exists() and not file.stat().st_size and (file.parent / "chroma").exists():
        raise LedgerError(
            f"{file} is empty, though the index beside it is not: put back a copy made with"
            " `python -m ingest --backup FILE`, or remove both to start anew."
        )
    engine = create_engine(
        f"sqlite:///{file}",
        connect_args={"timeout": BUSY_TIMEOUT_S},
        hide_parameters=True,  # of errors: they are people's questions and documents' text
    )
    event.listen(engine, "connect", _prepare)
    try:
        with suppress(OSError):  # opening it says why
            create_private(file)  # -wal and -shm get its rights
        bring_up_to_date(engine, metadata, file)
    except exc.DatabaseError as error:
        engine.dispose()
        raise _in_words(error.orig, file) from error
    except LedgerError:
        engine.dispose()
        raise
    event.listen(engine, "handle_error", _explain(file))
    return engine


def _prepare(connection: Any, _record: object) -> None:  # noqa: ANN401 - the DBAPI's own type
    assert isinstance(connection, sqlite3.Connection)  # noqa: S101 - the only driver in use
    for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", "secure_delete=ON"):
        connection.execute(f"PRAGMA {pragma}")


def _explain(file: Path) -> Callable[[ExceptionContext], None]:
    def explain(context: ExceptionContext) -> None:
        """Put the file system's faults into words; faults of the code stay as they are."""
        fault = context.original_exception
        if isinstance(fault, sqlite3.DatabaseError) and _code(fault) in FAULTS:
            raise _in_words(fault, file) from fault

    return explain


def _code(fault: BaseException | None) -> int:
    """SQLite's primary result code; -1 when there is none."""
    return getattr(fault, "sqlite_errorcode", -1) & 0xFF


def _in_words(fault: BaseException | None, file: Path) -> LedgerError:
    code = _code(fault)
    if code in {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}:
        return LedgerError(
            f"{file} is damaged ({fault}). Put back a copy made with `python -m ingest --backup"
            " FILE`, or move the file away to start anew (ids stay the same for unchanged"
            " documents; what was answered is lost)."
        )
    ways = {
        sqlite3.SQLITE_FULL: "Free some space; what was recorded before is safe.",
        sqlite3.SQLITE_BUSY: "Another process writes to it; try again in a moment.",
    }
    way = ways.get(code, "Look at the disk and at the file's rights; it must be writable.")
    return LedgerError(f"{file} cannot be used as the ledger ({fault}). {way}")
