"""Answers that appear as they are written, in the real app against the local Slack."""

import asyncio
import json
import time
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from bot.localslack import Json
from bot.slack.body import markdown
from bot.slack.render import build_message
from bot.slack.streams import Starts
from bot.types import Answer, Citation, Outcome, Sentence
from tests.slack.conftest import LEAVE, Office, abstention, cite, leave_answer, trace_of

FIRST = "Employees get 25 days of paid leave a year. [1]"
WHOLE = f"{FIRST} Short flights are in economy. [2]"


@pytest.fixture
async def writer(bot: Office) -> Office:
    """The app with answers that are told sentence by sentence, in a direct message."""
    bot.answers.writes, bot.here = True, bot.dm
    return bot


def methods(office: Office) -> list[str]:
    return [call.method for call in office.slack.calls if call.method.startswith("chat.")]


def bare(blocks: list[Json]) -> list[Json]:
    """Blocks without the ids that Slack gives them."""
    return [{k: v for k, v in block.items() if k != "block_id"} for block in blocks]


def shown(office: Office) -> str:
    """What the bot's one message says so far."""
    [message] = office.from_bot()
    return str(message["blocks"][0]["text"])


def hold_after_first(office: Office) -> asyncio.Event:
    """Let the answer rest after its first sentence until the event is set."""
    go_on = asyncio.Event()

    async def between(n: int) -> None:
        if n == 1:
            await go_on.wait()

    office.answers.between = between
    return go_on


async def begun(office: Office) -> tuple[Json, asyncio.Event]:
    """A message that shows its first sentence, and what lets it go on."""
    go_on = hold_after_first(office)
    await office.mention("How much leave?")
    await office.slack.wait_for(office.from_bot)
    return office.from_bot()[0], go_on


async def finished(office: Office, message: Json) -> Json:
    return await office.slack.wait_for_message(office.here, thread_ts=message["thread_ts"])


async def test_a_sentence_is_shown_once_it_is_verified_and_its_sources_at_the_end(
    writer: Office,
) -> None:
    message, go_on = await begun(writer)
    assert shown(writer) == FIRST
    assert len(message["blocks"]) == 1
    go_on.set()
    done = await finished(writer, message)
    assert done["ts"] == message["ts"]
    assert bare(done["blocks"]) == bare(build_message(leave_answer()).blocks)
    assert len(writer.from_bot()) == 1
    assert methods(writer) == ["chat.startStream", "chat.stopStream"]
    assert writer.slack.refusals == []
    await writer.slack.settled()
    assert writer.record.said_in(writer.here, message["thread_ts"])
    thread = (writer.here, message["thread_ts"])
    await writer.slack.wait_for(lambda: writer.slack.status(*thread) == "")


async def test_in_a_channel_everybody_sees_nothing_of_an_answer_and_then_the_whole(
    bot: Office,
) -> None:
    bot.answers.writes = True
    go_on = hold_after_first(bot)
    ts = await bot.mention("How much leave?")
    where = (bot.general, ts)
    await bot.slack.wait_for(lambda: bot.slack.status(*where) == "is reading 5 passages…")
    await asyncio.sleep(0.5)  # longer than a sentence waits for its turn in a stream
    assert methods(bot) == []
    go_on.set()
    message = await bot.slack.wait_for_message(bot.general, thread_ts=ts)
    assert message["blocks"][0]["text"] == WHOLE
    assert methods(bot) == ["chat.postMessage"]


async def test_in_a_private_channel_nothing_is_streamed(bot: Office) -> None:
    bot.answers.writes = True
    bot.here = bot.slack.add_channel("board", [bot.ana], private=True)
    message = await bot.ask("How much leave?")
    assert message["blocks"][0]["text"] == WHOLE
    assert methods(bot) == ["chat.postMessage"]


async def test_sentences_that_come_fast_are_sent_together(writer: Office) -> None:
    sentences = tuple(Sentence(f"Rule {n} holds.", (1,)) for n in range(20))

    async def between(_n: int) -> None:
        await asyncio.sleep(0.02)

    writer.answers.between = between
    writer.answers.outcome = lambda q: Answer(
        sentences, (cite(1, LEAVE, "Contractors get 10 days."),), trace_of(q)
    )
    message = await writer.ask("Which rules?")
    assert all(f"Rule {n} holds." in message["blocks"][0]["text"] for n in range(20))
    assert methods(writer).count("chat.appendStream") <= 3


async def test_an_abstention_begins_no_stream(writer: Office) -> None:
    writer.answers.outcome = abstention
    await writer.ask("Who won?")
    assert methods(writer) == ["chat.postMessage"]


async def die_of_age(office: Office, _message: Json) -> None:
    office.slack.clock.advance(301)


async def die_by_a_press_on_stop(office: Office, message: Json) -> None:
    await office.slack.stop_stream(office.here, message["ts"], office.ana)


async def die_of_an_error(office: Office, _message: Json) -> None:
    office.slack.faults.fail("chat.stopStream", "internal_error", times=1)


async def die_while_appending(office: Office, _message: Json) -> None:
    office.slack.faults.fail("chat.appendStream", "message_not_in_streaming_state", times=9)
    office.answers.between = lambda _n: asyncio.sleep(0.8)


async def die_of_a_cut_connection(office: Office, _message: Json) -> None:
    office.slack.faults.hang_up("chat.stopStream", times=9)


@pytest.mark.parametrize(
    "die",
    [
        die_of_age,
        die_by_a_press_on_stop,
        die_of_an_error,
        die_while_appending,
    ],
)
async def test_a_stream_that_dies_ends_in_one_whole_message(
    writer: Office, die: Callable[[Office, Json], Awaitable[None]]
) -> None:
    message, go_on = await begun(writer)
    await die(writer, message)
    go_on.set()
    whole = bare(build_message(leave_answer()).blocks)
    await writer.slack.wait_for(lambda: bare(writer.from_bot()[0]["blocks"]) == whole)
    assert len(writer.from_bot()) == 1
    assert methods(writer).count("chat.update") == 1
    await writer.slack.click(writer.here, message["ts"], "cite:1", writer.ana)
    view = await writer.slack.wait_for_view(writer.ana)
    assert view["title"]["text"] == "Citation 1"


async def test_a_stream_that_cannot_begin_becomes_a_plain_message(writer: Office) -> None:
    writer.slack.faults.fail("chat.startStream", "method_not_supported_for_channel_type", times=9)
    message = await writer.ask("How much leave?")
    assert message["blocks"][0]["text"] == WHOLE
    assert methods(writer).count("chat.postMessage") == 1


async def test_more_answers_than_streams_may_begin_are_plain_messages(
    writer: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.slack.streams.STARTS_A_MINUTE", 18)
    for n in range(20):
        await writer.ask(f"How much leave in year {n}?")
    assert methods(writer).count("chat.startStream") == 18
    assert methods(writer).count("chat.postMessage") == 2


def test_streams_may_begin_again_after_a_minute() -> None:
    now = [0.0]
    starts = Starts(2, clock=lambda: now[0])
    assert [starts.take() for _ in range(3)] == [True, True, False]
    now[0] = 59.9
    assert not starts.take()
    now[0] = 60.0
    assert [starts.take() for _ in range(3)] == [True, True, False]


async def test_a_failure_in_the_middle_keeps_what_passed_and_says_that_it_is_not_whole(
    writer: Office,
) -> None:
    message, go_on = await begun(writer)
    writer.answers.error = RuntimeError("the model is gone")
    go_on.set()
    done = await finished(writer, message)
    assert done["blocks"][0]["text"] == WHOLE
    assert "The answer is incomplete" in json.dumps(done["blocks"])
    assert len(writer.from_bot()) == 1
    [said] = writer.record.said_in(writer.here, message["thread_ts"])
    assert said.text.startswith("Employees get 25 days")


async def test_the_end_of_the_app_in_the_middle_leaves_a_message_that_says_so(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.slack.app.DRAIN_LIMIT_S", 0.1)
    office.answers.writes, office.here = True, office.dm
    async with office.running():
        message, _ = await begun(office)
    [done] = office.from_bot()
    assert done["ts"] == message["ts"]
    assert done["blocks"][0]["text"] == FIRST
    assert "The answer is incomplete" in json.dumps(done["blocks"])
    assert office.record.answer_at(office.here, done["ts"]) is not None


async def test_a_table_appears_as_a_block_when_the_stream_ends(writer: Office) -> None:
    table = "| Plan | Price |\n|---|---|\n| Pro | 10 |"

    def outcome(question: str) -> Outcome:
        sentences = (Sentence("The plans:", (1,)), Sentence(table, (1,)), Sentence("Done.", (1,)))
        citations = (cite(1, LEAVE, "Contractors get 10 days."),)
        return Answer(sentences, citations, trace_of(question))

    writer.answers.outcome = outcome
    go_on = hold_after_first(writer)
    await writer.mention("Which plans?")
    await writer.slack.wait_for(writer.from_bot)
    assert shown(writer) == "The plans: [1]"
    go_on.set()
    done = await finished(writer, writer.from_bot()[0])
    assert [block["type"] for block in done["blocks"][:3]] == ["markdown", "table", "markdown"]
    assert writer.slack.refusals == []


async def test_a_table_that_was_shown_as_text_becomes_a_block_all_the_same(
    writer: Office,
) -> None:
    table = "Plan | Price\n--- | ---\nPro | 10"
    cited = (cite(1, LEAVE, "Contractors get 10 days."),)
    writer.answers.outcome = lambda q: Answer((Sentence(table, (1,)),), cited, trace_of(q))
    message = await writer.ask("Which plans?")
    await writer.slack.wait_for(lambda: writer.from_bot()[0]["blocks"][0]["type"] == "table")
    assert [m["ts"] for m in writer.from_bot()] == [message["ts"]]
    assert methods(writer) == ["chat.startStream", "chat.stopStream", "chat.update"]


async def test_a_stream_takes_no_more_than_a_message_and_leaves_room_for_sources(
    writer: Office,
) -> None:
    long = tuple(Sentence(f"Rule {n} is " + "very " * 60 + "long.", (1,)) for n in range(60))
    cited: tuple[Citation, ...] = (cite(1, LEAVE, "Contractors get 10 days."),)
    writer.answers.outcome = lambda q: Answer(long, cited, trace_of(q))
    writer.answers.between = lambda n: asyncio.sleep(0.5 if n == 50 else 0)
    message = await writer.ask("Which rules?")
    words = json.dumps(message["blocks"])
    assert methods(writer) == ["chat.startStream", "chat.appendStream", "chat.stopStream"]
    assert "it is cut here" in words
    assert "cite:1" in words
    assert writer.slack.refusals == []


async def test_the_status_counts_documents_then_passages(bot: Office) -> None:
    bot.answers.gate = asyncio.Event()
    seen: list[str] = []
    ts = await bot.mention("How much leave?")

    def reading() -> bool:
        seen.append(bot.slack.status(bot.general, ts))
        return seen[-1] == "is reading 5 passages…"

    await bot.slack.wait_for(reading)
    told = [c.args["status"] for c in bot.slack.calls if c.method.endswith("setStatus")]
    assert told == ["is searching 1,240 documents…", "is reading 5 passages…"]
    bot.answers.gate.set()
    await bot.slack.wait_for_message(bot.general, thread_ts=ts)
    await bot.slack.wait_for(lambda: bot.slack.status(bot.general, ts) == "")


async def test_fifty_mentions_at_once_each_have_a_status_within_a_second(office: Office) -> None:
    office.answers.gate = asyncio.Event()
    async with office.running():
        posts = [await office.mention(f"Question {n}?") for n in range(50)]
        start = time.process_time()  # the machine may be busy with other things
        await office.slack.wait_for(
            lambda: all(office.slack.status(office.here, ts) for ts in posts)
        )
        assert time.process_time() - start < 1.0
        office.answers.gate.set()


def test_markdown_is_the_first_block_of_an_answer() -> None:
    message: Any = build_message(leave_answer())
    assert message.blocks[0] == markdown(WHOLE)
    assert message.lead == WHOLE
