"""One process owns the indexes: a lock on the data folder that any death of its holder frees."""

import fcntl
import os
import time
from pathlib import Path
from types import TracebackType
from typing import Self

from ingest.errors import BusyError, LedgerError
from ingest.private import FILE, make_private

NAME = "lock"
TRIES = 3
PAUSE_S = 0.05


class DataLock:
    """Holds the data folder from `__enter__` to `__exit__`.

    Chroma's embedded client must be alone on its path: a second writer corrupts it, a second reader
    goes stale without a word.
    """

    def __init__(self, data: Path) -> None:
        self._data = data
        self._fd: int | None = None

    def __enter__(self) -> Self:
        """Take the lock.

        Raises:
            BusyError: another process holds it; the text names its pid.
            LedgerError: the folder cannot be written.
        """
        try:
            make_private(self._data)
            fd = os.open(self._data / NAME, os.O_RDWR | os.O_CREAT, FILE)
        except OSError as error:
            raise self._unwritable(error) from error
        if not _taken(fd):
            os.close(fd)
            raise BusyError(
                f"{self._data} is in use by Footnote with pid {holder(self._data) or 'unknown'}:"
                " only one process may own the indexes. A bot can be asked there (in Slack, or in"
                " its terminal); a sync or another command can be waited for; or stop it first."
            )
        try:
            os.ftruncate(fd, 0)
            os.pwrite(fd, str(os.getpid()).encode(), 0)
        except OSError as error:
            os.close(fd)
            raise self._unwritable(error) from error
        self._fd = fd
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Give the lock back."""
        if self._fd is not None:
            os.ftruncate(self._fd, 0)
            os.close(self._fd)
            self._fd = None

    def _unwritable(self, error: OSError) -> LedgerError:
        return LedgerError(
            f"FOOTNOTE_DATA={self._data} cannot be written ({error.strerror})."
            " Name a folder that this user may write."
        )


def _taken(fd: int) -> bool:
    """Try to lock; a few times, since `holder` takes the lock too, for a moment."""
    for attempt in range(TRIES):
        if attempt:
            time.sleep(PAUSE_S)
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            continue
        return True
    return False


def holder(data: Path) -> int | None:
    """Give the pid of the process that holds the folder, or None when nobody does."""
    file = data / NAME
    try:
        with file.open("rb") as stream:
            try:
                fcntl.flock(stream, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except BlockingIOError:
                text = stream.read().strip()
                return int(text) if text.isdigit() else 0
    except OSError:  # no such folder, or none that this user may look into
        return None
    return None
