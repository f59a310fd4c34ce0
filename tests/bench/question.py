"""From a question to its reranked passages, against the models' own work on the same pairs."""

import asyncio
import json
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from bot.found import Found
from bot.rerank import CrossEncoderReranker, LateInteractionReranker
from bot.settings import Settings
from bot.wiring import Parts, open_parts
from ingest.index import Index
from tests.commands import HANDBOOK, ROOT

QUESTIONS = 40


def measure(docs: Path | None, questions: Path | None) -> list[str]:
    """Lines for the table; each question is asked when no passage is known, and again at once."""
    asked = _questions(questions or ROOT / "tests" / "quality" / "cases.jsonl")
    with tempfile.TemporaryDirectory() as data:
        chosen = Settings(_env_file=None).model_copy(
            update={"docs": str(docs or HANDBOOK), "data": Path(data)}
        )
        with Index(chosen) as index:
            index.sync()
            return asyncio.run(_measure(chosen, index, asked))


def _questions(file: Path) -> list[str]:
    rows = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    return [str(row["q"]) for row in rows if not row.get("history")][:QUESTIONS]


async def _measure(chosen: Settings, index: Index, asked: Sequence[str]) -> list[str]:
    async with open_parts(chosen, index) as parts:
        await parts.pipeline.search("warm")
        cold, warm, own, pairs = [], [], [], []
        for question in asked:
            _forget(parts)
            found, first_s = await _search(parts, question)
            _, again_s = await _search(parts, question)
            cold.append(first_s)
            warm.append(again_s)
            own.append(_own_s(parts, question, found))
            pairs.append(len(found.hits))
        name = parts.pipeline.reranker.name
    return [
        f"reranker, questions                   {name}, {len(asked)}",
        f"passages, pairs a question            {index.ledger.counts()[1]}, {np.mean(pairs):.0f}",
        f"question to passages, none cached     {_told(cold)}",
        f"question to passages, all cached      {_told(warm)}",
        f"the models' own work, same pairs      {_told(own)}",
        f"ratio of the sums, none cached        {sum(cold) / sum(own):.2f}",
    ]


def _told(seconds: Sequence[float]) -> str:
    p50, p95 = np.quantile(seconds, [0.5, 0.95]) * 1000
    return f"p50 {p50:.0f} ms, p95 {p95:.0f} ms"


def _forget(parts: Parts) -> None:
    reranker = parts.pipeline.reranker
    if isinstance(reranker, LateInteractionReranker):
        reranker._cache._held.clear()
        reranker._cache._bytes = 0


async def _search(parts: Parts, question: str) -> tuple[Found, float]:
    begun = time.perf_counter()
    found = await parts.pipeline.search(question)
    return found, time.perf_counter() - begun


def _own_s(parts: Parts, question: str, found: Found) -> float:
    """Embedding the question, and what the reranker's model makes of the pairs."""
    texts = [hit.chunk.embedded for hit in found.hits]
    reranker, embedder = parts.pipeline.reranker, parts.index.embedder
    begun = time.perf_counter()
    embedder.embed_query(question)
    if isinstance(reranker, CrossEncoderReranker):
        reranker._model.predict([(question, text) for text in texts], show_progress_bar=False)
    else:
        embedder.embed_tokens([question])
        embedder.embed_tokens(texts)
    return time.perf_counter() - begun
