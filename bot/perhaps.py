"""The passage that may answer, given whole where a quotation would claim too much. Pure."""

import re

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


def whole_text(chunk: Chunk) -> str:
    """What is read of a passage: its lead-in or header row, and its text."""
    return "\n".join(text.strip("\n") for text in (*chunk.visible_context, chunk.visible)).strip()


def _missing(question: str, chunk: Chunk) -> list[str]:
    """The question's words that neither the passage nor its headings have, in their order."""
    meant, said = set(analyze(question)), set(analyze(chunk.embedded))
    words = dict.fromkeys(_WORD.findall(question))
    missing = [word for word in words if (stems := set(analyze(word)) & meant) and not stems & said]
    return [f"“{word}”" for word in missing[:MAX_WORDS]]
