"""`python -m bot verify`: sentences held against texts, as an answer's are before it is shown."""

import asyncio
import json
import logging
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack
from pathlib import Path

from pydantic import BaseModel, ValidationError
from rich.table import Table
from rich.text import Text

from bot.cli.shared import out, print_json
from bot.errors import ModelError
from bot.model import MessagesModel
from bot.reading.markers import without_markers
from bot.settings import Settings
from bot.stages import Judge
from bot.types import Claim, Draft, Dropped, Quote
from bot.verify import verify
from bot.wiring import choose_judge
from bot.writing import JUDGE, JUDGED_AT_ONCE
from ingest.errors import FootnoteError
from ingest.parse import parse, supported
from ingest.types import SEPARATOR, Chunk

log = logging.getLogger(__name__)

STDIN = Path("-")
MARKDOWN = "passage.md"  # what a text is read as whose file is not named
FORM = (
    '{"question": "…", "cited": [{"heading": "A > B", "text": "…"}], "sentence": "…"}'
    " (a heading may be a list)"
)


class Cited(BaseModel):
    """A text that a sentence cites, under its heading."""

    heading: str | list[str] | None = None
    text: str
    file: str | None = None

    def chunk(self, number: int) -> Chunk:
        """The text as a passage of a Markdown file, or of the kind that `file` names."""
        path = self.heading if isinstance(self.heading, list) else [self.heading or ""]
        name = self.file if self.file and supported(self.file) else MARKDOWN
        data = self.text.encode(errors="replace")  # JSON may hold halves of characters
        text, hidden = data.decode(), parse(name, data).hidden
        heading = SEPARATOR.join(path)
        return Chunk(f"{number:012x}", name, heading, 0, len(text), text, hidden=hidden)


class Line(BaseModel):
    """A line of the file: a sentence with the texts that it cites."""

    question: str = ""
    cited: list[Cited]
    sentence: str


async def verify_batch(settings: Settings, file: Path, *, as_json: bool) -> None:
    """Print for each line whether its sentence would be shown, with the layers that are at hand.

    Raises:
        FootnoteError: the file cannot be read, or a line of it is of another form.
    """
    lines = list(_read(file))
    async with AsyncExitStack() as stack:
        pool = ThreadPoolExecutor(1, thread_name_prefix="footnote")
        stack.callback(pool.shutdown, wait=True, cancel_futures=True)
        judge = None
        if settings.judge != "off":
            keyed = settings.anthropic_api_key.get_secret_value()
            model = await stack.enter_async_context(MessagesModel(settings)) if keyed else None
            judge = await choose_judge(settings, model, pool)
        room = asyncio.Semaphore(JUDGED_AT_ONCE)
        found = await asyncio.gather(*(_held(line, judge, room) for line in lines))
    _show(list(zip((line.sentence for line in lines), found, strict=True)), as_json=as_json)


def _show(rows: Sequence[tuple[str, Dropped | None]], *, as_json: bool) -> None:
    if as_json:
        for _, dropped in rows:
            told = {"rule": dropped.rule, "detail": dropped.detail} if dropped else {}
            print_json({"shown": dropped is None, "rule": None, "detail": None} | told)
        return
    table = Table("", "sentence", "why not")
    for sentence, dropped in rows:
        why = f"{dropped.rule}: {dropped.detail}" if dropped else ""
        table.add_row("dropped" if dropped else "shown", Text(sentence), Text(why))
    out.print(table)


async def _held(line: Line, judge: Judge | None, room: asyncio.Semaphore) -> Dropped | None:
    """What keeps the sentence from being shown, if anything."""
    passages = [cited.chunk(number) for number, cited in enumerate(line.cited, start=1)]
    said = "\n".join(f"{p.heading}\n{p.visible}" for p in passages)
    quotes = tuple(Quote(p.id, _quoted(p), p.start, p.end) for p in passages)
    draft = Draft(without_markers(line.sentence, said), quotes)
    result = verify(draft, {p.id: p for p in passages}, line.question)
    if isinstance(result, Dropped):
        return result
    if judge is None:
        return None
    claim = Claim(draft.text, tuple(passages), line.question, result.quotes)
    async with room:
        try:
            (word,) = await judge.check([claim])
        except ModelError as error:
            log.warning("%s: %s: %s", judge.name, type(error).__name__, error)
            return None
    return Dropped(draft.text, JUDGE, f"{judge.name} says no") if word.verdict == "no" else None


def _quoted(passage: Chunk) -> str:
    """All of its text; of a heading with nothing under it the heading."""
    return passage.visible if any(map(str.isalnum, passage.visible)) else passage.heading


def _read(file: Path) -> Iterator[Line]:
    for number, line in enumerate(_text(file).split("\n"), start=1):
        if line.strip():
            try:
                yield Line.model_validate(json.loads(line))
            except (ValidationError, ValueError, RecursionError) as error:
                raise FootnoteError(f"{_name(file)}, line {number}: expected {FORM}.") from error


def _text(file: Path) -> str:
    """All of the file, of stdin for `-`."""
    try:
        data = sys.stdin.buffer.read() if file == STDIN else file.read_bytes()
        return data.decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise FootnoteError(f"{_name(file)} cannot be read as UTF-8 text ({error}).") from error


def _name(file: Path) -> str:
    return "stdin" if file == STDIN else str(file)
