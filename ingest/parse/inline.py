"""HTML within the text: what its tags and entities are shown as."""

import html
import re
from collections.abc import Iterator

from markdown_it.common.html_blocks import block_names

from ingest.parse.html import unseen
from ingest.parse.page import CODE_SPAN, Page, begins_in
from ingest.parse.tree import Node
from ingest.types import Mask, Span

_TAG = re.compile(r"<(/?)([A-Za-z][\w.-]*+)(?=[\s/>])([^<>]*+)>")
_ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
_ALT = re.compile(r"\balt\s*+=\s*+(?:\"([^\"]*+)\"|'([^']*+)')", re.IGNORECASE)
_HREF = re.compile(r"\bhref\s*+=\s*+[\"']((?:https?://|mailto:)[^\s\"'<>]++)[\"']", re.IGNORECASE)
# HTML's phrasing elements: they stand within a word or a sentence and part nothing.
_PHRASING_NAMES = """
a abbr acronym b bdi bdo big cite code data del dfn em font i img ins kbd label mark q ruby s samp
small span strike strong sub sup time tt u var wbr
"""
_PHRASING = frozenset(_PHRASING_NAMES.split())
_KNOWN = _PHRASING | {*block_names, "br", "button", "input", "picture", "svg", "video", "audio"}
_MARKS = frozenset("*_`[]#|~\\")  # as an entity they are no Markdown


def inline_masks(page: Page) -> Iterator[Mask]:
    """The tags and entities of a page, outside code, in no order; some may lie in others."""
    yield from _of(page, page.nodes)


def _of(page: Page, nodes: list[Node]) -> Iterator[Mask]:
    for node in nodes:
        if node.type in ("paragraph", "heading", "table", "html_block"):
            span = page.span(node)
            in_block = node.type == "html_block"
            in_line = (
                node.type in ("heading", "table") or "<table" in page.seen[span.start : span.end]
            )
            yield from _masks(page.seen, span, in_block=in_block, in_line=in_line)
        else:
            yield from _of(page, node.children)


def _masks(text: str, span: Span, *, in_block: bool, in_line: bool) -> Iterator[Mask]:
    piece = text[span.start : span.end]
    if "<" not in piece and "&" not in piece:
        return
    code: list[Span] = []
    if in_block:
        yield from (Mask(s.start, s.end, " ") for s in unseen(text, span.start, span.end))
    else:
        code = [Span(*m.span()) for m in CODE_SPAN.finditer(text, span.start, span.end)]
    starts = [span.start for span in code]
    for match in _TAG.finditer(text, span.start, span.end):
        if not begins_in(match.start(), code, starts) and (in_block or _is_tag(match)):
            yield from _tag(text, match, in_line=in_line)
    for match in _ENTITY.finditer(text, span.start, span.end):
        char = html.unescape(match[0]).replace("\xa0", " ")
        if char != match[0] and char.isprintable() and not begins_in(match.start(), code, starts):
            shown = f"\\{char}" if char in _MARKS else char
            yield Mask(*match.span(), shown[: len(match[0])])


def _is_tag(match: re.Match[str]) -> bool:
    """Whether it is no placeholder as in `clone <url>`: a name of HTML, or a component's tag."""
    if match[2].lower() in _KNOWN:
        return True
    return match[2][0].isupper() and bool(match[1] or "=" in match[3] or match[3].endswith("/"))


def _tag(text: str, match: re.Match[str], *, in_line: bool) -> Iterator[Mask]:
    """A break ends the line, an image is its description, a link is led by its full address."""
    start, end = match.span()
    name = match[2].lower()
    kept = None
    if name == "img":
        kept = _ALT.search(match[3])
    elif name == "a":
        kept = _HREF.search(match[3])
    if kept:
        first, last = (match.start(3) + at for at in kept.span(kept.lastindex or 0))
        yield Mask(start, first, "<" if name == "a" else "")
        yield Mask(last, end, "> "[: end - last] if name == "a" else "")
    elif name != "br" or match[1]:
        yield Mask(start, end, "" if name in _PHRASING or match[2][0].isupper() else " ")
    elif in_line:
        yield Mask(start, end, " ")
    else:
        ends_line = text[end : end + 1] in ("\r", "\n", "")
        yield Mask(start, end, "  " if ends_line else " " * (end - start - 1) + "\n")
