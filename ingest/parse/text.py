"""Plain text: paragraphs between blank lines, lines of capitals as headings."""

from itertools import pairwise

from ingest.parse.lines import line_starts, trim
from ingest.parse.names import readable_stem
from ingest.types import Block, Parsed, Section, Span

MAX_HEADING_CHARS = 80
MIN_LETTERS = 3


def parse_text(path: str, text: str) -> Parsed:
    """Read a text file; a heading on its first written line is its title."""
    starts = line_starts(text)
    lines = [trim(text, a + (a == 0 and text[:1] == "\ufeff"), b) for a, b in pairwise(starts)]
    written = [line for line in lines if line.end > line.start]
    title = readable_stem(path)
    if written and _is_heading(text, written[0], after_blank=True):
        title = _words(text, written[0])
    sections: list[Section] = []
    heading: tuple[str, ...] = (title,)
    bare: Span | None = None  # the heading's line, as long as nothing stands under it
    blocks: list[Block] = []
    paragraph: list[Span] = []
    for line in [*lines, Span(len(text), len(text))]:
        opens = _is_heading(text, line, after_blank=not paragraph)
        if paragraph and (opens or line.end == line.start):
            blocks.append(Block("paragraph", paragraph[0].start, paragraph[-1].end))
            paragraph = []
        if opens:
            sections.append(_section(title, heading, blocks, bare))
            words = _words(text, line)
            blocks = []
            bare = None if words == title else line
            heading = (title,) if words == title else (title, words)
        elif line.end > line.start:
            paragraph.append(line)
    sections.append(_section(title, heading, blocks, bare))
    if written and not any(section.blocks for section in sections):
        sections = [_section(title, (title,), [], written[0])]
    return Parsed(text, title, {}, tuple(s for s in sections if s.blocks))


def _section(
    title: str, heading: tuple[str, ...], blocks: list[Block], bare: Span | None
) -> Section:
    """What stands under a heading; where that is nothing, the heading under the title."""
    if bare and not blocks:
        return Section((title,), (Block("heading", bare.start, bare.end),))
    return Section(heading, tuple(blocks))


def _is_heading(text: str, line: Span, *, after_blank: bool) -> bool:
    words = text[line.start : line.end]
    letters = sum(char.isalpha() for char in words)
    return (
        after_blank
        and words.isupper()
        and letters >= MIN_LETTERS
        and len(words) <= MAX_HEADING_CHARS
        and words[-1] not in ".,;!?"
    )


def _words(text: str, line: Span) -> str:
    return " ".join(text[line.start : line.end].split()).rstrip(":")
