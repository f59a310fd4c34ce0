import asyncio
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from pydantic import SecretStr

from bot.evaluate.answers import invalid_citations
from bot.evaluate.cases import Case, Place
from bot.evaluate.figures import figures_of
from bot.evaluate.gold import Gold
from bot.evaluate.probe import probe
from bot.evaluate.runs import places_of
from bot.evaluate.saved import read_run, to_data
from bot.evaluate.session import Wanted, open_index, run_cases
from bot.evaluate.types import Run, Way
from bot.evaluate.withdraw import EvaluationIndex
from bot.found import Found
from bot.settings import Settings
from bot.types import Answer, Citation, Hit, Quote, Sentence, Shown, Trace, Turn, Verdict
from bot.wiring import open_parts
from ingest.embed import Embedder, Serving
from ingest.errors import FootnoteError, SettingsError, SourceError
from ingest.sources.jsonl import JsonlSource
from ingest.types import Chunk, Context
from tests.messages_api import KEY, Block, Cite, Fail, Say, messages_api
from tests.trees import write

DOCS = {
    "leave.md": "# Leave\n\n## Employees\n\nEmployees get 27 days of paid leave a year.\n\n"
    "## Contractors\n\nContractors have no paid leave.\n\n## Sick leave\n\nCall your lead"
    " before 09:30 when you are ill.\n",
    "travel.md": "# Travel\n\n## Hotels\n\nA hotel in London may cost up to £195 per night.\n",
    "copy.md": "# Old page\n\nEmployees get 27 days of paid leave a year.\n",
    "codes.md": "# Codes\n\nERR_4013 means that the key has expired.\n",
}
LEAVE = Case(
    1,
    "How many days of paid leave do employees get?",
    places=(Place("leave.md", ("Employees get 27 days of paid leave a year.",)),),
    values=("27 days",),
    kind="single",
)
HOTEL = Case(2, "What may a hotel in London cost?", gold_docs=("travel.md",), kind="single")
FOLLOW_UP = Case(
    3,
    "and contractors?",
    places=(Place("leave.md", ("Contractors have no paid leave.",)),),
    history=(Turn("user", LEAVE.q), Turn("assistant", "27 days.")),
    standalone="How many days of paid leave do contractors get?",
    kind="follow_up",
)
DOG = Case(4, "May I bring my dog to the office?", answerable=False)
GONE = Case(5, "What is the old rule?", places=(Place("leave.md", ("30 days",)),))


def settings(tmp_path: Path, **changes: object) -> Settings:
    given = {
        "docs": str(tmp_path / "docs"),
        "data": tmp_path / "data",
        "reranker": "late-interaction",
    }
    return Settings(_env_file=None).model_copy(update={**given, **changes})


@contextmanager
def opened(chosen: Settings, embedder: Embedder) -> Iterator[EvaluationIndex]:
    index = EvaluationIndex(chosen)
    index.embedder, index.serving = embedder, Serving(embedder)
    with index:
        yield index


@pytest.fixture
def index(tmp_path: Path, embedder: Embedder) -> Iterator[EvaluationIndex]:
    write(tmp_path / "docs", DOCS)
    with opened(settings(tmp_path), embedder) as index:
        index.sync()
        yield index


async def measure(index: EvaluationIndex, *cases: Case, **wanted: bool) -> Run:
    chosen = Settings.model_validate(index.settings.model_dump())
    async with open_parts(chosen, index) as parts:
        return await run_cases(parts, index, Path("cases.jsonl"), cases, Wanted(**wanted))


async def test_a_run_says_where_each_stage_put_the_right_passage(index: EvaluationIndex) -> None:
    run = await measure(index, LEAVE, HOTEL)
    leave, hotel = run.questions
    places = leave.trials["asked"].places
    assert set(places) == {"dense", "bm25", "union", "reranked", "shown"}
    assert places["union"].rank == 1
    assert places["reranked"].rank in {1, 2}  # its copy is as good, and is not the one named
    assert hotel.trials["asked"].places["reranked"].rank == 1
    assert hotel.trials["asked"].hits[0].doc == "travel.md"
    assert hotel.trials["asked"].hits[0].right
    assert (run.documents, run.passages, run.reranker) == (4, 6, "late-interaction")


async def test_a_follow_up_is_searched_raw_rewritten_and_as_a_person_wrote_it(
    index: EvaluationIndex,
) -> None:
    run = await measure(index, FOLLOW_UP, HOTEL)
    trials = run.questions[0].trials
    assert set(trials) == {"asked", "raw", "standalone"}
    assert trials["raw"].standalone == "and contractors?"
    assert trials["standalone"].places["union"].rank == 1
    assert set(figures_of(run).follow_ups) == {"raw turn", "rewrite", "hand-written"}


async def test_a_withdrawn_passage_takes_its_copies_along_and_comes_back(
    index: EvaluationIndex,
) -> None:
    run = await measure(index, LEAVE, HOTEL, withdraw=True)
    leave, hotel = run.questions
    found = {way: {hit.doc for hit in trial.hits} for way, trial in leave.trials.items()}
    texts = [hit.text for hit in leave.trials["passage_withdrawn"].hits]
    assert "copy.md" not in found["passage_withdrawn"]
    assert not any("27 days" in text for text in texts)
    assert "leave.md" in found["passage_withdrawn"]
    assert "leave.md" not in found["page_withdrawn"]
    assert "passage_withdrawn" not in hotel.trials  # the document holds nothing else
    assert set(leave.gold) <= index.live(leave.gold).keys()


async def test_a_withdrawn_passage_is_not_shown_around_another(index: EvaluationIndex) -> None:
    shown: dict[Way, str] = {}

    def keep(_case: Case, way: Way, found: Found) -> None:
        shown[way] = " ".join(c.text for one in found.shown for c in one.chunks)

    chosen = Settings.model_validate(index.settings.model_dump())
    async with open_parts(chosen, index) as parts:
        wanted = Wanted(withdraw=True, probe=False)
        await run_cases(parts, index, Path("c"), [LEAVE], wanted, on_found=keep)
    assert "27 days" in shown["asked"]
    assert "Contractors have no paid leave." in shown["passage_withdrawn"]
    assert "27 days" not in shown["passage_withdrawn"]


def test_a_hit_is_right_when_what_is_shown_around_it_is() -> None:
    first = Chunk("aaa", "leave.md", "Leave", 0, 5, "First")
    second = Chunk("bbb", "leave.md", "Leave", 6, 12, "Second")
    hits = (Hit(first, 2.0, 0.9), Hit(second, 1.0, 0.5))
    shown = (Shown(hits[0], (first, second)), Shown(hits[1], (second,)))
    found = Found("q", "q", hits, Verdict("answer", 0.9), {}, shown)
    places = places_of(found, Gold(frozenset({"bbb"}), frozenset({"leave.md"}), 1))
    assert (places["reranked"].rank, places["shown"].rank, places["union"].rank) == (2, 1, 1)
    assert (places["dense"].rank, places["bm25"].rank) == (None, None)


async def test_refusals_are_counted_by_how_the_question_came_about(index: EvaluationIndex) -> None:
    figures = figures_of(await measure(index, LEAVE, HOTEL, DOG, withdraw=True))
    assert figures.coverage is not None
    assert figures.coverage.n == 2
    counts = {kind: refusals.unanswerable for kind, refusals in figures.refusals.items()}
    assert counts == {"own": 1, "page_withdrawn": 2, "passage_withdrawn": 1}
    assert figures.refusals["own"].false_answers.value == 0.0
    assert figures.refusals["own"].auroc.value == 1.0


async def test_gold_that_exists_no_more_is_reported_and_no_miss(index: EvaluationIndex) -> None:
    run = await measure(index, HOTEL, GONE, withdraw=True)
    figures = figures_of(run)
    assert run.questions[1].missing == ("no passage holds '30 days'",)
    assert figures.retrieval["reranked"]["recall@1"].n == 1
    assert figures.coverage is not None
    assert figures.coverage.n == 1


async def test_gold_that_stands_in_a_document_but_in_no_passage_is_a_miss(
    index: EvaluationIndex, tmp_path: Path
) -> None:
    write(tmp_path / "docs", {"pets.md": "# Pets\n\nAsk first.\n\n<!-- Dogs may come in. -->\n"})
    index.sync()
    pets = Case(6, "Pets?", places=(Place("pets.md", ("Dogs may come in.",)),))
    run = await measure(index, pets, withdraw=True)
    figures = figures_of(run)
    assert run.questions[0].unreachable == ("no passage holds 'Dogs may come in.'",)
    assert run.questions[0].missing == ()
    assert figures.retrieval["union"]["recall@20"].value == 0.0
    assert figures.fates == {"not found": 1}
    assert set(run.questions[0].trials) == {"asked"}


async def test_answers_are_checked_without_a_model(index: EvaluationIndex) -> None:
    run = await measure(index, LEAVE, DOG, answers=True)
    reply = run.questions[0].reply
    assert reply is not None
    assert reply.abstained is None
    assert reply.invalid == ()
    assert reply.holds_value is True
    assert all(said.cited for said in reply.sentences)
    told = figures_of(run).answers
    assert told is not None
    assert (told.answered, told.abstained) == (1, {"weak_evidence": 1})
    assert told.sentences_cited.value == 1.0
    assert told.faithful.n == 0


async def test_a_judge_without_a_key_says_so_before_anything_runs(index: EvaluationIndex) -> None:
    with pytest.raises(SettingsError, match="set ANTHROPIC_API_KEY"):
        await measure(index, LEAVE, judge=True)


async def written(
    index: EvaluationIndex,
    *replies: Say | Fail,
    wanted: bool = True,
    judge: str = "off",
    verdicts: dict[str, str] | None = None,
) -> tuple[Run, list[str]]:
    """A run in which a model writes, and the models that were asked in it."""
    async with messages_api(*replies) as api:
        api.verdicts = verdicts or {}
        chosen = settings(
            index.settings.data.parent,
            anthropic_api_key=SecretStr(KEY),
            anthropic_base_url=api.url,
            model_retries=0,
            judge=judge,
        )
        async with open_parts(chosen, index) as parts:
            asked = Wanted(answers=True, judge=wanted, probe=False)
            run = await run_cases(parts, index, Path("c"), [LEAVE], asked)
    return run, [body["model"] for body in api.requests]


def leave_id(index: EvaluationIndex) -> str:
    return next(c.id for c in index.ledger.all_live() if c.doc == "copy.md")


def two_sentences(index: EvaluationIndex) -> Say:
    cited = [Cite(leave_id(index), 1, 2)]
    first, second = "Employees get 27 days of paid leave a year.", "Employees get paid leave."
    return Say([Block(f"{first} ", cited), Block(second, cited)])


WRITER, JUDGE = "claude-sonnet-5-5", "claude-haiku-5-5"


@pytest.mark.parametrize(
    ("verdicts", "faithful", "unjudged"),
    [
        (Say([Block("1 YES\n2 NO")]), [True, False], 0),
        (Say([Block("1 YES")]), [True, False], 1),
        (Fail(529, "overloaded_error"), [False, False], 2),
    ],
)
async def test_the_judge_is_asked_once_an_answer_and_without_a_verdict_nothing_is_upheld(
    index: EvaluationIndex, verdicts: Say | Fail, faithful: list[bool], unjudged: int
) -> None:
    run, asked = await written(index, two_sentences(index), verdicts)
    reply = run.questions[0].reply
    assert reply is not None
    assert asked == [WRITER, JUDGE]
    assert [said.faithful for said in reply.sentences] == faithful
    told = figures_of(run).answers
    assert told is not None
    assert (told.faithful.value, told.faithful.n) == (sum(faithful) / 2, 2)
    assert told.unjudged == unjudged


async def test_what_a_judge_let_pass_is_not_judged_again(index: EvaluationIndex) -> None:
    verdicts = {
        "Employees get 27 days of paid leave a year.": "NO",
        "Employees get paid leave.": "YES",
    }
    run, asked = await written(index, two_sentences(index), judge="on", verdicts=verdicts)
    reply = run.questions[0].reply
    assert reply is not None
    assert asked == [WRITER, JUDGE, JUDGE]
    assert reply.dropped == ("judge",)
    assert [s.faithful for s in reply.sentences] == [None, True]
    assert reply.sentences[1].text == "Employees get paid leave."


async def test_a_run_asks_no_judge_that_it_was_not_told_to(index: EvaluationIndex) -> None:
    run, asked = await written(index, two_sentences(index), wanted=False, judge="log")
    reply = run.questions[0].reply
    assert reply is not None
    assert asked == [WRITER]
    assert [said.faithful for said in reply.sentences] == [None, None]
    told = figures_of(run).answers
    assert told is not None
    assert (told.faithful.n, told.unjudged) == (0, 0)


async def test_quotations_are_not_judged(index: EvaluationIndex) -> None:
    run, asked = await written(index, Fail(529, "overloaded_error"))
    reply = run.questions[0].reply
    assert reply is not None
    assert reply.generator == "extractive"
    assert asked == [WRITER]
    assert {said.faithful for said in reply.sentences} == {None}


def test_a_quote_that_does_not_stand_at_its_range_is_an_invalid_citation() -> None:
    chunk = Chunk("a", "leave.md", "Leave", 10, 18, "27 days.", (Context(0, 5, "Leave"),))
    right = (Quote("a", "27", 10, 12), Quote("a", "Leave", 0, 5))
    wrong = (Quote("a", "28", 10, 12), Quote("a", "27 days. x", 10, 20), Quote("b", "27", 10, 12))
    trace = Trace("q", "q", 1.0, "r", "g", {})

    def answer(quotes: tuple[Quote, ...], *numbers: int) -> Answer:
        sentence = Sentence("27 days.", numbers)
        return Answer((sentence,), (Citation(1, chunk, quotes),), trace)

    assert invalid_citations(answer(right, 1)) == []
    assert invalid_citations(answer(wrong, 1, 2)) == [
        "[1] does not stand at its range",
        "[1] lies outside its passage",
        "[1] quotes another passage",
        "[2] stands for no citation",
    ]


async def test_a_runs_tokens_are_counted_and_an_abstention_of_the_model_is_its_own_kind(
    index: EvaluationIndex,
) -> None:
    async with messages_api(Say([Block("NOT_IN_SOURCES")])) as api:
        chosen = settings(index.settings.data.parent).model_copy(
            update={"anthropic_api_key": SecretStr(KEY), "anthropic_base_url": api.url}
        )
        async with open_parts(chosen, index) as parts:
            run = await run_cases(parts, index, Path("c"), [LEAVE], Wanted(answers=True))
    reply = run.questions[0].reply
    assert reply is not None
    assert reply.abstained == "not_in_sources"
    assert (reply.spent.read, reply.spent.written) == (1, 9)


async def test_a_run_comes_back_from_its_json(index: EvaluationIndex, tmp_path: Path) -> None:
    run = await measure(index, LEAVE, FOLLOW_UP, DOG, withdraw=True, answers=True)
    file = tmp_path / "run.json"
    file.write_text(json.dumps(to_data(run, figures_of(run))))
    assert read_run(file) == run


def test_a_file_that_is_no_run_says_so(tmp_path: Path) -> None:
    file = tmp_path / "run.json"
    file.write_text("{}")
    with pytest.raises(FootnoteError, match="no output of `eval --json`"):
        read_run(file)


def test_the_probe_finds_every_passage_of_a_sound_index_and_names_one_that_is_lost(
    index: EvaluationIndex,
) -> None:
    index.load_lexical()
    sound = probe(index)
    assert (sound.passages, sound.dense, sound.bm25, sound.lost) == (6, 1.0, 1.0, ())
    hotel = next(c.id for c in index.ledger.all_live() if c.doc == "travel.md")
    with index.without({hotel}):
        assert probe(index).lost == (hotel,)


def test_an_empty_index_says_how_to_fill_it(tmp_path: Path) -> None:
    told = "run `python -m ingest`"
    with pytest.raises(FootnoteError, match=told), open_index(settings(tmp_path), None):
        pass


def test_a_corpus_file_becomes_a_temporary_index_and_leaves_the_data_alone(tmp_path: Path) -> None:
    corpus = tmp_path / "corpus.jsonl"
    rows = [
        {"doc": "2021/1", "text": "Leave is 27 days."},
        {"doc": "a.md", "text": "# Pets\n\nNo."},
    ]
    corpus.write_text("\n".join(json.dumps(row) for row in rows))
    with open_index(settings(tmp_path), corpus) as index:
        chunks = {c.doc: (c.heading, c.text.strip()) for c in index.ledger.all_live()}
        where = index.settings.data
    assert chunks == {"2021/1": ("1", "Leave is 27 days."), "a.md": ("Pets", "No.")}
    assert not where.exists()
    assert not (tmp_path / "data").exists()


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        (['{"doc": "a", "text": "b"}', '{"doc": "a"}'], "line 2: expected"),
        (
            ['{"doc": "a", "text": "b"}', "", '{"doc": "a", "text": "c"}'],
            "line 3: 'a' is there twice",
        ),
        (["no"], "line 1: expected"),
    ],
)
def test_a_bad_line_of_a_corpus_is_an_error_with_its_number(
    tmp_path: Path, lines: list[str], told: str
) -> None:
    corpus = tmp_path / "corpus.jsonl"
    corpus.write_text("\n".join(lines))
    with pytest.raises(SourceError, match=told):
        JsonlSource(corpus).scan()


def test_a_run_that_is_cancelled_stops(index: EvaluationIndex) -> None:
    async def cut_off() -> None:
        task = asyncio.create_task(measure(index, *[LEAVE] * 500))
        await asyncio.sleep(2)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cut_off())
