"""Markdown, and templates over it, to sections of blocks."""

import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token

from ingest.parse import frontmatter
from ingest.parse.blocks import blocks_of, wordless_tags
from ingest.parse.lines import merge
from ingest.parse.names import readable_stem
from ingest.parse.page import BOM, Page, read_page
from ingest.parse.tree import Node
from ingest.types import Parsed, Section

_ANCHOR = re.compile(r"(?<!\s)\s*\{[#:][^{}]*\}\s*$")  # `## Leave {#leave}`
MAX_HEADING_CHARS = 400  # as written; what is longer is text. Ordinary ones have up to 250.


@cache
def _inline_reader() -> MarkdownIt:
    return MarkdownIt("commonmark")


def parse_markdown(path: str, text: str) -> Parsed:
    """Read a Markdown file. Only top-level headings divide it.

    Broken front matter does not lose the document: what can be read of it is used, or it is taken
    for text, and `warning` says so.
    """
    page = read_page(path, text, with_front_matter=True)
    metadata, warning = _front_matter(page)
    if metadata is None:
        metadata, page = {}, read_page(path, text, with_front_matter=False)
    named = " ".join(metadata.get("title", "").split())[:MAX_HEADING_CHARS].strip()
    title = named or _first_h1(page) or readable_stem(path)
    hidden = merge([*page.tags, *wordless_tags(page, page.nodes)])
    sections = tuple(_sections(page, title))
    return Parsed(text, title, metadata, sections, hidden, warning and f"{path}: {warning}.")


def _front_matter(page: Page) -> tuple[Mapping[str, str] | None, str]:
    """The metadata, None when text was taken for it; and what is wrong, if anything."""
    if page.nodes and page.nodes[0].type == "front_matter":
        return frontmatter.read(page.nodes[0].content)
    unclosed = frontmatter.looks_unclosed(page.text.removeprefix(BOM))
    return {}, "front matter opens at line 1 and is never closed; read as text" if unclosed else ""


def _first_h1(page: Page) -> str:
    words = (_words(node, page.env) for node in page.nodes if node.tag == "h1" and _divides(node))
    return next(filter(None, words), "")


def _divides(node: Node) -> bool:
    """Whether it is a heading of a length that one has."""
    return node.type == "heading" and sum(len(c.content) for c in node.children) <= (
        MAX_HEADING_CHARS
    )


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


def _sections(page: Page, title: str) -> Iterator[Section]:
    path: list[tuple[int, str]] = []
    nodes: list[Node] = []
    for node in [*page.nodes, Node("heading", tag="h1")]:
        if not _divides(node):
            nodes.append(node)
            continue
        blocks = tuple(blocks_of(page, nodes, ()))
        if blocks:
            yield Section((title, *(words for _, words in path)), blocks)
        level, words = int(node.tag[1]), _words(node, page.env)
        path = [entry for entry in path if entry[0] < level]
        if words and not (level == 1 and words.casefold() == title.casefold()):
            path.append((level, words))
        nodes = []
