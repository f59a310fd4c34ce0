"""Line numbers to character offsets, with the line ends that Markdown knows and no others.

`str.splitlines` also breaks at form feeds, NEL and U+2028, and would shift all that follows.
"""

import re
from collections.abc import Iterable
from itertools import pairwise

from ingest.types import Span

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


def remove(text: str, spans: tuple[Span, ...]) -> str:
    """The text without the characters of `spans` (merged), except their line ends.

    Line numbers stay as they are; a tag at the start of a line leaves no indentation behind, which
    blanks would, and four of them open a code block.
    """
    if not spans:
        return text
    kept = [text[: spans[0].start]]
    for span, following in pairwise((*spans, Span(len(text), len(text)))):
        kept.extend(LINE_END.findall(text, span.start, span.end))
        kept.append(text[span.end : following.start])
    return "".join(kept)
