"""A folder of files, read recursively."""

import errno
import os
import re
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path

from pathspec import GitIgnoreSpec

from ingest.errors import DocumentError, SettingsError, SourceError
from ingest.parse import supported
from ingest.settings import IngestSettings
from ingest.sources import Entry, Listing
from ingest.types import Failure

FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
CHANGED = "It changed while it was read; the next sync takes it in."


class FolderSource:
    """Files below one folder. Hidden files and excluded ones are passed over.

    A link to a file inside the folder is read like a file. Links that lead out of it, and links to
    folders (they could loop), are reported and not followed.
    """

    def __init__(self, root: Path, *, exclude: Sequence[str] = (), max_bytes: int) -> None:
        self.root = Path(os.path.abspath(root))  # noqa: PTH100 - keeps a linked root's own name
        self.name = self.root.name
        try:
            self._exclude = GitIgnoreSpec.from_lines(exclude) if exclude else None
        except (ValueError, re.error) as error:
            raise SettingsError(f"FOOTNOTE_EXCLUDE cannot be read: {error}.") from error
        self._max_bytes = max_bytes

    def scan(self, below: Sequence[Path] | None = None) -> Listing:
        """List the supported files, in the order of their paths."""
        self._require_folder()
        failures: list[Failure] = []
        entries: list[Entry] = []
        unsupported: list[str] = []
        for found in self._walk(below, failures):
            if not supported(found.path):
                unsupported.append(_printable(found.path))
            elif found.size > self._max_bytes:
                failures.append(Failure(found.path, self._too_large(found.size)))
            else:
                entries.append(found)
        entries.sort(key=lambda entry: entry.path)
        return Listing(tuple(entries), tuple(failures), tuple(sorted(unsupported)))

    def _require_folder(self) -> None:
        try:
            is_folder = stat.S_ISDIR(self.root.stat().st_mode)
        except OSError as error:
            missing = isinstance(error, FileNotFoundError)
            what = "does not exist" if missing else f"cannot be looked at ({error.strerror})"
        else:
            if is_folder:
                return
            what = "is not a folder"
        raise SourceError(f"{self.root} {what}: name existing folders in FOOTNOTE_DOCS.")

    def concerns(self, path: Path) -> bool:
        """Whether the path is the folder, something below it, or something above it."""
        return path == self.root or self.root in path.parents or path in self.root.parents

    def covers(self, path: str, below: Sequence[Path]) -> bool:
        """Whether the file at `path` is at or below one of the given paths."""
        file = self.root / path
        return any(file == p or p in file.parents for p in below)

    def read(self, entry: Entry) -> bytes:
        """Read a file whole, exactly as it was when it was listed."""
        try:
            fd = self._open(entry.path)
            try:
                if not stat.S_ISREG(os.fstat(fd).st_mode):
                    raise DocumentError(CHANGED)
                with open(fd, "rb", closefd=False) as stream:
                    data = stream.read(self._max_bytes + 1)
                now = os.fstat(fd)
            finally:
                os.close(fd)
        except FileNotFoundError as error:
            raise DocumentError(
                "It vanished while it was read; the next sync looks again."
            ) from error
        except OSError as error:
            if error.errno in {errno.ELOOP, errno.ENOTDIR, errno.ENXIO}:
                raise DocumentError(CHANGED) from error
            raise DocumentError(
                f"It cannot be read ({error.strerror}): check its rights."
            ) from error
        if len(data) > self._max_bytes:
            raise DocumentError(self._too_large(now.st_size))
        if _entry_of(entry.path, now) != entry or now.st_size != len(data):
            raise DocumentError(CHANGED)
        return data

    def _open(self, path: str) -> int:
        """Open a file for reading by its path, or what its link leads to inside the folder.

        No other link is followed on the way, so nothing that is put in a file's or a folder's place
        after the listing leads out of the source; nor does a pipe keep the caller waiting.
        """
        root = os.open(self.root, FOLDER)
        try:
            try:
                return _open_below(root, path)
            except OSError as error:
                link = self.root / path
                if error.errno != errno.ELOOP or self._bad_link(str(link)):
                    raise
                target = link.resolve(strict=True).relative_to(self.root.resolve())
                return _open_below(root, target.as_posix())
        finally:
            os.close(root)

    def _too_large(self, size: int) -> str:
        return (
            f"It has {size / 1e6:.1f} MB, over the limit of {self._max_bytes / 1e6:g} MB:"
            " split it, or raise FOOTNOTE_MAX_FILE_MB."
        )

    def _walk(self, below: Sequence[Path] | None, failures: list[Failure]) -> Iterator[Entry]:
        pending = [self.root]
        while pending:
            folder = pending.pop()
            prefix = "" if folder == self.root else folder.relative_to(self.root).as_posix() + "/"
            for item in self._scan_folder(folder, prefix, failures):
                path = prefix + item.name
                is_folder = item.is_dir(follow_symlinks=False)
                if item.name.startswith(".") or self._is_excluded(path, folder=is_folder):
                    continue
                if below is not None and not self._is_wanted(path, below, folder=is_folder):
                    continue
                if not _is_utf8(path) and (is_folder or supported(path)):
                    failures.append(Failure(_printable(path), "Its name is not UTF-8: rename it."))
                elif is_folder:
                    pending.append(folder / item.name)
                elif (entry := self._entry(item, path, failures)) is not None:
                    yield entry

    def _is_wanted(self, path: str, below: Sequence[Path], *, folder: bool) -> bool:
        """Whether it is at or below one of the paths, or a folder on the way to one."""
        here = self.root / path
        return self.covers(path, below) or (folder and any(here in p.parents for p in below))

    def _scan_folder(
        self, folder: Path, prefix: str, failures: list[Failure]
    ) -> "list[os.DirEntry[str]]":
        try:
            with os.scandir(folder) as items:
                return list(items)
        except OSError as error:
            if folder == self.root:
                raise SourceError(f"{folder} cannot be listed ({error.strerror}).") from error
            name = prefix.rstrip("/")
            failures.append(Failure(name, f"It cannot be listed ({error.strerror})."))
            return []

    def _is_excluded(self, path: str, *, folder: bool) -> bool:
        if self._exclude is None:
            return False
        return self._exclude.match_file(path + "/" if folder else path)

    def _entry(self, item: "os.DirEntry[str]", path: str, failures: list[Failure]) -> Entry | None:
        try:
            if item.is_symlink() and (problem := self._bad_link(item.path)):
                failures.append(Failure(path, problem))
                return None
            info = item.stat()
        except OSError as error:
            failures.append(Failure(path, f"It cannot be looked at ({error.strerror})."))
            return None
        if not stat.S_ISREG(info.st_mode):
            return None
        return _entry_of(path, info)

    def _bad_link(self, link: str) -> str | None:
        try:
            target = Path(link).resolve(strict=True)
        except (OSError, RuntimeError):
            return "It is a link that leads nowhere or in a circle; it is not followed."
        root = self.root.resolve()
        if target != root and root not in target.parents:
            return "It is a link that leads out of the source's folder; it is not followed."
        if target.is_dir():
            return "It is a link to a folder; it is not followed."
        if self._is_passed_over(target.relative_to(root)):
            return "It is a link to a hidden or excluded file; it is not followed."
        return None

    def _is_passed_over(self, path: Path) -> bool:
        """Whether a file, or a folder that it is in, is hidden or excluded."""
        folders = [parent.as_posix() for parent in path.parents if parent != Path()]
        return (
            any(part.startswith(".") for part in path.parts)
            or self._is_excluded(path.as_posix(), folder=False)
            or any(self._is_excluded(folder, folder=True) for folder in folders)
        )


def _open_below(root: int, path: str) -> int:
    """Open a file below an open folder, following no link at any step."""
    *folders, name = path.split("/")
    here = os.dup(root)
    try:
        for folder in folders:
            below = os.open(folder, FOLDER | os.O_NOFOLLOW, dir_fd=here)
            os.close(here)
            here = below
        return os.open(name, FILE, dir_fd=here)
    finally:
        os.close(here)


def _entry_of(path: str, info: os.stat_result) -> Entry:
    return Entry(path, info.st_size, info.st_mtime_ns, info.st_ctime_ns, info.st_ino)


def _is_utf8(path: str) -> bool:
    """Whether a name has no byte that the file system's encoding could not decode."""
    return path.isascii() or not any("\udc80" <= char <= "\udcff" for char in path)


def _printable(path: str) -> str:
    return os.fsencode(path).decode(errors="replace")


def open_sources(settings: IngestSettings) -> list[FolderSource]:
    """Make a source of each folder in FOOTNOTE_DOCS.

    Raises:
        SettingsError: none is named, two have the same base name, or an exclusion makes no sense.
    """
    folders = settings.folders()
    if not folders:
        raise SettingsError("FOOTNOTE_DOCS names no folder: set it to your folder of documents.")
    max_bytes = int(settings.max_file_mb * 1_000_000)
    sources = [
        FolderSource(folder, exclude=settings.excluded(), max_bytes=max_bytes) for folder in folders
    ]
    names = [source.name for source in sources]
    for name in names:
        if names.count(name) > 1:
            raise SettingsError(
                f"FOOTNOTE_DOCS names two folders called {name!r}: documents are known by that"
                " name, so rename one."
            )
    return sources
