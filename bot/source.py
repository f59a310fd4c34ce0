"""A citation id to what it stands for: the passage as it was cited, and what became of it."""

import difflib
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from ingest.chunk import normalise
from ingest.errors import FootnoteError
from ingest.ledger import Ledger, Passage

# A removed passage's neighbour is offered only when it is this close (cosine, packaged model). In
# the sample handbook 99.9 % of the pairs of one page lie below, and 97 % of the passages have no
# such neighbour; of passages that lost three words in ten at random, 83 % still are this close to
# what they were.
REALLY_CLOSE = 0.8
MAX_LIKE_PAIRS = 30_000  # of words in two texts; two of prose have ten thousand
CHAIN_LIMIT = 10_000  # edits that a chain is followed through

_ID = re.compile(r"[0-9a-f]{12,40}")

Status = Literal["live", "changed", "moved", "removed", "purged", "expired"]


class BadIdError(FootnoteError):
    """It is no citation id; the text says why."""


@dataclass(frozen=True, slots=True)
class Resolved:
    """What an id stands for.

    `cited` is the passage as it was, `current` the live one that stands for it now: itself when
    live, the same text elsewhere when moved, what took its place when changed, None when removed.
    `nearest` is set for a removed one whose document still says something really close. What is
    purged or expired has no text any more, and nothing stands for it.
    """

    status: Status
    cited: Passage
    current: Passage | None
    nearest: Passage | None = None


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of a comparison: words that stayed, that went, or that came."""

    kind: Literal["same", "removed", "added"]
    text: str


def clean_id(text: str) -> str:
    """Read an id as people paste it: in brackets or back-quotes, in capitals, with spaces.

    Raises:
        BadIdError: it is no id at all.
    """
    cleaned = re.sub(r"[\s\[\](){}<>`'\"#.,;:]", "", text).lower()
    if not cleaned:
        raise BadIdError("Give the id of a citation: 12 characters, 0-9 and a-f.")
    if not _ID.fullmatch(cleaned):
        shown = " ".join(text.split())[:40]
        raise BadIdError(f"{shown!r} is no citation id: those are 12 characters, 0-9 and a-f.")
    return cleaned


class Passages:
    """Looks citations up in the ledger. Methods block on its file."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger

    def resolve(self, passage_id: str) -> Resolved | None:
        """Give what an id stands for, or None when it was never given out here."""
        cited = self._ledger.find(passage_id)
        if cited is None:
            return None
        if cited.erased:
            return Resolved(cited.erased.kind, cited, None)
        if cited.retired_at is None:
            return Resolved("live", cited, cited)
        current = self._newest(cited) or self._ledger.same_text(cited.chunk)
        if current is None:
            return Resolved("removed", cited, None, self._ledger.nearest(cited, REALLY_CLOSE))
        same = normalise(current.chunk.text) == normalise(cited.chunk.text)
        return Resolved("moved" if same else "changed", cited, current)

    def _newest(self, passage: Passage) -> Passage | None:
        """Follow the chain of successors to its live end."""
        for _ in range(CHAIN_LIMIT):
            if passage.retired_at is None:
                return passage
            following = passage.successor and self._ledger.find(passage.successor)
            if not following:
                return None
            passage = following
        return None


def tell_erasure(passage: Passage) -> str | None:
    """That a passage's text is gone for good, and since when; None for one that has its text."""
    if passage.erased is None:
        return None
    day = f"{passage.erased.at:%Y-%m-%d}"
    if passage.erased.kind == "purged":
        return f"The passage {passage.chunk.id} was removed by an administrator on {day}."
    return f"The passage {passage.chunk.id} is no more: its text was kept until {day}."


def compare(old: str, new: str) -> list[Piece]:
    """Compare two texts word by word; the pieces that are not added join up to the old text."""
    a, b = _words(old), _words(new)
    # A word repeated without end is compared with itself in every place: such ones anchor nothing.
    alike = _like_pairs(a, b) > MAX_LIKE_PAIRS
    matcher = difflib.SequenceMatcher(str.isspace, a, b, autojunk=alike)
    pieces: list[Piece] = []
    for tag, a1, a2, b1, b2 in matcher.get_opcodes():
        if tag == "equal":
            pieces.append(Piece("same", "".join(a[a1:a2])))
            continue
        if a2 > a1:
            pieces.append(Piece("removed", "".join(a[a1:a2])))
        if b2 > b1:
            pieces.append(Piece("added", "".join(b[b1:b2])))
    return pieces


def _like_pairs(a: Sequence[str], b: Sequence[str]) -> int:
    """How many pairs there are of a word in the one and its like in the other."""
    theirs = Counter(b)
    return sum(count * theirs[word] for word, count in Counter(a).items() if not word.isspace())


def _words(text: str) -> Sequence[str]:
    return re.findall(r"\s+|\w+|[^\w\s]", text)
