import fcntl
import os
import subprocess
import threading
from pathlib import Path

import pytest

from ingest.errors import BusyError, LedgerError
from ingest.lock import NAME, DataLock, holder
from tests.commands import start

HOLD = """
import sys, time
from pathlib import Path
from ingest.lock import DataLock
with DataLock(Path(sys.argv[1])):
    print("held", flush=True)
    time.sleep(60)
"""


def hold(data: Path) -> "subprocess.Popen[str]":
    process = start({}, "-c", HOLD, str(data))
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    return process


def kill(process: "subprocess.Popen[str]") -> None:
    process.kill()
    process.communicate()


def test_the_holder_is_known_by_its_pid_as_long_as_it_holds(tmp_path: Path) -> None:
    data = tmp_path / "new" / "data"
    assert holder(data) is None
    with DataLock(data):
        assert holder(data) == os.getpid()
    assert holder(data) is None


def test_a_second_process_is_refused_with_the_pid_of_the_first(tmp_path: Path) -> None:
    process = hold(tmp_path)
    try:
        assert holder(tmp_path) == process.pid
        with pytest.raises(BusyError, match=rf"in use by Footnote with pid {process.pid}: only"):
            DataLock(tmp_path).__enter__()
    finally:
        kill(process)


def test_the_second_lock_of_one_process_is_refused_too(tmp_path: Path) -> None:
    with DataLock(tmp_path), pytest.raises(BusyError, match=f"pid {os.getpid()}"):
        DataLock(tmp_path).__enter__()


def test_the_refusal_holds_for_a_bot_and_for_a_sync_as_holder(tmp_path: Path) -> None:
    with DataLock(tmp_path), pytest.raises(BusyError) as refused:
        DataLock(tmp_path).__enter__()
    assert str(refused.value).endswith(
        "A bot can be asked there (in Slack, or in its terminal);"
        " a sync or another command can be waited for; or stop it first."
    )


def test_a_killed_holder_leaves_the_folder_free(tmp_path: Path) -> None:
    kill(hold(tmp_path))
    assert holder(tmp_path) is None
    with DataLock(tmp_path):
        assert holder(tmp_path) == os.getpid()


def test_somebody_asking_who_holds_does_not_keep_the_lock_from_being_taken(
    tmp_path: Path,
) -> None:
    with DataLock(tmp_path):
        pass
    asking = (tmp_path / NAME).open("rb")
    fcntl.flock(asking, fcntl.LOCK_SH)  # as `holder` does, for a moment
    timer = threading.Timer(0.02, asking.close)
    timer.start()
    with DataLock(tmp_path):
        assert holder(tmp_path) == os.getpid()
    timer.join()


def test_a_folder_that_cannot_be_written_is_an_error_that_names_the_setting(
    tmp_path: Path,
) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(LedgerError, match=r"FOOTNOTE_DATA=.*file/data cannot be written"):
        DataLock(tmp_path / "file" / "data").__enter__()


def test_a_full_disk_leaves_the_lock_free_for_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> int:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "pwrite", full)
        with pytest.raises(LedgerError, match="No space left on device"):
            DataLock(tmp_path).__enter__()
    with DataLock(tmp_path):
        assert holder(tmp_path) == os.getpid()
