"""An answer held against its passages: deterministic checks always, a judge where one is asked."""

import logging
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

from bot.errors import ModelError
from bot.evaluate.cases import Case
from bot.evaluate.gold import Gold, Library
from bot.evaluate.types import Reply, Said, Spent
from bot.model import Usage
from bot.pipeline import Pipeline
from bot.stages import Judge
from bot.types import Abstention, Answer, Citation, Judged, Quote, claims_of
from ingest.types import Chunk

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Answering:
    """Lets the pipeline answer cases; `usage` counts the tokens that it takes."""

    pipeline: Pipeline
    library: Library
    usage: Usage
    judge: Judge | None

    async def reply_to(self, case: Case, gold: Gold) -> Reply:
        """Let the pipeline answer a case, and check what it said."""
        started, before = time.perf_counter(), replace(self.usage)
        outcome = await self.pipeline.answer(case.q, case.history)
        spent = Spent(self.usage.read - before.read, self.usage.written - before.written)
        reply = Reply(
            abstained=outcome.reason if isinstance(outcome, Abstention) else None,
            generator=outcome.trace.generator,
            dropped=tuple(d.rule for d in outcome.trace.dropped),
            seconds=round(time.perf_counter() - started, 3),
            spent=spent,
        )
        return (
            await self._checked(reply, outcome, case, gold)
            if isinstance(outcome, Answer)
            else reply
        )

    async def _checked(self, reply: Reply, answer: Answer, case: Case, gold: Gold) -> Reply:
        by_number = {c.n: c for c in answer.citations}
        said = [_said(s.text, s.citations, by_number) for s in answer.sentences]
        judged = await self._judged(answer)
        if judged:
            words = iter(judged)
            said = [
                s if own.quoted else replace(s, faithful=next(words).supported)
                for s, own in zip(said, answer.sentences, strict=True)
            ]
        cited = {c.chunk.id for c in answer.citations}
        return replace(
            reply,
            sentences=tuple(said),
            citations=len(answer.citations),
            unjudged=sum(word.verdict == "none" for word in judged),
            invalid=tuple(invalid_citations(answer)),
            cites_gold=bool(cited & gold.ids) if gold.ids else None,
            holds_value=_holds_value(case, gold, answer, self.library),
        )

    async def _judged(self, answer: Answer) -> Sequence[Judged]:
        """The judge's word on each sentence that a model wrote; it speaks once an answer."""
        if self.judge is None or answer.quoting:
            return ()
        if answer.trace.judged:
            return [word for word in answer.trace.judged if word.verdict != "no"]
        try:
            return await self.judge.check(claims_of(answer.sentences, answer.citations))
        except ModelError as error:
            log.warning("%s: %s: %s", self.judge.name, type(error).__name__, error)
            return [Judged(s.text, "none") for s in answer.sentences if not s.quoted]


def invalid_citations(answer: Answer) -> list[str]:
    """What is wrong with an answer's citations, a line each."""
    problems = [
        f"[{citation.n}] {problem}"
        for citation in answer.citations
        for quote in citation.quotes
        if (problem := _problem(quote, citation.chunk))
    ]
    numbers = {citation.n for citation in answer.citations}
    cited = [n for sentence in answer.sentences for n in sentence.citations]
    return problems + [f"[{n}] stands for no citation" for n in cited if n not in numbers]


def _problem(quote: Quote, chunk: Chunk) -> str | None:
    """A quote stands in the passage or its context, at exactly its range of the file."""
    if quote.passage_id != chunk.id:
        return "quotes another passage"
    for start, text in [(chunk.start, chunk.text), *((c.start, c.text) for c in chunk.context)]:
        if start <= quote.start and quote.end <= start + len(text):
            stands = text[quote.start - start : quote.end - start] == quote.text
            return None if stands else "does not stand at its range"
    return "lies outside its passage"


def _said(text: str, numbers: tuple[int, ...], by_number: dict[int, Citation]) -> Said:
    return Said(text, tuple(by_number[n].chunk.id for n in numbers if n in by_number))


def _holds_value(case: Case, gold: Gold, answer: Answer, library: Library) -> bool | None:
    """Whether a cited passage holds the value; None where no right passage holds it word for word.

    A long gold text is a person's own words, and no value.
    """
    values = [_folded(value) for value in case.values]

    def holds(chunk: Chunk) -> bool:
        text = _folded(chunk.embedded)
        return any(value in text for value in values)

    if not any(holds(library.by_id[id_]) for id_ in gold.ids):
        return None
    return any(holds(citation.chunk) for citation in answer.citations)


def _folded(text: str) -> str:
    return " ".join(text.split()).casefold()
