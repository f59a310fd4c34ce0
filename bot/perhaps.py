"""The passage that may answer, given whole where a quotation would claim too much. Pure."""

import re

from bot.types import Citation
from ingest.analyze import analyze
from ingest.types import Chunk

MAX_WORDS = 5
MAY_ANSWER = "This passage may answer it"

_WORD = re.compile(r"\w+(?:[-'’]\w+)*")


def perhaps_message(question: str, chunk: Chunk) -> str:
    """That the passage may answer the question, and why that is not sure."""
    missing = _missing(question, chunk)
    if not missing:
        return f"{MAY_ANSWER}; read it before you rely on it."
    return f"{MAY_ANSWER}, but it does not mention {', '.join(missing)}."


def whole_text(cited: Citation) -> tuple[str, list[tuple[int, int]]]:
    """What is read of a passage: its lead-in or header row, and its text.

    Beside it the ranges of what would be quoted of the passage's own text.
    """
    chunk = cited.chunk
    before = "".join(text.strip("\n") + "\n" for text in chunk.visible_context)
    shift = len(before) - chunk.start
    own = [q for q in cited.quotes if q.text and chunk.start <= q.start < q.end <= chunk.end]
    return before + chunk.visible, [(q.start + shift, q.end + shift) for q in own]


def _missing(question: str, chunk: Chunk) -> list[str]:
    """The question's words that neither the passage nor its headings have, in their order."""
    meant, said = set(analyze(question)), set(analyze(chunk.embedded))
    words = dict.fromkeys(_WORD.findall(question))
    missing = [word for word in words if (stems := set(analyze(word)) & meant) and not stems & said]
    return [f"“{word}”" for word in missing[:MAX_WORDS]]
