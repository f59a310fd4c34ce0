"""Answering without a model: the passages' own sentences that answer best, whole and cited."""

import asyncio
import math
import re
from collections import Counter
from collections.abc import AsyncGenerator, Sequence
from concurrent.futures import Executor
from typing import Protocol

import numpy as np

from bot.choices import Choice, choices, merge
from bot.errors import NotInSources
from bot.facts import facts
from bot.types import Draft
from ingest.analyze import analyze
from ingest.embed import Vectors
from ingest.types import Chunk

TIME_LIMIT_S = 30.0  # embedding some 60 sentences takes well under a second on two cores
MAX_SENTENCES = 3
MAX_PASSAGES = 3
COSINE_SHARE = 0.6  # of a score, 0 to 1; the rest is the share of the question's words
PASSAGE_STEP = 0.03  # what each rank among the passages costs
ENOUGH = 0.3  # what the best sentence needs
VALUE_GAIN = 0.06  # for a number, date or time, when the question asks for one
NEAR_BEST = 0.85  # the share of the best score that a further sentence needs


class TextEmbedder(Protocol):
    """Texts to unit vectors."""

    def embed_query(self, text: str) -> Vectors:
        """Shape (dimensions,)."""

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """Shape (len(texts), dimensions)."""


_ASKS_VALUE = re.compile(
    r"\b(?:how (?:much|many|long|often|far|fast|soon|late|early|old|big|large|high)|when|deadline"
    r"|what time|costs?|price|limit|minimum|maximum|days|weeks|hours)\b",
    re.IGNORECASE,
)


class ExtractiveGenerator:
    """Quotes whole sentences, list items with their lead-in, and table rows with their header.

    Args:
        embedder: scores the units; its work is done in `pool`, off the event loop.
        pool: where the work is done.
    """

    name = "extractive"

    def __init__(self, embedder: TextEmbedder, pool: Executor) -> None:
        self._embedder = embedder
        self._pool = pool

    async def draft(self, question: str, passages: Sequence[Chunk]) -> AsyncGenerator[Draft, None]:
        """One to three drafts from at most three passages, the best first.

        Raises:
            NotInSources: no unit of the passages supports the question.
            TimeoutError: the pool did not get to it in time.
        """
        loop = asyncio.get_running_loop()
        async with asyncio.timeout(TIME_LIMIT_S):
            drafts = await loop.run_in_executor(self._pool, self._choose, question, passages)
        if not drafts:
            raise NotInSources("no sentence of the passages supports the question")
        for draft in drafts:
            yield draft

    def _choose(self, question: str, passages: Sequence[Chunk]) -> list[Draft]:
        found = [choice for chunk in passages for choice in choices(chunk)]
        if not found:
            return []
        scores = self._score(question, found, passages)
        return [choice.draft() for choice in merge(_pick(found, scores))]

    def _score(
        self, question: str, found: Sequence[Choice], passages: Sequence[Chunk]
    ) -> list[float]:
        """0 to about 1 for each: nearness in meaning, and the question's words by rarity."""
        rank = {chunk.id: i for i, chunk in enumerate(passages)}
        texts = [f"{choice.chunk.heading}\n{choice.text}" for choice in found]
        cosines = self._embedder.embed_passages(texts) @ self._embedder.embed_query(question)
        shares = _word_shares(question, texts)
        gain = VALUE_GAIN if _ASKS_VALUE.search(question) else 0.0
        return [
            COSINE_SHARE * float(cosine)
            + (1 - COSINE_SHARE) * share
            - PASSAGE_STEP * rank[choice.chunk.id]
            + (gain if gain and _has_value(choice.text) else 0.0)
            for cosine, share, choice in zip(np.maximum(cosines, 0), shares, found, strict=True)
        ]


def _has_value(text: str) -> bool:
    return any(fact.kind in ("number", "date", "time") for fact in facts(text))


def _word_shares(question: str, texts: Sequence[str]) -> list[float]:
    """For each text the share of the question's words that it has, rare ones counting more."""
    asked = set(analyze(question))
    held = [asked & set(analyze(text)) for text in texts]
    frequency = Counter(word for words in held for word in words)
    weight = {w: math.log(1 + len(texts) / (1 + frequency[w])) for w in asked}
    total = sum(weight.values())
    return [sum(weight[w] for w in words) / total if total else 0.0 for words in held]


def _pick(found: Sequence[Choice], scores: Sequence[float]) -> list[Choice]:
    """The best choice, and those near it that say something else, best first."""
    order = sorted(range(len(found)), key=lambda i: -scores[i])
    best = scores[order[0]]
    picked: list[Choice] = []
    for i in order:
        choice = found[i]
        if len(picked) == MAX_SENTENCES or scores[i] < max(ENOUGH, NEAR_BEST * best):
            break
        places = {c.chunk.id for c in picked} | {choice.chunk.id}
        if len(places) <= MAX_PASSAGES and not any(choice.repeats(c) for c in picked):
            picked.append(choice)
    return picked
