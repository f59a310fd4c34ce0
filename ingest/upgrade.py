"""The ledger's file made by an earlier Footnote, brought to the tables of this one."""

import sqlite3
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
from sqlalchemy import Column, Connection, Engine, MetaData, exc, inspect, text
from sqlalchemy.schema import CreateColumn

from ingest.errors import LedgerError

SCHEMA_VERSION = 2  # since 2 vectors are kept in half precision, and hashes as bytes
TO_2 = (
    "INSERT INTO recipes (recipe) SELECT DISTINCT recipe FROM vectors",
    """INSERT INTO half_vectors (recipe, embed_hash, vector)
       SELECT recipes.id, bytes_of(embed_hash), half(vector)
       FROM vectors JOIN recipes ON recipes.recipe = vectors.recipe""",
    "DROP TABLE vectors",
    """UPDATE passages SET digest = bytes_of(digest), text_hash = bytes_of(text_hash),
       embed_hash = bytes_of(embed_hash)""",
)


def bring_up_to_date(engine: Engine, metadata: MetaData, file: Path) -> None:
    """Make the tables and columns that the file lacks, and convert what is kept otherwise now.

    In one transaction, so that a kill at any moment leaves the file as it was. A file that lacks
    nothing is only read, which waits for no writer.

    Raises:
        LedgerError: a newer Footnote wrote it; nothing was changed.
    """
    with engine.connect() as connection:
        if _version(connection, file) == SCHEMA_VERSION and not _lacks(connection, metadata):
            return
    with engine.begin() as connection:
        connection.exec_driver_sql("BEGIN IMMEDIATE")
        found = _version(connection, file)  # another process may have done it meanwhile
        metadata.create_all(connection)
        _add_columns(connection, metadata)
        if found == 1:
            _convert(connection)
        connection.exec_driver_sql(f"PRAGMA user_version = {SCHEMA_VERSION}")
    if found == 1:
        with (
            suppress(exc.DatabaseError),  # then the file stays as large as it is
            engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection,
        ):
            connection.exec_driver_sql("VACUUM")


def _version(connection: Connection, file: Path) -> int:
    found = int(connection.exec_driver_sql("PRAGMA user_version").scalar_one())
    if found > SCHEMA_VERSION:
        raise LedgerError(
            f"{file} was written by a newer Footnote (schema {found}, this one knows"
            f" {SCHEMA_VERSION}): update Footnote, or name another FOOTNOTE_DATA."
        )
    return found


def _lacks(connection: Connection, metadata: MetaData) -> bool:
    """Whether a table or a column is not in the file."""
    present = set(inspect(connection).get_table_names())
    return not set(metadata.tables) <= present or any(_missing(connection, metadata))


def _add_columns(connection: Connection, metadata: MetaData) -> None:
    """Give the tables of an earlier version the columns that came since.

    A new column is nullable or has a server default, which is what the rows of before get.
    """
    for table, column in _missing(connection, metadata):
        made = CreateColumn(column).compile(dialect=connection.dialect)
        connection.execute(text(f'ALTER TABLE "{table}" ADD COLUMN {made}'))


def _missing(connection: Connection, metadata: MetaData) -> list[tuple[str, Column[Any]]]:
    """The columns that the file's tables lack, each with its table's name."""
    found = inspect(connection)
    known = {name: {c["name"] for c in found.get_columns(name)} for name in metadata.tables}
    return [
        (table.name, column)
        for table in metadata.sorted_tables
        for column in table.columns
        if column.name not in known[table.name]
    ]


def _convert(connection: Connection) -> None:
    """Keep the vectors of version 1 in half precision, and its hashes as bytes."""
    raw = connection.connection.driver_connection
    assert isinstance(raw, sqlite3.Connection)  # noqa: S101 - the only driver in use
    raw.create_function("half", 1, lambda v: np.frombuffer(v, np.float32).astype("f2").tobytes())
    raw.create_function("bytes_of", 1, bytes.fromhex)
    for statement in TO_2:
        connection.exec_driver_sql(statement)
