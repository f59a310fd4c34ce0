"""Where documents come from. One file a kind of place; `Source` is what `sync` asks of each."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from ingest.types import Failure


@dataclass(frozen=True, slots=True)
class Entry:
    """A document that a source lists. `path` is below the source, with `/`.

    `read_as` is a file name that says how to read it, where the path does not. `ctime_ns` and
    `inode` are 0 where the source has none: a writer can set a file's time back, but not these.
    """

    path: str
    size: int
    mtime_ns: int
    ctime_ns: int = 0
    inode: int = 0
    read_as: str = ""


@dataclass(frozen=True, slots=True)
class Listing:
    """What a source holds now.

    `failures` name documents or folders (by path below the source) that could not be listed: what
    is known of them, and of all below them, must not be taken for gone. `unsupported` are the paths
    of files of kinds that cannot be read.
    """

    entries: tuple[Entry, ...]
    failures: tuple[Failure, ...]
    unsupported: tuple[str, ...]


class Source(Protocol):
    """A place with documents under a stable name."""

    name: str

    def scan(self, below: Sequence[Path] | None = None) -> Listing:
        """List the documents, or only those at or below the given paths.

        Raises:
            SourceError: the place itself cannot be listed.
        """

    def concerns(self, path: Path) -> bool:
        """Whether the path is at, below or above the place."""

    def covers(self, path: str, below: Sequence[Path]) -> bool:
        """Whether the document at `path` is at or below one of the given paths."""

    def read(self, entry: Entry) -> bytes:
        """Read a document whole.

        Raises:
            DocumentError: it cannot be read, is too large, or changed while it was read.
        """
