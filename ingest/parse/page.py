"""A Markdown file read down to its blocks: tags out, notes and tables whole."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, TypeVar

from markdown_it import MarkdownIt
from mdit_py_plugins.front_matter import front_matter_plugin

from ingest.parse import html
from ingest.parse.labels import Label, alert_masks, labels_of
from ingest.parse.lines import line_starts, merge, remove, tidy, trim
from ingest.parse.tags import COMMENTS, loose_tags, template_tags
from ingest.parse.tree import Node, tree
from ingest.types import PAD, Mask, Span, blank

BOM = "\ufeff"
Placed = TypeVar("Placed", Span, Mask, Label)
CODE_SPAN = re.compile(r"(?<!`)(`++).+?(?<!`)\1(?!`)", re.DOTALL)


@cache
def _blocks_reader(*, with_front_matter: bool = True) -> MarkdownIt:
    reader = MarkdownIt("commonmark").enable("table")
    reader.core.ruler.enableOnly(["normalize", "block"])
    return reader.use(front_matter_plugin) if with_front_matter else reader


@dataclass(frozen=True, slots=True)
class Page:
    """A file while it is read. `seen` is the text as it is shown, hidden characters as spaces.

    `labels` are those that divide the page, `leads` the others, by the lines that they are of.
    """

    text: str
    seen: str
    starts: list[int]
    nodes: list[Node]
    env: dict[str, Any]
    tags: tuple[Mask, ...]
    labels: tuple[Label, ...] = ()
    leads: Mapping[int, Span] = field(default_factory=dict)

    def span(self, node: Node) -> Span:
        """The node's lines without the white space and the tags around them."""
        start = self.starts[node.first_line]
        return trim(self.seen, start, self.starts[min(node.end_line, len(self.starts) - 1)])


def read_page(path: str, text: str, *, with_front_matter: bool) -> Page:
    """Read twice when there are tags: what is code and hides none is known after the first."""
    reader = _blocks_reader(with_front_matter=with_front_matter)
    tags = tidy(template_tags(path, text))
    page = _page(reader, text, tags, [])
    loose = _outside(loose_tags(path, page.seen), _code(page, page.nodes))
    comments = [span for span in loose if page.seen.startswith(COMMENTS, span.start)]
    unread = [*_code(page, page.nodes), *comments]
    labels = _outside(labels_of(page.seen), unread)
    masks = [mask for label in labels for mask in label.masks]
    masks += _outside(list(alert_masks(page.seen)), unread)
    hidden = [Mask(span.start, span.end) for span in loose]
    if not masks and not hidden:
        return page
    return _page(reader, text, tidy(tags, masks, hidden), labels)


def _page(reader: MarkdownIt, text: str, tags: tuple[Mask, ...], labels: Sequence[Label]) -> Page:
    env: dict[str, Any] = {}
    bom = [Mask(0, 1)] if text.startswith(BOM) else []
    unread = tidy(bom, tags)
    nodes = tree(reader.parse(remove(text, unread), env))
    seen, starts = blank(text, 0, unread).replace(PAD, " "), line_starts(text)
    nodes = _with_footnotes(nodes, env)
    leads = _leads(labels, starts)
    _name_labels(nodes, {lead.start for lead in leads.values()}, starts)
    whole = _with_whole_tables(nodes, seen, starts)
    divide = tuple(label for label in labels if label.divides)
    return Page(text, seen, starts, whole, env, tags, divide, leads)


def _leads(labels: Sequence[Label], starts: Sequence[int]) -> dict[int, Span]:
    """By line, the innermost label in the text that it stands under; its own line is with it."""
    leads: dict[int, Span] = {}
    for label in labels:
        if not label.divides and label.words.end > label.words.start:
            line = bisect_right(starts, label.words.start) - 1
            last = bisect_right(starts, label.end) - 1
            span = Span(max(label.start, starts[line]), max(label.inside, label.words.end))
            leads |= dict.fromkeys(range(line, last + 1), span)
    return leads


def _name_labels(nodes: list[Node], heads: Collection[int], starts: Sequence[int]) -> None:
    """Tell the headings that are labels from those of the page."""
    for node in nodes:
        if node.type == "heading":
            first, end = starts[node.first_line], starts[node.end_line]
            if any(first <= head < end for head in heads):
                node.type = "label"
        _name_labels(node.children, heads, starts)


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


def _outside(found: Sequence[Placed], barred: Iterable[Span]) -> list[Placed]:
    """Those that do not begin in what is barred, by their start."""
    if not found:
        return []
    spans = merge(barred)
    starts = [span.start for span in spans]
    return [one for one in found if not begins_in(one.start, spans, starts)]


def begins_in(at: int, spans: Sequence[Span], starts: Sequence[int]) -> bool:
    """Whether a place lies in one of some ranges, which are in order and begin at `starts`."""
    before = bisect_right(starts, at) - 1
    return before >= 0 and at < spans[before].end


def _code(page: Page, nodes: list[Node]) -> Iterator[Span]:
    """Listings and code spans, at any depth."""
    for node in nodes:
        if node.type in ("fence", "code_block", "front_matter"):
            yield Span(page.starts[node.first_line], page.starts[node.end_line])
        elif node.type == "inline" and "`" in node.content:
            span = page.span(node)
            for match in CODE_SPAN.finditer(page.seen, span.start, span.end):
                yield Span(*match.span())
        yield from _code(page, node.children)
