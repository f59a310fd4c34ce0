"""A file of documents, one JSON object `{"doc", "text"}` a line."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from pydantic import BaseModel, ValidationError

from ingest.errors import SourceError
from ingest.parse import supported
from ingest.sources import Entry, Listing


class _Line(BaseModel):
    doc: str
    text: str


class JsonlSource:
    """The documents of one such file, read when it is listed and held in memory.

    A document is called by its `doc`, and read as that name's ending says; as text without one.
    """

    def __init__(self, file: Path) -> None:
        self.file = file.resolve()
        self.name = file.stem
        self._texts: dict[str, bytes] = {}

    def scan(self, below: Sequence[Path] | None = None) -> Listing:
        """List all documents: there is no path below a line.

        Raises:
            SourceError: the file cannot be read, or a line (named by its number) is no document.
        """
        del below
        try:
            mtime_ns = self.file.stat().st_mtime_ns
            lines = self.file.read_text(encoding="utf-8").split("\n")
        except (OSError, UnicodeDecodeError) as error:
            raise SourceError(f"{self.file} cannot be read as UTF-8 text ({error}).") from error
        self._texts = {}
        for number, doc, text in self._documents(lines):
            if doc in self._texts:
                raise SourceError(f"{self.file}, line {number}: {doc!r} is there twice.")
            self._texts[doc] = text.encode()
        entries = (self._entry(doc, data, mtime_ns) for doc, data in self._texts.items())
        return Listing(tuple(entries), (), ())

    def concerns(self, path: Path) -> bool:
        """Whether the path is the file or above it."""
        return path == self.file or path in self.file.parents

    def covers(self, path: str, below: Sequence[Path]) -> bool:
        """Whether the file, and so each of its documents, is at or below one of the paths."""
        del path
        return any(self.concerns(p) for p in below)

    def read(self, entry: Entry) -> bytes:
        """Give a document as it was listed."""
        return self._texts[entry.path]

    def _documents(self, lines: Sequence[str]) -> Iterator[tuple[int, str, str]]:
        for number, line in enumerate(lines, start=1):
            if not line.strip():
                continue
            try:
                row = _Line.model_validate_json(line)
            except ValidationError as error:
                raise SourceError(
                    f'{self.file}, line {number}: expected {{"doc": "…", "text": "…"}}.'
                ) from error
            yield number, row.doc, row.text

    @staticmethod
    def _entry(doc: str, data: bytes, mtime_ns: int) -> Entry:
        return Entry(doc, len(data), mtime_ns, read_as="" if supported(doc) else f"{doc}.txt")
