"""The documents as they stand in their sources: what no passage holds may still stand there."""

import re
from collections.abc import Sequence
from functools import cached_property

from ingest.errors import DocumentError, SourceError
from ingest.sources import Entry, Source


class Originals:
    """Reads documents by the names that passages have for them; blocks."""

    def __init__(self, sources: Sequence[Source]) -> None:
        self._sources = sources

    def holds(self, doc: str, pattern: re.Pattern[str]) -> bool:
        """Whether the document can be read now and holds the pattern."""
        if doc not in self._entries:
            return False
        source, entry = self._entries[doc]
        try:
            text = source.read(entry).decode("utf-8", errors="replace")
        except DocumentError:
            return False
        return pattern.search(text) is not None

    @cached_property
    def _entries(self) -> dict[str, tuple[Source, Entry]]:
        several = len(self._sources) > 1
        found = {}
        for source in self._sources:
            try:
                listing = source.scan()
            except SourceError:
                continue
            prefix = f"{source.name}/" if several else ""
            found.update({prefix + entry.path: (source, entry) for entry in listing.entries})
        return found
