"""A passage's Markdown to Slack's `mrkdwn`, in pieces small enough for a section block. Pure.

Slack's `mrkdwn` has neither headings nor tables, and `*` means bold. Bold is kept for the cited
sentence alone; code and tables become preformatted text, where the cited lines carry a pointer.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bot.slack.tables import align, find_runs, is_closed
from bot.slack.text import escape_mrkdwn, spell_links, split_code
from ingest.types import spoken

PIECE_CHARS = 3_000  # of a section's text
POINTER = "▸ "

# The quote's ends, while the text is taken apart; documents' own are replaced beforehand.
_OPEN, _CLOSE = "\ue000", "\ue001"
_MARKS = re.compile(f"[{_OPEN}{_CLOSE}]")

_BOLD = re.compile(r"(\*\*|__)(?=\S)(.+?)(?<=\S)\1")
_ITALIC = re.compile(r"(?<![\w*])\*(?=[^\s*])([^*]+)(?<=[^\s*])\*(?![\w*])")
_BACKSLASH = re.compile(r"\\([!-/:-@\[-`{-~])")


@dataclass(frozen=True, slots=True)
class _Line:
    """A line of the passage. `marked` has the quote's marks in it, `text` has not."""

    marked: str
    text: str
    cited: bool  # some of it lies within the quote


def to_mrkdwn(text: str, quotes: Sequence[tuple[int, int]] = ()) -> list[str]:
    """Pieces of `mrkdwn`, none over 3,000 characters, none cut inside an escape or a word.

    Args:
        text: Markdown.
        quotes: the ranges of `text` to highlight; they may overlap.
    """
    pieces: list[str] = []
    for kind, lines in _runs(_lines(text, quotes)):
        if kind == "prose":
            pieces += _embolden(_pack([escape_mrkdwn(_plain(line.marked)) for line in lines]))
            continue
        rows = [line.text for line in lines]
        rows = align(rows) if kind == "table" else rows
        pieces += _preformat(rows, [line.cited for line in lines])
    return [piece for piece in pieces if piece.strip()]


def to_plain(text: str) -> str:
    """Markdown without its inline marks, for text that is shown as it is."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return "\n".join(
        "".join(part if is_code else _bare_words(part) for part, is_code in split_code(line))
        for line in lines
    )


def _lines(text: str, quotes: Sequence[tuple[int, int]]) -> list[_Line]:
    text = _MARKS.sub("\ufffd", text)
    for start, end in reversed(_apart(quotes)):
        text = f"{text[:start]}{_OPEN}{text[start:end]}{_CLOSE}{text[end:]}"
    text = spoken(text)
    lines: list[_Line] = []
    inside = False
    for raw in text.replace("\r\n", "\n").replace("\r", "\n").split("\n"):
        marked = (_OPEN if inside else "") + raw
        inside = marked.rfind(_OPEN) > marked.rfind(_CLOSE)
        marked += _CLOSE if inside else ""
        within = re.search(f"{_OPEN}\\s*[^\\s{_CLOSE}]", marked) is not None
        lines.append(_Line(marked, _MARKS.sub("", raw), within))
    return lines


def _apart(ranges: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The ranges in order, none empty, those that overlap made one."""
    apart: list[tuple[int, int]] = []
    for start, end in sorted((start, end) for start, end in ranges if start < end):
        if apart and start < apart[-1][1]:
            first, last = apart.pop()
            apart.append((first, max(last, end)))
        else:
            apart.append((start, end))
    return apart


def _runs(lines: Sequence[_Line]) -> Iterator[tuple[str, Sequence[_Line]]]:
    """Runs of lines of one kind: prose, code (without its fences), table."""
    texts = [line.text for line in lines]
    for kind, start, end in find_runs(texts):
        if kind == "code":
            last = end - 1 if is_closed(texts[start:end]) else end
            yield kind, lines[start + 1 : last]
        else:
            yield kind, lines[start:end]


def _preformat(rows: Sequence[str], cited: Sequence[bool]) -> list[str]:
    """Rows in fences of their own, a pointer before those that are cited."""
    margins = [POINTER if hot else " " * len(POINTER) for hot in cited] if any(cited) else []
    lines = [
        (margins[i] if margins else "") + escape_mrkdwn(row).replace("```", "`\u200b`\u200b`")
        for i, row in enumerate(rows)
    ]
    return [f"```\n{piece}\n```" for piece in _pack([line.rstrip() for line in lines])]


def _plain(line: str) -> str:
    """Markdown's inline marks as Slack's, code spans left alone."""
    return "".join(
        part if is_code else _plain_words(part) for part, is_code in split_code(line)
    ).rstrip()


def _plain_words(text: str) -> str:
    text = _BOLD.sub(r"\2", spell_links(text))
    text = _ITALIC.sub(r"_\1_", text)
    return _BACKSLASH.sub(r"\1", text)


def _bare_words(text: str) -> str:
    text = _ITALIC.sub(r"\1", _BOLD.sub(r"\2", spell_links(text)))
    return _BACKSLASH.sub(r"\1", text)


def _embolden(pieces: Sequence[str]) -> list[str]:
    """Turn what lies within the quote's marks into bold, line by line."""
    done: list[str] = []
    inside = False
    for piece in pieces:
        lines: list[str] = []
        for line in piece.split("\n"):
            words, *rest = re.split(f"([{_OPEN}{_CLOSE}])", line)
            out = _bold(words) if inside else words
            for mark, part in zip(rest[::2], rest[1::2], strict=True):
                inside = mark == _OPEN
                out += _bold(part) if inside else part
            lines.append(out)
        done.append("\n".join(lines))
    return done


def _bold(words: str) -> str:
    """Bold for Slack, which wants no space inside the asterisks and no other asterisk there."""
    bare = words.strip().replace("*", "∗")
    if not bare:
        return words
    at = words.index(words.strip())
    return f"{words[:at]}*{bare}*{words[at + len(bare) :]}"


def _pack(lines: Sequence[str]) -> list[str]:
    """Join lines to pieces that leave room for a fence, or for asterisks in each line."""
    room = PIECE_CHARS - len("```\n\n```")
    pieces: list[list[str]] = [[]]
    size = 0
    for line in (part for whole in lines for part in _split(whole, room - 8)):
        if pieces[-1] and size + len(line) + 3 > room:
            pieces.append([])
            size = 0
        pieces[-1].append(line)
        size += len(line) + 3
    bodies = ["\n".join(piece).strip("\n") for piece in pieces]
    return [body for body in bodies if body.strip()]


def _split(line: str, room: int) -> Iterator[str]:
    """Cut a line that is over the limit at words, and never inside an escape."""
    while len(line) > room:
        end = line.rfind(" ", room // 2, room)
        if end < 0:
            escape = line.rfind("&", room - 4, room)
            end = escape if escape >= 0 and ";" not in line[escape:room] else room
        yield line[:end]
        line = line[end:].removeprefix(" ")
    yield line
