"""A citation id to the passage that it stands for."""

import re

from ingest.errors import FootnoteError
from ingest.ledger import Ledger, Passage

_ID = re.compile(r"[0-9a-f]{12,40}")


class BadIdError(FootnoteError):
    """It is no citation id; the text says why."""


def clean_id(text: str) -> str:
    """Read an id as people paste it: in brackets or back-quotes, in capitals, with spaces.

    Raises:
        BadIdError: it is no id at all.
    """
    cleaned = re.sub(r"[\s\[\](){}<>`'\"#.,;:]", "", text).lower()
    if not cleaned:
        raise BadIdError("Give the id of a citation: 12 characters, 0-9 and a-f.")
    if not _ID.fullmatch(cleaned):
        raise BadIdError(f"{text.strip()!r} is no citation id: those are 12 characters, 0-9, a-f.")
    return cleaned


class Passages:
    """Looks citations up in the ledger, live and retired."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger

    def lookup(self, passage_id: str) -> Passage | None:
        """Give the passage of an id, or None when it was never given out here."""
        return self._ledger.find(passage_id)
