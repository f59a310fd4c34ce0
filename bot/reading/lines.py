"""A passage's context and text as the lines of one small document. Pure."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ingest.types import PAD, Chunk, Context


@dataclass(frozen=True, slots=True)
class Line:
    """A line without its end."""

    text: str
    start: int  # in the file; -1: a line that only helps the parser
    in_context: bool
    led: int = 0  # characters at its start that only help the parser


_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n|$)")
PARTS_OF_ROW = 3  # the header up to the cell's column, and from there on; the row's first cell
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
    shown = list(zip(chunk.context, chunk.visible_context, strict=True))
    body = list(_lines(chunk.visible, chunk.start, in_context=False))
    if _goes_on_in_row(chunk):
        *shown, before, columns, key = shown
        return [
            *_contexts(shown, rows_follow=False),
            *_row_lines(before, columns, key, body),
        ]
    rows_follow = "|" in chunk.visible.lstrip().split("\n", 1)[0]
    lines = _contexts(shown, rows_follow=rows_follow)
    return lines + body


def _contexts(shown: Sequence[tuple[Context, str]], *, rows_follow: bool) -> list[Line]:
    lines: list[Line] = []
    for context, visible in shown:
        part = list(_lines(visible, context.start, in_context=True))
        lines += part
        if not (rows_follow and _is_header(part)):
            lines.append(Line("", -1, in_context=True))
        elif len(part) == 1:
            cells = part[0].text.strip().strip("|").count("|") + 1
            lines.append(Line("|" + "---|" * cells, -1, in_context=True))
    return lines


def _goes_on_in_row(chunk: Chunk) -> bool:
    """Whether it begins after a row's first cell, and has that one and its headers as context."""
    texts = [context.text for context in chunk.context[-PARTS_OF_ROW:]]
    return (
        len(texts) == PARTS_OF_ROW
        and texts[0].endswith("|")
        and texts[2].endswith("|")
        and not any("\n" in text or "\r" in text for text in texts)
    )


def _row_lines(
    before: tuple[Context, str],
    columns: tuple[Context, str],
    key: tuple[Context, str],
    lines: list[Line],
) -> list[Line]:
    """The row as it would be if its cells in between were empty, under the whole header."""
    skipped, follow = (part[1].strip().strip("|").count("|") + 1 for part in (before, columns))
    lead = key[1].rstrip() + " |" * (skipped - 1) + " "
    row, *rows = lines
    return [
        Line(f"{before[1].rstrip()} {columns[1]}", before[0].start, in_context=True),
        Line("|" + "---|" * (skipped + follow), -1, in_context=True),
        Line(lead + row.text, row.start - len(lead), in_context=False, led=len(lead)),
        *rows,
    ]


def _is_header(lines: list[Line]) -> bool:
    """Whether these are a table's header row, with the line under it or without."""
    rules = [_TABLE_RULE.fullmatch(line.text) is not None for line in lines]
    return rules in ([False], [False, True]) and "|" in lines[0].text
