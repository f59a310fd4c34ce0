"""A question of two or three parts, told apart: "what is the limit and who approves it?" Pure."""

import re
from dataclasses import replace

from bot.ellipsis import OWN_TOPIC_WORDS, own_words, points_back
from bot.types import Query
from ingest.analyze import analyze, normal, words

MAX_PARTS = 3

_NEXT_PART = re.compile(
    r"\?\s+(?=\w)|,?\s+(?:and|or)\s+(?=(?:what|who|whom|how|when|where|which|why|can|do|does|is"
    r"|are|will|should|must)\b)",
    re.IGNORECASE,
)
# Words of earlier turns stand in brackets behind a follow-up, see `Query.standalone`.
_WITH_TOPIC = re.compile(r"(.+\S) \([^()]+\)", re.DOTALL)


def parts_of(question: str) -> list[str]:
    """What a question asks one after the other, without the words of earlier turns behind it.

    What a follow-up says itself counts as much as all of it with the words that it leans on: those
    are the last answer's, and would have it read out again.
    """
    own = without_topic(question)
    parts = [part for part in _NEXT_PART.split(own) if len(part.split()) > 1]
    return parts if 1 < len(parts) <= MAX_PARTS else [own]


def without_topic(question: str) -> str:
    """A question without the words of earlier turns behind it."""
    with_topic = _WITH_TOPIC.fullmatch(question)
    return with_topic.group(1) if with_topic else question


def part_queries(query: Query) -> tuple[Query, ...]:
    """A query for each part of a question; none when it has only one.

    A part that says little itself, or points back ("who approves it"), leans on the words of the
    parts before it as a follow-up leans on those of earlier turns.
    """
    parts = parts_of(query.text)
    if len(parts) == 1:
        return ()
    queries: list[Query] = []
    before: list[str] = []
    for part in parts:
        leans = points_back(part) or len(own_words(part)) < OWN_TOPIC_WORDS
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
