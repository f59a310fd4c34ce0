"""An answer in the making: what a generator drafts, sentence by sentence, as it is verified."""

import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace

from bot.errors import NotInSources
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

    When it is `held`, nothing is told before a judge has spoken.
    """

    passages: Mapping[str, Chunk]
    verify: Verify
    on_sentence: OnSentence | None
    held: bool = False
    sentences: list[Sentence] = field(default_factory=list)
    citations: list[Citation] = field(default_factory=list)
    dropped: list[Dropped] = field(default_factory=list)
    judged: tuple[Judged, ...] = ()
    _passed: list[Verified] = field(default_factory=list)

    async def collect(self, generator: Generator, question: str) -> bool:
        """Verify each sentence as it is written; only what passes goes on.

        False where the generator says that the passages do not answer.

        Raises:
            ModelError: it failed; what passed before stands.
        """
        drafts = generator.draft(question, list(self.passages.values()))
        try:
            async with aclosing(drafts):  # whoever stops listening ends the model's stream too
                async for draft in drafts:
                    await self._take(draft)
        except NotInSources:
            return False
        return True

    async def _take(self, draft: Draft) -> None:
        result = self.verify(draft, self.passages)
        if isinstance(result, Dropped):
            self._drop(result)
            return
        self._passed.append(result)
        sentence = self._add(result)
        if not self.held:
            await self._tell(sentence)

    async def submit(self, judge: Judge) -> None:
        """Keep what the judge upholds, numbered anew, and tell it.

        Raises:
            ModelError: the judge failed; nothing was told.
        """
        self.judged = await judge.check(claims_of(self.sentences, self.citations))
        self.sentences, self.citations = [], []
        for verified, judged in zip(self._passed, self.judged, strict=True):
            if judged.supported:
                await self._tell(self._add(verified))
            else:
                self._drop(Dropped(verified.text, JUDGE, f"{judge.name} says {judged.verdict}"))

    def _drop(self, dropped: Dropped) -> None:
        log.info("Sentence dropped (%s): %s", dropped.rule, dropped.detail)
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
