"""Passages given whole: quoted without a model, or where one may answer. Pure."""

import re
from collections.abc import Sequence

from bot.types import Citation
from ingest.analyze import analyze
from ingest.types import Chunk

MAX_WORDS = 5
MAX_AFTER = 3
LINE_END_CHARS = 2
MAY_ANSWER = "This passage may answer it"

_WORD = re.compile(r"\w+(?:[-'’]\w+)*")


def perhaps_message(question: str, chunk: Chunk) -> str:
    """That the passage may answer the question, and why that is not sure."""
    missing = _missing(question, chunk)
    if not missing:
        return f"{MAY_ANSWER}; read it before you rely on it."
    return f"{MAY_ANSWER}, but it does not mention {', '.join(missing)}."


def whole_text(cited: Citation) -> tuple[str, list[tuple[int, int]]]:
    """What is read of a passage: its lead-in or header row, its text, and what that goes on in.

    Beside it the ranges of what would be quoted of the passage's own text.
    """
    chunk = cited.chunk
    before = "".join(text.strip("\n") + "\n" for text in chunk.visible_context)
    shift = len(before) - chunk.start
    own = [q for q in cited.quotes if q.text and chunk.start <= q.start < q.end <= chunk.end]
    text = "\n".join([before + chunk.visible, *(after.visible for after in cited.after)])
    return text, [(q.start + shift, q.end + shift) for q in own]


def goes_on(chunk: Chunk, near: Sequence[Chunk]) -> tuple[Chunk, ...]:
    """The passages behind it in which a list, table or listing of its own goes on, at most three.

    A later piece of one carries its lead-in or header as context; between the lines of a listing
    there is no more than the line's end.

    Args:
        chunk: a passage.
        near: live passages of its document in their order.
    """
    found: list[Chunk] = []
    last = chunk
    for following in (c for c in near if c.start >= chunk.end):
        lead = following.context[-1].start if following.context else -1
        led = chunk.start <= lead or any(lead == context.start for context in chunk.context)
        joined = following.start - last.end <= LINE_END_CHARS
        if len(found) == MAX_AFTER or following.heading != chunk.heading or not (led or joined):
            break
        found.append(following)
        last = following
    return tuple(found)


def _missing(question: str, chunk: Chunk) -> list[str]:
    """The question's words that neither the passage nor its headings have, in their order."""
    meant, said = set(analyze(question)), set(analyze(chunk.embedded))
    words = dict.fromkeys(_WORD.findall(question))
    missing = [word for word in words if (stems := set(analyze(word)) & meant) and not stems & said]
    return [f"“{word}”" for word in missing[:MAX_WORDS]]
