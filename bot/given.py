"""Passages as a model is given them: those of one section joined in the order of the page. Pure."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from bot.reading.units import Unit, units
from ingest.types import Chunk

_WORD = re.compile(r"\w")
_LINK = re.compile(
    r"!?\[(?P<said>[^\[\]\n]{0,500})\]"
    r"(?:\(\s{0,9}(?:<[^<>\n]{0,1000}>|[^\s()]{0,1000}(?:\([^\s()]{0,200}\)[^\s()]{0,500})?)"
    r"(?:\s{1,9}[\"'(][^\n]{0,200}?[\"')])?\s{0,9}\)"
    r"|(?<=[^\W\d]\])\[[^\[\]\n]{0,200}\])"
)
_DEFINITION = re.compile(r"(?m)^ {0,3}\[[^\[\]\n]{1,200}\]:[ \t]{0,9}\S{1,1000}.{0,300}$")
NEAR_CHARS = 4000  # of the file, before and behind a passage: how far it is filled in
NESTED = 2  # links within links: an image that is a link


@dataclass(frozen=True, slots=True)
class Block:
    """A stretch of a passage as it is given, and its range in characters of the file."""

    text: str
    chunk: Chunk
    start: int
    end: int
    in_context: bool


@dataclass(frozen=True, slots=True)
class Section:
    """What is given of one section of one document, in the order of the page.

    `best` is the passage of it that ranks first.
    """

    best: Chunk
    blocks: tuple[Block, ...]


def sections(passages: Sequence[Chunk]) -> list[Section]:
    """Passages of one heading of one document together; the section of the best ones first.

    What a passage repeats of the one before it, its lead-in or header row, is given once.
    """
    groups: dict[tuple[str, str], list[Chunk]] = {}
    for chunk in passages:
        groups.setdefault((chunk.doc, chunk.heading), []).append(chunk)
    joined = (Section(group[0], tuple(_blocks(group))) for group in groups.values())
    return [section for section in joined if section.blocks or section.best.heading.strip()]


def _blocks(group: Sequence[Chunk]) -> Iterator[Block]:
    given: list[Unit] = []
    for chunk in sorted(group, key=lambda each: each.start):
        for unit in units(chunk):
            text = as_given(unit)
            repeated = unit.in_context and any(_overlap(unit, other) for other in given)
            if text and not repeated:
                given.append(unit)
                yield Block(text, chunk, unit.start, unit.end, unit.in_context)


def _overlap(one: Unit, other: Unit) -> bool:
    return one.start < other.end and other.start < one.end


def as_given(unit: Unit) -> str:
    """Its text without link targets and the blanks that tags leave; empty: nothing to read."""
    text = unit.text
    if unit.kind != "code":
        text = _DEFINITION.sub("", text)
        for _ in range(NESTED):
            text = _LINK.sub(lambda link: link["said"], text)
        text = " ".join(text.split())
    return text if _WORD.search(text) else ""


def filled(given: Mapping[str, Chunk], near: Iterable[Chunk]) -> dict[str, Chunk]:
    """The passages, and those near them without which they cannot be read.

    These are the passages between two of one section, and those that a list which one of them
    begins or ends in goes on in.

    Args:
        given: by id.
        near: live passages around them, in any order, of which some may be given.
    """
    page: dict[tuple[str, str], dict[str, Chunk]] = {}
    for chunk in (*given.values(), *near):
        page.setdefault((chunk.doc, chunk.heading), {})[chunk.id] = chunk
    added: dict[str, Chunk] = dict(given)
    for group in page.values():
        ordered = sorted(group.values(), key=lambda each: each.start)
        places = [i for i, chunk in enumerate(ordered) if chunk.id in given]
        if not places:
            continue
        first, last = places[0], places[-1]
        while first > 0 and _one_list(ordered[first - 1], ordered[first]):
            first -= 1
        while last + 1 < len(ordered) and _one_list(ordered[last], ordered[last + 1]):
            last += 1
        added |= {chunk.id: chunk for chunk in ordered[first : last + 1]}
    return added


def _one_list(one: Chunk, following: Chunk) -> bool:
    """Whether a list goes on from one passage in the next."""
    ends = [unit.kind for unit in units(one) if not unit.in_context][-1:]
    begins = [unit.kind for unit in units(following) if not unit.in_context][:1]
    return begins == ["item"] and ends in (["item"], ["code"])
