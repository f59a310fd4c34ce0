"""What holds whatever the wording: values, rows, labels, the sign of an answer, limits. Pure."""

from collections.abc import Iterator, Sequence

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
    return next(exact_faults(text, cited, question), None)


def exact_faults(text: str, cited: Sequence[Chunk], question: str) -> Iterator[tuple[str, str]]:
    """Each rule that it breaks, with what it missed."""
    if (fact := missing_fact(text, cited, question)) is not None:
        yield HARD_FACTS, f"{fact.kind} {fact.words!r} does not stand in the cited passages"
    if (seen := misplaced(text, cited, question)) is not None:
        yield ROWS, seen
    if (seen := wrong_sign(text, cited)) is not None:
        yield YES_NO, seen
    if (number := across(text, "\n".join(chunk.embedded for chunk in cited))) is not None:
        yield LIMITS, f"the cited passages speak of the other side of {number}"
