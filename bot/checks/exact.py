"""What holds whatever the wording: values, rows, labels, the sign of an answer, limits. Pure."""

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
    if (number := across(text, "\n".join(chunk.embedded for chunk in cited))) is not None:
        return LIMITS, f"the cited passages speak of the other side of {number}"
    return None
