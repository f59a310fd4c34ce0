"""What holds in any language: values, rows, labels, and the sign of an answer. Pure."""

from collections.abc import Sequence

from bot.checks.answers import wrong_sign
from bot.checks.groups import misplaced
from bot.checks.standing import missing_fact
from bot.reading.bounds import across
from ingest.types import Chunk

HARD_FACTS = "hard_facts"
ROWS = "rows"
YES_NO = "yes_no"
LIMITS = "limits"


def exact_fault(text: str, cited: Sequence[Chunk], question: str) -> tuple[str, str] | None:
    """The rule that a sentence breaks against the passages it cites, and what it missed."""
    if (fact := missing_fact(text, cited, question)) is not None:
        return HARD_FACTS, f"{fact.kind} {fact.words!r} does not stand in the cited passages"
    if (seen := misplaced(text, cited, question)) is not None:
        return ROWS, seen
    if (seen := wrong_sign(text, cited)) is not None:
        return YES_NO, seen
    said = "\n".join(text for chunk in cited for text in (chunk.heading, chunk.embedded))
    if (number := across(text, said)) is not None:
        return LIMITS, f"the cited passages speak of the other side of {number}"
    return None
