"""The product over an evaluation set: the index that its own evaluation uses, kept between runs.

What is kept lies in the temporary folder and is named by the code and the model it was made with.
"""

import hashlib
import json
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import ingest
from bot.evaluate.withdraw import EvaluationIndex
from bot.settings import Settings
from ingest.embed import Embedder, Serving, TokenVectors, Vectors
from ingest.settings import IngestSettings
from ingest.sources.jsonl import JsonlSource
from tests.bench.evalset import EvalSet

KEPT = Path(tempfile.gettempdir()) / "footnote-bench"


class KeptEmbedder(Embedder):
    """Computes nothing twice: what it has embedded stays in memory, and in a file if saved."""

    def __init__(self, settings: IngestSettings, file: Path) -> None:
        super().__init__(settings)
        self._file = file
        self._tokens: dict[str, tuple[list[int], TokenVectors]] = {}
        self._queries: dict[str, Vectors] = {}
        self._passages: dict[str, Vectors] = {}
        self._saved = 0
        if file.exists():
            self._read()

    def embed_tokens(self, texts: Iterable[str]) -> list[tuple[list[int], TokenVectors]]:
        texts = list(texts)
        missing = [text for text in dict.fromkeys(texts) if text not in self._tokens]
        if missing:
            self._tokens.update(zip(missing, super().embed_tokens(missing), strict=True))
        return [self._tokens[text] for text in texts]

    def embed_query(self, text: str) -> Vectors:
        if text not in self._queries:
            self._queries[text] = super().embed_query(text)
        return self._queries[text]

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        if not texts:
            return super().embed_passages(texts)
        missing = [text for text in dict.fromkeys(texts) if text not in self._passages]
        if missing:
            self._passages.update(zip(missing, super().embed_passages(missing), strict=True))
        return np.stack([self._passages[text] for text in texts])

    def save(self) -> None:
        if self._saved == self._size:
            return
        self._file.parent.mkdir(parents=True, exist_ok=True)
        vectors = [pair[1] for pair in self._tokens.values()]
        ids = [pair[0] for pair in self._tokens.values()]
        made = self._file.with_suffix(".tmp.npz")
        np.savez(
            made,
            texts=_packed(self._tokens),
            lengths=np.array([len(some) for some in ids]),
            ids=np.array([i for some in ids for i in some], np.int32),
            vectors=np.concatenate(
                [v for v in vectors if len(v)] or [np.zeros((0, 0), np.float16)]
            ),
            queries=_packed(self._queries),
            query_vectors=_stacked(self._queries),
            passages=_packed(self._passages),
            passage_vectors=_stacked(self._passages),
        )
        made.replace(self._file)

    @property
    def _size(self) -> int:
        return len(self._tokens) + len(self._queries) + len(self._passages)

    def _read(self) -> None:
        with np.load(self._file) as kept:
            ends = np.cumsum(kept["lengths"])
            rows, ids = kept["vectors"], kept["ids"].tolist()
            for text, start, end in zip(
                _unpacked(kept["texts"]), [0, *ends[:-1].tolist()], ends.tolist(), strict=True
            ):
                self._tokens[text] = (ids[start:end], rows[start:end])
            self._queries = dict(
                zip(_unpacked(kept["queries"]), kept["query_vectors"], strict=True)
            )
            self._passages = dict(
                zip(_unpacked(kept["passages"]), kept["passage_vectors"], strict=True)
            )
        self._saved = self._size


def _stacked(vectors: Mapping[str, Vectors]) -> Vectors:
    return np.stack(list(vectors.values())) if vectors else np.zeros((0, 0), np.float32)


def _packed(texts: Iterable[str]) -> NDArray[np.uint8]:
    return np.frombuffer(json.dumps(list(texts)).encode(), np.uint8)


def _unpacked(data: NDArray[np.uint8]) -> list[str]:
    texts: list[str] = json.loads(data.tobytes())
    return texts


@contextmanager
def kept_embedder(chosen: EvalSet) -> Iterator[KeptEmbedder]:
    """An embedder that knows what was embedded for this set before."""
    settings = IngestSettings(_env_file=None)
    recipe = _digest(f"{Embedder(settings).recipe}|{settings.dtype}")
    embedder = KeptEmbedder(settings, KEPT / f"{chosen.name}-{recipe}.npz")
    yield embedder
    embedder.save()


@contextmanager
def opened(chosen: EvalSet, embedder: Embedder) -> Iterator[tuple[EvaluationIndex, Settings]]:
    """The index of the set's documents, and the settings for it: no key, late interaction."""
    data = KEPT / f"{chosen.name}-{_ingestion()}"
    settings = Settings(_env_file=None, reranker="late-interaction").model_copy(
        update={"docs": str(chosen.files), "data": data}
    )
    source = None if chosen.corpus is None else JsonlSource(chosen.corpus)
    index = EvaluationIndex(settings, source)
    index.embedder, index.serving = embedder, Serving(embedder)
    with index:
        index.sync()
        yield index, settings


def _ingestion() -> str:
    """Names the state of the code that makes passages."""
    files = sorted(Path(ingest.__path__[0]).rglob("*.py"))
    return _digest("".join(file.read_text(encoding="utf-8") for file in files))


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:12]
