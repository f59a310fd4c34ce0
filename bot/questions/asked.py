"""The names in a question. Pure."""

import re

from ingest.analyze import analyze

_NAMED = re.compile(r"(?<=[a-z,;)] )[A-Z][\w-]*\w")


def names_in(question: str) -> list[str]:
    """The words with a capital within a question; those all in capitals are none."""
    words = (match.group() for match in _NAMED.finditer(question))
    return [word for word in words if not word.isupper() and analyze(word)]
