"""A follow-up to a question that stands alone: by a model, or by an honest rule."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Collection, Iterator, Sequence
from typing import Protocol

from bot.errors import ModelError
from bot.questions.asked import names_in
from bot.questions.ellipsis import leans, points_back, standing_alone
from bot.questions.parts import asks
from bot.types import ASKS_BACK, DO_NOT_SAY, Query, Turn
from ingest.analyze import analyze, normal, words

log = logging.getLogger(__name__)

# On conversations 6 words and 12, 4 turns and 8 were within noise of each other.
TOPIC_WORDS = 12
TURNS = 4
PASTE_CHARS = 600  # people's questions are shorter
FADING = 0.7  # of a word's weight, per turn that lies between
ANSWERS_SHARE = 0.5  # the person's own words weigh more than the bot's

Complete = Callable[[str, str], Awaitable[str]]


class Rewriter(Protocol):
    """Turns a question and what came before into a query."""

    async def rewrite(self, question: str, history: Sequence[Turn]) -> Query:
        """A first question is left alone."""


class RuleRewriter:
    """Completes a fragment from the question before it, or carries rare words of the last turns.

    What those words weigh is the stages' matter. A question that opens a topic of its own is left
    alone.

    Args:
        idf: inverse document frequency of a token as `analyze` gives it.
    """

    def __init__(self, idf: Callable[[str], float]) -> None:
        self._idf = idf

    async def rewrite(self, question: str, history: Sequence[Turn]) -> Query:
        """The question and, with a history, the words it may lean on."""
        history = _without_pastes(history)
        if (unclear := _asked_back_about(history)) is not None:
            return Query(f"{question.rstrip('?.! ')}: {unclear}")
        alone = standing_alone(question, history)
        text = alone or _with_refused_names(question, history)
        leaning = points_back(text) if alone else leans(text, history)
        topic = self._topic(text, history) if leaning else ""
        return Query(text, topic, told_in(history))

    def _topic(self, question: str, history: Sequence[Turn]) -> str:
        """The rarest words of the last turns that the question does not say itself, in order."""
        said = set(analyze(question))
        weights: dict[str, float] = {}
        spoken: dict[str, str] = {}
        for age, turn in enumerate(reversed(history[-TURNS:])):
            if turn.role == "assistant" and turn.text.startswith(DO_NOT_SAY):
                continue
            share = FADING**age * (1.0 if turn.role == "user" else ANSWERS_SHARE)
            for token, word in _topic_words(turn.text, said):
                weights[token] = weights.get(token, 0.0) + share * self._idf(token)
                spoken.setdefault(token, word)
        rarest = sorted(weights, key=lambda token: -weights[token])[:TOPIC_WORDS]
        return " ".join(word for token, word in spoken.items() if token in rarest)


def _without_pastes(history: Sequence[Turn]) -> Sequence[Turn]:
    """The turns without long messages: a log has rare words by the dozen, and none is the topic.

    Where people said nothing shorter, the long ones stay.
    """
    shorter = [t for t in history if t.role == "assistant" or len(t.text) <= PASTE_CHARS]
    return shorter if any(turn.role == "user" for turn in shorter) else history


def _asked_back_about(history: Sequence[Turn]) -> str | None:
    """The unclear question that the last turn, a clarifying question, was about."""
    match history[-2:]:
        case [Turn("user", text), Turn("assistant", reply)] if reply.startswith(ASKS_BACK):
            return text
    return None


def _with_refused_names(question: str, history: Sequence[Turn]) -> str:
    """The question with the names of the one before, where that was refused and this points back.

    After "and in Rome?" was refused, "does it include breakfast?" is about Rome, not about the
    place that was spoken of before.
    """
    match history[-2:]:
        case [Turn("user", before), Turn("assistant", reply)] if reply.startswith(DO_NOT_SAY):
            names = names_in(before)
            if names and points_back(question):
                return f"{question.rstrip('?.! ')}, {' '.join(names)}?"
    return question


def _topic_words(text: str, said: Collection[str]) -> Iterator[tuple[str, str]]:
    """Token and word of each word that is neither a function word nor said already."""
    text = normal(text)
    for start, end, tokens in words(text):
        if tokens and not any(token in said for token in tokens):
            yield tokens[0], text[start:end]


class ModelRewriter:
    """Asks a model; falls back to the rule when it fails or its reply is no question.

    Args:
        complete: system and user text to the model's text; raises `ModelError`.
        system: the prompt.
        rule: what stands in.
        timeout_s: how long the model may take.
    """

    def __init__(
        self, complete: Complete, system: str, rule: Rewriter, *, timeout_s: float
    ) -> None:
        self._complete = complete
        self._system = system
        self._rule = rule
        self._timeout_s = timeout_s

    async def rewrite(self, question: str, history: Sequence[Turn]) -> Query:
        """The model's standalone question beside the words that it stands for."""
        if not history:
            return Query(question)
        try:
            async with asyncio.timeout(self._timeout_s):
                reply = await self._complete(self._system, conversation(question, history))
        except (ModelError, TimeoutError) as error:
            log.warning("the rewrite fell back to the rule (%s)", type(error).__name__)
            return await self._rule.rewrite(question, history)
        text = reply.strip()
        if not is_question(text, question):
            log.warning("the rewrite fell back to the rule (the reply is not one question)")
            return await self._rule.rewrite(question, history)
        return Query(text, told=told_in(history), spoken="" if text == question else question)


def told_in(history: Sequence[Turn]) -> tuple[str, ...]:
    """The bot's earlier answers."""
    return tuple(turn.text for turn in history if turn.role == "assistant")


def conversation(question: str, history: Sequence[Turn]) -> str:
    """What the model sees: the turns, oldest first, and the question last."""
    lines = [f"{turn.role}: {' '.join(turn.text.split())}" for turn in history]
    return "\n".join([*lines, "", f"Follow-up: {' '.join(question.split())}"])


_MAX_GROWTH_CHARS = 400


def is_question(reply: str, question: str) -> bool:
    """Whether a reply can stand for a question: one line, no essay, and asking where that asks."""
    one_line = len(reply.splitlines()) == 1
    return (
        one_line
        and len(reply) <= len(question) + _MAX_GROWTH_CHARS
        and asks(reply) >= asks(question)
    )
