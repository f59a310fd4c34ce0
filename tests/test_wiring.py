import asyncio
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TypeVar

import pytest
from pydantic import SecretStr

from bot.cli.shared import outcome_json
from bot.found import Found
from bot.settings import Settings
from bot.types import Abstention, Answer, Citation, Sentence, Turn
from bot.wiring import Parts, open_parts
from ingest.embed import Embedder
from ingest.schedule import start_schedule
from tests.commands import ROOT
from tests.indexes import opened
from tests.messages_api import KEY, Block, Cite, MessagesApi, Say, messages_api
from tests.trees import write

T = TypeVar("T")
TREE = {
    "keys.md": "# Keys\n\nAPI keys are rotated every 90 days by the platform team.\n",
    "leave.md": "# Leave\n\nStaff get 25 days of paid leave a year.\n",
}
LOOP_SHARE = 0.1  # of the CPU time; .26 where the loop quotes itself, .002 where it does not
BUSY = 50  # documents, each a few passages: a pass of a second or more on any machine


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    write(tmp_path / "docs", TREE)
    return tmp_path / "docs"


def long_page(n: int) -> str:
    sections = [
        f"## Part {n}.{m}\n\n" + f"Note {n}.{m} on badges and doors. " * 20 for m in range(3)
    ]
    return f"# Page {n}\n\n" + "\n\n".join(sections)


def many(start: int, count: int) -> dict[str, str]:
    return {f"page-{n:03}.md": long_page(n) for n in range(start, start + count)}


@asynccontextmanager
async def wired(docs: Path, embedder: Embedder, **changes: object) -> AsyncIterator[Parts]:
    given = {
        "docs": str(docs),
        "data": docs.parent / "data",
        "reranker": "late-interaction",
        "sure_score": 0.0,
    }
    chosen = Settings(_env_file=None).model_copy(update={**given, **changes})
    with opened(chosen, embedder) as index:
        async with open_parts(chosen, index) as parts:
            yield parts


async def in_pool(parts: Parts, work: object) -> object:
    return await asyncio.get_running_loop().run_in_executor(parts.pool, work)  # type: ignore[arg-type]


async def loop_share(work: Awaitable[T]) -> tuple[T, float]:
    """What the work gives, and the share of the CPU time that the loop's own thread took for it."""
    whole_s, loop_s = time.process_time(), time.thread_time()
    given = await work
    loop_s = time.thread_time() - loop_s
    return given, loop_s / (time.process_time() - whole_s)


def docs_of(found: Found) -> list[str]:
    return [hit.chunk.doc for hit in found.hits]


async def test_without_a_key_the_documents_are_quoted(docs: Path, embedder: Embedder) -> None:
    async with wired(docs, embedder) as parts:
        assert parts.pipeline.generator is None
        assert parts.pipeline.reranker.name == "late-interaction"
        await in_pool(parts, parts.index.sync)
        outcome = await parts.pipeline.answer("How often are API keys rotated?")
        assert isinstance(outcome, Answer)
        assert outcome.quoting
        assert outcome.citations[0].chunk.doc == "keys.md"


async def test_with_a_key_the_model_of_the_settings_writes(docs: Path, embedder: Embedder) -> None:
    key = SecretStr("sk-ant-loopback")
    async with wired(docs, embedder, anthropic_api_key=key, model="claude-opus-5-5") as parts:
        assert parts.pipeline.generator is not None
        assert parts.pipeline.generator.name == "claude-opus-5-5"


@pytest.mark.parametrize(
    ("judge", "before", "log"),
    [("off", False, False), ("log", False, True), ("on", True, False)],
)
async def test_the_judge_of_the_settings_judges_before_or_after_the_answer(
    docs: Path, embedder: Embedder, judge: str, *, before: bool, log: bool
) -> None:
    key = SecretStr("sk-ant-loopback")
    async with wired(docs, embedder, anthropic_api_key=key, judge=judge) as parts:
        assert (parts.pipeline.judge is not None) == before
        assert (parts.pipeline.review is not None) == log
        assert parts.judge is not None
        assert parts.judge.name == "claude-haiku-5-5"


async def test_the_judge_is_on_where_there_is_a_key_and_none_is_there_without_one(
    docs: Path, embedder: Embedder, caplog: pytest.LogCaptureFixture
) -> None:
    async with wired(docs, embedder, anthropic_api_key=SecretStr("sk-ant-loopback")) as parts:
        assert parts.pipeline.judge is parts.judge
        assert parts.judge is not None
    async with wired(docs, embedder) as parts:
        assert parts.judge is None
    assert [r.message for r in caplog.records if r.name == "bot.wiring"] == []


def test_the_setting_takes_its_old_name_too() -> None:
    assert Settings(_env_file=None, judge="strict").judge == "on"


@asynccontextmanager
async def answering(
    docs: Path, embedder: Embedder, verdicts: Say, judge: str
) -> AsyncIterator[tuple[Parts, MessagesApi]]:
    """Parts with a model that says two sentences of the keys' page, and then the verdicts."""
    async with messages_api(Say([Block("NOT_IN_SOURCES")])) as api:
        changes = {"anthropic_api_key": SecretStr(KEY), "anthropic_base_url": api.url}
        async with wired(docs, embedder, judge=judge, **changes) as parts:
            await in_pool(parts, parts.index.sync)
            (keys,) = [c for c in parts.index.ledger.all_live() if c.doc == "keys.md"]
            cited = [Cite(keys.id, 1, 2)]
            first, second = (
                "API keys are rotated every 90 days. ",
                "The platform team rotates them.",
            )
            api.replies = [Say([Block(first, cited), Block(second, cited)]), verdicts]
            yield parts, api


async def test_a_model_is_given_the_whole_procedure_in_its_order_where_a_step_matches(
    docs: Path, embedder: Embedder
) -> None:
    steps = [f"{n}. Turn dial {n} to its mark and {'wait a minute ' * 12}." for n in range(1, 31)]
    write(docs, {"kiln.md": "# Kiln\n\nTo fire the kiln:\n\n" + "\n".join(steps) + "\n"})
    async with messages_api(Say([Block("NOT_IN_SOURCES")])) as api:
        changes = {"anthropic_api_key": SecretStr(KEY), "anthropic_base_url": api.url}
        async with wired(docs, embedder, top_k=1, **changes) as parts:
            await in_pool(parts, parts.index.sync)
            await in_pool(parts, parts.index.load_lexical)
            assert len([c for c in parts.index.ledger.all_live() if c.doc == "kiln.md"]) > 3
            await parts.pipeline.answer("How is dial 9 of the kiln turned?")
    first = api.requests[0]["messages"][0]["content"][0]
    said = [" ".join(part["text"].split()[:4]).rstrip(":") for part in first["content"]]
    given = [int(text.split()[2]) for text in said if text.startswith("Turn dial")]
    assert said[:2] == ["Kiln", "To fire the kiln"]
    assert said.count("To fire the kiln") == 1
    assert 9 in given
    assert given == list(range(given[0], given[0] + len(given)))
    assert len(given) > 12


async def test_what_a_model_leaves_unanswered_is_told_beside_the_answer_and_never_as_a_sentence(
    docs: Path, embedder: Embedder
) -> None:
    shown: list[str] = []

    async def show(sentence: Sentence, _: Sequence[Citation]) -> None:
        shown.append(sentence.text)

    async with answering(docs, embedder, Say([Block("1 YES")]), "off") as (parts, api):
        first = api.replies[0]
        assert isinstance(first, Say)
        gap = Block("\nNOT_ANSWERED: how often passwords are changed\n")
        api.replies = [Say([first.blocks[0], gap, first.blocks[1]], piece_chars=3)]
        question = "How often are API keys rotated, and how often are passwords changed?"
        outcome = await parts.pipeline.answer(question, on_sentence=show)
    assert isinstance(outcome, Answer)
    assert outcome.unanswered == ("how often passwords are changed",)
    said = ["API keys are rotated every 90 days.", "The platform team rotates them."]
    assert shown == [sentence.text for sentence in outcome.sentences] == said
    assert outcome_json(outcome)["unanswered"] == ["how often passwords are changed"]


async def test_an_answer_is_there_before_the_verdicts_that_are_for_the_log_alone(
    docs: Path, embedder: Embedder, caplog: pytest.LogCaptureFixture
) -> None:
    verdicts = Say([Block("1 YES\n2 NO")], pause_s=0.5)
    with caplog.at_level("INFO", "bot.review"):
        async with answering(docs, embedder, verdicts, "log") as (parts, api):
            outcome = await parts.pipeline.answer("How often are API keys rotated?")
            assert parts.judge is not None
            assert not parts.judge.verdicts
        assert parts.judge.verdicts == {"yes": 1, "no": 1}
    assert isinstance(outcome, Answer)
    assert len(outcome.sentences) == 2
    assert [body["model"] for body in api.requests] == ["claude-sonnet-5-5", "claude-haiku-5-5"]
    (message,) = [r.message for r in caplog.records if r.name == "bot.review"]
    assert message.startswith("Sentence not upheld (claude-haiku-5-5 says no; it cites ")
    assert "platform team" not in message


async def test_what_the_judge_does_not_uphold_is_replaced_by_what_it_cites(
    docs: Path, embedder: Embedder
) -> None:
    async with answering(docs, embedder, Say([Block("1 YES")]), "on") as (parts, api):
        api.verdicts = {"The platform team rotates them.": "NO"}
        outcome = await parts.pipeline.answer("How often are API keys rotated?")
    assert isinstance(outcome, Answer)
    assert [(s.text, s.quoted) for s in outcome.sentences] == [
        ("API keys are rotated every 90 days.", False),
        ("API keys are rotated every 90 days by the platform team.", True),
    ]
    assert len(api.requests) == 3
    assert (outcome.judge, outcome.unjudged) == ("claude-haiku-5-5", 0)


async def test_without_a_judge_the_model_is_called_once(docs: Path, embedder: Embedder) -> None:
    async with answering(docs, embedder, Say([Block("1 NO\n2 NO")]), "off") as (parts, api):
        outcome = await parts.pipeline.answer("How often are API keys rotated?")
    assert isinstance(outcome, Answer)
    assert len(outcome.sentences) == 2
    assert len(api.requests) == 1


async def test_a_finished_pass_is_seen_by_the_next_question(docs: Path, embedder: Embedder) -> None:
    async with wired(docs, embedder) as parts:
        before = await parts.pipeline.answer("How often are API keys rotated?")
        assert isinstance(before, Abstention)
        assert before.reason == "no_passages"
        await in_pool(parts, parts.index.sync)
        found = await parts.pipeline.search("How often are API keys rotated?")
        assert docs_of(found)[0] == "keys.md"
        write(docs, {"keys.md": "# Keys\n\nAPI keys are never rotated.\n"})
        await in_pool(parts, parts.index.sync)
        found = await parts.pipeline.search("How often are API keys rotated?")
        assert found.hits[0].chunk.text.strip() == "API keys are never rotated."
        (docs / "keys.md").unlink()
        await in_pool(parts, parts.index.sync)
        found = await parts.pipeline.search("How often are API keys rotated?")
        assert docs_of(found) == ["leave.md"]


async def test_the_schedule_makes_a_new_file_answerable_by_itself(
    docs: Path, embedder: Embedder
) -> None:
    async with wired(docs, embedder) as parts:
        scheduler = start_schedule("1s", parts.index.sync, parts.pool)
        try:
            write(docs, {"badges.md": "# Badges\n\nBadges are handed out at the gate.\n"})
            async with asyncio.timeout(60):
                while True:
                    found = await parts.pipeline.search("Where are badges handed out?")
                    if found.hits and found.hits[0].chunk.doc == "badges.md":
                        break
                    await asyncio.sleep(0.2)
        finally:
            scheduler.shutdown(wait=False)


async def test_the_loop_runs_on_and_questions_are_answered_while_a_pass_runs(
    docs: Path, embedder: Embedder
) -> None:
    async with wired(docs, embedder) as parts:
        await in_pool(parts, parts.index.sync)
        await parts.pipeline.search("warm")
        write(docs, many(0, BUSY))
        pass_ = asyncio.ensure_future(in_pool(parts, parts.index.sync))
        answered = 0

        async def ask_until_done() -> None:
            nonlocal answered
            while not pass_.done():
                found = await parts.pipeline.search("How often are API keys rotated?")
                assert docs_of(found)[0] == "keys.md"
                answered += not pass_.done()

        _, share = await loop_share(ask_until_done())
        await pass_
    assert answered >= 1
    assert share < LOOP_SHARE


async def test_the_loop_runs_on_while_a_question_is_reranked(
    docs: Path, embedder: Embedder
) -> None:
    write(docs, many(0, 20))
    async with wired(docs, embedder) as parts:
        await in_pool(parts, parts.index.sync)
        asked = [parts.pipeline.search(f"Which note is on doors, number {n}?") for n in range(2)]
        found, share = await loop_share(asyncio.gather(*asked))
    assert all(len(each.hits) >= 40 for each in found)
    assert share < LOOP_SHARE


async def test_the_loop_runs_on_while_an_answer_is_quoted(docs: Path, embedder: Embedder) -> None:
    write(docs, many(0, 5))
    async with wired(docs, embedder) as parts:
        await in_pool(parts, parts.index.sync)
        asked = [parts.pipeline.answer(f"Which note is on doors, number {n}?") for n in range(2)]
        _, share = await loop_share(asyncio.gather(*asked))
    assert share < LOOP_SHARE


async def test_a_fault_on_the_way_closes_what_was_opened(docs: Path, embedder: Embedder) -> None:
    kept: list[Parts] = []

    async def fail() -> None:
        async with wired(docs, embedder) as parts:
            kept.append(parts)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await fail()
    with pytest.raises(RuntimeError, match="after shutdown"):
        kept[0].pool.submit(print)


def test_importing_the_pipeline_needs_no_environment_and_no_heavy_library() -> None:
    code = (
        "import sys; sys.path.insert(0, sys.argv[1]); import bot.pipeline, bot.wiring\n"
        "heavy = {'torch', 'sentence_transformers', 'chromadb', 'anthropic', 'slack_sdk'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(ROOT)],
        env={},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert done.stdout == "[]\n"


SEVERAL = {
    "lodging.md": "# Lodging\n\nA hotel room in Graz costs up to 118 EUR a night.\n",
    "pay.md": "# Pay days\n\nSalaries are paid on the 26th of each month.\n",
    "printers.md": "# Printers\n\nToner is ordered with form T-61.\n",
    "boats.md": "# Boats\n\nCompany kayaks are lent for 9 days.\n",
}
ASKED = (
    "How much may a hotel room cost in Graz?",
    "When are salaries paid?",
    "How is toner ordered?",
    "For how long are kayaks lent?",
)
SAID = (
    "A hotel room in Graz costs up to 118 EUR a night.",
    "Salaries are paid on the 26th of each month.",
    "Toner is ordered with form T-61.",
    "Company kayaks are lent for 9 days.",
)


@pytest.fixture
async def several(tmp_path: Path, embedder: Embedder) -> AsyncIterator[Parts]:
    handbook = ROOT / "bot" / "demo" / "handbook" / "it"
    beside = {page.name: page.read_text("utf-8") for page in sorted(handbook.glob("*.md"))}
    write(tmp_path / "docs", SEVERAL | beside)
    given = {"sure_score": 0.5}
    async with wired(tmp_path / "docs", embedder, **given) as parts:
        await in_pool(parts, parts.index.sync)
        await asyncio.to_thread(parts.index.load_lexical)
        yield parts


@pytest.mark.parametrize(
    "message",
    [
        " ".join(ASKED),
        "\n".join(f"{n}. {question}" for n, question in enumerate(ASKED, start=1)),
        " and ".join(question.rstrip("?").replace("F", "f") for question in ASKED) + "?",
    ],
)
async def test_each_question_of_a_message_is_answered_in_its_order(
    several: Parts, message: str
) -> None:
    outcome = await several.pipeline.answer(message)
    assert isinstance(outcome, Answer)
    assert tuple(sentence.text for sentence in outcome.sentences) == SAID
    assert [sentence.citations for sentence in outcome.sentences] == [(1,), (2,), (3,), (4,)]
    assert outcome.unanswered == ()


async def test_a_question_of_a_message_that_nothing_answers_is_named_and_the_others_answered(
    several: Parts,
) -> None:
    message = f"{ASKED[0]} Who feeds the director's parrot? {ASKED[2]}"
    outcome = await several.pipeline.answer(message)
    assert isinstance(outcome, Answer)
    assert [sentence.text for sentence in outcome.sentences] == [SAID[0], SAID[2]]
    assert outcome.unanswered == ("Who feeds the director's parrot?",)


async def test_more_questions_than_a_message_may_hold_are_declined_in_words(several: Parts) -> None:
    outcome = await several.pipeline.answer(" ".join(f"Where is room {n}?" for n in range(9)))
    assert isinstance(outcome, Abstention)
    assert outcome.message == ("Those are too many questions for one message: ask at most 8.")


@pytest.mark.parametrize(
    ("message", "said"),
    [
        ("@U07QX4Z9K2M asks: how much may a hotel room in Graz cost?", SAID[0]),
        ("when are salaries paid? cc @U07QX4Z9K2M", SAID[1]),
        ("question from #C07AB12CD: when are salaries paid?", SAID[1]),
        ("when are salaries paid @W012A3CDE @S0614TZR7?", SAID[1]),
        (":wave: how is toner ordered? :printer::skin-tone-2: :flag-de:", SAID[2]),
    ],
)
async def test_ids_of_people_and_channels_and_emoji_are_not_looked_for_in_the_documents(
    several: Parts, message: str, said: str
) -> None:
    outcome = await several.pipeline.answer(message)
    assert isinstance(outcome, Answer)
    assert [sentence.text for sentence in outcome.sentences] == [said]


async def test_a_rewrite_on_another_subject_does_not_lose_what_was_asked_about(
    docs: Path, embedder: Embedder
) -> None:
    write(docs, many(0, 4))
    history = [Turn("user", "Where is the office?"), Turn("assistant", "In Linz.")]
    async with messages_api(Say([Block("Where are the badges and doors?")])) as api:
        key = {"anthropic_api_key": SecretStr(KEY), "anthropic_base_url": api.url}
        async with wired(docs, embedder, **key) as parts:
            await in_pool(parts, parts.index.sync)
            found = await parts.pipeline.search("how often are API keys rotated?", history)
    assert found.standalone == "Where are the badges and doors?"
    assert found.hits[0].chunk.doc == "keys.md"


async def test_an_abbreviation_is_answered_by_what_it_stands_for_and_the_reply_says_so(
    docs: Path, embedder: Embedder
) -> None:
    write(docs, {"pto.md": "# Paid time off\n\nPaid time off is 24 days a year.\n"})
    async with wired(docs, embedder) as parts:
        await in_pool(parts, parts.index.sync)
        outcome = await parts.pipeline.answer("How much PTO do I get?")
        assert isinstance(outcome, Answer)
        assert outcome.sentences[0].text == "Paid time off is 24 days a year."
        assert outcome.trace.notes == ("“PTO” was read as “paid time off”.",)
        plain = await parts.pipeline.answer("How often are API keys rotated?")
        assert plain.trace.notes == ()
