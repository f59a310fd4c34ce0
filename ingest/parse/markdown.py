"""Markdown, and templates over it, to sections of blocks."""

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token
from mdit_py_plugins.front_matter import front_matter_plugin

from ingest.parse import frontmatter, html
from ingest.parse.lines import line_starts, merge, remove, trim
from ingest.parse.names import readable_stem
from ingest.parse.tags import loose_tags, template_tags
from ingest.parse.tree import Node, tree
from ingest.pieces import sentences
from ingest.types import Block, Kind, Parsed, Section, Span, blank

_CODE_SPAN = re.compile(r"(?<!`)(`+)(?!`).+?(?<!`)\1(?!`)", re.DOTALL)
_ANCHOR = re.compile(r"\s*\{[#:][^{}]*\}\s*$")  # `## Leave {#leave}`
_BOLD_LEAD = re.compile(r"(\*\*|__)(?=\S).+?\1")
_COLONS = (":", "：", ":**", ":__", ":*", ":_")
_LED = {"bullet_list", "ordered_list", "table", "fence", "code_block", "blockquote", "html_block"}
MAX_BOLD_LINE_CHARS = 80
BOM = "\ufeff"


@cache
def _blocks_reader(*, with_front_matter: bool = True) -> MarkdownIt:
    reader = MarkdownIt("commonmark").enable("table")
    reader.core.ruler.enableOnly(["normalize", "block"])
    return reader.use(front_matter_plugin) if with_front_matter else reader


@cache
def _inline_reader() -> MarkdownIt:
    return MarkdownIt("commonmark")


@dataclass(frozen=True, slots=True)
class _Page:
    """A file while it is read. `seen` is the text with its tags and comments blanked."""

    text: str
    seen: str
    starts: list[int]
    nodes: list[Node]
    env: dict[str, Any]
    tags: tuple[Span, ...]

    def span(self, node: Node) -> Span:
        start = self.starts[node.first_line]
        return trim(self.seen, start, self.starts[min(node.end_line, len(self.starts) - 1)])


def parse(path: str, text: str) -> Parsed:
    """Read a Markdown file. Only top-level headings divide it.

    Broken front matter does not lose the document: what can be read of it is used, or it is taken
    for text, and `warning` says so.
    """
    page = _read(path, text, with_front_matter=True)
    metadata, warning = _front_matter(page)
    if metadata is None:
        metadata, page = {}, _read(path, text, with_front_matter=False)
    title = " ".join(metadata.get("title", "").split()) or _first_h1(page) or readable_stem(path)
    hidden = merge([*page.tags, *_wordless(page, page.nodes)])
    sections = tuple(_sections(page, title))
    return Parsed(text, title, metadata, sections, hidden, warning and f"{path}: {warning}.")


def _front_matter(page: _Page) -> tuple[Mapping[str, str] | None, str]:
    """The metadata, None when text was taken for it; and what is wrong, if anything."""
    if page.nodes and page.nodes[0].type == "front_matter":
        return frontmatter.read(page.nodes[0].content)
    unclosed = frontmatter.looks_unclosed(page.text.removeprefix(BOM))
    return {}, "front matter opens at line 1 and is never closed; read as text" if unclosed else ""


def _first_h1(page: _Page) -> str:
    words = (_words(node, page.env) for node in page.nodes if node.tag == "h1")
    return next(filter(None, words), "")


def _read(path: str, text: str, *, with_front_matter: bool) -> _Page:
    reader = _blocks_reader(with_front_matter=with_front_matter)
    tags = merge(template_tags(path, text))
    page = _page(reader, text, tags)
    loose = _outside_code(page, loose_tags(path, page.seen))
    return _page(reader, text, merge([*tags, *loose])) if loose else page


def _page(reader: MarkdownIt, text: str, tags: tuple[Span, ...]) -> _Page:
    env: dict[str, Any] = {}
    unread = merge([*tags, Span(0, int(text.startswith(BOM)))])
    nodes = tree(reader.parse(remove(text, unread), env))
    seen, starts = blank(text, 0, unread), line_starts(text)
    nodes = _with_footnotes(nodes, env)
    return _Page(text, seen, starts, _with_whole_tables(nodes, seen, starts), env, tags)


def _with_footnotes(nodes: list[Node], env: dict[str, Any]) -> list[Node]:
    """CommonMark takes `[^1]: word` for a link's definition; to its writer it is a note."""
    inside = {line for node in nodes for line in range(node.first_line, node.end_line)}
    notes = [
        Node("paragraph", "p", *reference["map"])
        for label, reference in env.get("references", {}).items()
        if label.startswith("^") and reference["map"][0] not in inside
    ]
    return sorted([*nodes, *notes], key=lambda node: node.first_line) if notes else nodes


def _with_whole_tables(nodes: list[Node], seen: str, starts: list[int]) -> list[Node]:
    """CommonMark ends HTML at a blank line; a table goes on to its closing tag."""
    whole: list[Node] = []
    for node in nodes:
        if whole and node.first_line < whole[-1].end_line:
            whole[-1].end_line = max(whole[-1].end_line, node.end_line)
            continue
        if node.type == "html_block":
            end = html.table_end(seen, starts[node.first_line], starts[node.end_line])
            node.end_line = bisect_left(starts, end) if end else node.end_line
        whole.append(node)
    return whole


def _outside_code(page: _Page, found: list[Span]) -> list[Span]:
    if not found:
        return []
    code = merge(_code(page, page.nodes))
    kept: list[Span] = []
    at = 0
    for span in found:
        while at < len(code) and code[at].end <= span.start:
            at += 1
        in_code = at < len(code) and code[at].start <= span.start
        if not in_code and not (kept and span.start < kept[-1].end):
            kept.append(span)
    return kept


def _code(page: _Page, nodes: list[Node]) -> Iterator[Span]:
    """Listings and code spans, at any depth."""
    for node in nodes:
        if node.type in ("fence", "code_block", "front_matter"):
            yield Span(page.starts[node.first_line], page.starts[node.end_line])
        elif node.type == "inline" and "`" in node.content:
            span = page.span(node)
            for match in _CODE_SPAN.finditer(page.seen, span.start, span.end):
                yield Span(*match.span())
        yield from _code(page, node.children)


def _words(heading: Node, env: dict[str, Any]) -> str:
    """A heading as a reader sees it, without markup."""
    content = _ANCHOR.sub("", heading.children[0].content if heading.children else "")
    tokens = _inline_reader().parseInline(content, env)[0].children or []
    return " ".join("".join(_spoken(tokens)).split())


def _spoken(tokens: list[Token]) -> Iterator[str]:
    for token in tokens:
        if token.type in ("text", "code_inline", "text_special", "image"):
            yield token.content
        elif token.type in ("softbreak", "hardbreak"):
            yield " "


def _sections(page: _Page, title: str) -> Iterator[Section]:
    path: list[tuple[int, str]] = []
    nodes: list[Node] = []
    for node in [*page.nodes, Node("heading", tag="h1")]:
        if node.type != "heading":
            nodes.append(node)
            continue
        blocks = tuple(_siblings(page, nodes, ()))
        if blocks:
            yield Section((title, *(words for _, words in path)), blocks)
        level, words = int(node.tag[1]), _words(node, page.env)
        path = [entry for entry in path if entry[0] < level]
        if words and not (level == 1 and words.casefold() == title.casefold()):
            path.append((level, words))
        nodes = []


def _siblings(
    page: _Page, nodes: list[Node], context: tuple[Span, ...], *, in_item: bool = False
) -> Iterator[Block]:
    """The blocks of one place, each with the lead-in that stands before it."""
    lead: Span | None = None
    for node in nodes:
        inner = (*context, lead) if lead and node.type in _LED else context
        block = _block(page, node, inner)
        if block:
            yield replace(block, glued=lead is not None or block.kind == "rule")
            lead = _lead(page, block, any_text=in_item)


def _block(page: _Page, node: Node, context: tuple[Span, ...]) -> Block | None:
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
        kind, parts = "quote", tuple(_siblings(page, node.children, context))
    elif node.type in ("fence", "code_block"):
        kind = "fence"
    elif node.type == "hr":
        kind = "rule"
    elif node.type == "html_block":
        tags = merge(html.wordless(page.seen, span.start, span.end))
        if not blank(page.seen[span.start : span.end], span.start, tags).strip():
            return None
        kind, parts = "html", _html_rows(page, span, context)
    text = page.seen[span.start : span.end]
    opens = kind == "paragraph" and (bool(_BOLD_LEAD.match(text)) or text.endswith(_COLONS))
    return Block(kind, span.start, span.end, context, _tiled(page, parts, span), opens)


def _items(page: _Page, node: Node, context: tuple[Span, ...]) -> tuple[Block, ...]:
    items = []
    for child in node.children:
        span = page.span(child)
        inner = tuple(_siblings(page, child.children, context, in_item=True))
        parts = _tiled(page, inner, span)
        items.append(Block("item", span.start, span.end, context, parts))
    return tuple(items)


def _rows(page: _Page, node: Node, context: tuple[Span, ...]) -> tuple[Block, ...]:
    """The first row is the header with the line under it; the others have it as context."""
    head, *body = [row for group in node.children for row in group.children]
    top = page.span(head)
    rows = [Block("row", top.start, top.end, context)]
    spans = [page.span(row) for row in body]
    return (*rows, *(Block("row", s.start, s.end, (*context, top)) for s in spans))


def _html_rows(page: _Page, span: Span, context: tuple[Span, ...]) -> tuple[Block, ...]:
    spans, top = html.table_rows(page.seen, span.start, span.end)
    first = Block("row", spans[0].start, spans[0].end, context) if spans else None
    inner = (*context, top) if top else context
    return (first, *(Block("row", s.start, s.end, inner) for s in spans[1:])) if first else ()


def _tiled(page: _Page, parts: tuple[Block, ...], whole: Span) -> tuple[Block, ...]:
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


def _lead(page: _Page, block: Block, *, any_text: bool) -> Span | None:
    """What introduces the next block: a sentence that ends in a colon, a bold line alone.

    An item's own text introduces what is nested under it (`any_text`).
    """
    if block.kind != "paragraph":
        return None
    text = page.seen[block.start : block.end]
    bold = _BOLD_LEAD.fullmatch(text) is not None and len(text) <= MAX_BOLD_LINE_CHARS
    if bold:
        return Span(block.start, block.end)
    if any_text or text.endswith(_COLONS):
        return sentences(page.seen, block.start, block.end)[-1]
    return None


def _wordless(page: _Page, nodes: list[Node]) -> Iterator[Span]:
    for node in nodes:
        if node.type == "html_block":
            span = page.span(node)
            yield from html.wordless(page.seen, span.start, span.end)
        yield from _wordless(page, node.children)
