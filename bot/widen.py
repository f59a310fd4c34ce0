"""A hit to what is shown of its surroundings: rank small, show the section. Pure.

Several questions are answered one passage further than the one that matches them best: the lines
`shown@1` and `shown@5` of `python -m tests.bench.retrieval` beside `recall@1` and `recall@5`.
"""

from collections.abc import Sequence

from bot.types import Hit, Shown
from ingest.types import Chunk

SHOWN_CHARS = 1200  # of the file, for one hit with its neighbours


def widen(
    hit: Hit, near: Sequence[Chunk], ranked: Sequence[Hit], budget: int = SHOWN_CHARS
) -> Shown:
    """The hit's passage with its neighbours, nearest kin first, as long as they fit the budget.

    Passages under the same heading come first, then those under a heading below or above it, then
    what else stands beside it; of two alike the one that ranks better for the question, else what
    follows.

    Args:
        hit: a reranked passage.
        near: live passages of its document in their order.
        ranked: all hits of the question, best first.
        budget: characters of the file from the first passage's start to the last one's end.
    """
    at = next((i for i, chunk in enumerate(near) if chunk.id == hit.chunk.id), None)
    if at is None:
        return Shown(hit, (hit.chunk,))
    ranks = {other.chunk.id: rank for rank, other in enumerate(ranked)}

    def order(neighbour: int, side: int) -> tuple[int, int, int, int]:
        rank = ranks.get(near[neighbour].id, len(ranks))
        return _distance(hit.chunk, near[neighbour]), rank, side, neighbour

    first = last = at
    while True:
        sides = []
        if last + 1 < len(near) and near[last + 1].end - near[first].start <= budget:
            sides.append(order(last + 1, 0))
        if first > 0 and near[last].end - near[first - 1].start <= budget:
            sides.append(order(first - 1, 1))
        if not sides:
            return Shown(hit, tuple(near[first : last + 1]), tuple(near))
        *_, best = min(sides)
        first, last = min(first, best), max(last, best)


def _distance(one: Chunk, other: Chunk) -> int:
    """0 under the same heading, 1 where one heading is above the other, 2 elsewhere."""
    if one.heading == other.heading:
        return 0
    related = one.heading.startswith(other.heading) or other.heading.startswith(one.heading)
    return 1 if related else 2
