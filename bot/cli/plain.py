"""Markdown as plain words, for a terminal or a pipe, with the ranges to mark carried over. Pure."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline, backtick, image, link
from markdown_it.token import Token
from rich.text import Text

from ingest.types import PAD

Range = tuple[int, int]
Edit = tuple[int, int, str]
Style = tuple[int, int, str]
Rule = Callable[[StateInline, bool], bool]

BOLD = "bold"  # for what is marked alone
EMPHASIS, CODE, HEADING = "italic", "cyan", "underline"
TABLE_CHARS = 100  # of a table's line; the columns of a wider one are not padded

_UNSEEN = re.compile(rf"(?m)^[ \t{PAD}]*{PAD}|{PAD}|\r\n?")
_ABSOLUTE = re.compile(r"(?i)(?:https?|ftp|mailto):")
# `[label][name]` whose definition stands in another passage; `grid[i][j]` is none.
_DANGLING = re.compile(
    r"(?<![\w\]])\[(?P<label>(?:\d|[^\w\[\]\n])*+[^\W\d][^\[\]\n]*+)\]\[[^\[\]\n]{0,200}\](?![\[(])"
)
_MARKER = re.compile(r"[ \t>]*([*+-])(?=\s|$)")
_QUOTE = re.compile(r"[ \t]*(> ?)")
_SEPARATOR = re.compile(r"(?<![ \t])[ \t]*(?<!\\)\|[ \t]*")
_BLANKS = re.compile(r"[ \t]{2,}")
_EMPTY_LINES = re.compile(r"\n[ \t]*(?:\n[ \t]*){2,}(?=\n|\Z)|\n(?:[ \t]*\n){2,}")


@dataclass(frozen=True, slots=True)
class Words:
    """Text without markup; `marks` are ranges of it, `styles` how a terminal shows others."""

    text: str
    marks: tuple[Range, ...] = ()
    styles: tuple[Style, ...] = ()

    @property
    def styled(self) -> Text:
        """For a terminal: what is marked is bold, and nothing else is."""
        text = Text(self.text)
        for start, end, style in self.styles:
            text.stylize(style, start, end)
        for start, end in self.marks:
            text.stylize(BOLD, start, end)
        return text


def plain_words(text: str, marks: Sequence[Range] = ()) -> Words:
    """Markdown as a reader sees it: code keeps its characters, a link is its label.

    Of a link that stands in a marked range the address is kept, in parentheses, if it leads
    anywhere by itself.

    Args:
        text: Markdown, or a passage's visible text.
        marks: ranges of `text`; they may overlap.
    """
    words = _edited(
        Words(text, tuple(marks)),
        [(*m.span(), "\n" if "\r" in m[0] else "") for m in _UNSEEN.finditer(text)],
    )
    page = _Page(words)
    words = _edited(Words(words.text, words.marks, tuple(page.styles)), page.edits)
    code = [(start, end) for start, end, style in words.styles if style == CODE]
    blank = [m.span() for m in _EMPTY_LINES.finditer(words.text)]
    apart = [(a, b, "\n\n") for a, b in blank if not any(s < b and a < e for s, e in code)]
    return _edited(words, apart)


def _edited(words: Words, edits: Sequence[Edit]) -> Words:
    """With ranges replaced; of two that overlap the first counts. No range may be empty."""
    pieces: list[str] = []
    ends, places = [0], [0]  # of what was replaced, and where the text goes on then
    starts: list[int] = []
    for start, end, put in sorted(edits):
        if start >= ends[-1]:
            pieces += [words.text[ends[-1] : start], put]
            starts.append(start)
            places.append(places[-1] + start - ends[-1] + len(put))
            ends.append(end)
    pieces.append(words.text[ends[-1] :])

    def moved(start: int, end: int) -> Range:
        """What is replaced in part lies within, as a whole."""
        first = bisect_right(starts, start)
        last = bisect_left(starts, end)
        if first and start < ends[first]:
            before = places[first - 1] + starts[first - 1] - ends[first - 1]
        else:
            before = places[first] + start - ends[first]
        return before, places[last] + max(end - ends[last], 0)

    marks = (moved(*mark) for mark in words.marks)
    styles = ((*moved(start, end), style) for start, end, style in words.styles)
    return Words(
        "".join(pieces),
        tuple((start, end) for start, end in marks if start < end),
        tuple((start, end, style) for start, end, style in styles if start < end),
    )


def _ending(rule: Rule) -> Rule:
    """The rule, and the last token that it makes has where it ends: the parser keeps no places."""

    def run(state: StateInline, silent: bool) -> bool:  # noqa: FBT001 - the parser's own form
        before = len(state.tokens)
        found = rule(state, silent)
        if found and len(state.tokens) > before:
            state.tokens[-1].meta["end"] = state.pos
        return found

    return run


def _parser() -> MarkdownIt:
    """Without HTML: passages are shown without it, and `<name>` is a word."""
    parser = MarkdownIt("commonmark", {"html": False}).enable("table").disable("text_join")
    for name, rule in (("link", link), ("image", image), ("backticks", backtick)):
        parser.inline.ruler.at(name, _ending(rule))
    return parser


class _Page:
    """What has to be replaced in a text so that it reads as plain words, and its styles."""

    def __init__(self, words: Words) -> None:
        self.edits: list[Edit] = []
        self.styles: list[Style] = []
        self._text, self._marks = words.text, words.marks
        self._lines = [*(0, *(m.end() for m in re.finditer("\n", self._text))), len(self._text) + 1]
        self._quoted: dict[int, int] = {}  # characters of a line that are a quotation's signs
        env: dict[str, dict[str, dict[str, list[int]]]] = {}
        tokens = _parser().parse(self._text, env)
        for i, token in enumerate(tokens):
            self._take(tokens, i, token)
        for label, definition in env.get("references", {}).items():
            if not label.startswith("^"):
                self._drop(*definition["map"])

    def _take(self, tokens: Sequence[Token], i: int, token: Token) -> None:
        first, last = token.map or (0, 0)
        match token.type:
            case "hr":
                self._drop(first, last)
            case "fence" | "code_block":
                self._take_code(token, first, last)
            case "blockquote_open":
                self._unquote(first, last)
            case "list_item_open" if token.markup in "*+":
                marker = _MARKER.match(self._text, self._lines[first])
                if marker:
                    self.edits.append((*marker.span(1), "-"))
            case "table_open":
                self._take_table(tokens, i, first)
            case "inline" if tokens[i - 1].type == "heading_open":
                self._take_heading(token, *(tokens[i - 1].map or (0, 0)))
            case "inline" if tokens[i - 1].type not in ("th_open", "td_open"):
                if places := self._places(token, first):
                    _Inline(self, token, places)

    def in_marks(self, start: int, end: int) -> bool:
        """Whether all of it is marked."""
        return any(low <= start and end <= high for low, high in self._marks)

    def _line(self, number: int) -> str:
        return self._text[self._lines[number] : self._lines[number + 1] - 1]

    def _drop(self, first: int, stop: int) -> None:
        stop = min(stop, len(self._lines) - 1)
        if first < stop:
            self.edits.append((self._lines[first], min(self._lines[stop], len(self._text)), ""))

    def _unquote(self, first: int, stop: int) -> None:
        for number in range(first, min(stop, len(self._lines) - 1)):
            begin = self._lines[number] + self._quoted.get(number, 0)
            if sign := _QUOTE.match(self._text, begin, self._lines[number + 1] - 1):
                self.edits.append((*sign.span(1), ""))
                self._quoted[number] = sign.end() - self._lines[number]

    def _take_code(self, token: Token, first: int, stop: int) -> None:
        if token.type == "fence":
            within = first + 1 + token.content.count("\n")
            self._drop(first, first + 1)
            self._drop(within, stop)
            first, stop = first + 1, within
        end = min(self._lines[min(stop, len(self._lines) - 1)], len(self._text))
        if self._lines[first] < end:
            self.styles.append((self._lines[first], end, CODE))

    def _take_heading(self, token: Token, first: int, last: int) -> None:
        places = self._places(token, first)
        if not places:
            return
        begin, end = places[0], places[-1] + 1
        signs = self._lines[first] + self._quoted.get(first, 0)
        stop = min(self._lines[last], len(self._text) + 1) - 1
        self.edits += [(a, b, "") for a, b in ((signs, begin), (end, stop)) if a < b]
        self.styles.append((begin, end, HEADING))
        _Inline(self, token, places)

    def _take_table(self, tokens: Sequence[Token], i: int, first: int) -> None:
        rows: list[list[Range]] = []
        cell = 0
        while tokens[i].type != "table_close":
            token = tokens[i]
            if token.type == "tr_open" and token.map:
                rows.append(self._cells(token.map[0]))
                cell = 0
            elif token.type == "inline":
                if cell < len(rows[-1]):
                    _Inline(self, token, range(*rows[-1][cell]))
                cell += 1
            i += 1
        self._drop(first + 1, first + 2)
        self._align(rows)

    def _cells(self, number: int) -> list[Range]:
        """Where a row's cells are; what stands before and behind them is dropped."""
        begin, end = self._lines[number], self._lines[number + 1] - 1
        begin += self._quoted.get(number, 0)
        borders = [m.span() for m in _SEPARATOR.finditer(self._text, begin, end)]
        if borders and not self._text[begin : borders[0][0]].strip():
            self.edits.append((*borders[0], ""))
            begin = borders.pop(0)[1]
        if borders and not self._text[borders[-1][1] : end].strip():
            self.edits.append((borders[-1][0], end, ""))
            end = borders.pop()[0]
        starts = [begin, *(stop for _, stop in borders)]
        return list(zip(starts, [*(start for start, _ in borders), end], strict=True))

    def _align(self, rows: Sequence[Sequence[Range]]) -> None:
        sizes = [[self._size(*cell) for cell in row] for row in rows]
        count = max(map(len, sizes), default=0)
        widths = [max((row[i] for row in sizes if i < len(row)), default=0) for i in range(count)]
        if sum(widths) + 3 * (count - 1) > TABLE_CHARS:
            widths = [0] * count
        for row, taken in zip(rows, sizes, strict=True):
            for i, (one, following) in enumerate(pairwise(row)):
                padding = " " * max(widths[i] - taken[i], 0)
                self.edits.append((one[1], following[0], f"{padding} | "))

    def _size(self, start: int, end: int) -> int:
        inside = [(a - start, b - start, put) for a, b, put in self.edits if start <= a < b <= end]
        return len(_edited(Words(self._text[start:end]), inside).text)

    def _places(self, token: Token, first: int) -> list[int] | None:
        """Where each character of an inline text stands; None where that cannot be told."""
        places: list[int] = []
        for number, line in enumerate(token.content.split("\n"), first):
            at = self._line(number).rfind(line)
            if at < 0:
                return None
            begin = self._lines[number] + at
            places += range(begin, begin + len(line) + 1)
        return places[:-1]


class _Inline:
    """Walks the tokens of one inline text along its characters."""

    def __init__(self, page: _Page, token: Token, places: Sequence[int]) -> None:
        self._page = page
        self._text = token.content
        self._places = places
        self._at = 0
        self._opened: list[tuple[int, str]] = []
        if len(places) < len(self._text):  # a cell with an escaped bar: it stays as it is
            return
        for child in token.children or ():
            self._take(child)

    def _take(self, token: Token) -> None:
        match token.type:
            case "text":
                self._take_text(token.content)
            case "text_special":
                self._replace(*self._find(token.markup), token.content)
            case "softbreak" | "hardbreak":
                self._break_line()
            case "code_inline":
                self._take_code(token)
            case "image":
                start, _ = self._find("![")
                self._replace(start, token.meta["end"], token.content)
            case "link_open":
                start, end = self._find("<" if token.markup == "autolink" else "[")
                self._replace(start, end, "")
                self._opened.append((end, str(token.attrs.get("href", ""))))
            case "link_close":
                self._close_link(token)
            case "em_open" | "strong_open" | "em_close" | "strong_close":
                self._take_emphasis(token)

    def _find(self, part: str) -> Range:
        start = self._text.find(part, self._at)
        if start < 0:
            return self._at, self._at
        return start, start + len(part)

    def _replace(self, start: int, end: int, put: str) -> None:
        if start < end:
            self._page.edits.append((self._places[start], self._places[end - 1] + 1, put))
        self._at = end

    def _style(self, start: int, end: int, style: str) -> None:
        if start < end:
            self._page.styles.append((self._places[start], self._places[end - 1] + 1, style))

    def _take_text(self, said: str) -> None:
        start, end = self._find(said)
        for found in _DANGLING.finditer(self._text, start, end):
            self._replace(found.start(), found.start("label"), "")
            self._replace(found.end("label"), found.end(), "")
        for found in _BLANKS.finditer(self._text, start, end):
            self._replace(*found.span(), " ")
        self._at = end

    def _break_line(self) -> None:
        start, end = self._find("\n")
        if start and self._text[start - 1] == "\\":  # a line's end that is escaped
            self._replace(start - 1, start, "")
        self._at = end

    def _take_emphasis(self, token: Token) -> None:
        start, end = self._find(token.markup)
        if token.nesting > 0:
            self._opened.append((end, ""))
        else:
            self._style(self._opened.pop()[0], start, EMPHASIS)
        self._replace(start, end, "")

    def _take_code(self, token: Token) -> None:
        start, begin = self._find(token.markup)
        stop, end = token.meta["end"] - len(token.markup), token.meta["end"]
        said = self._text[begin:stop]
        if said.startswith(" ") and said.endswith(" ") and said.strip():
            begin, stop = begin + 1, stop - 1
        self._style(begin, stop, CODE)
        self._replace(start, begin, "")
        self._replace(stop, end, "")

    def _close_link(self, token: Token) -> None:
        begin, href = self._opened.pop()
        autolink = token.markup == "autolink"
        close, end = self._find(">" if autolink else "]")
        end = end if autolink else token.meta["end"]
        said = self._text[begin:close]
        start, stop = self._places[begin - 1], self._places[end - 1] + 1
        told = not autolink and _ABSOLUTE.match(href) and said not in href
        shown = told and self._page.in_marks(start, stop)
        self._replace(close, end, f" ({href.removeprefix('mailto:')})" if shown else "")
