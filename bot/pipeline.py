"""A question to an answer that can be checked, or an abstention: the whole story, top to bottom."""

import asyncio
import logging
import re
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace

from bot.abbreviations import in_words
from bot.choose import choose
from bot.disputes import name_conflicts
from bot.editions import LOOKED_AT
from bot.errors import ModelError, NotInSources
from bot.found import Found, strength
from bot.perhaps import goes_on, perhaps_message
from bot.questions.address import without_address
from bot.questions.language import language_notes
from bot.questions.parts import questions_of
from bot.questions.partwise import part_queries, question_queries
from bot.questions.unclear import choices_for, one_of
from bot.stages import (
    Gate,
    Generator,
    Judge,
    Reader,
    Reranker,
    Retriever,
    Rewriter,
    Surroundings,
    Verify,
    Widen,
)
from bot.types import (
    ASKS_BACK,
    DO_NOT_SAY,
    Abstention,
    Answer,
    Citation,
    Draft,
    Hit,
    Outcome,
    Query,
    Quote,
    Trace,
    Turn,
    Verdict,
)
from bot.writing import OnSentence, Writing

log = logging.getLogger(__name__)

MAX_QUESTIONS = 8  # of one message; each is searched and answered by itself

OnStage = Callable[[str, int], Awaitable[None]]
Review = Callable[[Answer], None]

MESSAGES = {
    "empty_question": "There is no question in that. Ask in a sentence or a few words.",
    "long_question": "That question is too long. Ask it in at most {limit} characters.",
    "many_questions": "Those are too many questions for one message: ask at most {questions}.",
    "unclear": f"{ASKS_BACK}: {{choices}}?",
    "no_passages": "There are no documents to answer from yet.",
    "weak_evidence": f"{DO_NOT_SAY}.",
    "not_in_sources": f"{DO_NOT_SAY}.",
    "unverified": f"{DO_NOT_SAY} it in a way that could be checked.",
}


@dataclass(frozen=True, slots=True)
class Pipeline:
    """The stages in their order; only this module knows it.

    `generator` writes answers; when it cannot be reached, or is None, `quoter` quotes instead.
    `judge` has its say on each sentence that was written before it is shown; `review` is told what
    was written once it is complete, and nobody waits for what it makes of it. Quotations need
    neither. `multilingual` says whether the embedding model of the moment knows more than English.
    """

    rewriter: Rewriter
    retriever: Retriever
    reranker: Reranker
    gate: Gate
    surroundings: Surroundings
    widen: Widen
    generator: Generator | None
    quoter: Generator
    verify: Verify
    top_k: int
    max_question_chars: int
    multilingual: Callable[[], bool]
    judge: Judge | None = None
    review: Review | None = None
    readers: tuple[Reader, ...] = ()

    async def search(
        self,
        question: str,
        history: Sequence[Turn] = (),
        on_stage: OnStage | None = None,
        show: int | None = None,
    ) -> Found:
        """Rewrite, retrieve, rerank, choose, judge and widen.

        All candidates come back as hits, those that an answer is made from first; the first `show`
        of them (default: those) with their neighbours.
        """
        question, history = _spoken(question, history)
        clock = _Clock()
        await _tell(on_stage, "rewrite", len(history))
        query = await self.rewriter.rewrite(question, history)
        clock.lap("rewrite")
        queries = question_queries(query)
        found = await self._search_each(question, query, queries, on_stage, show)
        notes = (*found.notes, *language_notes(query.text, multilingual=self.multilingual()))
        return replace(found, timings_ms={**clock.laps, **found.timings_ms}, notes=notes)

    async def _search_each(
        self,
        question: str,
        query: Query,
        queries: Sequence[Query],
        on_stage: OnStage | None,
        show: int | None,
    ) -> Found:
        """Search once, or for each query by itself.

        A question of joined parts that is refused whole is tried by its parts: the words of one
        count against the passages of another.
        """
        if queries:
            parts = [await self._search_each(q.text, q, (), on_stage, show) for q in queries]
            return Found.of_parts(question, query.standalone, parts)
        whole = await self._search_read(question, query, on_stage, show)
        joined = () if whole.verdict.zone == "answer" else part_queries(query)
        if not joined:
            return whole
        found = await self._search_each(question, query, joined, on_stage, show)
        better = strength(found.verdict)[0] > strength(whole.verdict)[0]
        return found if better else whole

    async def _search_read(
        self, question: str, query: Query, on_stage: OnStage | None, show: int | None
    ) -> Found:
        """Search as it was asked and as it may be read otherwise; the strongest."""
        best = await self._search_one(question, query, on_stage, show)
        each = [await reader.readings(query.text) for reader in self.readers]
        readings = [reading for found in each for reading in found]
        for reading in readings:
            read = replace(query, text=reading.text)
            found = await self._search_one(question, read, on_stage, show)
            if strength(found.verdict) > strength(best.verdict):
                best = replace(found, notes=tuple(filter(None, [in_words(readings, reading)])))
        return best

    async def _search_one(
        self, question: str, query: Query, on_stage: OnStage | None, show: int | None
    ) -> Found:
        clock = _Clock()
        await _tell(on_stage, "retrieve", 0)
        parts = [await self._rank(part) for part in part_queries(query)]
        of_parts = {part[0].chunk.id for part in parts if part}
        candidates = await self.retriever.retrieve(query, of_parts)
        clock.lap("retrieve")
        await _tell(on_stage, "rerank", len(candidates))
        ranked = await self.reranker.rerank(query, candidates) if candidates else []
        clock.lap("rerank")
        docs = {hit.chunk.doc for hit in ranked[:LOOKED_AT]}
        imprints = await self.surroundings.imprints(docs)
        chosen = await asyncio.to_thread(choose, query.text, ranked, parts, imprints, self.top_k)
        hits = chosen.hits
        clock.lap("choose")
        used = [h for h in hits[: self.top_k] if h.chunk.id not in chosen.other_editions]
        verdict = self.gate.judge(query.text, used)
        first = used if show is None else hits[:show]
        shown = [self.widen(hit, await self.surroundings.near(hit.chunk), hits) for hit in first]
        clock.lap("widen")
        return Found(
            question=question,
            standalone=query.standalone,
            hits=hits,
            verdict=verdict,
            timings_ms=clock.laps,
            shown=tuple(shown),
            twins=chosen.twins,
            imprints=imprints,
            other_editions=chosen.other_editions,
        )

    async def _rank(self, part: Query) -> list[Hit]:
        """What is found for a part of a question, best first."""
        candidates = await self.retriever.retrieve(part)
        return await self.reranker.rerank(part, candidates) if candidates else []

    async def answer(
        self,
        question: str,
        history: Sequence[Turn] = (),
        *,
        on_stage: OnStage | None = None,
        on_sentence: OnSentence | None = None,
    ) -> Outcome:
        """Answer from the documents alone, or abstain.

        `on_stage` gets a stage's name as it begins and how many passages go into it: `quote`
        instead of `generate`, or after it, when the documents are quoted. `on_sentence` gets each
        sentence once it is verified, and by the judge where there is one, with all citations up to
        it.
        """
        question, history = _spoken(question, history)
        if (refusal := self._refuse(question)) is not None:
            return refusal
        found = await self.search(question, history, on_stage)
        if not found.hits:
            return self._abstain("no_passages", found)
        if not history and not found.parts and (choices := choices_for(question, found.hits)):
            return self._abstain("unclear", found, choices=choices)
        if not _passes(found.verdict, self.generator or self.quoter, self.quoter):
            reason = found.verdict.reason or "weak_evidence"
            best = await self._best(found) if self.generator is None else None
            return self._abstain(reason, found, perhaps=best)
        outcome = await self._write(found, on_stage, on_sentence)
        if self.review is not None and isinstance(outcome, Answer) and not outcome.quoting:
            self.review(outcome)
        return outcome

    def _refuse(self, question: str) -> Abstention | None:
        reason = None
        if not re.search(r"\w", question):
            reason = "empty_question"
        elif len(question) > self.max_question_chars:
            reason = "long_question"
        elif len(questions_of(question)) > MAX_QUESTIONS:
            reason = "many_questions"
        if reason is None:
            return None
        return self._abstain(
            reason, Found(question, question, (), Verdict("refused", 0.0, reason), {})
        )

    async def _write(
        self, found: Found, on_stage: OnStage | None, on_sentence: OnSentence | None
    ) -> Outcome:
        clock = _Clock()
        writing = Writing(
            self.generator or self.quoter,
            found.given if self.generator else found.passages,
            self.verify,
            on_sentence,
            judge=self.judge if self.generator else None,
        )
        try:
            await self._compose(writing, found, on_stage, clock)
            failed = writing.answered and not writing.sentences and self.generator is not None
        except ModelError:
            failed = True
        if failed:  # the documents are quoted rather than nothing said above what answers
            written = writing
            writing = Writing(self.quoter, found.passages, self.verify, on_sentence)
            writing.answered = written.answered
            writing.dropped, writing.judged = written.dropped, written.judged
            await self._compose(writing, found, on_stage, clock)
        found = replace(found, timings_ms={**found.timings_ms, **clock.laps})
        if not writing.sentences:
            reason = "unverified" if writing.answered else "not_in_sources"
            if not writing.answered and not _passes(found.verdict, writing.generator, self.quoter):
                reason = "weak_evidence"
            best = await self._best(found) if writing.generator is self.quoter else None
            return self._abstain(reason, found, writing, perhaps=best)
        citations, conflicts = await asyncio.to_thread(
            name_conflicts,
            found.standalone,
            writing.sentences,
            writing.citations,
            tuple(writing.passages.values()),
            found.imprints,
        )
        quoting = writing.generator is self.quoter
        if quoting:
            citations = tuple([await self._whole(citation) for citation in citations])
        return Answer(
            sentences=tuple(writing.sentences),
            citations=citations,
            trace=self._trace(found, writing),
            quoting=quoting,
            incomplete=writing.failure is not None,
            conflicts=conflicts,
            unanswered=writing.unanswered,
            judge=writing.judge.name if writing.judge else "",
            unjudged=writing.unjudged,
        )

    async def _compose(
        self, writing: Writing, found: Found, on_stage: OnStage | None, clock: "_Clock"
    ) -> None:
        stage = "quote" if writing.generator is self.quoter else "generate"
        await _tell(on_stage, stage, len(writing.passages))
        try:
            for part in found.questions:
                await self._collect(writing, part, several=bool(found.parts))
                if writing.failure is not None:
                    break
        finally:
            clock.lap("generate")

    async def _collect(self, writing: Writing, part: Found, *, several: bool) -> None:
        """Write the answer to one question; of several, note one that gets none."""
        before = len(writing.sentences)
        if _passes(part.verdict, writing.generator, self.quoter):
            quoting = writing.generator is self.quoter
            await writing.collect(part.standalone, part.passages if quoting else part.given)
        if several and len(writing.sentences) == before and writing.failure is None:
            writing.unanswered += (part.question,)

    async def _best(self, found: Found) -> Citation | None:
        """What would be quoted first, and its passage; None where the gate refuses all."""
        if found.verdict.zone == "refused":
            return None
        best, quotes = found.hits[0].chunk, tuple[Quote, ...]()
        try:
            async with aclosing(
                self.quoter.draft(found.standalone, list(found.passages.values()))
            ) as drafts:
                first = await anext(drafts)
            if isinstance(first, Draft) and first.quotes:
                best, quotes = found.passages[first.quotes[0].passage_id], first.quotes
        except (NotInSources, TimeoutError):
            log.info("Nothing of the best passage is marked")
        return await self._whole(Citation(1, best, quotes))

    async def _whole(self, citation: Citation) -> Citation:
        """With the passages that it goes on in."""
        near = await self.surroundings.near(citation.chunk)
        return replace(citation, after=goes_on(citation.chunk, near))

    def _abstain(
        self,
        reason: str,
        found: Found,
        writing: Writing | None = None,
        choices: Sequence[str] = (),
        *,
        perhaps: Citation | None = None,
    ) -> Abstention:
        message = MESSAGES.get(reason, MESSAGES["weak_evidence"]).format(
            limit=self.max_question_chars, questions=MAX_QUESTIONS, choices=one_of(choices)
        )
        return Abstention(
            reason=reason,
            message=perhaps_message(found.standalone, perhaps.chunk) if perhaps else message,
            nearest=found.hits[: self.top_k],
            trace=self._trace(found, writing),
            perhaps=perhaps,
        )

    def _trace(self, found: Found, writing: Writing | None) -> Trace:
        return Trace(
            question=found.question,
            standalone=found.standalone,
            evidence=found.verdict.evidence,
            reranker=self.reranker.name,
            generator=writing.generator.name if writing else "none",
            timings_ms=found.timings_ms,
            hits=found.hits,
            dropped=tuple(writing.dropped) if writing else (),
            judged=tuple(writing.judged) if writing else (),
            zone=found.verdict.zone,
            notes=found.notes,
        )


def _passes(verdict: Verdict, generator: Generator, quoter: Generator) -> bool:
    """Whether an answer is tried: a model finds out by itself what `perhaps` is worth."""
    return verdict.zone == "answer" or (verdict.zone == "perhaps" and generator is not quoter)


def _spoken(question: str, history: Sequence[Turn]) -> tuple[str, Sequence[Turn]]:
    """What people said: every stage sees the words alone."""
    turns = [
        replace(turn, text=without_address(turn.text)) if turn.role == "user" else turn
        for turn in history
    ]
    return without_address(question), [turn for turn in turns if turn.text]


class _Clock:
    """Laps in milliseconds; those of one name add up."""

    def __init__(self) -> None:
        self.laps: dict[str, float] = {}
        self._last = time.perf_counter()

    def lap(self, name: str) -> None:
        now = time.perf_counter()
        self.laps[name] = round(self.laps.get(name, 0.0) + (now - self._last) * 1000, 1)
        self._last = now


async def _tell(on_stage: OnStage | None, stage: str, count: int) -> None:
    if on_stage is not None:
        await on_stage(stage, count)
