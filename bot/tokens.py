"""Token vectors: of recent passages in a bounded cache, and how well a question's tokens match."""

import math
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ingest.analyze import words
from ingest.embed import TokenVectors

Floats = NDArray[np.float32]


class TokenEmbedder(Protocol):
    """Gives each token of a text a vector."""

    @property
    def multilingual(self) -> bool:
        """Whether it knows more languages than English."""

    def embed_tokens(self, texts: Iterable[str]) -> list[tuple[list[int], TokenVectors]]:
        """Ids and unit vectors of shape (tokens, dimensions)."""

    def token_spans(self, text: str) -> list[tuple[int, int]]:
        """Where those tokens stand in the text."""


class TokenCache:
    """Token vectors of recent passages, half precision, at most `size` bytes; thread-safe."""

    def __init__(self, embedder: TokenEmbedder, size: int) -> None:
        self._embedder = embedder
        self._size = size
        self._lock = threading.Lock()
        self._held: OrderedDict[str, TokenVectors] = OrderedDict()
        self._bytes = 0

    @property
    def size(self) -> int:
        """Bytes held now."""
        return self._bytes

    def vectors(self, texts: Sequence[str]) -> list[TokenVectors]:
        """One array of shape (tokens, dimensions) a text; those that are missing are computed."""
        found = self._known(texts)
        missing = [text for text in dict.fromkeys(texts) if text not in found]
        computed = self._embedder.embed_tokens(missing) if missing else []
        fresh = {text: pair[1] for text, pair in zip(missing, computed, strict=True)}
        self._keep(fresh)
        return [found[text] if text in found else fresh[text] for text in texts]

    def _known(self, texts: Iterable[str]) -> dict[str, TokenVectors]:
        with self._lock:
            known = {text: self._held[text] for text in texts if text in self._held}
            for text in known:
                self._held.move_to_end(text)
        return known

    def _keep(self, fresh: dict[str, TokenVectors]) -> None:
        with self._lock:
            for text, vectors in fresh.items():
                if text not in self._held:
                    self._held[text] = vectors
                    self._bytes += _bytes_of(text, vectors)
            while self._bytes > self._size:
                self._bytes -= _bytes_of(*self._held.popitem(last=False))


def _bytes_of(text: str, vectors: TokenVectors) -> int:
    return vectors.nbytes + len(text.encode())


def smoothed(idf: Callable[[str], float]) -> Callable[[str], float]:
    """log(1 + e^idf): as the idf for a rare token, log 2 for one that stands in every passage.

    What is on each page may still be what a question asks about.
    """
    return lambda token: math.log1p(math.exp(idf(token)))


def idf_shares(text: str, spans: Sequence[tuple[int, int]], idf: Callable[[str], float]) -> Floats:
    """The share of each token in the text's idf mass; shape (tokens,), they add up to 1.

    A word counts once, in however many tokens; function words weigh nothing, unless there is
    nothing else.

    Args:
        text: as `normal` gives it.
        spans: where its tokens stand.
        idf: inverse document frequency of a token as `analyze` gives it.
    """
    weights = np.zeros(len(spans), np.float32)
    for start, end, names in words(text):
        inside = [n for n, (s, e) in enumerate(spans) if start <= s and e <= end]
        if names and inside:
            weights[inside] = max(map(idf, names)) / len(inside)
    total = float(weights.sum())
    if not total:
        return np.full(len(spans), 1 / max(len(spans), 1), np.float32)
    return weights / np.float32(total)


def best_matches(question: TokenVectors, passages: Sequence[TokenVectors]) -> Floats:
    """Cosine of each of the question's tokens with its best match in each passage.

    Returns:
        Shape (tokens, passages); 0 for a passage without tokens.
    """
    best = np.zeros((len(question), len(passages)), np.float32)
    filled = [n for n, passage in enumerate(passages) if len(passage)]
    if not filled or not len(question):
        return best
    lengths = [len(passages[n]) for n in filled]
    starts = np.cumsum([0, *lengths[:-1]])
    every = np.concatenate([passages[n] for n in filled]).astype(np.float32)
    best[:, filled] = np.maximum.reduceat(question.astype(np.float32) @ every.T, starts, axis=1)
    return best
