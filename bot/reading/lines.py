"""A passage's context and text as the lines of one small document. Pure."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from ingest.types import PAD, Chunk


@dataclass(frozen=True, slots=True)
class Line:
    """A line without its end."""

    text: str
    start: int  # in the file; -1: a line that only helps the parser
    in_context: bool


_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n|$)")
_UNSEEN = re.compile(rf"[ \t{PAD}]*{PAD}")
_TABLE_RULE = re.compile(r"\s*+(?:\|\s*+)?:?-++:?\s*+(?:\|\s*+:?-++:?\s*+)*+\|?\s*")


def _lines(text: str, start: int, *, in_context: bool) -> Iterator[Line]:
    """What is not shown at the start of a line is no indentation, which would make it code."""
    for match in _LINE.finditer(text):
        if match.group():
            line = match.group().rstrip("\r\n")
            unseen = found.end() if (found := _UNSEEN.match(line)) else 0
            yield Line(line[unseen:], start + match.start() + unseen, in_context)


def assemble(chunk: Chunk) -> list[Line]:
    """The context and the visible text as lines of one small document."""
    lines: list[Line] = []
    rows_follow = "|" in chunk.visible.lstrip().split("\n", 1)[0]
    for context, visible in zip(chunk.context, chunk.visible_context, strict=True):
        part = list(_lines(visible, context.start, in_context=True))
        lines += part
        if not (rows_follow and _is_header(part)):
            lines.append(Line("", -1, in_context=True))
        elif len(part) == 1:
            cells = part[0].text.strip().strip("|").count("|") + 1
            lines.append(Line("|" + "---|" * cells, -1, in_context=True))
    return lines + list(_lines(chunk.visible, chunk.start, in_context=False))


def _is_header(lines: list[Line]) -> bool:
    """Whether these are a table's header row, with the line under it or without."""
    rules = [_TABLE_RULE.fullmatch(line.text) is not None for line in lines]
    return rules in ([False], [False, True]) and "|" in lines[0].text
