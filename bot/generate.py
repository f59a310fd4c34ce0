"""Passages to sentences with a language model, each with what it cites, while they are written."""

import asyncio
import logging
import re
from collections.abc import AsyncGenerator, Iterator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from itertools import groupby
from textwrap import shorten

from bot import prompts
from bot.errors import BrokenStreamError, NotInSources, PermanentModelError
from bot.given import Block, Section, sections
from bot.model import BlockEnd, Cited, MessagesModel, Piece, SearchResult, Stop, Text
from bot.reading.fold import fold
from bot.reading.markers import without_markers
from bot.reading.sentences import sentence_spans
from bot.settings import Settings
from bot.types import Draft, NotAnswered, Quote
from ingest.types import Chunk, spoken

log = logging.getLogger(__name__)

NO_ANSWER = "NOT_IN_SOURCES"
PAUSE_S = 0.5  # before a broken answer is tried again; doubled each time

GAP_CHARS = 200  # of what is left unanswered, as the model puts it

_WORD = re.compile(r"\w")
_GAP = re.compile(r"(?m)(?:^[ \t>#*_`-]{0,20}|(?<=[ \t])[*_`]{1,3})?NOT_ANSWERED[ \t:*_`]{0,20}")


class ModelGenerator:
    """Streams a model's answer and gives each sentence as soon as it is complete."""

    def __init__(self, model: MessagesModel, settings: Settings) -> None:
        self.name = settings.model
        self._model = model
        self._settings = settings
        self._system = prompts.load("answer")
        self._question = prompts.load("question", "question")

    async def draft(
        self, question: str, passages: Sequence[Chunk]
    ) -> AsyncGenerator[Draft | NotAnswered, None]:
        """The answer's sentences, in order, not verified, and then what it leaves unanswered.

        A stream that breaks before its first sentence is tried again within the time limit.

        Raises:
            NotInSources: the model says that the passages do not answer.
            ModelError: it failed; also after some sentences, which stand.
        """
        clock = asyncio.get_running_loop()
        deadline_s = clock.time() + self._settings.model_timeout_s
        for attempt in range(self._settings.model_retries + 1):
            begun = False
            try:
                async with aclosing(self._attempt(question, passages, deadline_s)) as drafts:
                    async for draft in drafts:
                        begun = True
                        yield draft
            except BrokenStreamError as error:
                pause_s = PAUSE_S * 2**attempt
                last = attempt == self._settings.model_retries
                if begun or last or clock.time() + pause_s >= deadline_s:
                    raise
                log.info("%s: %s; trying again", self.name, error)
                await asyncio.sleep(pause_s)
            else:
                return

    async def _attempt(
        self, question: str, passages: Sequence[Chunk], deadline_s: float
    ) -> AsyncGenerator[Draft | NotAnswered, None]:
        sources = {each.best.id: _Source.of(each) for each in sections(passages)}
        writing = _Writing(sources)
        stream = self._model.stream(
            self._system,
            [source.shown for source in sources.values()],
            self._question.format(question=question),
            model=self._settings.model,
            max_tokens=self._settings.answer_tokens,
            deadline_s=deadline_s,
        )
        begun = False
        gaps: list[NotAnswered] = []
        async with aclosing(stream) as pieces:
            async for piece in pieces:
                for draft in writing.take(piece):
                    if isinstance(draft, NotAnswered):
                        gaps.append(draft)
                    elif NO_ANSWER not in draft.text:
                        begun = True
                        yield draft
                    elif begun:
                        log.info("%s: %s after an answer", self.name, NO_ANSWER)
                    else:
                        raise NotInSources
        if gaps and not begun:
            raise NotInSources
        _check_end(writing.reason, begun=begun)
        for gap in gaps:
            yield gap


def _check_end(reason: str, *, begun: bool) -> None:
    if reason != "end_turn":
        raise PermanentModelError(f"the answer ended with {reason}")
    if not begun:
        raise BrokenStreamError("the answer was empty")


@dataclass(frozen=True, slots=True)
class _Source:
    """A section as search result; `blocks[i]` is the search result's block `i`, None: heading."""

    shown: SearchResult
    blocks: tuple[Block | None, ...]
    section: Section

    @classmethod
    def of(cls, section: Section) -> "_Source":
        """The document is its title, the heading path its first block."""
        heading = section.best.heading if section.best.heading.strip() else ""
        blocks = (None, *section.blocks) if heading else section.blocks
        texts = tuple(block.text if block else heading for block in blocks)
        return cls(SearchResult(section.best.id, section.best.doc, texts), blocks, section)

    def quotes(self, cited: Cited) -> Iterator[Quote]:
        """What a citation quotes, a quote for each stretch of the file and passage.

        A citation that is not of these blocks comes out as it was claimed, for verification to see.
        """
        best = self.section.best
        texts = self.shown.blocks[cited.start : cited.end]
        if cited.start < 0 or not _same("".join(texts), cited.text):
            yield Quote(best.id, cited.text, best.start, best.end)
            return
        blocks = [block for block in self.blocks[cited.start : cited.end] if block is not None]
        if not blocks:
            yield Quote(best.id, best.heading, best.start, best.start)
        for chunk, of_chunk in groupby(blocks, key=lambda block: block.chunk):
            own = list(of_chunk)
            yield from (_quote(chunk, b.start, b.end) for b in own if b.in_context)
            body = [block for block in own if not block.in_context]
            if body:
                yield _quote(chunk, body[0].start, body[-1].end)


def _quote(chunk: Chunk, start: int, end: int) -> Quote:
    for context, visible in zip(chunk.context, chunk.visible_context, strict=True):
        if context.start <= start and end <= context.end:
            text = visible[start - context.start : end - context.start]
            return Quote(chunk.id, spoken(text), start, end)
    return Quote(
        chunk.id, spoken(chunk.visible[start - chunk.start : end - chunk.start]), start, end
    )


def _same(one: str, other: str) -> bool:
    """Whether two texts differ in white space and typography alone."""
    words, others = (fold(text).text.replace(" ", "") for text in (one, other))
    return bool(others) and words == others


class _Writing:
    """An answer as it comes in: text blocks with citations, cut into sentences.

    A sentence is the run of blocks up to its end, with the citations of all of them. It is given
    when what follows it has begun, since only that tells an end from an abbreviation. What follows
    `NOT_ANSWERED` up to the line's end is no sentence.
    """

    def __init__(self, sources: Mapping[str, _Source]) -> None:
        self.reason = ""
        self._sources = sources
        self._text = ""
        self._given = 0  # up to here sentences have been given
        self._closed = 0  # up to here blocks, and so their citations, are complete
        self._quotes: list[Quote] = []  # of the block that is being written
        self._cited: list[tuple[int, int, tuple[Quote, ...]]] = []

    def take(self, piece: Piece) -> Iterator[Draft | NotAnswered]:
        """Take in one piece; give what is complete with it."""
        match piece:
            case Text():
                self._text += piece.text
                yield from self._complete()
            case Cited():
                self._quotes += self._quoted(piece)
            case BlockEnd():
                self._cited.append((self._closed, len(self._text), tuple(self._quotes)))
                self._closed = len(self._text)
                self._quotes = []
                yield from self._complete()
            case Stop():
                self.reason = piece.reason
                yield from self._complete(ended=piece.reason == "end_turn")

    def _quoted(self, cited: Cited) -> Iterator[Quote]:
        source = self._sources.get(cited.source)
        if source is None:
            yield Quote(cited.source, cited.text, 0, 0)
        else:
            yield from source.quotes(cited)

    def _complete(self, *, ended: bool = False) -> Iterator[Draft | NotAnswered]:
        while gap := _GAP.search(self._text, self._given):
            yield from self._sentences(gap.start(), ended=True)
            end = self._text.find("\n", gap.end())
            if self._given < gap.start() or (end < 0 and not ended):
                return
            self._given = end if end >= 0 else len(self._text)
            if said := _left_open(self._text[gap.end() : self._given]):
                yield NotAnswered(said)
        yield from self._sentences(len(self._text), ended=ended)

    def _sentences(self, stop: int, *, ended: bool) -> Iterator[Draft]:
        """Those before `stop` with all their citations; with `ended` the last one too."""
        base = self._given
        spans = sentence_spans(self._text[base:stop])
        for start, end in spans if ended else spans[:-1]:
            if base + end > self._closed:
                return
            self._given = base + end
            if (draft := self._sentence(base + start, base + end)).text:
                yield draft
        if ended:
            self._given = stop

    def _sentence(self, start: int, end: int) -> Draft:
        quotes: dict[Quote, None] = {}
        for begin, stop, cited in self._cited:
            shared = self._text[max(begin, start) : min(stop, end)]
            if _WORD.search(shared):
                quotes.update(dict.fromkeys(cited))
        said = "\n".join(
            block for source in self._sources.values() for block in source.shown.blocks
        )
        return Draft(without_markers(self._text[start:end], said), tuple(quotes))


def _left_open(text: str) -> str:
    """What the model names as unanswered, on one line; empty: nothing."""
    said = " ".join(without_markers(text.replace(NO_ANSWER, ""), "").split())
    said = said.strip("*_`\"' ")
    return shorten(said, GAP_CHARS, placeholder=" …") if _WORD.search(said) else ""
