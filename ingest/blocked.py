"""Purged text that still stands in its file: known by hashes alone, and not taken in again.

Runs of words are hashed as well as whole texts, so that other bounds of passages, after an edit
nearby or under other settings, let nothing through.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from ingest.commit import Taken
from ingest.rows import sha256, text_hash
from ingest.types import SEPARATOR, Chunk

RUN = 8  # words; as many in a row are said by one text and its copies
STILL_STANDS = (
    "A passage purged by an administrator still stands in this file: remove it there. It was left"
    " out, with what stands in the same passage."
)
LEFT_OUT = "(removed)"  # in the place of a heading

_WORD = re.compile(r"\w+")


def run_keys(text: str, lengths: frozenset[int] | None = None) -> Iterator[tuple[str, int]]:
    """Hashes of the runs of words in a text, each with its length.

    Args:
        text: any text.
        lengths: of the runs; default: the one that tells this text, at most `RUN` words.
    """
    words = [word.casefold() for word in _WORD.findall(text)]
    for n in lengths or {min(RUN, len(words))} - {0}:
        for at in range(len(words) - n + 1):
            yield sha256(" ".join(words[at : at + n]))[:32], n


def scoped_key(doc: str, text: str) -> str:
    """Hash a text that is purged in one document alone: a title, a table's header row."""
    return sha256(f"{doc}\0{text.strip()}")


@dataclass(frozen=True, slots=True)
class Blocked:
    """What must not be taken in: whole texts, runs of words with their lengths, and digests."""

    texts: frozenset[str] = frozenset()
    runs: frozenset[str] = frozenset()
    lengths: frozenset[int] = frozenset()
    digests: frozenset[str] = frozenset()

    def clean(self, taken: Taken) -> Taken:
        """Leave out what was purged; a document that held some of it gets a warning.

        The title of a purged document may come back once nothing else of it stands there.
        """
        if not (self.texts or self.runs or self.digests):
            return taken
        standing = [chunk for chunk in taken.chunks if not self._is(chunk)]
        titled = taken.title if len(standing) < len(taken.chunks) else ""
        kept = tuple(self._clean_chunk(chunk, titled) for chunk in standing)
        said = {
            key: value
            for key, value in taken.front_matter.items()
            if not self._holds(taken.doc, value)
        }
        cleaned = replace(taken, chunks=kept, front_matter=said)
        if cleaned == taken:
            return taken
        title = taken.doc if self._holds(taken.doc, taken.title) else taken.title
        return replace(cleaned, title=title, warning=f"{taken.warning} {STILL_STANDS}".strip())

    def _is(self, chunk: Chunk) -> bool:
        known = chunk.digest in self.digests or text_hash(chunk) in self.texts
        return known or self._has_run(chunk.text)

    def _clean_chunk(self, chunk: Chunk, title: str) -> Chunk:
        """A passage without purged context and headings; `title` is the page's, if it may go."""
        context = tuple(c for c in chunk.context if not self._holds(chunk.doc, c.text))
        first, *rest = chunk.heading.split(SEPARATOR)
        of_title = title and first == title and self._holds(chunk.doc, title)
        heads = [LEFT_OUT if of_title or self._has_run(first) else first]
        heads += [LEFT_OUT if self._has_run(head) else head for head in rest]
        return replace(chunk, context=context, heading=SEPARATOR.join(heads))

    def _holds(self, doc: str, text: str) -> bool:
        return scoped_key(doc, text) in self.texts or self._has_run(text)

    def _has_run(self, text: str) -> bool:
        if not self.lengths:
            return False
        return any(key in self.runs for key, _ in run_keys(text, self.lengths))
