"""How much of an ingestion is the model's own work."""

import tempfile
import time
from pathlib import Path
from statistics import median

from ingest.embed import Embedder
from ingest.settings import IngestSettings
from tests.bench.pages import write_pages
from tests.indexes import Watched, opened, settings

PAGES = 60
GOAL = 0.85


def measure(docs: Path | None, rounds: int) -> list[str]:
    """Lines for the table: a first pass over the documents against `encode` on its texts."""
    embedder = Watched(Embedder(IngestSettings(_env_file=None)))
    embedder.embed_passages(["warm"] * 64)
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        docs = docs or write_pages(work / "docs", PAGES)
        syncs, encodes = [], []
        for n in range(rounds):
            syncs.append(_sync_s(embedder, docs, work / f"data-{n}"))
            encodes.append(_encode_s(embedder, embedder.texts))
    ratio = median(e / s for e, s in zip(encodes, syncs, strict=True))
    count = len(embedder.texts)
    return [
        f"passages embedded                     {count}",
        f"a first pass                          {count / median(syncs):.1f} passages/s",
        f"the model's encode, same texts        {count / median(encodes):.1f} passages/s",
        f"ratio (goal: at least {GOAL})           {ratio:.2f}",
    ]


def _sync_s(embedder: Watched, docs: Path, data: Path) -> float:
    embedder.texts = []
    with opened(settings(docs, data=data), embedder) as index:
        begun = time.perf_counter()
        index.sync()
        return time.perf_counter() - begun


def _encode_s(embedder: Embedder, texts: list[str]) -> float:
    begun = time.perf_counter()
    embedder._loaded.encode(texts, normalize_embeddings=True, show_progress_bar=False)
    return time.perf_counter() - begun
