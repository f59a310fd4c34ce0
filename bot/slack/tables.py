"""Markdown's tables: where they are in a text, and their cells. Pure."""

import re
from collections.abc import Iterator, Sequence

FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})")
WIDTH_CHARS = 80  # a wider table is not padded: its lines would wrap

_RULER = re.compile(r"^\s*+(?:\|\s*+)?:?-++:?\s*+(?:\|\s*+:?-++:?\s*+)*+\|?\s*$")
_CELL_END = re.compile(r"(?<!\\)\|")


def find_runs(lines: Sequence[str]) -> Iterator[tuple[str, int, int]]:
    """Runs of lines of one kind, `[start, end)`: prose, table, or code with its fences."""
    at = 0
    while at < len(lines):
        start = at
        if fence := FENCE.match(lines[at]):
            at += 1
            while at < len(lines) and not _closes(lines[at], fence[1]):
                at += 1
            at = min(at + 1, len(lines))
            yield "code", start, at
            continue
        table = _is_row(lines, at, going=False)
        at += 1
        while at < len(lines) and not FENCE.match(lines[at]):
            if _is_row(lines, at, going=table) != table:
                break
            at += 1
        yield ("table" if table else "prose"), start, at


def is_closed(lines: Sequence[str]) -> bool:
    """Whether a run of code has its closing fence."""
    fence = FENCE.match(lines[0])
    return fence is not None and len(lines) > 1 and _closes(lines[-1], fence[1])


def _closes(line: str, fence: str) -> bool:
    return line.strip().startswith(fence) and set(line.strip()) == {fence[0]}


def _is_row(lines: Sequence[str], at: int, *, going: bool) -> bool:
    line = lines[at].strip()
    if "|" not in line:
        return False
    following = lines[at + 1] if at + 1 < len(lines) else ""
    heads = "|" in following and is_ruler(following)
    return going or heads or (line.startswith("|") and line.count("|") > 1)


def is_ruler(line: str) -> bool:
    """Whether the line is the one between a table's header and its rows."""
    return _RULER.match(line) is not None


def read_cells(line: str) -> list[str]:
    """A row's cells."""
    bare = line.strip().removeprefix("|")
    if bare.endswith("|") and not bare.endswith("\\|"):
        bare = bare[:-1]
    return [cell.strip().replace("\\|", "|") for cell in _CELL_END.split(bare)]


def align(lines: Sequence[str]) -> list[str]:
    """A table's rows with padded columns, unless that makes them wider than a line."""
    rows = [read_cells(line) for line in lines]
    ruled = [is_ruler(line) for line in lines]
    count = max(len(row) for row in rows)
    widths = [0] * count
    for row, rule in zip(rows, ruled, strict=True):
        for i, cell in enumerate(row):
            widths[i] = max(widths[i], 3 if rule else len(cell))
    if sum(widths) + 3 * (count - 1) > WIDTH_CHARS:
        widths = [3] * count
    return [
        "-+-".join("-" * width for width in widths)
        if rule
        else " | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=False))
        for row, rule in zip(rows, ruled, strict=True)
    ]
