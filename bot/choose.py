"""Ranked hits to those that an answer is made from: each text once, each part served. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from bot.distinct import duplicates
from bot.editions import by_edition
from bot.types import Hit
from ingest.types import Imprint


@dataclass(frozen=True, slots=True)
class Chosen:
    """All hits, those that were chosen first.

    `twins` are duplicates' ids with those they repeat; `other_editions` those of another edition's
    passages, each with the one that stands for it.
    """

    hits: tuple[Hit, ...]
    twins: Mapping[str, str]
    other_editions: Mapping[str, str]


def choose(
    question: str,
    hits: Sequence[Hit],
    parts: Sequence[Sequence[Hit]],
    imprints: Mapping[str, Imprint],
    top_k: int,
) -> Chosen:
    """The hits so that the first `top_k` are what an answer is made from.

    Newer passages go before the older ones that they replace; a duplicate, and the same place of
    another edition, frees its place for the next hit; the best hit of each part of the question has
    a place. What is passed over stands behind, in its order. A hit that moves takes the score of
    its place.

    Args:
        question: as it was asked, or completed.
        hits: best first.
        parts: for each part of the question its own hits, best first; none for a question of one.
        imprints: of the documents of the first hits.
        top_k: how many are chosen.
    """
    ordered, replaced = by_edition(question, hits, imprints)
    twins = duplicates([hit for hit in ordered if hit.chunk.id not in replaced])
    passed_over = {**twins, **replaced}
    distinct = [hit.chunk.id for hit in ordered if hit.chunk.id not in passed_over]
    best = [_last(part[0].chunk.id, passed_over) for part in parts if part]
    reserved = [id_ for id_ in dict.fromkeys(best) if id_ in distinct][:top_k]
    others = [id_ for id_ in distinct if id_ not in reserved]
    first = {*reserved, *others[: top_k - len(reserved)]}
    moved = sorted(ordered, key=lambda hit: hit.chunk.id not in first)
    placed = zip(moved, ordered, strict=True)
    return Chosen(tuple(replace(hit, score=place.score) for hit, place in placed), twins, replaced)


def _last(id_: str, passed_over: Mapping[str, str]) -> str:
    """What stands for a passage in the end: itself, or what it is passed over for."""
    while id_ in passed_over:
        id_ = passed_over[id_]
    return id_
