"""Markdown, and templates over it, to sections of blocks."""

from collections.abc import Mapping

from ingest.parse import frontmatter
from ingest.parse.inline import inline_masks
from ingest.parse.lines import tidy
from ingest.parse.names import readable_stem
from ingest.parse.outline import MAX_HEADING_CHARS, divides, sections_of, words_of
from ingest.parse.page import BOM, Page, read_page
from ingest.types import Parsed


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
    hidden = tidy(page.tags, inline_masks(page))
    sections = sections_of(page, title)
    return Parsed(text, title, metadata, sections, hidden, warning and f"{path}: {warning}.")


def _front_matter(page: Page) -> tuple[Mapping[str, str] | None, str]:
    """The metadata, None when text was taken for it; and what is wrong, if anything."""
    if page.nodes and page.nodes[0].type == "front_matter":
        return frontmatter.read(page.nodes[0].content)
    unclosed = frontmatter.looks_unclosed(page.text.removeprefix(BOM))
    return {}, "front matter opens at line 1 and is never closed; read as text" if unclosed else ""


def _first_h1(page: Page) -> str:
    words = (words_of(node, page.env) for node in page.nodes if node.tag == "h1" and divides(node))
    return next(filter(None, words), "")
