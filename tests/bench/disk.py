"""How many bytes the data folder takes for one byte of documents, and which part takes them.

The passages are the tokenizer's own; vectors are random ones of the model's size, which take as
many bytes as any.
"""

import sqlite3
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

import numpy as np

from ingest.embed import Embedder, Vectors
from ingest.ledger import FILE
from ingest.settings import IngestSettings
from ingest.types import Report
from tests.bench.pages import write_pages
from tests.indexes import Watched, settings, sync

PAGES = 500
GOAL = 4.0
SMALLEST_SHOWN = 0.01  # of a document's byte
TITLE_CHARS = 100_000
PARAGRAPHS = 100


class Random(Watched):
    """Unit vectors of the model's size without its work."""

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        rows = np.random.default_rng(0).standard_normal((len(texts), self.dimensions))
        unit = rows / np.linalg.norm(rows, axis=1, keepdims=True)
        return unit.astype(np.float32)


def measure(docs: Path | None) -> list[str]:
    """Lines for the table."""
    embedder = Random(Embedder(IngestSettings(_env_file=None)))
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        docs = docs or write_pages(work / "docs", PAGES)
        report, taken = _taken_in(docs, work / "data", embedder)
        parts = stored(work / "data")
        titled, data = _write_titled(work / "titled"), work / "titled-data"
        _, titled_bytes = _taken_in(titled, data, embedder)
        of_titled = sum(stored(data).values()) / titled_bytes
    total = sum(parts.values())
    return [
        f"documents, passages                   {report.documents}, {report.chunks}",
        f"bytes of the documents                {taken:,}, {taken / report.chunks:.0f} a passage",
        f"bytes of the data folder              {total:,}, {total / report.chunks:.0f} a passage",
        *_shares(parts, taken),
        f"ratio (goal: at most {GOAL:g})             {total / taken:.2f}",
        f"ratio, a title of {TITLE_CHARS:,} characters  {of_titled:.2f}",
    ]


def _taken_in(docs: Path, data: Path, embedder: Embedder) -> tuple[Report, int]:
    """Take a folder in, close everything, and count the bytes of the files that were read."""
    report = sync(settings(docs, data=data), embedder)
    with closing(sqlite3.connect(data / FILE)) as ledger:
        (taken,) = ledger.execute("SELECT sum(size) FROM documents").fetchone()
    return report, int(taken)


def stored(data: Path) -> dict[str, int]:
    """Bytes of a closed data folder by table and file; their sum is that of the files."""
    parts: dict[str, int] = {}
    for file in sorted(path for path in data.rglob("*") if path.is_file()):
        name = f"HNSW: {file.name}" if file.parent.parent.name == "chroma" else file.name
        if file.suffix in {".db", ".sqlite3"}:
            owner = "ledger" if file.name == FILE else "Chroma"
            parts.update((f"{owner}: {table}", size) for table, size in _tables(file))
        else:
            parts[name] = parts.get(name, 0) + file.stat().st_size
    return parts


def _tables(file: Path) -> Iterator[tuple[str, int]]:
    """Bytes by table and index, then those of free pages and of what else the file holds."""
    size = file.stat().st_size
    with closing(sqlite3.connect(file)) as database:
        (page,) = database.execute("PRAGMA page_size").fetchone()
        (free,) = database.execute("PRAGMA freelist_count").fetchone()
        tables = database.execute("SELECT name, sum(pgsize) FROM dbstat GROUP BY name").fetchall()
    yield from tables
    yield "free pages", free * page
    yield "other pages", size - free * page - sum(count for _, count in tables)


def _shares(parts: dict[str, int], taken: int) -> Iterator[str]:
    """The parts as shares of the documents' bytes, largest first, small ones together."""
    shown = {name: size for name, size in parts.items() if size / taken >= SMALLEST_SHOWN}
    for name, size in sorted(shown.items(), key=lambda part: -part[1]):
        yield f"  {name:<36}{size / taken:.2f}"
    yield f"  {'all others':<36}{(sum(parts.values()) - sum(shown.values())) / taken:.2f}"


def _write_titled(root: Path) -> Path:
    """A file with a title that is longer than all the rest."""
    root.mkdir()
    title = "Rules of the house " * (TITLE_CHARS // 19)
    rules = (
        f"Rule {n} holds for every team until its lead says so. " * 3 for n in range(PARAGRAPHS)
    )
    (root / "titled.md").write_text(f"# {title}\n\n" + "\n\n".join(rules) + "\n", encoding="utf-8")
    return root
