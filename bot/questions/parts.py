"""A question of two or three parts, told apart: "what is the limit and who approves it?" Pure."""

import re

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
