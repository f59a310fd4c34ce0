"""An answer's conflicts: what other passages say against it, cited as its own sources are. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from textwrap import shorten

from bot.conflicts import Stated, conflicts_of
from bot.editions import Edition, edition_of
from bot.reading.fold import plain
from bot.reading.units import one_line
from bot.types import Citation, Conflict, Disputed, Quote, Sentence
from ingest.types import SEPARATOR, Chunk, Imprint

MAX_CONFLICTS = 2  # named under one answer
SIDE_CHARS = 240  # of what each side says
TITLE_CHARS = 80


def name_conflicts(
    question: str,
    sentences: Sequence[Sentence],
    citations: Sequence[Citation],
    passages: Sequence[Chunk],
    imprints: Mapping[str, Imprint],
) -> tuple[tuple[Citation, ...], tuple[Conflict, ...]]:
    """The citations with those that disagree, and the conflicts, each with its newer side first.

    A question that names one of two editions has chosen: those are no conflict.

    Args:
        question: as it was asked, or completed.
        sentences: the answer's.
        citations: what they cite.
        passages: what else was found, best first.
        imprints: of the passages' documents.
    """
    cited = list(citations)
    conflicts: list[Conflict] = []
    for found in conflicts_of(question, sentences, citations, passages):
        editions = [edition_of(point.chunk.doc, imprints.get(point.chunk.doc)) for point in found]
        if editions[0].named_in(question) != editions[1].named_in(question):
            continue
        if len(conflicts) < MAX_CONFLICTS:
            conflicts.append(_conflict(found, editions, cited))
    return tuple(cited), tuple(conflicts)


def _conflict(
    found: tuple[Stated, Stated], editions: Sequence[Edition], cited: list[Citation]
) -> Conflict:
    points = found
    titles = [_title(point.chunk) for point in points]
    if titles[0] == titles[1]:
        titles = [point.chunk.doc for point in points]
    sides = [
        Disputed(_cite(point, cited), _said(point), title, edition.dated)
        for point, title, edition in zip(points, titles, editions, strict=True)
    ]
    if editions[1].newer_than(editions[0]):
        sides.reverse()
    return Conflict(sides[0], sides[1])


def in_words(conflict: Conflict, chars: int = SIDE_CHARS) -> str:
    """A conflict in a line: `Two documents disagree: [1] Travel (2 Feb 2026) says "…", …`.

    What each side says is cut to `chars`.
    """
    first, second = (_one_side(side, chars) for side in (conflict.first, conflict.second))
    return f"⚠ Two documents disagree: {first}; {second}."


def _one_side(side: Disputed, chars: int) -> str:
    when = f" ({side.dated.day} {side.dated:%b %Y})" if side.dated else ""
    title = shorten(side.title, TITLE_CHARS, placeholder="…")
    text = shorten(side.text, chars, placeholder=" …").rstrip(".")
    return f"[{side.n}] {title}{when} says “{text}”"


def _title(chunk: Chunk) -> str:
    return chunk.heading.split(SEPARATOR)[0].strip() or chunk.doc


def _said(point: Stated) -> str:
    return point.text if point.unit.kind == "row" else plain(one_line(point.unit.text))


def _cite(point: Stated, cited: list[Citation]) -> int:
    """The number of the citation that quotes the point, which is added where it is missing."""
    chunk, unit = point.chunk, point.unit
    text = chunk.text[unit.start - chunk.start : unit.end - chunk.start]
    quote = Quote(chunk.id, text, unit.start, unit.end)
    for i, citation in enumerate(cited):
        if citation.chunk.id == chunk.id:
            if not any(q.start <= unit.start and unit.end <= q.end for q in citation.quotes):
                cited[i] = replace(citation, quotes=(*citation.quotes, quote))
            return citation.n
    cited.append(Citation(len(cited) + 1, chunk, (quote,)))
    return len(cited)
