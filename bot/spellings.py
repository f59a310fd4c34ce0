"""Words of a question that are misspelt, read as words that the documents have."""

import asyncio
import re
from collections.abc import Callable
from concurrent.futures import Executor
from typing import Protocol

from rapidfuzz.distance import OSA

from bot.abbreviations import Passages
from bot.types import Reading
from ingest.analyze import analyze

CANDIDATES, LOOKED_AT = 5, 5  # tokens, and passages of each, for how a word is written
SHORTEST, LONG = 5, 8  # letters: shorter words are near too many; long ones may have two slips

_WORD = re.compile(r"(?<![\w&./@#-])[^\W\d_]+(?![\w&@/-]|\.\w)")


class Vocabulary(Protocol):
    """The words of the passages."""

    def search(self, query: str, k: int) -> list[tuple[str, float]]:
        """Up to `k` ids with their score, best first."""

    def near(self, word: str, distance: int) -> list[str]:
        """Tokens of passages that a word or its beginning is near, the nearest first."""


class Spellings:
    """Reads misspelt words by what the documents hold now; all its work runs in the pool.

    Args:
        pieces: how many pieces the embedding model reads a word in: a word that is one piece is a
            word of the language, whatever the documents hold.
    """

    def __init__(
        self,
        vocabulary: Vocabulary,
        passages: Passages,
        pieces: Callable[[str], int],
        pool: Executor,
    ) -> None:
        self._vocabulary = vocabulary
        self._passages = passages
        self._pieces = pieces
        self._pool = pool

    async def readings(self, question: str) -> tuple[Reading, ...]:
        """The question with what seems misspelt respelt; empty where nothing does."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._pool, self._read, question)

    def _read(self, question: str) -> tuple[Reading, ...]:
        respelt = [(m, word) for m in _WORD.finditer(question) if (word := self._respelt(m[0]))]
        text = question
        for match, word in reversed(respelt):
            text = f"{text[: match.start()]}{word}{text[match.end() :]}"
        said, meant = " ".join(m[0] for m, _ in respelt), " ".join(word for _, word in respelt)
        return (Reading(text, said, meant, defined=False),) if respelt else ()

    def _respelt(self, word: str) -> str | None:
        folded = word.casefold()
        if len(word) < SHORTEST or word.isupper() or not analyze(word):
            return None
        if self._pieces(folded) == 1 or self._vocabulary.search(word, 1):
            return None
        distance = 2 if len(word) >= LONG else 1
        written = (
            own
            for token in self._vocabulary.near(folded, distance)[:CANDIDATES]
            for own in self._written(token)
        )
        near = [(OSA.distance(folded, own), own) for own in written]
        edits, best = min(near, default=(distance + 1, ""))
        return best if edits <= distance else None

    def _written(self, token: str) -> set[str]:
        """How passages write the words of this token."""
        found = [i for i, _ in self._vocabulary.search(token, LOOKED_AT)]
        texts = (chunk.embedded for chunk in self._passages.live(found).values())
        words = {m[0].casefold() for text in texts for m in _WORD.finditer(text)}
        return {word for word in words if token in analyze(word)}
