"""What became of retired passages: each one's successor, by the best evidence there is.

Cost is linear in what changed: words of the retired passages are looked up in an index over the
words of the added ones.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from itertools import pairwise

from ingest.rows import normalised
from ingest.types import Chunk

# Share of a retired passage's words and word pairs that its successor must hold. Passages that an
# edit rewrote keep well over half of them; unrelated passages of one handbook share under a fifth.
# `tests/bench/lineage.py` shows the share of right successors at this value.
SAME_PLACE = 0.35

_WORD = re.compile(r"\w+")


def link(retired: Sequence[Chunk], added: Sequence[Chunk]) -> dict[str, str]:
    """Give the ids of retired passages with those of their successors; without one: left out.

    A passage whose text stands in `added` moved there, into its own document before any other. One
    that was rewritten is sought among what its document got, or among what the document got that
    took most of its text over (a renamed file).

    Args:
        retired: passages that just stopped being live.
        added: passages that just became live, of all documents of the same sync.
    """
    links = _moved(retired, added)
    heirs = _heirs(retired, links, {chunk.id: chunk for chunk in added})
    by_doc: dict[str, list[Chunk]] = defaultdict(list)
    for chunk in added:
        by_doc[chunk.doc].append(chunk)
    left: dict[str, list[Chunk]] = defaultdict(list)
    for chunk in retired:
        if chunk.id not in links:
            left[chunk.doc].append(chunk)
    for doc, chunks in left.items():
        candidates = by_doc.get(doc) or by_doc.get(heirs.get(doc, ""), [])
        links |= _rewritten(chunks, candidates)
    return links


def _moved(retired: Sequence[Chunk], added: Sequence[Chunk]) -> dict[str, str]:
    by_text: dict[str, list[Chunk]] = defaultdict(list)
    for chunk in added:
        by_text[normalised(chunk.text)].append(chunk)
    links: dict[str, str] = {}
    for chunk in retired:
        same = by_text.get(normalised(chunk.text), [])
        if same:
            own = [other for other in same if other.doc == chunk.doc]
            links[chunk.id] = _nearest(chunk, own or same).id
    return links


def _nearest(chunk: Chunk, others: Sequence[Chunk]) -> Chunk:
    """Among passages of the same text, the one under the most similar heading, then the nearest."""
    words = set(_WORD.findall(chunk.heading))
    return min(
        others,
        key=lambda o: (-len(words & set(_WORD.findall(o.heading))), abs(o.start - chunk.start)),
    )


def _heirs(
    retired: Sequence[Chunk], links: Mapping[str, str], added: Mapping[str, Chunk]
) -> dict[str, str]:
    """For each document, the other one that took over most of its passages."""
    votes: dict[str, Counter[str]] = defaultdict(Counter)
    for chunk in retired:
        if chunk.id in links:
            votes[chunk.doc][added[links[chunk.id]].doc] += 1
    return {doc: counted.most_common(1)[0][0] for doc, counted in votes.items()}


def _rewritten(retired: Sequence[Chunk], added: Sequence[Chunk]) -> dict[str, str]:
    holders: dict[str, list[int]] = defaultdict(list)
    for i, chunk in enumerate(added):
        for feature in _features(chunk.text):
            holders[feature].append(i)
    links: dict[str, str] = {}
    for chunk in retired:
        features = _features(chunk.text)
        shared = Counter(i for feature in features for i in holders.get(feature, ()))
        if not shared:
            continue
        best = max(shared, key=lambda i: (shared[i], added[i].heading == chunk.heading, -i))
        if shared[best] >= SAME_PLACE * len(features):
            links[chunk.id] = added[best].id
    return links


def _features(text: str) -> set[str]:
    """Words and pairs of neighbouring words, case-folded."""
    words = [word.casefold() for word in _WORD.findall(text)]
    return {*words, *(f"{a} {b}" for a, b in pairwise(words))}
