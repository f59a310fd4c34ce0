"""HTML inside Markdown: the tags that carry no words, and the rows of a table."""

import re
from collections.abc import Iterator

from ingest.parse.lines import merge
from ingest.types import Span

_TAG = re.compile(r"</?([A-Za-z][\w-]*+)((?:\s[^<>]*+)?+)/?>")
_ALT = re.compile(r"\balt\s*=\s*[\"'][^\"']*\w", re.IGNORECASE)
_UNSEEN = re.compile(r"<(script|style)\b.*?(?:</\1\s*>|\Z)", re.DOTALL | re.IGNORECASE)
_ROW = re.compile(r"<tr\b", re.IGNORECASE)
_ROW_END = re.compile(r"</tr\s*>", re.IGNORECASE)
_CELL = re.compile(r"<t[dh]\b", re.IGNORECASE)
_TABLE = re.compile(r"<(/?)table\b[^<>]*>", re.IGNORECASE)


def unseen(text: str, start: int, end: int) -> Iterator[Span]:
    """Scripts and styles."""
    return (Span(*match.span()) for match in _UNSEEN.finditer(text, start, end))


def has_words(text: str) -> bool:
    """Whether anything is left without the tags."""
    bare = _TAG.sub(lambda tag: tag[0] if _ALT.search(tag[2]) else "", _UNSEEN.sub("", text))
    return bool(bare.strip())


def table_rows(text: str, start: int, end: int) -> tuple[list[Span], Span | None]:
    """The rows of a table, and which of them holds its headings."""
    starts = [match.start() for match in _ROW.finditer(text, start, end)]
    rows = [Span(a, b) for a, b in zip(starts, [*starts[1:], end], strict=False)]
    if not rows or "<th" not in text[rows[0].start : rows[0].end].lower():
        return rows, None
    closed = _ROW_END.search(text, rows[0].start, rows[0].end)
    return rows, Span(rows[0].start, closed.end() if closed else rows[0].end)


def cell_starts(text: str, start: int, end: int) -> list[int]:
    """Where the cells of a row begin."""
    return [match.start() for match in _CELL.finditer(text, start, end)]


def tables(text: str) -> list[Span]:
    """From each outermost `<table>` to the tag that closes it; unclosed ones are left out."""
    opened: list[int] = []
    closed: list[Span] = []
    for match in _TABLE.finditer(text):
        if not match[1]:
            opened.append(match.start())
        elif opened:
            closed.append(Span(opened.pop(), match.end()))
    return list(merge(closed))
