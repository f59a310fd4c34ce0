"""A stand-in for the embedding model where thousands of syncs run: same methods, hashed words."""

import re
import zlib
from collections.abc import Callable, Sequence

import numpy as np

from ingest.embed import Vectors
from ingest.settings import IngestSettings

_TOKEN = re.compile(r"\w+|[^\w\s]")


def count_tokens(text: str) -> int:
    return len(_TOKEN.findall(text))


class StandIn:
    """Vectors that depend on the model's name and on the text alone; another name, another size."""

    def __init__(self, settings: IngestSettings) -> None:
        self._settings = settings
        self.recipe = settings.embedder
        self.description = settings.model_dump_json(include={"embedder"})
        self.dimensions = 24 + 8 * (len(settings.embedder) % 3)
        self.max_tokens = 256
        self.embedded = 0
        self.token_counter: Callable[[str], int] = count_tokens

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        self.embedded += len(texts)
        rows = np.zeros((len(texts), self.dimensions), np.float32)
        for row, text in zip(rows, texts, strict=True):
            row[0] = 0.1
            for token in _TOKEN.findall(self.recipe + " " + text):
                row[zlib.crc32(token.encode()) % self.dimensions] += 1
        lengths: Vectors = np.linalg.norm(rows, axis=1, keepdims=True)
        return np.divide(rows, lengths, dtype=np.float32)

    def embed_query(self, text: str) -> Vectors:
        vector: Vectors = self.embed_passages([text])[0]
        return vector

    def load(self) -> None:
        pass
