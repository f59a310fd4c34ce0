"""An answer's sentences as Markdown and blocks. Pure."""

import json
import re
from collections.abc import Sequence

from bot.slack.blocks import Block
from bot.slack.prose import to_plain
from bot.slack.tables import align, find_runs, is_ruler, read_cells
from bot.slack.text import close_fence, escape_markdown, find_urls, tame_markdown
from bot.types import Citation, Sentence

TABLE_CHARS = 4_000  # of a table block as JSON; a larger one becomes lines
TABLE_ROWS, TABLE_COLUMNS = 100, 20

QUOTED = "_The document says:_"

_BLOCK_START = re.compile(r"\s*(?:[-*+] |\d{1,9}[.)] |#{1,6} |\||`{3}|~{3}|> )")
_HALF_ESCAPE = re.compile(r"&[a-z]{0,3}$")


def join_sentences(sentences: Sequence[Sentence], citations: Sequence[Citation] = ()) -> str:
    """Sentences with their markers as Markdown: list items, rows and fences on their own lines.

    What is joined of fewer sentences is always a beginning of what is joined of more.
    """
    urls = {citation.n: find_urls(citation.chunk.text) for citation in citations}
    text = ""
    before: Sentence | None = None
    for sentence in sentences:
        if before is not None:
            apart = sentence.quoted or before.quoted
            text += "\n\n" if apart else _gap(before.text, sentence.text)
        standing = [urls.get(n, frozenset[str]()) for n in sentence.citations]
        said = _mark(sentence, frozenset[str]().union(*standing))
        text += _as_quotation(said) if sentence.quoted else said
        before = sentence
    return text


def _as_quotation(text: str) -> str:
    """What stands in the place of a sentence: a quotation of the document."""
    return "\n".join(f"> {line}" for line in [QUOTED, *text.split("\n")])


def build_body(text: str) -> list[Block]:
    """Markdown as blocks: the first table as a table, others as preformatted lines."""
    blocks: list[Block] = []
    parts: list[str] = []
    lines = text.split("\n")
    for kind, start, end in find_runs(lines):
        run = lines[start:end]
        table = _table(run) if kind == "table" and not _has_table(blocks) else None
        if table is not None:
            blocks += [*_prose(parts), table]
            parts = []
        elif kind == "table":
            # None of its own signs closes the fence, and nothing in it comes alive.
            rows = align([_unescape(row).replace("`", "\u02cb") for row in run])
            parts += ["```", *map(escape_markdown, rows), "```"]
        else:
            parts += run
    return [*blocks, *_prose(parts)]


def _prose(lines: Sequence[str]) -> list[Block]:
    text = "\n".join(lines).strip("\n").rstrip()
    return [markdown(text)] if text.strip() else []


def _has_table(blocks: Sequence[Block]) -> bool:
    return any(block["type"] == "table" for block in blocks)  # Slack takes one a message


def _table(lines: Sequence[str]) -> Block | None:
    """A table block; None for what is none or too large for one."""
    rows = [read_cells(to_plain(_unescape(line))) for line in lines if not is_ruler(line)]
    width = max((len(row) for row in rows), default=0)
    if not any(map(is_ruler, lines)) or len(rows) > TABLE_ROWS or not 0 < width <= TABLE_COLUMNS:
        return None
    block: Block = {
        "type": "table",
        "rows": [
            [{"type": "raw_text", "text": cell or " "} for cell in row + [""] * (width - len(row))]
            for row in rows
        ],
    }
    return block if size_of([block]) <= TABLE_CHARS else None


def _unescape(text: str) -> str:
    return text.replace("&lt;", "<").replace("&gt;", ">")


def before_table(text: str) -> str:
    """Give all before the first line that a table may begin with."""
    lines = text.split("\n")
    for kind, start, end in find_runs(lines):
        for at in range(start, end):
            if kind != "code" and lines[at].lstrip().startswith("|"):
                return "\n".join(lines[:at]).rstrip()
    return text


def cut(text: str, room: int) -> str:
    """One sentence too long for a message, cut at a line's or word's end."""
    while cost_of(text) > room - len("\n~~~…"):
        keep = min(len(text) - 1, room)
        ends = max(text.rfind("\n", 0, keep), text.rfind(" ", 0, keep))
        text = text[: ends if ends > keep // 2 else keep]
        text = _HALF_ESCAPE.sub("", text)
        room -= 1
    return close_fence(text + "…")


def cost_of(text: str) -> int:
    """Characters of a text as JSON."""
    return len(json.dumps(text, ensure_ascii=False))


def _mark(sentence: Sentence, urls: frozenset[str]) -> str:
    """The sentence with `[1] [2]` behind it: inside a table's last cell, below a fence."""
    text = tame_markdown(close_fence(sentence.text), urls).strip("\n").rstrip()
    marks = " ".join(f"[{n}]" for n in sentence.citations)
    last = text.rsplit("\n", 1)[-1].strip()
    if not marks:
        return text
    if last.startswith("|") and last.endswith("|") and len(last) > 1:
        return f"{text[:-1].rstrip()} {marks} |"
    if last.startswith(("```", "~~~")):
        return f"{text}\n{marks}"
    return f"{text} {marks}"


def _gap(before: str, following: str) -> str:
    """What stands between two sentences: a paragraph's end that is theirs, or what they are."""
    if before.endswith("\n\n") or following.startswith("\n\n"):
        return "\n\n"
    ended, begins = _kind(before.strip().rsplit("\n", 1)[-1]), _kind(following.strip())
    if not ended and not begins:
        return " "
    return "\n" if ended == begins and ended in "-1|" else "\n\n"


def _kind(text: str) -> str:
    """The sign of the block that the text's first line begins: `-`, `1`, `#`, `|`, a fence's."""
    found = _BLOCK_START.match(text)
    if not found:
        return ""
    sign = found[0].strip()[0]
    return "1" if sign.isdigit() else "-" if sign in "*+" else sign


def markdown(text: str) -> Block:
    """A block of Markdown."""
    return {"type": "markdown", "text": text}


def size_of(blocks: Sequence[Block]) -> int:
    """Characters of blocks as JSON."""
    return len(json.dumps(blocks, ensure_ascii=False))
