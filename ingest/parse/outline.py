"""The headings of a page: what stands under which, and what stands in a heading alone."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from html import unescape
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token

from ingest.parse.blocks import blocks_of
from ingest.parse.labels import Label
from ingest.parse.page import Page
from ingest.parse.tree import Node
from ingest.types import Block, Section, Span

_ANCHOR = re.compile(r"(?<!\s)\s*\{[#:][^{}]*\}\s*$")  # `## Leave {#leave}`
LABEL = 7
MAX_HEADING_CHARS = 400  # as written; what is longer is text. Ordinary ones have up to 250.


@cache
def _inline_reader() -> MarkdownIt:
    return MarkdownIt("commonmark")


def sections_of(page: Page, title: str) -> tuple[Section, ...]:
    """The page's sections in order.

    A heading with nothing under it, not even another heading, is text of the section above it.
    """
    outline = _Outline(page, title)
    labels = list(reversed(page.labels))
    for node in page.nodes:
        at = page.span(node).start
        outline.close(at)
        while labels and labels[-1].start <= at:
            label = labels.pop()
            if label.end > at:
                outline.enter(_labelled(page, label))
        if divides(node):
            outline.enter(_heading(page, node, title))
        else:
            outline.nodes.append(node)
    outline.leave(0)
    return tuple(outline.sections)


def divides(node: Node) -> bool:
    """Whether it is a heading of a length that one has."""
    return node.type == "heading" and sum(len(c.content) for c in node.children) <= (
        MAX_HEADING_CHARS
    )


def words_of(heading: Node, env: dict[str, Any]) -> str:
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


@dataclass(frozen=True, slots=True)
class _Heading:
    """`level` is 1 to 6, or 0 for the page's title, which all else stands under.

    A label has a level below them all, and an end, up to which no heading ends what is under it.
    """

    level: int
    words: str
    span: Span
    end: int = -1


def _heading(page: Page, node: Node, title: str) -> _Heading:
    level, words = int(node.tag[1]), words_of(node, page.env)
    is_title = level == 1 and words.casefold() == title.casefold()
    return _Heading(0 if is_title else level, words, page.span(node))


def _labelled(page: Page, label: Label) -> _Heading:
    words = " ".join(unescape(page.text[label.words.start : label.words.end]).split())
    return _Heading(LABEL, words[:MAX_HEADING_CHARS], Span(label.start, label.inside), label.end)


class _Outline:
    """Sections while the page is read: the headings above, and the blocks since the last one."""

    def __init__(self, page: Page, title: str) -> None:
        self.nodes: list[Node] = []
        self.sections: list[Section] = []
        self._page = page
        self._title = title
        self._path: list[_Heading] = []
        self._last: _Heading | None = None  # a heading that nothing stands under so far

    def enter(self, heading: _Heading) -> None:
        """Go on under a heading."""
        self.leave(heading.level)
        if heading.words:
            self._path += [heading] if heading.level else []
            self._last = heading

    def close(self, at: int) -> None:
        """End the labelled blocks that end before this place."""
        while ended := [h for h in self._path if 0 <= h.end <= at]:
            self.leave(0)
            self._path = self._path[: self._path.index(ended[0])]

    def leave(self, level: int) -> None:
        """End the section, and those above it that are of `level` or lower."""
        blocks = tuple(blocks_of(self._page, self.nodes, ()))
        self.nodes = []
        last, self._last = self._last, None
        if any(block.kind != "rule" for block in blocks):
            self._add(self._path, blocks)
        elif last and level <= last.level:
            above = [heading for heading in self._path if heading is not last]
            self._add(above, (Block("heading", last.span.start, last.span.end),))
        labels = [i for i, heading in enumerate(self._path) if heading.end >= 0]
        kept = labels[-1] + 1 if labels else 0
        below = [heading for heading in self._path[kept:] if heading.level < level]
        self._path = [*self._path[:kept], *below]

    def _add(self, above: Sequence[_Heading], blocks: tuple[Block, ...]) -> None:
        self.sections.append(Section((self._title, *(h.words for h in above)), blocks))
