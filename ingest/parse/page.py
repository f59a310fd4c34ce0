"""A Markdown file read down to its blocks: tags out, notes and tables whole."""

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from markdown_it import MarkdownIt
from mdit_py_plugins.front_matter import front_matter_plugin

from ingest.parse import html
from ingest.parse.lines import line_starts, merge, remove, trim
from ingest.parse.tags import loose_tags, template_tags
from ingest.parse.tree import Node, tree
from ingest.types import Span, blank

BOM = "\ufeff"
_CODE_SPAN = re.compile(r"(?<!`)(`++).+?(?<!`)\1(?!`)", re.DOTALL)


@cache
def _blocks_reader(*, with_front_matter: bool = True) -> MarkdownIt:
    reader = MarkdownIt("commonmark").enable("table")
    reader.core.ruler.enableOnly(["normalize", "block"])
    return reader.use(front_matter_plugin) if with_front_matter else reader


@dataclass(frozen=True, slots=True)
class Page:
    """A file while it is read. `seen` is the text with its tags and comments blanked."""

    text: str
    seen: str
    starts: list[int]
    nodes: list[Node]
    env: dict[str, Any]
    tags: tuple[Span, ...]

    def span(self, node: Node) -> Span:
        """The node's lines without the white space and the tags around them."""
        start = self.starts[node.first_line]
        return trim(self.seen, start, self.starts[min(node.end_line, len(self.starts) - 1)])


def read_page(path: str, text: str, *, with_front_matter: bool) -> Page:
    """Read twice when there are comments: what is code and hides none is known after the first."""
    reader = _blocks_reader(with_front_matter=with_front_matter)
    tags = merge(template_tags(path, text))
    page = _page(reader, text, tags)
    loose = _outside_code(page, loose_tags(path, page.seen))
    return _page(reader, text, merge([*tags, *loose])) if loose else page


def _page(reader: MarkdownIt, text: str, tags: tuple[Span, ...]) -> Page:
    env: dict[str, Any] = {}
    unread = merge([*tags, Span(0, int(text.startswith(BOM)))])
    nodes = tree(reader.parse(remove(text, unread), env))
    seen, starts = blank(text, 0, unread), line_starts(text)
    nodes = _with_footnotes(nodes, env)
    return Page(text, seen, starts, _with_whole_tables(nodes, seen, starts), env, tags)


def _with_footnotes(nodes: list[Node], env: dict[str, Any]) -> list[Node]:
    """CommonMark takes `[^1]: word` for a link's definition; to its writer it is a note."""
    references = env.get("references", {}).items()
    notes = [Node("paragraph", "p", *ref["map"]) for label, ref in references if label[0] == "^"]
    if not notes:
        return nodes
    inside = {line for node in nodes for line in range(node.first_line, node.end_line)}
    outside = [note for note in notes if note.first_line not in inside]
    return sorted([*nodes, *outside], key=lambda node: node.first_line)


def _with_whole_tables(nodes: list[Node], seen: str, starts: list[int]) -> list[Node]:
    """CommonMark ends HTML at a blank line; a table goes on to its closing tag."""
    tables = html.tables(seen)
    table_starts = [table.start for table in tables]
    whole: list[Node] = []
    for node in nodes:
        if whole and node.first_line < whole[-1].end_line:
            whole[-1].end_line = max(whole[-1].end_line, node.end_line)
            continue
        last = bisect_left(table_starts, starts[node.end_line]) - 1
        if node.type == "html_block" and last >= 0:
            end_line = bisect_left(starts, tables[last].end)
            node.end_line = max(node.end_line, end_line)
        whole.append(node)
    return whole


def _outside_code(page: Page, found: list[Span]) -> list[Span]:
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


def _code(page: Page, nodes: list[Node]) -> Iterator[Span]:
    """Listings and code spans, at any depth."""
    for node in nodes:
        if node.type in ("fence", "code_block", "front_matter"):
            yield Span(page.starts[node.first_line], page.starts[node.end_line])
        elif node.type == "inline" and "`" in node.content:
            span = page.span(node)
            for match in _CODE_SPAN.finditer(page.seen, span.start, span.end):
                yield Span(*match.span())
        yield from _code(page, node.children)
