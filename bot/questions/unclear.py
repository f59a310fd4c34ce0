"""A first question that could be about many things: which of them does the person mean? Pure."""

import re
from collections.abc import Sequence

from bot.questions.ellipsis import own_words, points_back
from bot.types import Hit
from ingest.analyze import analyze, identifiers

MAX_CHOICES = 4
MIN_CHOICES = 2
TOP = 5
SPREAD = 3  # documents among the top that speak of "the limit", each of another one

_THE_ONE = re.compile(r"\b(?:the|our|my) (\w+)\W*$", re.IGNORECASE)


def choices_for(question: str, hits: Sequence[Hit]) -> tuple[str, ...]:
    """Two to four places in the documents that an underspecified question may mean; else none.

    It is one when it has no word of weight ("how much do I get"), or hardly one and a pronoun
    ("who approves it?"), or asks for one thing ("the limit") that several documents each have.

    Args:
        question: the first of its conversation.
        hits: best first.
    """
    if identifiers(question) or not _unclear(question, hits):
        return ()
    places = list(dict.fromkeys(filter(None, map(_place, hits))))[:MAX_CHOICES]
    return tuple(places) if len(places) >= MIN_CHOICES else ()


def _unclear(question: str, hits: Sequence[Hit]) -> bool:
    own = own_words(question)
    if not own:
        return len(question.split()) > 1
    if len(own) > 1:
        return False
    if points_back(question):
        return True
    asked = _THE_ONE.search(question)
    if not asked or set(analyze(asked.group(1))) != own:
        return False
    docs = {hit.chunk.doc for hit in hits[:TOP] if own <= set(analyze(hit.chunk.embedded))}
    return len(docs) >= SPREAD


def _place(hit: Hit) -> str:
    """The last heading, with the page's where it has another: `Probation (Joining and leaving)`."""
    path = [part.strip() for part in hit.chunk.heading.split(" > ") if part.strip()]
    if not path:
        return ""
    return path[-1] if len(path) == 1 else f"{path[-1]} ({path[0]})"


def one_of(choices: Sequence[str]) -> str:
    """Choices as people say them: `this, that or the other`."""
    return " or ".join(filter(None, [", ".join(choices[:-1]), *choices[-1:]]))
