"""Tables of a passage, pipe tables and HTML alike, with merged and blank cells filled in. Pure."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html.parser import HTMLParser
from itertools import groupby

from bot.reading.units import Unit
from ingest.types import Chunk

MAX_SPAN = 200  # rows or columns that a cell may claim


@dataclass(frozen=True, slots=True)
class Table:
    """`header` may be empty; each row has as many cells as it was written with."""

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def tables_of(chunk: Chunk, stretches: Sequence[Unit]) -> Iterator[Table]:
    """The tables of a passage.

    Args:
        chunk: the passage.
        stretches: its units.
    """
    written = [unit for unit in stretches if unit.cells]
    for _, block in groupby(written, key=lambda unit: unit.leads[-1:] or (-1,)):
        rows = [unit for unit in block if unit.kind == "row"]
        if rows:
            leads = [stretches[i] for i in rows[0].leads if stretches[i].kind == "header"]
            header = leads[-1].cells if leads else ()
            yield Table(header, _filled([unit.cells for unit in rows]))
    source = "\n".join([*(context.text for context in chunk.context), chunk.text])
    if "<tr" in source.lower():
        yield from _html_tables(source)


def _filled(rows: Sequence[tuple[str, ...]]) -> tuple[tuple[str, ...], ...]:
    """A blank cell with none but blank cells before it means the one above it."""
    done: list[tuple[str, ...]] = []
    for cells in rows:
        first = next((i for i, cell in enumerate(cells) if cell.strip()), 0)
        above = done[-1] if done else ()
        done.append((*above[:first], *cells[len(above[:first]) :]))
    return tuple(done)


def _html_tables(source: str) -> Iterator[Table]:
    reader = _Reader()
    reader.feed(source)
    reader.close()
    for rows in reader.tables:
        cells = _spread(rows)
        headed = bool(rows) and bool(rows[0]) and all(cell.heads for cell in rows[0])
        header = cells[0] if headed else ()
        body = cells[1:] if headed else cells
        if body:
            yield Table(header, _filled(body))


@dataclass(slots=True)
class _Cell:
    text: str
    heads: bool
    rows: int
    columns: int


def _spread(rows: Sequence[Sequence[_Cell]]) -> list[tuple[str, ...]]:
    """Every row with a cell for each column: a merged cell stands in all that it covers."""
    below: dict[int, tuple[int, str]] = {}  # column: for how many more rows, and its text
    grid: list[tuple[str, ...]] = []
    for row in rows:
        line: list[str] = []
        queue = list(row)
        while queue or len(line) in below:
            if (merged := below.get(len(line))) is not None:
                left, text = merged
                if left > 1:
                    below[len(line)] = (left - 1, text)
                else:
                    del below[len(line)]
                line.append(text)
                continue
            cell = queue.pop(0)
            for _ in range(cell.columns):
                if cell.rows > 1:
                    below[len(line)] = (cell.rows - 1, cell.text)
                line.append(cell.text)
        grid.append(tuple(line))
    return grid


class _Reader(HTMLParser):
    """Collects the cells of every table, inner tables' with the outer one's."""

    def __init__(self) -> None:
        super().__init__()
        self.tables: list[list[list[_Cell]]] = []
        self._cell: _Cell | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Begin a table, a row or a cell; a row without a table begins one."""
        if tag == "table" or (tag == "tr" and not self.tables):
            self.tables.append([])
        if tag == "tr":
            self._cell = None
            self.tables[-1].append([])
        if tag in ("td", "th") and self.tables:
            if not self.tables[-1]:
                self.tables[-1].append([])
            given = dict(attrs)
            self._cell = _Cell("", tag == "th", _span(given, "rowspan"), _span(given, "colspan"))
            self.tables[-1][-1].append(self._cell)

    def handle_endtag(self, tag: str) -> None:
        """End the cell."""
        if tag in ("td", "th", "tr", "table"):
            self._cell = None

    def handle_data(self, data: str) -> None:
        """Text of the cell that is open."""
        if self._cell is not None:
            self._cell.text = " ".join(f"{self._cell.text} {data}".split())


def _span(given: dict[str, str | None], name: str) -> int:
    written = given.get(name) or ""
    return min(max(int(written), 1), MAX_SPAN) if re.fullmatch(r"\d{1,6}", written) else 1
