"""What is stored is its owner's alone, and a ledger of before opens with what came since."""

import os
import sqlite3
import stat
from pathlib import Path

import pytest

from bot.gaps import count_private, read_unanswered
from ingest.ledger import Ledger
from ingest.lock import DataLock


def modes(folder: Path) -> dict[str, str]:
    paths = [folder, *folder.rglob("*")]
    return {path.name: oct(stat.S_IMODE(path.lstat().st_mode)) for path in paths}


def test_stored_data_and_backups_are_their_owners_alone_whatever_the_umask(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        data = tmp_path / "data"
        with DataLock(data):
            os.umask(0)
            ledger = Ledger(data)
            os.umask(0)
            ledger.backup(tmp_path / "copy.db")
            found = modes(data)
            ledger.close()
    finally:
        os.umask(before)
    assert found.pop("data") == "0o700"
    assert {"footnote.db", "lock"} <= found.keys()
    assert set(found.values()) == {"0o600"}
    assert stat.S_IMODE((tmp_path / "copy.db").stat().st_mode) == 0o600


def test_a_folder_with_wider_rights_is_closed_and_that_is_said_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    data = tmp_path / "data"
    (data / "chroma" / "part").mkdir(parents=True)
    for name in ("footnote.db", "chroma/part/data_level0.bin"):
        (data / name).touch()
    (data / "mine.md").touch()
    for path in (data, *data.rglob("*")):
        path.chmod(0o755)
    for _ in range(2):
        with DataLock(data):
            pass
    wide = [name for name, mode in modes(data).items() if mode.endswith("55")]
    assert wide == ["mine.md"]
    assert caplog.text.count("Others could read 5 of the files and folders") == 1


def test_a_ledger_of_before_opens_and_its_questions_are_private(tmp_path: Path) -> None:
    Ledger(tmp_path).close()
    with sqlite3.connect(tmp_path / "footnote.db") as old:
        for table in ("answers", "owed"):
            for column in ("private", "author", "source"):
                old.execute(f"ALTER TABLE {table} DROP COLUMN {column}")
        old.execute(
            "INSERT INTO answers VALUES (1, 'abstention', 'q', 'q', 't', 'weak_evidence', 0, 0,"
            " 'g', 1, 'r', 0.1, 'C1', '1.0', '2.0', 'U1', 1.0, NULL)"
        )
    ledger = Ledger(tmp_path)
    assert read_unanswered(ledger.engine) == []
    assert count_private(ledger.engine) == 1
    with ledger.engine.begin() as connection:
        connection.exec_driver_sql("UPDATE answers SET forwarded_at = 3.0")
    assert [each.question for each in read_unanswered(ledger.engine)] == ["q"]
    ledger.close()
