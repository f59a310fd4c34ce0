"""An answer in the making: what a generator drafts, sentence by sentence, as it is verified."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace

from bot.errors import ModelError, NotInSources
from bot.quoting import in_place_of
from bot.stages import Generator, Judge, Verify
from bot.types import (
    Citation,
    Claim,
    Draft,
    Dropped,
    Judged,
    NotAnswered,
    Quote,
    Sentence,
    Verified,
)
from ingest.types import Chunk

log = logging.getLogger(__name__)

OnSentence = Callable[[Sentence, Sequence[Citation]], Awaitable[None]]

JUDGE = "judge"  # the rule that a sentence broke which a judge does not uphold
JUDGED_AT_ONCE = 4
MAX_WAITING = 200  # sentences of an answer that wait for their verdicts


@dataclass(frozen=True, slots=True)
class _Held:
    """A draft as verification left it, and the judge's word on it while that is awaited."""

    draft: Draft
    result: Verified | Dropped
    verdict: asyncio.Task[Judged] | None = None


@dataclass(slots=True)
class Writing:
    """Verified sentences with their citations, numbered as they come, and what was dropped.

    With a `judge`, a sentence is told once it has spoken on it and on all before it; where it has
    no word, the sentence is told and counts as `unjudged`. In the place of one that is dropped
    stand the blocks that it cites. `answered` says that there is an answer, though none of it may
    have passed; `failure` is what ended it before its end; `unanswered` are parts of the question
    without an answer beside those with one.
    """

    generator: Generator
    passages: Mapping[str, Chunk]
    verify: Verify
    on_sentence: OnSentence | None
    judge: Judge | None = None
    answered: bool = False
    failure: ModelError | None = None
    unanswered: tuple[str, ...] = ()
    sentences: list[Sentence] = field(default_factory=list)
    citations: list[Citation] = field(default_factory=list)
    dropped: list[Dropped] = field(default_factory=list)
    judged: list[Judged] = field(default_factory=list)
    _room: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(JUDGED_AT_ONCE))

    @property
    def unjudged(self) -> int:
        """Sentences on which the judge that was asked had no word."""
        return sum(word.verdict == "none" for word in self.judged)

    async def collect(self, question: str, passages: Mapping[str, Chunk]) -> None:
        """Verify each sentence as it is written from these passages; only what passes goes on.

        Raises:
            ModelError: the generator failed before any sentence had passed.
        """
        held: asyncio.Queue[_Held | None] = asyncio.Queue(MAX_WAITING)
        asked: list[asyncio.Task[Judged]] = []
        teller = asyncio.create_task(self._tell_in_order(held))
        try:
            answers = await self._draft(question, passages, held, asked)
            await held.put(None)
            await teller
        finally:
            for task in (teller, *asked):
                task.cancel()
            await asyncio.gather(teller, *asked, return_exceptions=True)
        if self.failure is not None and not self.sentences:
            raise self.failure
        self.answered |= answers

    async def _draft(
        self,
        question: str,
        passages: Mapping[str, Chunk],
        held: asyncio.Queue[_Held | None],
        asked: list[asyncio.Task[Judged]],
    ) -> bool:
        """Whether there is an answer in these passages, or a part of one."""
        drafts = self.generator.draft(question, list(passages.values()))
        try:
            async with aclosing(drafts):  # whoever stops listening ends the model's stream too
                async for draft in drafts:
                    if isinstance(draft, NotAnswered):
                        self.unanswered += (draft.text,)
                        continue
                    result = await asyncio.to_thread(self.verify, draft, self.passages, question)
                    verdict = None
                    if self.judge is not None and isinstance(result, Verified):
                        claim = _claim(result, self.passages, question)
                        verdict = asyncio.create_task(self._ask(self.judge, claim))
                        asked.append(verdict)
                    await held.put(_Held(draft, result, verdict))
        except NotInSources as word:
            self.unanswered += word.parts
            return False
        except ModelError as error:
            _note(error, self.generator.name)
            self.failure = error
        return True

    async def _ask(self, judge: Judge, claim: Claim) -> Judged:
        try:
            async with self._room:
                (word,) = await judge.check([claim])
        except ModelError as error:
            _note(error, judge.name)
            return Judged(claim.text, "none")
        return word

    async def _tell_in_order(self, held: asyncio.Queue[_Held | None]) -> None:
        while (one := await held.get()) is not None:
            result = one.result
            if one.verdict is not None and self.judge is not None:
                word = await one.verdict
                self.judged.append(word)
                if word.verdict == "no":
                    result = Dropped(one.draft.text, JUDGE, f"{self.judge.name} says no")
            if isinstance(result, Dropped):
                await self._replace(result, one.draft.quotes)
            else:
                await self._tell(self._add(result, quoted=False))

    async def _replace(self, dropped: Dropped, quotes: Sequence[Quote]) -> None:
        """What it cites stands in its place, once an answer."""
        log.info("Sentence dropped (%s)", dropped.rule)
        log.debug("Why: %s", dropped.detail)
        self.dropped.append(dropped)
        words = await asyncio.to_thread(in_place_of, quotes, self.passages)
        if words and not any(s.quoted and s.text == words.text for s in self.sentences):
            await self._tell(self._add(words, quoted=True))

    async def _tell(self, sentence: Sentence) -> None:
        if self.on_sentence is not None:
            await self.on_sentence(sentence, self.citations)

    def _add(self, verified: Verified, *, quoted: bool) -> Sentence:
        numbers = [self._number(quote) for quote in verified.quotes]
        sentence = Sentence(verified.text, tuple(dict.fromkeys(numbers)), quoted)
        self.sentences.append(sentence)
        return sentence

    def _number(self, quote: Quote) -> int:
        for i, citation in enumerate(self.citations):
            if citation.chunk.id == quote.passage_id:
                if quote not in citation.quotes:
                    quotes = (*citation.quotes, quote)
                    self.citations[i] = replace(citation, quotes=quotes)
                return citation.n
        n = len(self.citations) + 1
        self.citations.append(Citation(n, self.passages[quote.passage_id], (quote,)))
        return n


def _claim(verified: Verified, passages: Mapping[str, Chunk], question: str) -> Claim:
    ids = dict.fromkeys(quote.passage_id for quote in verified.quotes)
    return Claim(verified.text, tuple(passages[id_] for id_ in ids), question, verified.quotes)


def _note(error: ModelError, name: str) -> None:
    log.warning("%s: %s: %s", name, type(error).__name__, error)
