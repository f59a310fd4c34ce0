"""What a pass costs that finds nothing new, against looking at the same files."""

import os
import tempfile
import time
from pathlib import Path
from statistics import median

from ingest.embed import Embedder
from ingest.index import Index
from ingest.settings import IngestSettings
from tests.bench.pages import LONG_AGO
from tests.indexes import opened, settings

FILES = 10_000
TEXTS = 50  # different ones: the model is not what is measured here


def measure(docs: Path | None, rounds: int) -> list[str]:
    """Lines for the table."""
    embedder = Embedder(IngestSettings(_env_file=None))
    with tempfile.TemporaryDirectory() as folder:
        docs = docs or write_files(Path(folder) / "docs")
        with opened(settings(docs, data=Path(folder) / "data"), embedder) as index:
            report = index.sync()
            index.sync()
            walks, syncs = [], []
            for _ in range(rounds):
                walks.append(_walk_s(docs))
                syncs.append(_sync_s(index))
    ratio = median(s / w for s, w in zip(syncs, walks, strict=True))
    return [
        f"documents, passages                   {report.documents}, {report.chunks}",
        f"a walk with stat                      {median(walks) * 1000:.0f} ms",
        f"a pass that finds nothing new         {median(syncs) * 1000:.0f} ms",
        f"ratio                                 {ratio:.2f}",
    ]


def write_files(root: Path) -> Path:
    for n in range(FILES):
        file = root / f"part-{n % 100:02}" / f"page-{n:05}.md"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"# Page\n\nThis is text number {n % TEXTS}.\n", encoding="utf-8")
        os.utime(file, (LONG_AGO, LONG_AGO))
    return root


def _walk_s(docs: Path) -> float:
    begun = time.perf_counter()
    for folder, _, names in os.walk(docs):
        for name in names:
            os.stat(os.path.join(folder, name))  # noqa: PTH116, PTH118 - what is measured against
    return time.perf_counter() - begun


def _sync_s(index: Index) -> float:
    begun = time.perf_counter()
    report = index.sync()
    assert report.unchanged == report.documents
    return time.perf_counter() - begun
