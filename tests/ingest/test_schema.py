"""A ledger of an earlier version opens, with the columns that came since."""

import sqlite3
from contextlib import closing
from pathlib import Path

from ingest.embed import Embedder
from tests.indexes import counts, settings, sync
from tests.trees import write


def test_a_ledger_without_the_columns_that_came_since_opens_and_goes_on(
    tmp_path: Path, embedder: Embedder
) -> None:
    write(tmp_path / "docs", {"a.md": "# A\n\nTen days.\n"})
    sync(settings(tmp_path / "docs"), embedder)
    with closing(sqlite3.connect(tmp_path / "data" / "footnote.db")) as raw, raw:
        for column in ("ctime_ns", "inode", "read_at"):
            raw.execute(f"ALTER TABLE documents DROP COLUMN {column}")
    write(tmp_path / "docs", {"b.md": "# B\n\nTwelve days.\n"})
    assert counts(sync(settings(tmp_path / "docs"), embedder)) == (1, 0, 0, 1)
