"""Candidates to hits, best first: a cross-encoder where its weights are, else late interaction."""

import asyncio
import logging
import math
import subprocess
import sys
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Executor
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from bot.settings import Settings
from bot.types import Candidate, Hit, Query
from ingest.analyze import analyze, normal, words
from ingest.embed import TokenVectors

if TYPE_CHECKING:
    from sentence_transformers import CrossEncoder

log = logging.getLogger(__name__)

LATE_INTERACTION = "late-interaction"
CACHE_MB = 256
WINDOW_TOKENS = 48  # about the longest sentence
PROBE_TIMEOUT_S = 5

Floats = NDArray[np.float32]


class Reranker(Protocol):
    """Orders the candidates of one question."""

    @property
    def name(self) -> str:
        """What runs, as `doctor` and `--json` say it."""

    async def rerank(self, query: Query, candidates: Sequence[Candidate]) -> list[Hit]:
        """All candidates as hits, best first."""


class CrossEncoderReranker:
    """Reads question and passage together; score and evidence are its probability, 0 to 1.

    Args:
        name: what it is called; a Hugging Face name or a folder.
        model: loaded, with a sigmoid as activation.
        pool: where it runs.
    """

    def __init__(self, name: str, model: "CrossEncoder", pool: Executor) -> None:
        self.name = name
        self._model = model
        self._pool = pool

    async def rerank(self, query: Query, candidates: Sequence[Candidate]) -> list[Hit]:
        """All candidates as hits, best first."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._pool, self._rank, query, candidates)

    def _rank(self, query: Query, candidates: Sequence[Candidate]) -> list[Hit]:
        if not candidates:
            return []
        pairs = [(query.standalone, c.chunk.embedded) for c in candidates]
        scores = self._model.predict(pairs, show_progress_bar=False)
        return _best_first(
            Hit(chunk=c.chunk, score=float(s), evidence=float(s), candidate=c)
            for c, s in zip(candidates, scores, strict=True)
        )


class TokenEmbedder(Protocol):
    """Gives each token of a text a vector."""

    def embed_tokens(self, texts: Iterable[str]) -> list[tuple[list[int], TokenVectors]]:
        """Ids and unit vectors of shape (tokens, dimensions)."""

    def token_spans(self, text: str) -> list[tuple[int, int]]:
        """Where those tokens stand in the text."""


class LateInteractionReranker:
    """Late interaction over the embedder's token vectors (Khattab and Zaharia, ColBERT, 2020).

    Each token of the question takes its best match in the passage, weighted by the idf of its word.
    The order is by scores standardised within the pool; the evidence is absolute.

    Args:
        idf: inverse document frequency of a token as `analyze` gives it.
        cache_mb: size of the cache of passages' token vectors.
    """

    name = LATE_INTERACTION

    def __init__(
        self,
        embedder: TokenEmbedder,
        idf: Callable[[str], float],
        pool: Executor,
        cache_mb: float = CACHE_MB,
    ) -> None:
        self._embedder = embedder
        self._idf = idf
        self._pool = pool
        self._cache = TokenCache(embedder, int(cache_mb * 1_000_000))

    async def rerank(self, query: Query, candidates: Sequence[Candidate]) -> list[Hit]:
        """All candidates as hits, best first."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._pool, self._rank, query, candidates)

    def _rank(self, query: Query, candidates: Sequence[Candidate]) -> list[Hit]:
        if not candidates:
            return []
        passages = self._cache.vectors([c.chunk.embedded for c in candidates])
        features = [self._features(text, candidates, passages) for text in query.texts]
        mean = {name: np.mean([f[name] for f in features], axis=0) for name in features[0]}
        mean["cosine"] = np.array([c.cosine or 0.0 for c in candidates], np.float32)
        mean["bm25"] = np.array([c.bm25 or 0.0 for c in candidates], np.float32)
        scores = order_scores(mean)
        return _best_first(
            self._hit(c, float(scores[i]), {name: float(v[i]) for name, v in mean.items()})
            for i, c in enumerate(candidates)
        )

    def _hit(self, candidate: Candidate, score: float, features: dict[str, float]) -> Hit:
        return Hit(
            chunk=candidate.chunk,
            score=score,
            evidence=evidence_of(features),
            features=features,
            candidate=candidate,
        )

    def _features(
        self, text: str, candidates: Sequence[Candidate], passages: Sequence[TokenVectors]
    ) -> dict[str, Floats]:
        """By name, one number a candidate: `maxsim`, `window` and `coverage`, each at most 1."""
        text = normal(text)
        vectors = self._embedder.embed_tokens([text])[0][1].astype(np.float32)
        weights = self._weights(text, len(vectors))
        pairs = [max_similarities(vectors, p) for p in passages]
        mass = {token: self._idf(token) for token in set(analyze(text))}
        total = sum(mass.values()) or 1.0
        covered = [
            sum(mass[t] for t in mass.keys() & set(analyze(c.chunk.embedded))) for c in candidates
        ]
        return {
            "maxsim": np.array([weights @ whole for whole, _ in pairs], np.float32),
            "window": np.array([(weights @ parts).max() for _, parts in pairs], np.float32),
            "coverage": np.array(covered, np.float32) / np.float32(total),
        }

    def _weights(self, text: str, tokens: int) -> Floats:
        """The share of each of the question's tokens in its idf mass; they add up to 1."""
        weights = np.zeros(tokens, np.float32)
        spans = self._embedder.token_spans(text)[:tokens]
        for start, end, names in words(text):
            inside = [n for n, (s, e) in enumerate(spans) if start <= s and e <= end]
            if names and inside:
                weights[inside] = max(map(self._idf, names))
        total = float(weights.sum())
        if not total:
            return np.full(tokens, 1 / max(tokens, 1), np.float32)
        return weights / np.float32(total)


def max_similarities(question: Floats, passage: TokenVectors) -> tuple[Floats, Floats]:
    """Best match of each of the question's tokens: in the whole passage, and in each window of it.

    Returns:
        Shapes (tokens,) and (tokens, windows); cosines.
    """
    if not len(question) or not len(passage):
        nothing = np.zeros(len(question), np.float32)
        return nothing, nothing[:, None]
    similar = question @ passage.astype(np.float32).T
    starts = range(0, max(len(passage) - WINDOW_TOKENS // 2, 1), WINDOW_TOKENS // 2)
    parts = [similar[:, start : start + WINDOW_TOKENS].max(axis=1) for start in starts]
    return similar.max(axis=1), np.stack(parts, axis=1)


def order_scores(features: dict[str, Floats]) -> Floats:
    """What orders a pool: standardised scores, added up with fixed weights."""
    weights = {"maxsim": 1.0, "cosine": 1.0, "bm25": 0.5, "window": 0.5}
    total = np.zeros(len(features["maxsim"]), np.float32)
    for name, weight in weights.items():
        total += np.float32(weight) * _standardised(features[name])
    return total


def _standardised(values: Floats) -> Floats:
    spread = float(values.std())
    if spread < 1e-6:  # noqa: PLR2004 - all alike, whatever the rounding
        return np.zeros_like(values)
    standard: Floats = (values - values.mean()) / np.float32(spread)
    return standard


def evidence_of(features: dict[str, float]) -> float:
    """Absolute evidence of a passage, 0 to 1."""
    total = -7.0 + 5.0 * features["cosine"] + 5.0 * features["maxsim"] + 2.0 * features["coverage"]
    return 1 / (1 + math.exp(-total))


def _best_first(hits: Iterable[Hit]) -> list[Hit]:
    return sorted(hits, key=lambda hit: (-hit.score, hit.chunk.id))


class TokenCache:
    """Token vectors of recent passages, half precision, at most `size` bytes; thread-safe."""

    def __init__(self, embedder: TokenEmbedder, size: int) -> None:
        self._embedder = embedder
        self._size = size
        self._lock = threading.Lock()
        self._held: OrderedDict[str, TokenVectors] = OrderedDict()
        self._bytes = 0

    def vectors(self, texts: Sequence[str]) -> list[TokenVectors]:
        """One array of shape (tokens, dimensions) a text; those that are missing are computed."""
        found = self._known(texts)
        missing = [text for text in dict.fromkeys(texts) if text not in found]
        computed = self._embedder.embed_tokens(missing) if missing else []
        fresh = {t: v for t, (_, v) in zip(missing, computed, strict=True)}
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
                    self._bytes += vectors.nbytes
            while self._bytes > self._size:
                _, dropped = self._held.popitem(last=False)
                self._bytes -= dropped.nbytes


def choose_reranker(
    settings: Settings, embedder: TokenEmbedder, idf: Callable[[str], float], pool: Executor
) -> Reranker:
    """The cross-encoder of the settings if its weights can be had, else late interaction.

    Blocking; called once, at start. A download is tried once, in a child process with a time limit.
    """
    if settings.reranker != LATE_INTERACTION:
        folder = _on_disk(settings.reranker)
        if folder is None and settings.reranker_download:
            _download(settings.reranker, settings.download_timeout_s)
            folder = _on_disk(settings.reranker)
        model = _load(folder) if folder else None
        if model is not None:
            return CrossEncoderReranker(settings.reranker, model, pool)
        log.warning("the reranker %s is not at hand: late interaction runs", settings.reranker)
    return LateInteractionReranker(embedder, idf, pool)


def reranker_at_hand(settings: Settings) -> str:
    """The name of the reranker that would run now, without a download."""
    at_hand = settings.reranker != LATE_INTERACTION and _on_disk(settings.reranker)
    return settings.reranker if at_hand else LATE_INTERACTION


def _on_disk(name: str) -> Path | None:
    """The folder of a model that needs no network."""
    if (Path(name) / "config.json").is_file():
        return Path(name)
    from huggingface_hub import try_to_load_from_cache
    from huggingface_hub.errors import HFValidationError

    try:
        config = try_to_load_from_cache(name, "config.json")
        weights = try_to_load_from_cache(name, "model.safetensors")
    except HFValidationError:
        return None
    return Path(config).parent if isinstance(config, str) and isinstance(weights, str) else None


# Run in a child: the hub's client retries for 47 s when it is offline and cannot be cancelled.
_FETCH = """
import sys, urllib.request
from huggingface_hub import constants, snapshot_download
if constants.HF_HUB_OFFLINE:
    sys.exit(3)
name, probe_s = sys.argv[1], float(sys.argv[2])
url = f"{constants.ENDPOINT}/{name}/resolve/main/config.json"
urllib.request.urlopen(urllib.request.Request(url, method="HEAD"), timeout=probe_s).close()
snapshot_download(name, allow_patterns=["*.json", "*.txt", "model.safetensors", "*.model"])
"""


def _download(name: str, timeout_s: float) -> None:
    command = [sys.executable, "-c", _FETCH, name, str(PROBE_TIMEOUT_S)]
    try:
        subprocess.run(command, timeout=timeout_s, check=True, capture_output=True)  # noqa: S603
    except (subprocess.SubprocessError, OSError) as error:
        log.info("the reranker %s could not be fetched (%s)", name, type(error).__name__)


def _load(folder: Path) -> "CrossEncoder | None":
    import torch
    from sentence_transformers import CrossEncoder

    try:
        model: CrossEncoder = CrossEncoder(
            str(folder), device="cpu", local_files_only=True, activation_fn=torch.nn.Sigmoid()
        )
    except (OSError, ValueError, RuntimeError) as error:
        log.warning("the reranker in %s cannot be loaded (%s)", folder, type(error).__name__)
        return None
    return model
