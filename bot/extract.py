"""Answering without a model: the passages that answer best, with what decides in each, cited."""

import asyncio
import math
from collections import Counter
from collections.abc import AsyncGenerator, Iterable, Sequence
from concurrent.futures import Executor
from typing import Protocol

import numpy as np

from bot.choices import Choice, choices
from bot.errors import NotInSources
from bot.questions.parts import parts_of
from bot.ranking.deciding import Numbers, deciding
from bot.reading.bounds import across
from bot.types import Draft
from ingest.analyze import analyze
from ingest.embed import Vectors
from ingest.types import Chunk

TIME_LIMIT_S = 30.0  # embedding some 60 sentences takes well under a second on two cores
MAX_PASSAGES = 3  # of one part of a question
AS_LIKELY = 0.5  # of the best passage's probability: where several answer, each is shown


class TextEmbedder(Protocol):
    """Texts to unit vectors."""

    def embed_query(self, text: str) -> Vectors:
        """Shape (dimensions,)."""

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """Shape (len(texts), dimensions)."""


class ExtractiveGenerator:
    """Quotes a sentence, a list with its lead-in, or a table's row with its header, of a passage.

    Args:
        embedder: tells how near the choices are; its work is done in `pool`, off the event loop.
        pool: where the work is done.
    """

    name = "extractive"

    def __init__(self, embedder: TextEmbedder, pool: Executor) -> None:
        self._embedder = embedder
        self._pool = pool

    async def draft(self, question: str, passages: Sequence[Chunk]) -> AsyncGenerator[Draft, None]:
        """One draft a passage, from at most three passages, the likeliest first.

        Of a question of several parts one draft each, in their order.

        Raises:
            NotInSources: nothing in the passages can be quoted; or, after the drafts for the
                others, these parts of the question are spoken of by none.
            TimeoutError: the pool did not get to it in time.
        """
        loop = asyncio.get_running_loop()
        async with asyncio.timeout(TIME_LIMIT_S):
            chosen = await loop.run_in_executor(self._pool, self._choose, question, passages)
        drafts, unanswered = chosen
        if not drafts:
            raise NotInSources("nothing in the passages can be quoted")
        for draft in drafts:
            yield draft
        if unanswered:
            raise NotInSources("nothing in the passages speaks of a part", unanswered)

    def _choose(self, question: str, passages: Sequence[Chunk]) -> tuple[list[Draft], list[str]]:
        found = [choice for chunk in passages for choice in choices(chunk)]
        if not found:
            return [], []
        parts = parts_of(question)
        each = self.features([question, *parts] if len(parts) > 1 else [question], passages, found)
        ids = [choice.chunk.id for choice in found]
        if len(parts) == 1:
            shares = deciding().probabilities(each[0])
            shown = [
                _whole_list(question, found, shares, i) for i in likeliest_choices(ids, shares)
            ]
            return _drafts(question, shown), []
        picked, unanswered = [], []
        for part, own in zip(parts, each[1:], strict=True):
            shares = deciding().probabilities((each[0] + own) / 2)
            best = _whole_list(part, found, shares, likeliest_choices(ids, shares)[0])
            if set(analyze(part)) & set(analyze(f"{best.chunk.heading} {best.text}")):
                picked.append(best)
            else:
                unanswered.append(part)
        return _drafts(question, picked), unanswered

    def features(
        self, questions: Sequence[str], passages: Sequence[Chunk], found: Sequence[Choice]
    ) -> list[Numbers]:
        """For each question what `deciding` reads of the choices: shape (choices, features)."""
        headed = [f"{choice.chunk.heading}\n{choice.text}" for choice in found]
        vectors = self._embedder.embed_passages(headed)
        ranks = {chunk.id: math.log(rank) for rank, chunk in enumerate(passages, start=1)}
        rank = [ranks[choice.chunk.id] for choice in found]
        units = [math.log(len(choice.body)) for choice in found]
        told = []
        for question in questions:
            cosines = np.maximum(vectors @ self._embedder.embed_query(question), 0)
            columns = (rank, cosines, word_shares(question, headed), units)
            told.append(np.stack([np.asarray(c, np.float64) for c in columns], axis=1))
        return told


def likeliest_choices(passages: Sequence[str], shares: Numbers) -> list[int]:
    """The best choice of the likeliest passage, and of those that are nearly as likely.

    Args:
        passages: the id of the passage that each choice is of.
        shares: the probability of each that it holds the answer; they add up to 1.
    """
    best: dict[str, int] = {}
    held: Counter[str] = Counter()
    for i, (id_, share) in enumerate(zip(passages, shares, strict=True)):
        held[id_] += share
        if id_ not in best or share > shares[best[id_]]:
            best[id_] = i
    ((_, most), *_) = likeliest = held.most_common(MAX_PASSAGES)
    return [best[id_] for id_, share in likeliest if share >= AS_LIKELY * most]


def _whole_list(question: str, found: Sequence[Choice], shares: Numbers, i: int) -> Choice:
    """The choice; or the list that it is an item of, where the item alone is not what decides.

    That is so where its neighbours are as likely, or where only the lead-in speaks of the question.
    """
    item = found[i]
    words = set(analyze(question)) & set(analyze(" ".join(unit.text for unit in item.body)))
    for whole in found:
        if whole.chunk.id == item.chunk.id and whole.holds(item):
            within = [k for k, part in enumerate(found) if part == whole or whole.holds(part)]
            if not words or 2 * shares[i] < shares[within].sum():
                return whole
    return item


def _drafts(question: str, picked: Iterable[Choice]) -> list[Draft]:
    """Of those that say what none before them says; none from one on the other side of a limit."""
    kept: list[Choice] = []
    for choice in picked:
        if across(question, choice.text) is not None:
            break
        if not any(choice.repeats(other) for other in kept):
            kept.append(choice)
    return [choice.draft() for choice in kept]


def word_shares(question: str, texts: Sequence[str]) -> list[float]:
    """For each text the share of the question's words that it has, rare ones counting more."""
    asked = set(analyze(question))
    held = [asked & set(analyze(text)) for text in texts]
    frequency = Counter(word for words in held for word in words)
    weight = {w: math.log(1 + len(texts) / (1 + frequency[w])) for w in asked}
    total = sum(weight.values())
    return [sum(weight[w] for w in words) / total if total else 0.0 for words in held]
