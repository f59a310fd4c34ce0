"""Line numbers to character offsets, with the line ends that Markdown knows and no others.

`str.splitlines` also breaks at form feeds, NEL and U+2028, and would shift all that follows.
"""

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise

from ingest.types import Mask, Span

LINE_END = re.compile(r"\r\n|\r|\n")


def line_starts(text: str) -> list[int]:
    """Offsets of the lines' first characters, and the text's length as a last entry."""
    starts = [0, *(match.end() for match in LINE_END.finditer(text))]
    return [*starts, len(text)]


def trim(text: str, start: int, end: int) -> Span:
    """The range without white space at its ends; empty when it is all white space."""
    piece = text[start:end]
    left = len(piece) - len(piece.lstrip())
    return Span(start + left, max(start + left, start + len(piece.rstrip())))


def merge(spans: Iterable[Span]) -> tuple[Span, ...]:
    """In order, overlapping and touching ones joined."""
    merged: list[Span] = []
    for span in sorted(spans, key=lambda s: (s.start, s.end)):
        if merged and span.start <= merged[-1].end:
            merged[-1] = Span(merged[-1].start, max(merged[-1].end, span.end))
        elif span.end > span.start:
            merged.append(span)
    return tuple(merged)


def tidy(*groups: Iterable[Mask]) -> tuple[Mask, ...]:
    """In order, none inside another; of two that begin together the one of the earlier group."""
    every = [(m.start, rank, m.end, m) for rank, group in enumerate(groups) for m in group]
    kept: list[Mask] = []
    for start, _, end, mask in sorted(every, key=lambda entry: entry[:3]):
        if end > start and (not kept or start >= kept[-1].end):
            kept.append(mask)
    return tuple(kept)


def remove(text: str, masks: Sequence[Mask]) -> str:
    """The text with what its masks show in their place, and their line ends.

    Line numbers stay as they are; a tag at the start of a line leaves no indentation behind, which
    blanks would, and four of them open a code block.
    """
    if not masks:
        return text
    kept = [text[: masks[0].start]]
    for mask, following in pairwise((*masks, Mask(len(text), len(text)))):
        kept.append(mask.shown)
        kept.extend(LINE_END.findall(text, mask.start, mask.end))
        kept.append(text[mask.end : following.start])
    return "".join(kept)
