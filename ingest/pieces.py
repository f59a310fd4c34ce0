"""Where running text may be divided: sentences, lines, words."""

import re
from collections.abc import Callable, Iterator

from ingest.types import Span

# A stop, its closing quotes or markup, and white space, unless small letters go on ("e.g. this").
# East Asian stops need no space. A blank line always ends a sentence. `(?>…)` keeps a pair of
# line end characters from being taken for two line ends.
_SENTENCE = re.compile(
    r"(?<![.!?…:])[.!?…:]++[\"'”’»)\]*_`]*+\s++(?=[^\sa-z])|[。！？]++[”’」』）]*+\s*+"
    r"|(?<![ \t])[ \t]*+(?>\r\n|\r|\n)[ \t]*+(?>\r\n|\r|\n)\s*+"
)
_PARAGRAPH = re.compile(r"(?<![ \t])[ \t]*+(?>\r\n|\r|\n)[ \t]*+(?>\r\n|\r|\n)\s*+")
_LINE = re.compile(r"(?<!\s)[^\S\r\n]*+(?>\r\n|\r|\n)\s*+")
_WORD = re.compile(r"\s+")
WORD_PART_CHARS = 16
MAX_CHARS = 4000  # of a passage, white space and all; the longest ordinary ones have 1,500

Divide = Callable[[str, int, int], list[Span]]


def _split(pattern: re.Pattern[str], text: str, start: int, end: int) -> Iterator[Span]:
    position = start
    for match in pattern.finditer(text, start, end):
        gap = match[0]
        last = match.start() + len(gap.rstrip())
        if last > position:
            yield Span(position, last)
            position = match.end()
    if position < end:
        yield Span(position, end)


def sentences(text: str, start: int, end: int) -> list[Span]:
    """The sentences of `text[start:end]`, without the white space between them."""
    return list(_split(_SENTENCE, text, start, end))


def paragraphs(text: str, start: int, end: int) -> list[Span]:
    """What stands between blank lines, as in a listing."""
    return list(_split(_PARAGRAPH, text, start, end))


def lines(text: str, start: int, end: int) -> list[Span]:
    """The lines that are not blank."""
    return list(_split(_LINE, text, start, end))


def words(text: str, start: int, end: int) -> list[Span]:
    """What stands between white space; the last resort for prose."""
    return list(_split(_WORD, text, start, end))


def word_parts(_text: str, start: int, end: int) -> list[Span]:
    """Runs of a few characters: for one endless word, or a script without spaces."""
    return [Span(at, min(at + WORD_PART_CHARS, end)) for at in range(start, end, WORD_PART_CHARS)]


def slabs(text: str, start: int, end: int) -> list[Span]:
    """Runs of words of `MAX_CHARS` at most: a line of code is read whole or not at all."""
    spans: list[Span] = []
    for word in words(text, start, end):
        for part in (
            [word] if word.end - word.start <= MAX_CHARS else word_parts(text, word.start, word.end)
        ):
            if spans and part.end - spans[-1].start <= MAX_CHARS:
                spans[-1] = Span(spans[-1].start, part.end)
            else:
                spans.append(part)
    return spans


PROSE: tuple[Divide, ...] = (sentences, lines, words, word_parts)
LISTING: tuple[Divide, ...] = (paragraphs, lines, words, word_parts)
CODE: tuple[Divide, ...] = (paragraphs, lines, slabs)
