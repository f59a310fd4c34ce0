"""An answer in the making: what a generator drafts, sentence by sentence, as it is verified."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace

from bot.errors import ModelError, NotInSources
from bot.stages import Generator, Judge, Verify
from bot.types import (
    Citation,
    Draft,
    Dropped,
    Judged,
    Quote,
    Sentence,
    Verified,
    claims_of,
)
from ingest.types import Chunk

log = logging.getLogger(__name__)

OnSentence = Callable[[Sentence, Sequence[Citation]], Awaitable[None]]

JUDGE = "judge"  # the rule that a sentence broke which a judge does not uphold


@dataclass(slots=True)
class Writing:
    """Verified sentences with their citations, numbered as they come, and what was dropped.

    With a `judge`, nothing is told before it has spoken. `answered` says that there is an answer,
    though none of it may have passed; `failure` is what ended it before its end; `unanswered` are
    parts of the question without an answer beside those with one.
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
    judged: tuple[Judged, ...] = ()
    _passed: list[Verified] = field(default_factory=list)

    async def collect(self, question: str, passages: Mapping[str, Chunk]) -> None:
        """Verify each sentence as it is written from these passages; only what passes goes on.

        Raises:
            ModelError: the generator failed before any sentence had passed.
        """
        drafts = self.generator.draft(question, list(passages.values()))
        try:
            async with aclosing(drafts):  # whoever stops listening ends the model's stream too
                async for draft in drafts:
                    await self._take(draft, question)
        except NotInSources as word:
            self.unanswered += word.parts
            return
        except ModelError as error:
            _note(error, self.generator.name)
            self.failure = error
            if not self.sentences:
                raise
        self.answered = True

    async def _take(self, draft: Draft, question: str) -> None:
        result = await asyncio.to_thread(self.verify, draft, self.passages, question)
        if isinstance(result, Dropped):
            self._drop(result)
            return
        self._passed.append(result)
        sentence = self._add(result)
        if self.judge is None:
            await self._tell(sentence)

    async def submit(self, judge: Judge) -> None:
        """Keep what the judge upholds, numbered anew, and tell it.

        Raises:
            ModelError: the judge failed, or upholds nothing of what was cut short; nothing was
                told.
        """
        try:
            self.judged = await judge.check(claims_of(self.sentences, self.citations))
        except ModelError as error:
            _note(error, judge.name)
            raise
        self.sentences, self.citations = [], []
        for verified, judged in zip(self._passed, self.judged, strict=True):
            if judged.supported:
                await self._tell(self._add(verified))
            else:
                self._drop(Dropped(verified.text, JUDGE, f"{judge.name} says {judged.verdict}"))
        if self.failure is not None and not self.sentences:
            raise self.failure

    def _drop(self, dropped: Dropped) -> None:
        log.info("Sentence dropped (%s)", dropped.rule)
        log.debug("Why: %s", dropped.detail)
        self.dropped.append(dropped)

    async def _tell(self, sentence: Sentence) -> None:
        if self.on_sentence is not None:
            await self.on_sentence(sentence, self.citations)

    def _add(self, verified: Verified) -> Sentence:
        numbers = [self._number(quote) for quote in verified.quotes]
        sentence = Sentence(verified.text, tuple(dict.fromkeys(numbers)))
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


def _note(error: ModelError, name: str) -> None:
    log.warning("%s: %s: %s", name, type(error).__name__, error)
