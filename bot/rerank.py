"""Candidates to hits, best first: a cross-encoder where its weights are, else late interaction."""

import asyncio
import logging
from collections.abc import Callable, Collection, Iterable, Sequence
from concurrent.futures import Executor
from typing import TYPE_CHECKING, Protocol

import numpy as np

from bot import hub
from bot.ranking.evidence import LATE_INTERACTION, fitted
from bot.ranking.order import fitted_order, less_likely
from bot.settings import Settings
from bot.tokens import Floats, TokenCache, TokenEmbedder, best_matches, idf_shares, smoothed
from bot.types import Candidate, Hit, Query
from ingest.analyze import analyze, identifiers, normal, words
from ingest.languages import ENGLISH, language_of

if TYPE_CHECKING:
    from sentence_transformers import CrossEncoder

log = logging.getLogger(__name__)

CACHE_MB = 256
TOLD_SHARE = 0.8  # of a passage's words in one earlier answer: it was read out whole
LEAST_POOL, NEXT = 10, 5  # passages that show what the topic alone is worth, and those next best


class Reranker(Protocol):
    """Orders the candidates of one question."""

    @property
    def name(self) -> str:
        """What runs, as `doctor` and `--json` say it."""

    async def rerank(self, query: Query, candidates: Sequence[Candidate]) -> list[Hit]:
        """All candidates as hits, best first."""


class CrossEncoderReranker:
    """Reads question and passage together; evidence is its probability, 0 to 1.

    Args:
        name: what it is called; a hub's name or a folder.
        model: loaded, with a sigmoid as activation.
        pool: where it runs.
    """

    def __init__(self, name: str, model: "CrossEncoder", pool: Executor) -> None:
        self.name = name
        self._model = model
        self._pool = pool

    async def rerank(self, query: Query, candidates: Sequence[Candidate]) -> list[Hit]:
        """All candidates as hits, best first; the score is the evidence, less if told before."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._pool, self._rank, query, candidates)

    def _rank(self, query: Query, candidates: Sequence[Candidate]) -> list[Hit]:
        if not candidates:
            return []
        pairs = [(query.standalone, c.chunk.embedded) for c in candidates]
        scores = self._model.predict(pairs, show_progress_bar=False)
        told = told_before(query, [set(analyze(c.chunk.embedded)) for c in candidates])
        weight = fitted_order(LATE_INTERACTION).weights["told"]  # in log-odds, as these scores are
        return _best_first(
            Hit(
                chunk=c.chunk,
                score=less_likely(float(score), weight) if was_told else float(score),
                evidence=float(score),
                candidate=c,
            )
            for c, score, was_told in zip(candidates, scores, told, strict=True)
        )


class LateInteractionReranker:
    """Late interaction over the embedder's token vectors (Khattab and Zaharia, ColBERT, 2020).

    Each token of the question takes its best match in the passage, weighted by the idf of its word.
    The order is within the pool, by fitted weights; the evidence is absolute.

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
        tokens = [set(analyze(c.chunk.embedded)) for c in candidates]
        features = self._features(query, candidates, tokens)
        scores = fitted_order(LATE_INTERACTION).scores(features)
        words_asked = sum(1 for *_, names in words(normal(query.text)) if names)
        features["lead"] = np.full(len(candidates), _lead(scores), np.float32)
        features["words"] = np.full(len(candidates), words_asked, np.float32)
        return _best_first(
            _hit(c, float(scores[i]), {name: float(v[i]) for name, v in features.items()})
            for i, c in enumerate(candidates)
        )

    def _features(
        self, query: Query, candidates: Sequence[Candidate], tokens: Sequence[Collection[str]]
    ) -> dict[str, Floats]:
        """By name, one number a candidate; all but `bm25` at most 1, the last three 0 or 1."""
        passages = self._cache.vectors([c.chunk.embedded for c in candidates])
        matches = []
        for text in map(normal, query.texts):
            question = self._embedder.embed_tokens([text])[0][1]
            spans = self._embedder.token_spans(text)[: len(question)]
            shares = idf_shares(text, spans, smoothed(self._idf))
            matches.append(shares @ best_matches(question, passages))
        language = language_of(query.text)
        same = [language_of(c.chunk.embedded) == language for c in candidates]
        known = self._embedder.multilingual or language == ENGLISH
        return {
            "maxsim": np.mean(matches, axis=0, dtype=np.float32),
            "cosine": np.array([c.cosine or 0.0 for c in candidates], np.float32),
            "bm25": np.array([c.bm25 or 0.0 for c in candidates], np.float32),
            "codes": self._covered(identifiers(query.text), tokens),
            "known_language": np.full(len(candidates), known, np.float32),
            "same_language": np.array(same, np.float32),
            "told": np.array(told_before(query, tokens), np.float32),
        }

    def _covered(self, wanted: Iterable[str], tokens: Sequence[Collection[str]]) -> Floats:
        """The share of the wanted tokens' idf that each passage holds; 1 when none is wanted."""
        mass = {token: self._idf(token) for token in wanted}
        total = sum(mass.values())
        if not total:
            return np.ones(len(tokens), np.float32)
        held = [sum(weight for token, weight in mass.items() if token in own) for own in tokens]
        return np.array(held, np.float32) / np.float32(total)


def told_before(query: Query, tokens: Sequence[Collection[str]]) -> list[bool]:
    """Which passages an earlier answer read out whole: the next question is after another one."""
    answers = [set(analyze(text)) for text in query.told]
    return [
        any(len(answer.intersection(own)) >= TOLD_SHARE * len(own) for answer in answers)
        for own in tokens
    ]


def _lead(scores: Floats) -> float:
    """How far the best passage stands out of the next ones, in the scale of the scores.

    A pool too small to tell is taken to be as usual.
    """
    if len(scores) < LEAST_POOL:
        return fitted(LATE_INTERACTION).usual("lead")
    best = np.sort(scores)[::-1]
    return float(best[0] - best[1:NEXT].mean())


def _hit(candidate: Candidate, score: float, features: dict[str, float]) -> Hit:
    return Hit(
        chunk=candidate.chunk,
        score=score,
        evidence=fitted(LATE_INTERACTION).probability(features),
        features=features,
        candidate=candidate,
    )


def _best_first(hits: Iterable[Hit]) -> list[Hit]:
    return sorted(hits, key=lambda hit: (-hit.score, hit.chunk.id))


def choose_reranker(
    settings: Settings, embedder: TokenEmbedder, idf: Callable[[str], float], pool: Executor
) -> Reranker:
    """The cross-encoder of the settings if its weights can be had, else late interaction.

    Blocking; called once, at start. A download is tried once, in a child process with a time limit.
    """
    if settings.reranker != LATE_INTERACTION:
        folder = hub.obtain(settings.reranker, settings)
        model = hub.load(folder) if folder else None
        if model is not None:
            return CrossEncoderReranker(settings.reranker, model, pool)
        why = "could not be loaded" if folder else "is not on this machine and was not fetched"
        told = "The cross-encoder %s %s: the packaged model ranks instead (late interaction)."
        log.info(told, settings.reranker, why)
    return LateInteractionReranker(embedder, idf, pool)


def reranker_at_hand(settings: Settings) -> str:
    """The name of the reranker that would run now, without a download."""
    at_hand = settings.reranker != LATE_INTERACTION and hub.on_disk(settings.reranker)
    return settings.reranker if at_hand else LATE_INTERACTION
