"""An answer held against its passages: deterministic checks always, a judge where one is asked."""

import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace

from bot import prompts
from bot.errors import ModelError
from bot.evaluate.cases import Case
from bot.evaluate.gold import Gold, Library
from bot.evaluate.types import Reply, Said, Spent
from bot.model import Usage
from bot.pipeline import Pipeline
from bot.types import Abstention, Answer, Citation, Quote
from ingest.types import Chunk

JUDGE_TOKENS = 8  # YES or NO

Complete = Callable[[str, str], Awaitable[str]]


@dataclass(frozen=True, slots=True)
class Judge:
    """Asks a language model about one sentence, with only the passages that it cites in view.

    `complete` takes the instructions and the text, and gives the model's whole answer.
    """

    complete: Complete

    async def follows(self, sentence: str, passages: list[Chunk]) -> bool | None:
        """Whether the sentence follows from the passages; None when the judge gave no verdict."""
        sources = "\n\n".join(passage.embedded for passage in passages)
        asked = prompts.load("judge_case", "sources", "sentence")
        try:
            word = await self.complete(
                prompts.load("judge"), asked.format(sources=sources, sentence=sentence)
            )
        except ModelError:
            return None
        return {"YES": True, "NO": False}.get(word.strip().rstrip(".").upper())


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
        if self.judge is not None:
            said = [await _judged(sentence, by_number, self.judge) for sentence in said]
        cited = {c.chunk.id for c in answer.citations}
        return replace(
            reply,
            sentences=tuple(said),
            citations=len(answer.citations),
            invalid=tuple(invalid_citations(answer)),
            cites_gold=bool(cited & gold.ids) if gold.ids else None,
            holds_value=_holds_value(case, gold, answer, self.library),
        )


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


async def _judged(said: Said, by_number: dict[int, Citation], judge: Judge) -> Said:
    passages = [c.chunk for c in by_number.values() if c.chunk.id in said.cited]
    return replace(said, faithful=await judge.follows(said.text, passages))


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
