"""Markdown's nodes to blocks: their ranges, their parts, the lead-ins that they need."""

import re
from collections.abc import Iterator
from dataclasses import replace

from ingest.parse import html
from ingest.parse.lines import trim
from ingest.parse.page import Page
from ingest.parse.tree import Node
from ingest.pieces import sentences
from ingest.types import Block, Kind, Span

MAX_BOLD_LINE_CHARS = 80
_BOLD_LEAD = re.compile(r"(\*\*|__)(?=\S).+?\1")
_COLONS = (":", "：", ":**", ":__", ":*", ":_")
_BAR = re.compile(r"(?<!\\)\|")
_LED = {"bullet_list", "ordered_list", "table", "fence", "code_block", "blockquote", "html_block"}


def blocks_of(
    page: Page, nodes: list[Node], context: tuple[Span, ...], *, in_item: bool = False
) -> Iterator[Block]:
    """The blocks of one place, each with the lead-in that stands before it."""
    lead: Span | None = None
    for node in nodes:
        led = lead is not None and node.type in _LED
        above = _with_label(page, node, context)
        if lead and led and lead not in above:
            above = (*above, lead)
        block = _block(page, node, above)
        if block:
            glued = led or block.kind == "rule" or (lead is not None and not in_item)
            yield replace(block, glued=glued)
            lead = _lead(page, block, any_text=in_item)


def _with_label(page: Page, node: Node, context: tuple[Span, ...]) -> tuple[Span, ...]:
    label = page.leads.get(node.first_line)
    if label is None or node.type == "label" or label in context:
        return context
    return (*context, label) if label.start < page.starts[node.first_line] else context


def _block(page: Page, node: Node, context: tuple[Span, ...]) -> Block | None:
    """None for what is no text: front matter, a line of tags only."""
    span = page.span(node)
    if span.start == span.end or node.type == "front_matter":
        return None
    kind: Kind = "paragraph"
    parts: tuple[Block, ...] = ()
    if node.type in ("bullet_list", "ordered_list"):
        kind, parts = "list", _items(page, node, context)
    elif node.type == "table":
        kind, parts = "table", _rows(page, node, context)
    elif node.type == "blockquote":
        kind, parts = "quote", tuple(blocks_of(page, node.children, context))
    elif node.type in ("fence", "code_block"):
        kind = "fence"
    elif node.type == "hr":
        kind = "rule"
    elif node.type == "label":
        kind = "heading"
    elif node.type == "html_block":
        if not html.has_words(page.seen[span.start : span.end]):
            return None
        kind, parts = "html", _html_rows(page, span, context)
    text = page.seen[span.start : span.end]
    opens = kind == "heading"
    opens |= kind == "paragraph" and (bool(_BOLD_LEAD.match(text)) or text.endswith(_COLONS))
    return Block(kind, span.start, span.end, context, _tiled(page, parts, span), opens)


def _items(page: Page, node: Node, context: tuple[Span, ...]) -> tuple[Block, ...]:
    items = []
    for child in node.children:
        span = page.span(child)
        inner = tuple(blocks_of(page, child.children, context, in_item=True))
        parts = _tiled(page, inner, span)
        items.append(Block("item", span.start, span.end, context, parts))
    return tuple(items)


def _rows(page: Page, node: Node, context: tuple[Span, ...]) -> tuple[Block, ...]:
    """The first row is the header with the line under it; the others have it as context."""
    head, *body = [row for group in node.children for row in group.children]
    top = page.span(head)
    rows = [Block("row", top.start, top.end, context)]
    spans = [page.span(row) for row in body]
    return (*rows, *(_row(page, span, top, context) for span in spans))


def _row(page: Page, row: Span, top: Span, context: tuple[Span, ...]) -> Block:
    """A row, and its cells: each from the second on with its column's header and the row's name.

    The header is there in two stretches, parted where the cell's own column begins.
    """
    whole = Block("row", row.start, row.end, (*context, top))
    cells, heads = _cells(page.seen, row), _cells(page.seen, top)
    if len(cells) < 2 or len(heads) < 2:  # noqa: PLR2004 - there is nothing to tell apart
        return whole
    key = trim(page.seen, row.start, cells[1].start)
    parts = [Block("cell", row.start, key.end, whole.context)]
    for cell, head in zip(cells[1:], heads[1:], strict=False):
        before, columns = (
            trim(page.seen, top.start, head.start),
            trim(page.seen, head.start, top.end),
        )
        parts.append(Block("cell", cell.start, cell.end, (*context, before, columns, key)))
    return replace(whole, parts=_tiled(page, tuple(parts), row))


def _cells(text: str, row: Span) -> list[Span]:
    """From each cell's first character to the next one's; `|` in front belongs to the first."""
    bars = [match.end() for match in _BAR.finditer(text, row.start, row.end)]
    starts = [row.start, *(bar for bar in bars if row.start + 1 < bar < row.end)]
    spans = [trim(text, a, b) for a, b in zip(starts, [*starts[1:], row.end], strict=True)]
    return [span for span in spans if span.end > span.start]


def _html_rows(page: Page, span: Span, context: tuple[Span, ...]) -> tuple[Block, ...]:
    spans, top = html.table_rows(page.seen, span.start, span.end)
    first = Block("row", spans[0].start, spans[0].end, context) if spans else None
    inner = (*context, top) if top else context
    return (first, *(_html_row(page, s, inner) for s in spans[1:])) if first else ()


def _html_row(page: Page, row: Span, context: tuple[Span, ...]) -> Block:
    starts = html.cell_starts(page.seen, row.start, row.end)
    key = trim(page.seen, row.start, starts[1]) if len(starts) > 1 else row
    ends = [*starts[1:], row.end]
    cells = [Block("cell", row.start, key.end, context)]
    cells += [
        Block("cell", a, b, (*context, key)) for a, b in zip(starts[1:], ends[1:], strict=True)
    ]
    return Block("row", row.start, row.end, context, _tiled(page, tuple(cells), row))


def _tiled(page: Page, parts: tuple[Block, ...], whole: Span) -> tuple[Block, ...]:
    """The parts stretched so that they leave nothing of the whole out."""
    if not parts:
        return ()
    starts = [whole.start, *(part.start for part in parts[1:])]
    spans = [trim(page.seen, a, b) for a, b in zip(starts, [*starts[1:], whole.end], strict=True)]
    return tuple(
        replace(part, start=span.start, end=span.end)
        for part, span in zip(parts, spans, strict=True)
        if span.end > span.start
    )


def _lead(page: Page, block: Block, *, any_text: bool) -> Span | None:
    """What introduces the next block: a sentence that ends in a colon, a bold line alone.

    An item's own text introduces what is nested under it (`any_text`).
    """
    if block.kind == "heading":
        return Span(block.start, block.end)
    if block.kind != "paragraph":
        return None
    text = page.seen[block.start : block.end]
    bold = _BOLD_LEAD.fullmatch(text) is not None and len(text) <= MAX_BOLD_LINE_CHARS
    if bold:
        return Span(block.start, block.end)
    if any_text or text.endswith(_COLONS):
        return sentences(page.seen, block.start, block.end)[-1]
    return None
