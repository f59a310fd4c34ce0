"""A passage cut into stretches that can be quoted alone, each with its exact range in the file."""

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Literal

from markdown_it import MarkdownIt
from markdown_it.token import Token

from bot.reading.html_tables import HtmlRow, filled, html_tables
from bot.reading.lines import assemble
from bot.reading.sentences import sentence_spans
from ingest.types import Chunk, Span, spoken

Kind = Literal["prose", "item", "row", "header", "code", "heading", "other"]


@dataclass(frozen=True, slots=True)
class Unit:
    """A sentence, list item, table row or line of code.

    `text` is what is shown of the passage (or of its context) between `start` and `end`, which
    count characters of the file. `block` numbers the paragraph, list or table
    it stands in. `leads` are indexes of the units it cannot be read without, outermost first: a
    list's lead-in, a parent item, a table's header. `cells` are a row's, without their markers.
    """

    kind: Kind
    start: int
    end: int
    text: str
    block: int
    leads: tuple[int, ...] = ()
    cells: tuple[str, ...] = ()
    in_context: bool = False

    @property
    def span(self) -> Span:
        """Its range in the file."""
        return Span(self.start, self.end)


def units(chunk: Chunk) -> tuple[Unit, ...]:
    """All units of a passage, those of its context first, in the order of the page.

    Every word of the context and of the visible text stands in one of them.
    """
    return tuple(_ordered(_with_html_rows(_Cutter(chunk).cut(), chunk)))


def _ordered(stretches: Sequence[Unit]) -> list[Unit]:
    """Those of the context first, then in the order of the page; `leads` follow."""
    order = sorted(
        range(len(stretches)), key=lambda i: (not stretches[i].in_context, stretches[i].start)
    )
    place = {old: new for new, old in enumerate(order)}
    return [
        replace(stretches[old], leads=tuple(place[i] for i in stretches[old].leads))
        for old in order
    ]


def _with_html_rows(cut: Sequence[Unit], chunk: Chunk) -> list[Unit]:
    """The units, with those of HTML tables as rows: without its tags a row looks like prose."""
    pieces = [*((c.start, c.text) for c in chunk.context), (chunk.start, chunk.text)]
    shown = [*chunk.visible_context, chunk.visible]
    markup = "\n".join(map(_markup, (text for _, text in pieces), shown))
    tables = list(html_tables(markup))
    if not tables:
        return list(cut)
    begins = [0, *accumulate(len(text) + 1 for _, text in pieces)]

    def unit(row: HtmlRow, kind: Kind, block: int, leads: tuple[int, ...]) -> Unit:
        piece = bisect_right(begins, row.start) - 1
        low, high = row.start - begins[piece], row.end - begins[piece]
        start, text = pieces[piece][0] + low, shown[piece][low:high]
        in_context = piece < len(chunk.context)
        said = spoken(text)
        return Unit(kind, start, start + len(text), said, block, leads, row.cells, in_context)

    rows: list[Unit] = []
    block = max((each.block for each in cut), default=0)
    for table in tables:
        block += 1
        leads = (len(rows),) if table.header else ()
        rows += [unit(table.header, "header", block, ())] if table.header else []
        rows += [unit(row, "row", block, leads) for row in table.rows]
    kept = [i for i, each in enumerate(cut) if not any(_overlap(each, row) for row in rows)]
    place = {old: new + len(rows) for new, old in enumerate(kept)}
    others = [
        replace(cut[i], leads=tuple(place[j] for j in cut[i].leads if j in place)) for i in kept
    ]
    return [*rows, *others]


def _markup(text: str, visible: str) -> str:
    """The text without the tags that a reader sees: those of samples of code."""
    pairs = zip(text, visible, strict=True)
    return "".join(" " if char == seen == "<" else char for char, seen in pairs)


def _overlap(one: Unit, other: Unit) -> bool:
    return one.start < other.end and other.start < one.end


def row_text(header: Sequence[str], cells: Sequence[str]) -> str:
    """`Plan Pro — Storage: 100 GB; Price: $20`."""
    names = [*header, *[""] * len(cells)]
    pairs = [(one_line(n), one_line(c)) for n, c in zip(names, cells, strict=False) if c.strip()]
    if not pairs:
        return ""
    first = " ".join(part for part in pairs[0] if part)
    rest = "; ".join(f"{name}: {cell}" if name else cell for name, cell in pairs[1:])
    return f"{first} — {rest}" if rest else first


def one_line(text: str) -> str:
    """On one line, without the marks of a block quote."""
    return " ".join(re.sub(r"[\r\n]+[ \t]*(?:>[ \t]?)*", " ", text).split())


_WORD = re.compile(r"\w")


class _Cutter:
    """Walks the parser's tokens once, keeping what a unit inside lists and tables leans on."""

    def __init__(self, chunk: Chunk) -> None:
        self.lines = assemble(chunk)
        contexts = zip(chunk.context, chunk.visible_context, strict=True)
        self.sources = [(context.start, visible) for context, visible in contexts]
        self.sources.append((chunk.start, chunk.visible))
        self.units: list[Unit] = []
        self.covered: set[int] = set()
        self.block = 0
        self.leads: list[tuple[int, ...]] = [()]  # one entry a level of lists
        self.paragraph_lead: int | None = None  # a lead-in that the next list may use
        self.item_head: list[int | None] = []

    def cut(self) -> list[Unit]:
        source = "\n".join(line.text for line in self.lines)
        tokens = MarkdownIt("commonmark").enable("table").parse(source)
        i = 0
        while i < len(tokens):
            i = self._take(tokens, i)
        for number, line in enumerate(self.lines):
            if number not in self.covered and line.start >= 0 and _WORD.search(line.text):
                self._add("other", number, 0, number, len(line.text))
        return self.units

    def _take(self, tokens: list[Token], i: int) -> int:
        token = tokens[i]
        match token.type:
            case "bullet_list_open" | "ordered_list_open":
                self._open_list()
            case "bullet_list_close" | "ordered_list_close":
                self.leads.pop()
                self.paragraph_lead = None
            case "list_item_open":
                self.item_head.append(None)
            case "list_item_close":
                self.item_head.pop()
            case "table_open":
                return self._take_table(tokens, i)
            case "fence" | "code_block":
                self._take_code(token)
            case "inline":
                self._take_inline(token, tokens[i - 1].type)
        return i + 1

    def _open_list(self) -> None:
        head = self.item_head[-1] if self.item_head else None
        lead = head if head is not None else self.paragraph_lead
        outer = self.leads[-1]
        self.leads.append(outer if lead is None or lead in outer else (*outer, lead))
        self.paragraph_lead = None
        self.block += 1

    def _take_inline(self, token: Token, opener: str) -> None:
        place = self._locate(token)
        if place is None:
            return
        first, column, last, end = place
        if opener == "heading_open":
            self.block += 1
            self._add("heading", first, column, last, end)
            self.paragraph_lead = None
        elif self.item_head:
            unit = self._add("item", first, column, last, end, leads=self._item_leads())
            if self.item_head[-1] is None:
                self.item_head[-1] = unit
        else:
            self.block += 1
            self._take_paragraph(first, column, last, end)

    def _item_leads(self) -> tuple[int, ...]:
        head = self.item_head[-1]
        return self.leads[-1] if head is None else (*self.leads[-1], head)

    def _take_paragraph(self, first: int, column: int, last: int, end: int) -> None:
        text, offsets = self._join(first, column, last, end)
        spans = sentence_spans(text)
        unit = -1
        for begin, stop in spans:
            a, b = offsets[begin], offsets[stop - 1]
            unit = self._add("prose", a[0], a[1], b[0], b[1] + 1)
        leads_on = bool(spans) and (
            text.rstrip("*_ \n").endswith((":", "：")) or self.lines[first].in_context
        )
        self.paragraph_lead = unit if leads_on else None

    def _take_table(self, tokens: list[Token], i: int) -> int:
        self.block += 1
        header: int | None = None
        level = tokens[i].level
        cells: list[str] = []
        above: tuple[str, ...] = ()
        while not (tokens[i].type == "table_close" and tokens[i].level == level):
            token = tokens[i]
            if token.type == "tr_open":
                cells = []
            elif token.type == "inline":
                cells.append(token.content)
            elif token.type == "tr_close":
                line = self._row_line(tokens, i)
                leads = self.leads[-1] + (() if header is None else (header,))
                kind: Kind = "header" if header is None else "row"
                own = tuple(cells)
                if kind == "row":
                    own = above = filled([above, own])[-1] if above else own
                text = self.lines[line].text
                column = max(len(text) - len(text.lstrip(" \t>")), self.lines[line].led)
                unit = self._add(
                    kind, line, column, line, len(text.rstrip()), leads=leads, cells=own
                )
                header = unit if header is None else header
            i += 1
        self._cover(tokens, i, level)
        self.paragraph_lead = None
        return i + 1

    def _row_line(self, tokens: list[Token], i: int) -> int:
        while tokens[i].type != "tr_open":
            i -= 1
        return int((tokens[i].map or [0])[0])

    def _cover(self, tokens: list[Token], i: int, level: int) -> None:
        while not (tokens[i].type == "table_open" and tokens[i].level == level):
            i -= 1
        self.covered.update(range(*(tokens[i].map or (0, 0))))

    def _take_code(self, token: Token) -> None:
        self.block += 1
        first, last = token.map or (0, 0)
        self.covered.update(range(first, last))
        fenced = token.type == "fence"
        lead = self.paragraph_lead if not self.item_head else self.item_head[-1]
        leads = self.leads[-1] + (() if lead is None else (lead,))
        wanted = token.content.rstrip("\n").count("\n") + 1
        start = first + 1 if fenced else first
        for number in range(start, min(start + wanted, last)):
            text = self.lines[number].text
            if text.strip():
                column = len(text) - len(text.lstrip())
                self._add("code", number, column, number, len(text.rstrip()), leads=leads)
        self.paragraph_lead = None

    def _locate(self, token: Token) -> tuple[int, int, int, int] | None:
        """First line and column, last line and end column of an inline token's source."""
        first, stop = token.map or (0, 0)
        self.covered.update(range(first, stop))
        content = token.content.split("\n")
        last = first + len(content) - 1
        if last >= len(self.lines):
            return None
        column = self.lines[first].text.find(content[0])
        end = self.lines[last].text.rfind(content[-1]) + len(content[-1])
        return first, max(column, 0), last, end

    def _join(
        self, first: int, column: int, last: int, end: int
    ) -> tuple[str, list[tuple[int, int]]]:
        """The stretch as one text, and for each of its characters its line and column."""
        text: list[str] = []
        offsets: list[tuple[int, int]] = []
        for number in range(first, last + 1):
            line = self.lines[number].text
            low = column if number == first else len(line) - len(line.lstrip(" \t>"))
            high = end if number == last else len(line)
            text.append(line[low:high] + "\n")
            offsets += [(number, c) for c in range(low, high + 1)]
        return "".join(text), offsets

    def _add(
        self,
        kind: Kind,
        first: int,
        column: int,
        last: int,
        end: int,
        *,
        leads: tuple[int, ...] = (),
        cells: tuple[str, ...] = (),
    ) -> int:
        self.covered.update(range(first, last + 1))
        start, text = self._slice(self.lines[first].start + column, self.lines[last].start + end)
        in_context = self.lines[first].in_context
        cells = tuple(map(spoken, cells))
        unit = Unit(
            kind, start, start + len(text), spoken(text), self.block, leads, cells, in_context
        )
        self.units.append(unit)
        return len(self.units) - 1

    def _slice(self, start: int, stop: int) -> tuple[int, str]:
        """The source's own characters; a stretch never runs out of the source it begins in."""
        for begin, text in self.sources:
            if begin <= start < begin + len(text):
                return start, text[start - begin : max(stop, start) - begin]
        raise AssertionError(f"no source holds {start}")  # lines are made of the sources
