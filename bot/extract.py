"""Answering without a model: the passages' own sentences that answer best, whole and cited."""

import asyncio
import math
from collections import Counter
from collections.abc import AsyncGenerator, Collection, Mapping, Sequence
from concurrent.futures import Executor
from typing import Protocol

import numpy as np

from bot.choices import Choice, choices, merge
from bot.errors import NotInSources
from bot.questions.asked import asked, speaks_of_others, unsaid
from bot.questions.named import about_the_named
from bot.questions.parts import parts_of, without_topic
from bot.questions.partwise import topics_of
from bot.reading.bounds import across
from bot.types import Draft
from ingest.analyze import analyze
from ingest.embed import Vectors
from ingest.types import Chunk

TIME_LIMIT_S = 30.0  # embedding some 60 sentences takes well under a second on two cores
MAX_SENTENCES = 3
MAX_PASSAGES = 3
# Of a score: nearness by meaning and the share of the question's words, of a choice under its
# heading and of the choice alone. Chosen on the sample handbook, gds_way and workarena_kb, by how
# often a quotation holds the line that decides.
COSINE_SHARE, OWN_COSINE_SHARE = 0.6, 0.15
WORDS_SHARE, OWN_WORDS_SHARE = 0.1, 0.2
KEY_GAIN = 0.15  # for a row whose first cell is named in the question
SLIGHT_COST = 0.1  # for a choice that adds hardly a word to its heading: "There is no charge."
SLIGHT_WORDS = 2
LONE_ITEM_COST = 0.2  # then the whole list is the answer: "What do I need for a visa?"
NONE = -1.0  # the score of what does not speak of the name asked about
PASSAGE_STEP = 0.03  # what each rank among the passages costs
ENOUGH = 0.3  # what the best sentence needs
KIND_GAIN = 0.12  # for a thing of the kind that is asked for: a number, a date, a person
OTHERS_COST = 0.3  # for a passage about other people than the question
NEAR_BEST = 0.85  # the share of the best score that a further sentence needs


class TextEmbedder(Protocol):
    """Texts to unit vectors."""

    def embed_query(self, text: str) -> Vectors:
        """Shape (dimensions,)."""

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """Shape (len(texts), dimensions)."""


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
            NotInSources: no unit of the passages supports the question; or, after those for the
                others, these parts of it.
            TimeoutError: the pool did not get to it in time.
        """
        loop = asyncio.get_running_loop()
        async with asyncio.timeout(TIME_LIMIT_S):
            chosen = await loop.run_in_executor(self._pool, self._choose, question, passages)
        drafts, unanswered = chosen
        if not drafts:
            raise NotInSources("no sentence of the passages supports the question")
        for draft in drafts:
            yield draft
        if unanswered:
            raise NotInSources("no sentence of the passages supports a part", unanswered)

    def _choose(self, question: str, passages: Sequence[Chunk]) -> tuple[list[Draft], list[str]]:
        tokens = {chunk.id: frozenset(analyze(chunk.embedded)) for chunk in passages}
        if unsaid(without_topic(question), frozenset().union(*tokens.values())) is not None:
            return [], []
        found = [
            choice
            for chunk in passages
            for choice in choices(chunk)
            if across(question, choice.text) is None
        ]
        if not found:
            return [], []
        own = [choice.text for choice in found]
        texts = [f"{choice.chunk.heading}\n{choice.text}" for choice in found]
        vectors = self._embedder.embed_passages([*texts, *own])
        whole = self._near(question, texts, own, vectors)
        ranks = {chunk.id: rank for rank, chunk in enumerate(passages)}
        ranked = [ranks[choice.chunk.id] for choice in found]
        parts = parts_of(question)
        scores = []
        for part in parts:
            both = (whole, whole if part == question else self._near(part, texts, own, vectors))
            near: Vectors = np.mean(both, axis=0, dtype=np.float32)
            meant = {chunk.id for chunk in about_the_named(part, passages, tokens)}
            others = {i for i, said in tokens.items() if speaks_of_others(part, said)}
            scores.append(_adjusted(part, found, near, ranked=ranked, meant=meant, others=others))
        unanswered: list[str] = []
        if len(parts) == 1:
            picked = _pick(found, scores[0], frozenset(analyze(question)))
        else:
            about = [_speaking_of(topic, found, tokens) for topic in topics_of(question)]
            picked, unanswered = _pick_each(found, scores, about, parts)
        drafts = [choice.draft() for choice in merge(picked)]
        return drafts, unanswered

    def _near(
        self, question: str, texts: Sequence[str], own: Sequence[str], vectors: Vectors
    ) -> Vectors:
        """By meaning, and by the question's words by rarity; shape (len(texts),)."""
        cosines = np.maximum(vectors @ self._embedder.embed_query(question), 0)
        shares = np.array(_word_shares(question, texts), np.float32)
        own_shares = np.array(_word_shares(question, own), np.float32)
        near: Vectors = (
            COSINE_SHARE * cosines[: len(texts)]
            + OWN_COSINE_SHARE * cosines[len(texts) :]
            + WORDS_SHARE * shares
            + OWN_WORDS_SHARE * own_shares
        )
        return near


def _adjusted(
    question: str,
    found: Sequence[Choice],
    near: Vectors,
    *,
    ranked: Sequence[int],
    meant: Collection[str],
    others: Collection[str],
) -> list[float]:
    """Scores with what nearness does not see: the kind of thing asked for, and of whom.

    Where the name asked about stands in passages that are off the subject alone, none is near.

    Args:
        question: a part of it.
        found: what can be quoted.
        near: nearness of each.
        ranked: the rank of its passage.
        meant: ids of the passages that speak of what is named.
        others: ids of those about other people.
    """
    wanted = asked(question)
    gain = 0.0 if wanted.kind in ("open", "place") else KIND_GAIN
    words = frozenset(analyze(question))
    scores = [
        float(score)
        + gain * wanted.held(choice.text)
        - PASSAGE_STEP * rank
        - (OTHERS_COST if choice.chunk.id in others else 0.0)
        - (SLIGHT_COST if _is_slight(choice) else 0.0)
        - (LONE_ITEM_COST if _is_lone_item(choice, words) else 0.0)
        for score, choice, rank in zip(near, found, ranked, strict=True)
    ]
    named = [s for s, c in zip(scores, found, strict=True) if c.chunk.id in meant]
    if not named or max(named) < NEAR_BEST * max(scores):
        return [NONE] * len(scores)
    return [
        score + (KEY_GAIN if _is_row_of(choice, words) else 0.0)
        if choice.chunk.id in meant
        else NONE
        for score, choice in zip(scores, found, strict=True)
    ]


def _is_row_of(choice: Choice, words: frozenset[str]) -> bool:
    """Whether it is a row that one of the words names by its first cell."""
    unit = choice.body[0]
    return unit.kind == "row" and bool(unit.cells) and not words.isdisjoint(analyze(unit.cells[0]))


def _is_slight(choice: Choice) -> bool:
    return len(set(analyze(choice.text)) - set(analyze(choice.chunk.heading))) < SLIGHT_WORDS


def _is_lone_item(choice: Choice, words: frozenset[str]) -> bool:
    """Whether it is one item of a list whose lead-in alone has words of the question."""
    lone = choice.body[0].kind == "item" and len(choice.body) == 1 and bool(choice.leads)
    return lone and words.isdisjoint(analyze(choice.body[0].text))


_PRICES = frozenset(analyze("price prices fee fees charge charges"))


def _meant(text: str) -> set[str]:
    """The stems of a text; what a thing costs is its price."""
    return {"cost" if stem in _PRICES else stem for stem in analyze(text)}


def _word_shares(question: str, texts: Sequence[str]) -> list[float]:
    """For each text the share of the question's words that it has, rare ones counting more."""
    asked = _meant(question)
    held = [asked & _meant(text) for text in texts]
    frequency = Counter(word for words in held for word in words)
    weight = {w: math.log(1 + len(texts) / (1 + frequency[w])) for w in asked}
    total = sum(weight.values())
    return [sum(weight[w] for w in words) / total if total else 0.0 for words in held]


def _speaking_of(
    topic: frozenset[str], found: Sequence[Choice], tokens: Mapping[str, frozenset[str]]
) -> list[bool]:
    """Which choices stand in a passage that has half the words of a topic."""
    return [2 * len(topic & tokens[choice.chunk.id]) >= len(topic) for choice in found]


def _pick_each(
    found: Sequence[Choice],
    scores: Sequence[Sequence[float]],
    about: Sequence[Sequence[bool]],
    parts: Sequence[str],
) -> tuple[list[Choice], list[str]]:
    """The best choice for each part of a question, in their order, and the parts without one."""
    picked: list[Choice] = []
    unanswered: list[str] = []
    for own, speaks, part in zip(scores, about, parts, strict=True):
        wanted, words = asked(part), set(analyze(part))
        good = [
            i
            for i, choice in enumerate(found)
            if speaks[i]
            and own[i] >= ENOUGH
            and (wanted.held(choice.text) or words & set(analyze(choice.text)))
        ]
        if not good:
            unanswered.append(part)
            continue
        best = found[max(good, key=lambda i: own[i])]
        if not any(best.repeats(choice) for choice in picked):
            picked.append(best)
    return picked, unanswered


def _pick(found: Sequence[Choice], scores: Sequence[float], words: frozenset[str]) -> list[Choice]:
    """The best choice, and those near it that say something else, best first.

    Args:
        found: what can be quoted.
        scores: of each.
        words: the question's stems.
    """
    order = sorted(range(len(found)), key=lambda i: -scores[i])
    best = scores[order[0]]
    picked: list[Choice] = []
    for i in order:
        choice = found[i]
        if len(picked) == MAX_SENTENCES or scores[i] < max(ENOUGH, NEAR_BEST * best):
            break
        places = {c.chunk.id for c in picked} | {choice.chunk.id}
        idle = any(choice.repeats(c) or _names_less(choice, c, words) for c in picked)
        if len(places) <= MAX_PASSAGES and not idle:
            picked.append(choice)
    return picked


def _names_less(choice: Choice, other: Choice, words: frozenset[str]) -> bool:
    """Whether it is a row of the same table with fewer of the cells that the question names."""
    rows = choice.body[0], other.body[0]
    if {row.kind for row in rows} != {"row"} or choice.leads != other.leads:
        return False
    mine, its = (words & set(analyze(" ".join(row.cells))) for row in rows)
    return choice.chunk.id == other.chunk.id and mine < its
