"""Tables written as HTML: their rows, each with its cells and its range in the text. Pure."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from html.parser import HTMLParser
from itertools import accumulate

MAX_SPAN = 200  # rows or columns that a cell may claim


@dataclass(frozen=True, slots=True)
class HtmlRow:
    """The cells of a row, those merged or blank filled in; `text[start:end]` is the row."""

    start: int
    end: int
    cells: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class HtmlTable:
    """`header` is None for a table whose first row is not all of header cells."""

    header: HtmlRow | None
    rows: tuple[HtmlRow, ...]


def html_tables(source: str) -> Iterator[HtmlTable]:
    """The tables of a text that has some row; rows without a table are one table."""
    if "<tr" not in source.lower():
        return
    reader = _Reader(source)
    reader.feed(source)
    reader.close()
    for rows in reader.tables:
        cells = _spread([row.cells for row in rows])
        headed = bool(rows) and bool(rows[0].cells) and all(cell.heads for cell in rows[0].cells)
        begin = 1 if headed else 0
        body = zip(rows[begin:], filled(cells[begin:]), strict=True)
        yield HtmlTable(
            HtmlRow(rows[0].start, rows[0].end, cells[0]) if headed else None,
            tuple(HtmlRow(row.start, row.end, own) for row, own in body),
        )


def filled(rows: Sequence[tuple[str, ...]]) -> tuple[tuple[str, ...], ...]:
    """A blank cell with none but blank cells before it means the one above it."""
    done: list[tuple[str, ...]] = []
    for cells in rows:
        first = next((i for i, cell in enumerate(cells) if cell.strip()), 0)
        above = done[-1] if done else ()
        done.append((*above[:first], *cells[len(above[:first]) :]))
    return tuple(done)


@dataclass(slots=True)
class _Cell:
    text: str
    heads: bool
    rows: int
    columns: int


@dataclass(slots=True)
class _Row:
    start: int
    end: int
    cells: list[_Cell] = field(default_factory=list)


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
    """Collects the rows of every table, inner tables' with the outer one's."""

    def __init__(self, source: str) -> None:
        super().__init__()
        self.tables: list[list[_Row]] = []
        self._cell: _Cell | None = None
        self._line_starts = [0, *accumulate(len(line) + 1 for line in source.split("\n"))]

    def _here(self) -> int:
        line, column = self.getpos()
        return self._line_starts[line - 1] + column

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Begin a table, a row or a cell; a row without a table begins one."""
        here, after = self._here(), self._here() + len(self.get_starttag_text() or "")
        if tag == "table" or (tag == "tr" and not self.tables):
            self.tables.append([])
        if tag == "tr":
            self._cell = None
            self.tables[-1].append(_Row(here, after))
        if tag in ("td", "th") and self.tables:
            if not self.tables[-1]:
                self.tables[-1].append(_Row(here, after))
            given = dict(attrs)
            self._cell = _Cell("", tag == "th", _span(given, "rowspan"), _span(given, "colspan"))
            self.tables[-1][-1].cells.append(self._cell)

    def handle_endtag(self, tag: str) -> None:
        """End the cell."""
        if tag in ("td", "th", "tr", "table"):
            self._cell = None

    def handle_data(self, data: str) -> None:
        """Text of the cell that is open."""
        if self._cell is not None:
            self._cell.text = " ".join(f"{self._cell.text} {data}".split())
            self.tables[-1][-1].end = self._here() + len(data)


def _span(given: dict[str, str | None], name: str) -> int:
    written = given.get(name) or ""
    return min(max(int(written), 1), MAX_SPAN) if re.fullmatch(r"\d{1,6}", written) else 1
