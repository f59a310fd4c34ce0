"""A yes or no and the question that it answers: the line before it or its heading. Pure."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from bot.lexicon import alternatives
from bot.reading.units import Unit
from ingest.types import SEPARATOR, Chunk

_SIGN = re.compile(
    rf"\W*(?:(?:{alternatives('answer_marks')})\W{{1,4}})?"
    rf"(?:(?P<yes>{alternatives('yes')})|{alternatives('no')})\b(?P<rest>.*)",
    re.IGNORECASE | re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Sign:
    """Whether an answer begins with yes or with no, and what it says beyond that."""

    affirmed: bool
    rest: str


def sign_of(text: str) -> Sign | None:
    """The yes or no that a text begins with."""
    match = _SIGN.fullmatch(text)
    return Sign(bool(match["yes"]), match["rest"]) if match else None


def asks(text: str) -> bool:
    """Whether a text ends as a question."""
    return text.rstrip("*_\"”') ").endswith(("?", "？"))


def question_of(chunk: Chunk, stretches: Sequence[Unit], at: int) -> str:
    """The question right before a unit, or that of the heading which it begins; "" for none."""
    title = chunk.heading.rsplit(SEPARATOR, maxsplit=1)[-1].strip()
    before = stretches[at - 1].text if at else title
    return before if asks(before) else ""
