"""What each question of a message, and each part of one, is searched by.

That is its own words and what its "it" stands for. Pure.
"""

from collections.abc import Sequence
from dataclasses import replace

from bot.questions.ellipsis import OWN_TOPIC_WORDS, own_words, points_back
from bot.questions.parts import parts_of, questions_of, without_topic
from bot.types import Query
from ingest.analyze import analyze, normal, words


def question_queries(query: Query) -> tuple[Query, ...]:
    """A query for each question of a message; none when it asks one."""
    return _each(query, questions_of(query.text), least_own_words=1)


def part_queries(query: Query) -> tuple[Query, ...]:
    """A query for each part of a question; none when it has only one."""
    return _each(query, parts_of(query.text), least_own_words=OWN_TOPIC_WORDS)


def _each(query: Query, parts: Sequence[str], *, least_own_words: int) -> tuple[Query, ...]:
    """A part that says less itself, or points back ("who approves it"), leans on those before.

    It leans on their words as a follow-up leans on those of earlier turns.
    """
    if len(parts) == 1:
        return ()
    queries: list[Query] = []
    before: list[str] = []
    for part in parts:
        leans = points_back(part) or len(own_words(part)) < least_own_words
        topic = [query.expansion, *(before if leans else [])]
        queries.append(replace(query, text=part, expansion=" ".join(filter(None, topic))))
        before += _weighty(part)
    return tuple(queries)


def topics_of(question: str) -> list[frozenset[str]]:
    """For each part of a question the stems of what its "it" stands for; empty without one."""
    queries = part_queries(Query(without_topic(question)))
    return [frozenset(analyze(q.expansion) if points_back(q.text) else ()) for q in queries]


def _weighty(text: str) -> list[str]:
    """The words of a text that are no function words."""
    text = normal(text)
    return [text[start:end] for start, end, tokens in words(text) if tokens]
