"""What Footnote stores is for its own user alone: folders 0700, files 0600, whatever the umask."""

import logging
import os
import stat
from collections.abc import Iterator
from pathlib import Path

FOLDER, FILE = 0o700, 0o600
OTHERS = 0o077  # rights of the group and of everybody else
# What lies in a data folder: nothing else there is touched, so that a folder named by mistake
# keeps its rights.
OWN = ("footnote.db*", "chroma", "lock", "gate.*")

log = logging.getLogger(__name__)


def make_private(data: Path) -> None:
    """Make the data folder, close it to others with all that Footnote keeps there, and say so once.

    From here on, files that this process makes are its user's alone: Chroma makes its own.

    Raises:
        OSError: the folder cannot be made.
    """
    os.umask(OTHERS)
    data.mkdir(mode=FOLDER, parents=True, exist_ok=True)
    tightened = sum(map(_tighten, (data, *_own(data))))
    if tightened:
        log.warning(
            "Others could read %d of the files and folders in %s: closed to them now",
            tightened,
            data,
        )


def create_private(file: Path) -> None:
    """Make an empty file that its owner alone can read, unless there is one.

    Raises:
        OSError: it cannot be made.
    """
    os.close(os.open(file, os.O_RDWR | os.O_CREAT, FILE))


def _own(data: Path) -> Iterator[Path]:
    for pattern in OWN:
        for path in data.glob(pattern):
            yield path
            if path.is_dir() and not path.is_symlink():
                yield from path.rglob("*")


def _tighten(path: Path) -> bool:
    """Whether rights were taken away."""
    try:
        mode = path.lstat().st_mode
        if stat.S_ISLNK(mode) or not mode & OTHERS:
            return False
        path.chmod(stat.S_IMODE(mode) & ~OTHERS)
    except FileNotFoundError:  # SQLite removes its own beside us
        return False
    except OSError as error:
        log.warning("%s can be read by others, and that cannot be changed: %s", path, error)
        return False
    return True
