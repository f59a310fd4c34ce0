import asyncio
import logging
import time
from collections.abc import AsyncGenerator, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from bot.errors import ModelError, NotInSources, PermanentModelError, TransientModelError
from bot.pipeline import Pipeline
from bot.types import (
    Abstention,
    Answer,
    Candidate,
    Citation,
    Claim,
    Draft,
    Dropped,
    Hit,
    Judged,
    JudgeVerdict,
    Outcome,
    Query,
    Quote,
    Sentence,
    Shown,
    Turn,
    Verdict,
    Verified,
)
from ingest.types import Chunk, Imprint


def passage(id_: str) -> Chunk:
    return Chunk(id_, f"{id_}.md", "Page", 0, 20, f"What {id_} says of it.")


def cites(text: str, *ids: str) -> Draft:
    return Draft(text, tuple(Quote(id_, f"quoted of {id_}", 3, 9) for id_ in ids))


PASSED = Verdict("answer", 0.9)


@dataclass
class Stages:
    """Every stage, written by hand; `calls` is the order in which they were asked."""

    passages: tuple[str, ...] = ("a", "b")
    verdict: Verdict = PASSED
    drafts: tuple[Draft, ...] = ()
    failure: BaseException | None = None
    quotes: tuple[Draft, ...] = (cites("Quoted.", "a"),)
    quoting_failure: BaseException | None = None
    neighbours: Mapping[str, str] = field(default_factory=dict)
    calls: list[str] = field(default_factory=list)
    seen: dict[str, object] = field(default_factory=dict)

    name = "by-hand"

    async def rewrite(self, question: str, history: Sequence[Turn]) -> Query:
        self.calls.append("rewrite")
        return Query(question, " ".join(turn.text for turn in history))

    async def retrieve(self, query: Query, also: Collection[str] = ()) -> list[Candidate]:
        self.calls.append("retrieve")
        self.seen["retrieve"] = query
        self.seen["also"] = set(also)
        return [Candidate(passage(id_)) for id_ in self.passages]

    async def rerank(self, query: Query, candidates: Sequence[Candidate]) -> list[Hit]:
        self.calls.append("rerank")
        self.seen["rerank"] = query
        return [Hit(c.chunk, 1.0 - n / 10, 0.5) for n, c in enumerate(candidates)]

    async def imprints(self, docs: Collection[str]) -> Mapping[str, Imprint]:
        return {doc: Imprint(doc, "Page") for doc in docs}

    async def near(self, chunk: Chunk) -> list[Chunk]:
        return [chunk, *(passage(id_) for id_ in self.neighbours.get(chunk.id, ""))]

    def judge(self, question: str, hits: Sequence[Hit]) -> Verdict:
        self.calls.append("judge")
        self.seen["judge"] = (question, [hit.chunk.id for hit in hits])
        return self.verdict


@dataclass
class Writer:
    """A generator that gives what its test says, then fails as its test says."""

    name: str
    stages: Stages
    closed: bool = False

    async def draft(self, question: str, passages: Sequence[Chunk]) -> AsyncGenerator[Draft, None]:
        self.stages.calls.append(self.name)
        self.stages.seen[self.name] = (question, [chunk.id for chunk in passages])
        quoting = self.name == "quoter"
        try:
            for draft in self.stages.quotes if quoting else self.stages.drafts:
                yield draft
            failure = self.stages.quoting_failure if quoting else self.stages.failure
            if failure is not None:
                raise failure
        finally:
            self.closed = True


@dataclass
class ByHand:
    """A judge that says what its test says, once it may, or fails."""

    verdicts: Mapping[str, JudgeVerdict] = field(default_factory=dict)  # of a sentence; else "yes"
    failure: BaseException | None = None
    may: asyncio.Event | None = None
    asked: list[list[tuple[str, list[str]]]] = field(default_factory=list)
    questions: list[str] = field(default_factory=list)
    begun: asyncio.Event = field(default_factory=asyncio.Event)

    name = "judge-by-hand"

    async def check(self, claims: Sequence[Claim]) -> tuple[Judged, ...]:
        self.asked.append([(c.text, [passage.id for passage in c.passages]) for c in claims])
        self.questions += [c.question for c in claims]
        self.begun.set()
        if self.may is not None:
            await self.may.wait()
        if self.failure is not None:
            raise self.failure
        return tuple(Judged(c.text, self.verdicts.get(c.text, "yes")) for c in claims)


def verify(draft: Draft, passages: Mapping[str, Chunk], _question: str) -> Verified | Dropped:
    if "wrong" in draft.text:
        return Dropped(draft.text, "hard_facts", "it is wrong")
    assert all(quote.passage_id in passages for quote in draft.quotes)
    return Verified(draft.text, draft.quotes)


class Told:
    """What a reader is told, in its order."""

    def __init__(self) -> None:
        self.all: list[Any] = []
        self.spoken = asyncio.Event()

    async def stage(self, stage: str, count: int) -> None:
        self.all.append((stage, count))

    async def sentence(self, sentence: Sentence, citations: Sequence[Citation]) -> None:
        self.all.append((sentence.text, sentence.citations, [c.chunk.id for c in citations]))
        self.spoken.set()


def pipeline(
    stages: Stages,
    *,
    model: bool = True,
    top_k: int = 5,
    judge: ByHand | None = None,
    review: Callable[[Answer], None] | None = None,
    multilingual: bool = False,
) -> Pipeline:
    return Pipeline(
        rewriter=stages,
        retriever=stages,
        reranker=stages,
        gate=stages,
        surroundings=stages,
        widen=lambda hit, near, _ranked: Shown(hit, tuple(near)),
        generator=Writer("model", stages) if model else None,
        quoter=Writer("quoter", stages),
        verify=verify,
        top_k=top_k,
        max_question_chars=2000,
        multilingual=lambda: multilingual,
        judge=judge,
        review=review,
    )


async def answered(stages: Stages, *, model: bool = True) -> Answer:
    outcome = await pipeline(stages, model=model).answer("How long?")
    assert isinstance(outcome, Answer)
    return outcome


async def refused(stages: Stages, question: str = "How long?") -> Abstention:
    outcome = await pipeline(stages).answer(question)
    assert isinstance(outcome, Abstention)
    return outcome


async def test_the_stages_are_asked_in_their_order() -> None:
    stages = Stages(drafts=(cites("It is so.", "a"),))
    answer = await answered(stages)
    assert stages.calls == ["rewrite", "retrieve", "rerank", "judge", "model"]
    assert [s.text for s in answer.sentences] == ["It is so."]
    assert answer.trace.generator == "model"
    assert answer.trace.reranker == "by-hand"
    assert answer.trace.timings_ms.keys() == {
        "rewrite",
        "retrieve",
        "rerank",
        "choose",
        "widen",
        "generate",
    }
    assert not answer.quoting
    assert not answer.incomplete


async def test_each_stage_is_announced_with_what_goes_into_it() -> None:
    told: list[tuple[str, int]] = []

    async def on_stage(stage: str, count: int) -> None:
        told.append((stage, count))

    stages = Stages(drafts=(cites("It is so.", "a"),))
    history = (Turn("user", "Before?"),)
    await pipeline(stages).answer("And now?", history, on_stage=on_stage)
    assert told == [("rewrite", 1), ("retrieve", 0), ("rerank", 2), ("generate", 2)]


async def test_it_is_announced_before_the_first_sentence_that_documents_are_quoted() -> None:
    told: list[str] = []

    async def on_stage(stage: str, _count: int) -> None:
        told.append(stage)

    async def on_sentence(sentence: Sentence, _citations: Sequence[Citation]) -> None:
        told.append(sentence.text)

    stages = Stages(failure=TransientModelError("busy"))
    await pipeline(stages).answer("And now?", on_stage=on_stage, on_sentence=on_sentence)
    assert told[-3:] == ["generate", "quote", "Quoted."]


@pytest.mark.parametrize(
    ("question", "multilingual", "told"),
    [
        ("Wie viele Tage Urlaub habe ich im Jahr?", False, True),
        ("Wie viele Tage Urlaub habe ich im Jahr?", True, False),
        ("何日休めますか？", False, True),
        ("Who leads the Zürich office, Jörg or François?", False, False),
        ("Ventura payout limit", False, False),
    ],
)
async def test_a_question_in_a_language_that_the_model_does_not_know_is_told_so(
    question: str, *, multilingual: bool, told: bool
) -> None:
    outcome = await pipeline(Stages(), multilingual=multilingual).answer(question)
    assert any("English alone" in note for note in outcome.trace.notes) == told


async def test_the_rewritten_question_is_what_the_other_stages_get() -> None:
    stages = Stages(drafts=(cites("It is so.", "a"),))
    outcome = await pipeline(stages).answer("And there?", [Turn("user", "Leave in Berlin")])
    query = Query("And there?", "Leave in Berlin")
    assert stages.seen["retrieve"] == query
    assert stages.seen["rerank"] == query
    assert stages.seen["model"] == ("And there? (Leave in Berlin)", ["a", "b"])
    assert outcome.trace.question == "And there?"
    assert outcome.trace.standalone == "And there? (Leave in Berlin)"


async def test_every_stage_sees_the_words_of_question_and_history_alone() -> None:
    stages = Stages(drafts=(cites("It is so.", "a"),))
    history = [Turn("user", "@U07QX4Z9K2M on leave :wave:"), Turn("user", ":+1:")]
    await pipeline(stages).answer("And there? cc #C07AB12CD", history)
    assert stages.seen["retrieve"] == Query("And there?", "on leave")


async def test_only_the_best_passages_are_judged_and_written_from() -> None:
    stages = Stages(passages=("a", "b", "c", "d"), drafts=(cites("It is so.", "a"),))
    outcome = await pipeline(stages, top_k=2).answer("How long?")
    assert stages.seen["judge"] == ("How long?", ["a", "b"])
    assert stages.seen["model"] == ("How long?", ["a", "b"])
    assert [hit.chunk.id for hit in outcome.trace.hits] == ["a", "b", "c", "d"]


@pytest.mark.parametrize("question", ["", "   ", "?!", "…", "—\n", "👍"])
async def test_what_holds_no_word_is_no_question(question: str) -> None:
    stages = Stages()
    outcome = await refused(stages, question)
    assert outcome.reason == "empty_question"
    assert outcome.message == "There is no question in that. Ask in a sentence or a few words."
    assert stages.calls == []


async def test_a_question_over_the_limit_is_declined_with_the_limit() -> None:
    stages = Stages()
    outcome = await refused(stages, "why " * 1250)
    assert outcome.reason == "long_question"
    assert outcome.message == "That question is too long. Ask it in at most 2000 characters."
    assert stages.calls == []


async def test_a_question_in_any_script_is_asked() -> None:
    for question in ("Wie lange?", "сколько дней?", "有多少天?", "كم يوما؟"):
        stages = Stages(drafts=(cites("It is so.", "a"),))
        assert isinstance(await pipeline(stages).answer(question), Answer)


async def test_without_passages_nothing_is_reranked_or_written() -> None:
    stages = Stages(passages=(), verdict=Verdict("refused", 0.0, "no_passages"))
    outcome = await refused(stages)
    assert outcome.reason == "no_passages"
    assert outcome.message == "There are no documents to answer from yet."
    assert stages.calls == ["rewrite", "retrieve", "judge"]


async def test_what_the_gate_refuses_is_not_written_and_the_nearest_are_named() -> None:
    stages = Stages(verdict=Verdict("refused", 0.2, "weak_evidence"))
    outcome = await refused(stages)
    assert outcome.reason == "weak_evidence"
    assert outcome.trace.evidence == 0.2
    assert [hit.chunk.id for hit in outcome.nearest] == ["a", "b"]
    assert "model" not in stages.calls
    assert "quoter" not in stages.calls


PERHAPS = Verdict("perhaps", 0.3, "weak_evidence")


async def test_what_perhaps_answers_is_given_to_a_model_and_not_quoted_without_one() -> None:
    written = await pipeline(Stages(verdict=PERHAPS, drafts=THREE[:1])).answer("How long?")
    assert isinstance(written, Answer)
    assert written.trace.zone == "perhaps"
    for quoting in (
        await pipeline(Stages(verdict=PERHAPS), model=False).answer("How long?"),
        await pipeline(Stages(verdict=PERHAPS, failure=TransientModelError(""))).answer("How?"),
    ):
        assert isinstance(quoting, Abstention)
        assert (quoting.reason, quoting.trace.zone) == ("weak_evidence", "perhaps")
        assert [hit.chunk.id for hit in quoting.nearest] == ["a", "b"]
        assert quoting.perhaps is not None
        assert quoting.perhaps.chunk == quoting.nearest[0].chunk
        assert [hit.chunk.id for hit in quoting.further] == ["b"]


async def test_a_refused_question_and_one_that_a_model_finds_unanswered_show_no_passage() -> None:
    refused_ = Verdict("refused", 0.02, "weak_evidence")
    for outcome in (
        await pipeline(Stages(verdict=refused_), model=False).answer("How long?"),
        await pipeline(Stages(verdict=PERHAPS, failure=NotInSources())).answer("How long?"),
    ):
        assert isinstance(outcome, Abstention)
        assert outcome.perhaps is None
        assert outcome.message == "The documents do not say."


async def test_a_model_that_finds_no_answer_leads_to_an_abstention_not_to_quoting() -> None:
    stages = Stages(failure=NotInSources())
    outcome = await refused(stages)
    assert outcome.reason == "not_in_sources"
    assert outcome.trace.generator == "model"
    assert "quoter" not in stages.calls


@pytest.mark.parametrize("failure", [TransientModelError("slow"), PermanentModelError("key")])
async def test_a_model_that_fails_before_any_sentence_gives_way_to_quoting(
    failure: ModelError,
) -> None:
    stages = Stages(failure=failure)
    answer = await answered(stages)
    assert stages.calls[-2:] == ["model", "quoter"]
    assert [s.text for s in answer.sentences] == ["Quoted."]
    assert answer.quoting
    assert not answer.incomplete
    assert answer.trace.generator == "quoter"


async def test_a_model_that_fails_after_a_dropped_sentence_gives_way_to_quoting() -> None:
    stages = Stages(drafts=(cites("wrong", "b"),), failure=TransientModelError("cut off"))
    answer = await answered(stages)
    assert [s.text for s in answer.sentences] == ["Quoted."]
    assert [(c.n, c.chunk.id) for c in answer.citations] == [(1, "a")]


async def test_a_model_that_fails_after_some_sentences_leaves_an_incomplete_answer() -> None:
    stages = Stages(drafts=(cites("It is so.", "a"),), failure=TransientModelError("cut off"))
    answer = await answered(stages)
    assert [s.text for s in answer.sentences] == ["It is so."]
    assert answer.incomplete
    assert not answer.quoting
    assert "quoter" not in stages.calls


async def test_when_neither_the_model_nor_quoting_finds_an_answer_it_is_not_in_the_sources() -> (
    None
):
    stages = Stages(failure=TransientModelError("slow"), quotes=(), quoting_failure=NotInSources())
    assert (await refused(stages)).reason == "not_in_sources"


async def test_the_event_loop_goes_on_while_a_sentence_is_verified() -> None:
    beats = 0

    async def beat() -> None:
        nonlocal beats
        while True:
            await asyncio.sleep(0.01)
            beats += 1

    def slowly(draft: Draft, _passages: Mapping[str, Chunk], _question: str) -> Verified:
        time.sleep(0.5)
        return Verified(draft.text, draft.quotes)

    slow = replace(pipeline(Stages(drafts=(cites("It is so.", "a"),))), verify=slowly)
    heart = asyncio.create_task(beat())
    assert isinstance(await slow.answer("How long?"), Answer)
    heart.cancel()
    assert beats > 10


async def test_without_a_model_the_documents_are_quoted() -> None:
    answer = await answered(Stages(), model=False)
    assert answer.quoting
    assert answer.trace.generator == "quoter"


NOTHING_TO_QUOTE: dict[str, Any] = {"quotes": (), "quoting_failure": NotInSources()}


async def test_when_every_sentence_is_dropped_and_nothing_is_quoted_it_is_unverified(
    caplog: pytest.LogCaptureFixture,
) -> None:
    drafts = (cites("wrong one", "a"), cites("wrong two", "b"))
    with caplog.at_level(logging.INFO, "bot.writing"):
        outcome = await refused(Stages(drafts=drafts, **NOTHING_TO_QUOTE))
    assert outcome.reason == "unverified"
    assert [(d.text, d.rule) for d in outcome.trace.dropped] == [
        ("wrong one", "hard_facts"),
        ("wrong two", "hard_facts"),
    ]
    assert caplog.messages == ["Sentence dropped (hard_facts)"] * 2


async def test_when_nothing_that_was_written_can_be_shown_the_documents_are_quoted() -> None:
    answer = await answered(Stages(drafts=(cites("wrong one", "a"),)))
    assert [s.text for s in answer.sentences] == ["Quoted."]
    assert answer.quoting
    assert [d.text for d in answer.trace.dropped] == ["wrong one"]


def quoting(text: str, id_: str) -> Draft:
    """A sentence that cites the whole passage."""
    said = f"What {id_} says of it."
    return Draft(text, (Quote(id_, said, 0, len(said)),))


async def test_in_the_place_of_a_dropped_sentence_stand_the_blocks_that_it_cites_once() -> None:
    told = Told()
    stages = Stages(
        drafts=(
            quoting("It is so.", "a"),
            quoting("wrong one", "b"),
            quoting("wrong two", "b"),
            quoting("They end then.", "a"),
        )
    )
    outcome = await pipeline(stages).answer("How long?", on_sentence=told.sentence)
    assert isinstance(outcome, Answer)
    assert outcome.sentences == (
        Sentence("It is so.", (1,)),
        Sentence("What b says of it.", (2,), quoted=True),
        Sentence("They end then.", (1,)),
    )
    assert outcome.citations[1].quotes == (Quote("b", "What b says of it.", 0, 18),)
    assert [text for text, *_ in told.all] == [s.text for s in outcome.sentences]
    assert [d.text for d in outcome.trace.dropped] == ["wrong one", "wrong two"]
    assert not outcome.quoting


async def test_a_dropped_sentence_is_left_out_counted_and_takes_no_number() -> None:
    stages = Stages(drafts=(cites("wrong", "b"), cites("It is so.", "a")))
    answer = await answered(stages)
    assert [s.text for s in answer.sentences] == ["It is so."]
    assert [(c.n, c.chunk.id) for c in answer.citations] == [(1, "a")]
    assert [d.text for d in answer.trace.dropped] == ["wrong"]


async def test_passages_are_numbered_in_the_order_of_their_first_use() -> None:
    stages = Stages(
        passages=("a", "b", "c"),
        drafts=(cites("One.", "c"), cites("Two.", "a", "c", "a"), cites("Three.", "b")),
    )
    answer = await answered(stages)
    assert [(c.n, c.chunk.id) for c in answer.citations] == [(1, "c"), (2, "a"), (3, "b")]
    assert [s.citations for s in answer.sentences] == [(1,), (2, 1), (3,)]
    assert answer.citations[0].quotes == (Quote("c", "quoted of c", 3, 9),)


async def test_a_sentence_is_told_once_it_is_verified_with_the_citations_up_to_it() -> None:
    told: list[tuple[str, list[int]]] = []

    async def on_sentence(sentence: Sentence, citations: Sequence[Citation]) -> None:
        told.append((sentence.text, [c.n for c in citations]))

    stages = Stages(drafts=(cites("One.", "a"), cites("wrong", "b"), cites("Two.", "b")))
    await pipeline(stages).answer("How long?", on_sentence=on_sentence)
    assert told == [("One.", [1]), ("Two.", [1, 2])]


async def test_cancelling_passes_through_and_ends_the_model_s_stream() -> None:
    stages = Stages(drafts=(cites("One.", "a"),))
    asked = pipeline(stages)
    reached = asyncio.Event()

    async def on_sentence(_sentence: Sentence, _citations: Sequence[Citation]) -> None:
        reached.set()
        await asyncio.sleep(60)

    task = asyncio.create_task(asked.answer("How long?", on_sentence=on_sentence))
    await reached.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert isinstance(asked.generator, Writer)
    assert asked.generator.closed
    assert "quoter" not in stages.calls


async def test_a_fault_of_the_code_is_not_taken_for_a_fault_of_the_model() -> None:
    with pytest.raises(ZeroDivisionError):
        await pipeline(Stages(failure=ZeroDivisionError())).answer("How long?")


async def test_an_answer_is_made_from_the_hits_and_then_from_what_stands_around_them() -> None:
    stages = Stages(passages=("a", "b", "c"), neighbours={"a": "xb", "b": "y"})
    await pipeline(stages, model=False, top_k=2).answer("How long?")
    assert stages.seen["quoter"] == ("How long?", ["a", "b", "x", "y"])


async def test_a_search_shows_as_many_hits_as_it_is_asked_for() -> None:
    stages = Stages(passages=("a", "b", "c"), neighbours={"c": "z"})
    found = await pipeline(stages).search("How long?", show=3)
    assert [[c.id for c in shown.chunks] for shown in found.shown] == [["a"], ["b"], ["c", "z"]]


class Headed(Stages):
    """Passages that each have a heading of their own."""

    async def retrieve(self, query: Query, also: Collection[str] = ()) -> list[Candidate]:
        found = await super().retrieve(query, also)
        return [Candidate(replace(c.chunk, heading=f"Page > {c.chunk.id}")) for c in found]


async def test_an_unclear_first_question_is_asked_back_about_with_choices() -> None:
    refusal = await refused(Headed(), "How long is it?")
    assert (refusal.reason, refusal.message) == (
        "unclear",
        "What do you mean: a (Page) or b (Page)?",
    )
    assert [hit.chunk.id for hit in refusal.nearest] == ["a", "b"]


async def test_an_unclear_question_that_follows_another_is_answered() -> None:
    stages = Headed(drafts=(cites("It is so.", "a"),))
    outcome = await pipeline(stages).answer("How long is it?", [Turn("user", "Is there a trial?")])
    assert isinstance(outcome, Answer)


THREE = (cites("One.", "a"), cites("Two.", "b", "a"), cites("Three.", "c"))


async def judged(judge: ByHand, stages: Stages, told: Told | None = None) -> Outcome:
    told = told or Told()
    asked = pipeline(stages, judge=judge)
    return await asked.answer("How long?", on_stage=told.stage, on_sentence=told.sentence)


async def test_a_judge_is_asked_about_each_sentence_with_what_it_cites_of_the_question() -> None:
    judge = ByHand()
    outcome = await judged(judge, Stages(("a", "b", "c"), drafts=(cites("wrong", "b"), *THREE)))
    assert judge.asked == [[("One.", ["a"])], [("Two.", ["b", "a"])], [("Three.", ["c"])]]
    assert judge.questions == ["How long?"] * 3
    assert isinstance(outcome, Answer)
    assert (outcome.judge, outcome.unjudged) == ("judge-by-hand", 0)


async def test_what_a_judge_does_not_uphold_is_dropped_and_what_it_has_no_word_on_is_told(
    caplog: pytest.LogCaptureFixture,
) -> None:
    judge, told = ByHand({"One.": "no", "Three.": "none"}), Told()
    stages = Stages(("a", "b", "c"), drafts=(cites("wrong", "c"), *THREE))
    with caplog.at_level(logging.INFO, "bot.writing"):
        outcome = await judged(judge, stages, told)
    assert isinstance(outcome, Answer)
    assert outcome.sentences == (Sentence("Two.", (1, 2)), Sentence("Three.", (3,)))
    assert [(c.n, c.chunk.id) for c in outcome.citations] == [(1, "b"), (2, "a"), (3, "c")]
    assert outcome.citations[1].quotes == (Quote("a", "quoted of a", 3, 9),)
    assert outcome.trace.dropped == (
        Dropped("wrong", "hard_facts", "it is wrong"),
        Dropped("One.", "judge", "judge-by-hand says no"),
    )
    assert outcome.trace.judged == (
        Judged("One.", "no"), Judged("Two.", "yes"), Judged("Three.", "none"),
    )  # fmt: skip
    assert outcome.unjudged == 1
    assert told.all[-2:] == [("Two.", (1, 2), ["b", "a"]), ("Three.", (3,), ["b", "a", "c"])]
    assert not outcome.incomplete
    assert caplog.messages == ["Sentence dropped (hard_facts)", "Sentence dropped (judge)"]


async def test_in_the_place_of_a_sentence_that_is_not_upheld_stands_what_it_cites() -> None:
    stages = Stages(drafts=(quoting("It is so.", "a"), quoting("It is not.", "b")))
    outcome = await judged(ByHand({"It is not.": "no"}), stages)
    assert isinstance(outcome, Answer)
    assert outcome.sentences == (
        Sentence("It is so.", (1,)),
        Sentence("What b says of it.", (2,), quoted=True),
    )


async def test_a_sentence_is_told_while_the_next_is_still_being_judged() -> None:
    class Slow(ByHand):
        async def check(self, claims: Sequence[Claim]) -> tuple[Judged, ...]:
            if claims[0].text != "One.":
                return await super().check(claims)
            return (Judged("One.", "yes"),)

    judge, told = Slow(may=asyncio.Event()), Told()
    task = asyncio.create_task(judged(judge, Stages(("a", "b", "c"), drafts=THREE), told))
    await asyncio.wait_for(told.spoken.wait(), 5)
    assert told.all[-1] == ("One.", (1,), ["a"])
    assert judge.may is not None
    judge.may.set()
    await task
    assert [said[0] for said in told.all[-3:]] == ["One.", "Two.", "Three."]


async def test_sentences_are_told_in_their_order_whichever_verdict_comes_first() -> None:
    class Late(ByHand):
        async def check(self, claims: Sequence[Claim]) -> tuple[Judged, ...]:
            if claims[0].text == "One.":
                return await super().check(claims)
            assert self.may is not None
            self.may.set()  # the second one's verdict lets the first one's come
            return (Judged(claims[0].text, "yes"),)

    told = Told()
    await judged(Late(may=asyncio.Event()), Stages(("a", "b", "c"), drafts=THREE), told)
    assert [said[0] for said in told.all[-3:]] == ["One.", "Two.", "Three."]


async def test_when_the_judge_upholds_nothing_the_documents_are_quoted() -> None:
    outcome = await judged(ByHand({"It is so.": "no"}), Stages(drafts=(cites("It is so.", "a"),)))
    assert isinstance(outcome, Answer)
    assert outcome.quoting
    assert [d.rule for d in outcome.trace.dropped] == ["judge"]
    assert outcome.trace.judged == (Judged("It is so.", "no"),)


@pytest.mark.parametrize("failure", [TransientModelError("slow"), PermanentModelError("key")])
async def test_when_the_judge_fails_what_was_written_is_told_as_not_judged(
    failure: ModelError, caplog: pytest.LogCaptureFixture
) -> None:
    outcome = await judged(ByHand(failure=failure), Stages(drafts=(cites("It is so.", "b"),)))
    assert isinstance(outcome, Answer)
    assert [s.text for s in outcome.sentences] == ["It is so."]
    assert (outcome.judge, outcome.unjudged) == ("judge-by-hand", 1)
    assert caplog.messages == [f"judge-by-hand: {type(failure).__name__}: {failure}"]


async def test_what_was_written_before_the_model_failed_is_judged_too() -> None:
    stages = Stages(
        drafts=(cites("One.", "a"), cites("Two.", "b")), failure=TransientModelError("cut off")
    )
    outcome = await judged(ByHand({"One.": "no"}), stages)
    assert isinstance(outcome, Answer)
    assert outcome.incomplete
    assert [s.text for s in outcome.sentences] == ["Two."]
    refused = await judged(ByHand({"One.": "no", "Two.": "no"}), stages)
    assert isinstance(refused, Answer)
    assert [s.text for s in refused.sentences] == ["Quoted."]


async def test_what_is_not_written_is_not_judged() -> None:
    judge, reviewed = ByHand(), list[Answer]()
    for stages in (
        Stages(failure=NotInSources()),
        Stages(drafts=(cites("wrong", "a"),), **NOTHING_TO_QUOTE),
        Stages(failure=TransientModelError("slow")),
        Stages(verdict=Verdict("refused", 0.2, "weak_evidence")),
    ):
        await pipeline(stages, judge=judge, review=reviewed.append).answer("How long?")
    await pipeline(Stages(), model=False, judge=judge, review=reviewed.append).answer("How long?")
    assert judge.asked == []
    assert reviewed == []


async def test_a_review_gets_the_answer_as_it_was_told_and_changes_nothing() -> None:
    plain, told, reviewed = Told(), Told(), list[Answer]()
    stages = Stages(("a", "b", "c"), drafts=THREE)
    await pipeline(stages).answer("How?", on_stage=plain.stage, on_sentence=plain.sentence)
    outcome = await pipeline(stages, review=reviewed.append).answer(
        "How?", on_stage=told.stage, on_sentence=told.sentence
    )
    assert reviewed == [outcome]
    assert told.all == plain.all
    assert isinstance(outcome, Answer)
    assert outcome.trace.judged == ()


async def test_cancelling_passes_through_while_the_judge_reads() -> None:
    judge, told = ByHand(may=asyncio.Event()), Told()
    stages = Stages(drafts=(cites("It is so.", "a"),))
    task = asyncio.create_task(judged(judge, stages, told))
    await asyncio.wait_for(judge.begun.wait(), 5)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert told.all[-1] == ("generate", 2)
    assert "quoter" not in stages.calls


async def test_a_question_of_two_parts_is_searched_for_as_a_whole_and_in_parts() -> None:
    stages = Stages(passages=("a", "b", "c"), drafts=(cites("It is so.", "a"),))
    await pipeline(stages).answer("What is the hotel limit and who approves it?")
    assert stages.calls[:7] == ["rewrite", *["retrieve", "rerank"] * 3]
    assert stages.seen["retrieve"] == Query("What is the hotel limit and who approves it?")
    assert stages.seen["also"] == {"a"}


async def test_a_question_of_one_part_is_searched_for_once() -> None:
    stages = Stages(drafts=(cites("It is so.", "a"),))
    await pipeline(stages).answer("What is the hotel limit?")
    assert stages.calls == ["rewrite", "retrieve", "rerank", "judge", "model"]
    assert stages.seen["also"] == set()


class Worded(Stages):
    """Passages with texts of the test's, each in a document of its own."""

    texts: Mapping[str, str] = {}

    async def retrieve(self, query: Query, also: Collection[str] = ()) -> list[Candidate]:
        found = await super().retrieve(query, also)
        return [Candidate(worded(c.chunk, self.texts[c.chunk.id])) for c in found]


def worded(chunk: Chunk, text: str) -> Chunk:
    return replace(chunk, text=text, end=len(text))


class Copied(Worded):
    texts: Mapping[str, str] = dict.fromkeys("ab", "The front desk gives out badges.") | {
        "c": "Something else."
    }


async def test_an_answer_is_not_made_from_the_same_text_twice() -> None:
    stages = Copied(passages=("a", "b", "c"))
    found = await pipeline(stages, model=False, top_k=2).search("Who gives out badges?")
    assert [shown.hit.chunk.id for shown in found.shown] == ["a", "c"]
    assert [hit.chunk.id for hit in found.hits] == ["a", "c", "b"]
    assert found.twins == {"b": "a"}
    assert stages.seen["judge"] == ("Who gives out badges?", ["a", "c"])


class Renewed(Worded):
    texts: Mapping[str, str] = {
        "policy-2024": "Every employee receives EUR 600 once for a home desk and chair.",
        "policy-2026": "Every employee receives EUR 400 once for a home desk and chair.",
    }


async def test_an_older_edition_makes_no_answer_where_little_else_is_found() -> None:
    stages = Renewed(passages=("policy-2024", "policy-2026"))
    question = "What is the equipment allowance?"
    found = await pipeline(stages, model=False).search(question)
    assert list(found.passages) == ["policy-2026"]
    assert [hit.chunk.id for hit in found.hits] == ["policy-2026", "policy-2024"]
    assert stages.seen["judge"] == (question, ["policy-2026"])


class Divided(Worded):
    texts: Mapping[str, str] = {
        "a": "Contractors may claim 45 EUR a night.",
        "b": "Contractors may claim 60 EUR a night.",
    }


@pytest.mark.parametrize("model", [True, False])
async def test_passages_that_disagree_are_named_and_cited_whoever_writes(*, model: bool) -> None:
    draft = Draft("Contractors get 45 EUR a night.", (Quote("a", Divided.texts["a"], 0, 37),))
    stages = Divided(drafts=(draft,), quotes=(draft,))
    answer = await answered(stages, model=model)
    assert [(c.n, c.chunk.id) for c in answer.citations] == [(1, "a"), (2, "b")]
    assert [s.citations for s in answer.sentences] == [(1,)]
    (conflict,) = answer.conflicts
    assert (conflict.first.n, conflict.second.n) == (1, 2)
    assert conflict.second.text == Divided.texts["b"]


async def test_a_part_without_an_answer_is_named_beside_those_with_one() -> None:
    stages = Stages(quoting_failure=NotInSources("none", ["who approves it?"]))
    answer = await answered(stages, model=False)
    assert [s.text for s in answer.sentences] == ["Quoted."]
    assert answer.unanswered == ("who approves it?",)


async def test_the_questions_of_a_message_are_written_one_by_one_from_their_own_passages() -> None:
    stages = Stages(drafts=(cites("Written.", "a"),))
    outcome = await pipeline(stages).answer("What is a badge? Who signs the form?")
    assert isinstance(outcome, Answer)
    assert [sentence.text for sentence in outcome.sentences] == ["Written.", "Written."]
    assert [citation.n for citation in outcome.citations] == [1]
    assert stages.calls.count("retrieve") == stages.calls.count("model") == 2
    assert stages.seen["model"] == ("Who signs the form?", ["a", "b"])
