"""What became of retired passages: each one's successor, by the best evidence there is.

Evidence, the best first: the text stands under another id in its own document; it came to another
document in the same sync; something with most of its words took its place; a text that was there
before, elsewhere, says the same. Cost is linear in what changed.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

from ingest.chunk import normalise
from ingest.types import Chunk

# Share of a retired passage's words and word pairs that its successor must hold, in its own
# document or the one that took most of it over, and in any other. `tests/bench/lineage.py` prints
# the share of right successors by threshold: highest from 0.25 to 0.35 in the same place (below,
# passages that went get a successor; above, reworded ones lose theirs), elsewhere from 0.4 on:
# there, unrelated passages that came in the same sync are many, and a mistake is worse than a gap.
SAME_PLACE = 0.3
ELSEWHERE = 0.6
COMMON = 32  # a word that more of the new passages hold tells none of them apart, and costs time

_WORD = re.compile(r"\w+")


def link(
    retired: Sequence[Chunk], added: Sequence[Chunk], standing: Sequence[Chunk] = ()
) -> dict[str, str]:
    """Give the ids of retired passages with those of their successors; without one: left out.

    Args:
        retired: passages that just stopped being live.
        added: passages that just became live, of all documents of the same sync.
        standing: passages that were live before and still are, with the text of a retired one.
    """
    twins = _by_text(standing)
    own = {chunk.id: [t for t in twins[_text(chunk)] if t.doc == chunk.doc] for chunk in retired}
    arrived = _by_text(added)
    found = {chunk.id: _nearest(chunk, own[chunk.id], arrived[_text(chunk)]) for chunk in retired}
    links = {id_: chunk for id_, chunk in found.items() if chunk}
    links |= _rewritten(
        [chunk for chunk in retired if chunk.id not in links], added, _heirs(retired, links)
    )
    for chunk in retired:
        if chunk.id not in links and (same := _nearest(chunk, twins[_text(chunk)], ())):
            links[chunk.id] = same
    return {id_: chunk.id for id_, chunk in links.items()}


def _text(chunk: Chunk) -> str:
    return normalise(chunk.text)


def _by_text(chunks: Iterable[Chunk]) -> Mapping[str, list[Chunk]]:
    by_text: dict[str, list[Chunk]] = defaultdict(list)
    for chunk in chunks:
        by_text[_text(chunk)].append(chunk)
    return by_text


def _nearest(chunk: Chunk, own: Sequence[Chunk], arrived: Sequence[Chunk]) -> Chunk | None:
    """Among passages of the same text: the own document's, the most similar heading, the place."""
    words = set(_WORD.findall(chunk.heading))

    def rank(other: Chunk) -> tuple[bool, int, int, str]:
        same = len(words & set(_WORD.findall(other.heading)))
        return (other.doc != chunk.doc, -same, abs(other.start - chunk.start), other.id)

    return min((*own, *arrived), key=rank, default=None)


def _heirs(retired: Sequence[Chunk], links: Mapping[str, Chunk]) -> dict[str, str]:
    """For each document, the other one that took over most of its passages."""
    votes: dict[str, Counter[str]] = defaultdict(Counter)
    for chunk in retired:
        if chunk.id in links and links[chunk.id].doc != chunk.doc:
            votes[chunk.doc][links[chunk.id].doc] += 1
    return {doc: max(counted, key=lambda d: (counted[d], d)) for doc, counted in votes.items()}


def _rewritten(
    retired: Sequence[Chunk], added: Sequence[Chunk], heirs: Mapping[str, str]
) -> dict[str, Chunk]:
    by_doc: dict[str, list[Chunk]] = defaultdict(list)
    for chunk in added:
        by_doc[chunk.doc].append(chunk)
    left: dict[str, list[Chunk]] = defaultdict(list)
    for chunk in retired:
        left[chunk.doc].append(chunk)
    links: dict[str, Chunk] = {}
    for doc, chunks in left.items():
        near = _Words([*by_doc[doc], *by_doc[heirs.get(doc, "")]])
        links |= near.successors(chunks, SAME_PLACE)
    far = _Words(added)
    return far.successors([c for c in retired if c.id not in links], ELSEWHERE) | links


class _Words:
    """Passages by the words and word pairs that they hold."""

    def __init__(self, chunks: Sequence[Chunk]) -> None:
        self._chunks = chunks
        self._holders: dict[str, list[int]] = defaultdict(list)
        for i, chunk in enumerate(chunks):
            for feature in features(chunk.text):
                self._holders[feature].append(i)

    def successors(self, retired: Iterable[Chunk], at_least: float) -> dict[str, Chunk]:
        """For each passage the one that holds most of its words, if it holds that share."""
        found: dict[str, Chunk] = {}
        for chunk in retired:
            share, best = self._best(chunk)
            if best and share >= at_least:
                found[chunk.id] = best
        return found

    def _best(self, chunk: Chunk) -> tuple[float, Chunk | None]:
        holders = [self._holders.get(feature, ()) for feature in features(chunk.text)]
        telling = [rows for rows in holders if len(rows) <= COMMON]
        shared = Counter(row for rows in telling for row in rows)
        if not shared:
            return 0.0, None

        def rank(row: int) -> tuple[int, bool, int]:
            return (shared[row], self._chunks[row].heading == chunk.heading, -row)

        best = max(shared, key=rank)
        return shared[best] / len(telling), self._chunks[best]


def features(text: str) -> set[str]:
    """Words and pairs of neighbouring words, case-folded."""
    words = [word.casefold() for word in _WORD.findall(text)]
    return {*words, *(f"{a} {b}" for a, b in pairwise(words))}
