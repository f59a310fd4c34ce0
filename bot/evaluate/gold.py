"""What a case calls right, as passages that are live now."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from bot.evaluate.cases import Case, Place
from bot.evaluate.originals import Originals
from ingest.types import SEPARATOR, Chunk

SPAN_CHARS = 60  # of a lost span that are told


@dataclass(frozen=True, slots=True)
class Gold:
    """The right passages of a case.

    `ids` are those that are right, `docs` the documents that hold them. A ranking is judged by
    passages, or by documents when only documents were named (`by_doc`). `needed` is how many right
    ones a perfect ranking shows; places are alternatives, so one is enough. `missing` says in
    words which golds exist no more, `unreachable` which stand in a document but in no passage.
    """

    ids: frozenset[str] = frozenset()
    docs: frozenset[str] = frozenset()
    needed: int = 0
    by_doc: bool = False
    missing: tuple[str, ...] = ()
    unreachable: tuple[str, ...] = ()

    @property
    def known(self) -> bool:
        """Whether a search can be held against it."""
        return bool(self.ids or self.unreachable)

    def right(self, ranking: Iterable[Chunk]) -> list[bool]:
        """For each rank whether it is right; by documents, the first passage of each counts."""
        if not self.by_doc:
            return [chunk.id in self.ids for chunk in ranking]
        docs = dict.fromkeys(chunk.doc for chunk in ranking)
        return [doc in self.docs for doc in docs]

    def rank(self, ranking: Iterable[Chunk]) -> int | None:
        """The rank of the first right passage, from 1."""
        ids = (chunk.id for chunk in ranking)
        return next((n for n, id_ in enumerate(ids, start=1) if id_ in self.ids), None)


class Library:
    """The live passages by id and by document; finds gold among them."""

    def __init__(self, chunks: Iterable[Chunk], originals: Originals) -> None:
        self._originals = originals
        self.by_id: dict[str, Chunk] = {}
        self.by_doc: dict[str, list[Chunk]] = {}
        for chunk in chunks:
            self.by_id[chunk.id] = chunk
            self.by_doc.setdefault(chunk.doc, []).append(chunk)
        self._texts: dict[str, str] = {}

    def gold(self, case: Case) -> Gold:
        """What a case calls right; what exists no more is named in `missing`."""
        if case.gold_ids:
            return self._by_ids(case.gold_ids)
        if case.places:
            return self._by_places(case.places)
        return self._by_docs(case.gold_docs)

    def holding(self, doc: str, span: str) -> set[str]:
        """The passages that overlap an occurrence of the span, or stand under a heading with it."""
        chunks = self.by_doc.get(doc, [])
        pattern = _loosely(span)
        found = [m.span() for m in pattern.finditer(self._text(doc))] if chunks else []
        holding = {c.id for c in chunks for start, end in found if c.start < end and start < c.end}
        return holding | {c.id for c in chunks if pattern.search(c.heading.split(SEPARATOR)[-1])}

    def copies(self, ids: Iterable[str], spans: Sequence[str]) -> set[str]:
        """The passages anywhere that say the same: equal text, or one of the spans within."""
        texts = {_folded(self.by_id[id_].text) for id_ in ids}
        patterns = [_loosely(span) for span in spans]
        return {
            c.id
            for c in self.by_id.values()
            if _folded(c.text) in texts or any(p.search(c.text) for p in patterns)
        }

    def _by_ids(self, ids: Sequence[str]) -> Gold:
        live, missing = _parted(ids, lambda id_: id_ in self.by_id)
        docs = frozenset(self.by_id[id_].doc for id_ in live)
        told = tuple(f"no passage has the id {id_}" for id_ in missing)
        return Gold(frozenset(live), docs, len(live), missing=told)

    def _by_places(self, places: Sequence[Place]) -> Gold:
        """Right is what holds any span in any of its places; a document or a span may be lost."""
        found = {(p.doc, span): self.holding(p.doc, span) for p in places for span in p.spans}
        ids = frozenset(id_ for some in found.values() for id_ in some)
        docs = frozenset(self.by_id[id_].doc for id_ in ids)
        held = {span for (_, span), some in found.items() if some}
        missing = [_no_document(p.doc) for p in places if p.doc not in self.by_doc]
        unreachable: list[str] = []
        for doc, span in found:
            if span not in held:
                stands = self._originals.holds(doc, _loosely(span))
                told = f"no passage holds {_shortened(span)!r}"
                (unreachable if stands else missing).append(told)
        return Gold(
            ids, docs, 1, missing=tuple(dict.fromkeys(missing)), unreachable=tuple(unreachable)
        )

    def _by_docs(self, docs: Sequence[str]) -> Gold:
        live, missing = _parted(docs, lambda doc: doc in self.by_doc)
        ids = frozenset(chunk.id for doc in live for chunk in self.by_doc[doc])
        told = tuple(map(_no_document, missing))
        return Gold(ids, frozenset(live), len(live), by_doc=True, missing=told)

    def _text(self, doc: str) -> str:
        """The document as its passages hold it: each at its offset, blanks between them."""
        if doc not in self._texts:
            chars = [" "] * max(c.end for c in self.by_doc[doc])
            for c in self.by_doc[doc]:
                chars[c.start : c.end] = c.text
            self._texts[doc] = "".join(chars)
        return self._texts[doc]


def _shortened(span: str) -> str:
    return span if len(span) <= SPAN_CHARS else span[: SPAN_CHARS - 1] + "…"


def _no_document(doc: str) -> str:
    return f"no document is called {doc}"


def _loosely(span: str) -> re.Pattern[str]:
    """The span with any white space where it has some: line ends differ, gaps are blanks."""
    return re.compile(r"\s+".join(map(re.escape, span.split())))


def _folded(text: str) -> str:
    return " ".join(text.split())


def _parted(names: Sequence[str], known: Callable[[str], bool]) -> tuple[list[str], list[str]]:
    distinct = list(dict.fromkeys(names))
    return [n for n in distinct if known(n)], [n for n in distinct if not known(n)]
