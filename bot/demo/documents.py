"""The sample documents as the local page shows and saves them."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ingest.ledger import Ledger
from ingest.types import SEPARATOR, Chunk


class SampleDocuments:
    """The files of the demo's one folder. Methods block."""

    def __init__(self, folder: Path, ledger: Ledger) -> None:
        self._folder, self._ledger = folder, ledger

    def list_documents(self) -> Sequence[dict[str, Any]]:
        """Those that are taken in, by name, with the title of each."""
        titles: dict[str, str] = {}
        for chunk in self._ledger.all_live():
            titles.setdefault(chunk.doc, chunk.heading.split(SEPARATOR, 1)[0] or chunk.doc)
        return [{"doc": doc, "title": title} for doc, title in titles.items()]

    def read_document(self, doc: str) -> dict[str, Any]:
        """The text of the file as it is, and the passages that are live.

        Raises:
            KeyError: it is not one of the documents.
        """
        passages = [chunk for chunk in self._ledger.all_live() if chunk.doc == doc]
        with self._file(doc).open(encoding="utf-8", newline="") as file:
            text = file.read()
        return {"doc": doc, "text": text, "passages": [_passage(chunk) for chunk in passages]}

    def save_document(self, doc: str, text: str) -> None:
        """Write the file in one step: the schedule may look at any moment.

        Raises:
            KeyError: it is not one of the documents.
        """
        file = self._file(doc)
        part = file.with_name(f".{file.name}.part")
        with part.open("w", encoding="utf-8", newline="") as writing:
            writing.write(text)
        part.replace(file)

    def _file(self, doc: str) -> Path:
        if doc not in self._ledger.known():  # no path from a browser is ever followed
            raise KeyError(doc)
        return self._folder / doc


def _passage(chunk: Chunk) -> dict[str, Any]:
    return {"id": chunk.id, "heading": chunk.heading, "start": chunk.start, "end": chunk.end}
