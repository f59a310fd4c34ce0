"""A ledger of an earlier version opens and loses nothing; one of a later version is left alone."""

import sqlite3
import subprocess
import sys
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from ingest.embed import Embedder
from ingest.errors import LedgerError
from ingest.ledger import Ledger
from ingest.schema import open_database
from tests.indexes import Watched, counts, opened, settings, sync
from tests.trees import write

EARLIER = Path(__file__).with_name("ledger_1.sql")
RECIPE = "all-MiniLM-L6-v2@53aa51172d14"
PAGES = {
    "leave.md": "# Leave\n\nStaff get 25 days of leave.\n\n"
    "## Sick leave\n\nCall your lead before ten.\n",
    "pay.md": "# Pay\n\nSalaries are paid on the 27th.\n",
}


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


def test_a_ledger_of_version_1_opens_with_its_ids_and_no_text_is_embedded_again(
    tmp_path: Path, embedder: Embedder
) -> None:
    write(tmp_path / "docs", PAGES)
    earlier(tmp_path / "data")
    watched = Watched(embedder)
    with opened(settings(tmp_path / "docs"), watched) as index:
        report = index.sync()
        old = index.ledger.find("e63e24dd8df5")
        live = index.ledger.live(["141b0b1dc72e", "0365e1d308b4", "c0b52984e3f6", "e63e24dd8df5"])
        hit = index.query(embedder.embed_query("When are salaries paid?"), 1)[0]
    assert (report.added, report.removed, report.failed) == (0, 0, ())
    assert watched.texts == []
    assert old is not None
    assert old.retired_at is not None
    assert (old.chunk.text, old.chunk.digest, old.version, old.successor) == (
        "Salaries are paid on the 25th.",
        "e63e24dd8df54ff5376d85934173a00f0f5679a7",
        1,
        "0365e1d308b4",
    )
    assert {id_: chunk.text for id_, chunk in live.items()} == {
        "c0b52984e3f6": "Staff get 25 days of leave.",
        "141b0b1dc72e": "Call your lead before ten.",
        "0365e1d308b4": "Salaries are paid on the 27th.",
    }
    assert hit[0] == "0365e1d308b4"


def test_a_ledger_of_version_1_has_its_vectors_in_half_precision_and_their_room_is_given_back(
    tmp_path: Path,
) -> None:
    file = earlier(tmp_path, copies=500)
    size, whole = file.stat().st_size, vectors_of_1(file)
    with closing(Ledger(tmp_path)) as ledger:
        halves = ledger.vectors(RECIPE, whole)
    assert halves.keys() == whole.keys()
    assert all(np.allclose(halves[key], whole[key], rtol=2**-11, atol=2**-25) for key in whole)
    assert file.stat().st_size < 0.6 * size
    assert held(file) == [(504, 768, 768)]


def test_processes_that_open_a_ledger_of_version_1_at_once_convert_it_once(tmp_path: Path) -> None:
    file = earlier(tmp_path, copies=3000)
    whole = vectors_of_1(file)
    opening = (
        "import sys; from pathlib import Path; from ingest.schema import open_database\n"
        "print('ready', flush=True); sys.stdin.readline()\n"
        "open_database(Path(sys.argv[1])).dispose()"
    )
    processes = [started(opening, str(file)) for _ in range(4)]
    for process in processes:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    errors = [process.communicate(timeout=100)[1] for process in processes]
    assert [process.returncode for process in processes] == [0] * 4, errors
    assert converted(tmp_path, whole)


def test_a_kill_at_any_step_of_the_conversion_loses_nothing(tmp_path: Path) -> None:
    file = earlier(tmp_path / "whole", copies=20)
    whole = vectors_of_1(file)
    killing = """
import os, shutil, signal, sqlite3, sys
from pathlib import Path
from sqlalchemy import Engine, event
from ingest.schema import open_database

def open_and_die(file, steps):
    def count(connection, record):
        left = iter(range(steps))
        connection.set_progress_handler(
            lambda: next(left, None) is None and os.kill(os.getpid(), signal.SIGKILL), 20
        )
    event.listen(Engine, "connect", count)
    open_database(file).dispose()

kills, steps = 0, 1
while True:
    data = Path(sys.argv[2]) / str(steps)
    shutil.copytree(sys.argv[1], data)
    child = os.fork()
    if not child:
        open_and_die(data / "footnote.db", steps)
        os._exit(0)
    ended = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if ended != -signal.SIGKILL:
        break
    kills, steps = kills + 1, max(steps + 1, steps * 9 // 8)
print(kills)
sys.exit(ended)
"""
    process = started(killing, str(tmp_path / "whole"), str(tmp_path / "killed"))
    told, errors = process.communicate(timeout=100)
    assert process.returncode == 0, errors
    cut_off = sorted((tmp_path / "killed").iterdir())
    assert len(cut_off) == int(told) + 1
    assert int(told) > 20
    versions = {version_of(data / "footnote.db") for data in cut_off}
    assert versions == {1, 2}
    assert all(converted(data, whole) for data in cut_off)


def test_a_ledger_of_a_later_version_is_refused_in_words_and_not_touched(tmp_path: Path) -> None:
    file = tmp_path / "footnote.db"
    open_database(file).dispose()
    with closing(sqlite3.connect(file)) as raw, raw:
        raw.execute("DROP TABLE blocked")
        raw.execute("PRAGMA user_version = 3")
        before = raw.execute("SELECT name FROM sqlite_master").fetchall()
    with pytest.raises(LedgerError) as refused:
        open_database(file)
    assert str(refused.value) == (
        f"{file} was written by a newer Footnote (schema 3, this one knows 2):"
        " update Footnote, or name another FOOTNOTE_DATA."
    )
    with closing(sqlite3.connect(file)) as raw:
        assert raw.execute("SELECT name FROM sqlite_master").fetchall() == before


def earlier(data: Path, copies: int = 0) -> Path:
    """A ledger of version 1, with so many vectors more."""
    data.mkdir(exist_ok=True)
    file = data / "footnote.db"
    rows = np.random.default_rng(0).standard_normal((copies, 384), np.float32) / 20
    with closing(sqlite3.connect(file)) as raw, raw:
        raw.execute("PRAGMA journal_mode=WAL")
        raw.executescript(EARLIER.read_text(encoding="utf-8"))
        values = [(RECIPE, f"{n:064x}", row.tobytes()) for n, row in enumerate(rows)]
        raw.executemany("INSERT INTO vectors VALUES (?, ?, ?)", values)
    return file


def vectors_of_1(file: Path) -> dict[str, np.ndarray]:
    with closing(sqlite3.connect(file)) as raw:
        rows = raw.execute("SELECT embed_hash, vector FROM vectors").fetchall()
    return {key: np.frombuffer(vector, np.float32) for key, vector in rows}


def version_of(file: Path) -> int:
    with closing(sqlite3.connect(file)) as raw:
        return int(raw.execute("PRAGMA user_version").fetchone()[0])


def held(file: Path) -> Sequence[tuple[int, int, int]]:
    """How many vectors there are, and the bytes of the shortest and the longest."""
    with closing(sqlite3.connect(file)) as raw:
        return raw.execute(
            "SELECT count(*), min(length(vector)), max(length(vector)) FROM half_vectors"
        ).fetchall()


def converted(data: Path, whole: dict[str, np.ndarray]) -> bool:
    """Whether the ledger, once opened, holds those vectors and its passages."""
    with closing(Ledger(data)) as ledger:
        halves = ledger.vectors(RECIPE, whole)
        texts = [chunk.text for chunk in ledger.all_live()]
        hashes = set(ledger.live_hashes().values())
    return (
        texts
        == [
            "Staff get 25 days of leave.",
            "Call your lead before ten.",
            "Salaries are paid on the 27th.",
        ]
        and hashes < halves.keys() == whole.keys()
        and all(np.array_equal(halves[key], whole[key].astype(np.float16)) for key in whole)
    )


def started(program: str, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", program, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
