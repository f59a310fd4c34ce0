"""The app's own page, help, and the questions that are suggested."""

import asyncio
import json
from typing import Any

import pytest

from bot.localslack.limits import check_view
from bot.questions.smalltalk import is_help
from bot.slack.help import example_questions
from bot.slack.home import build_home
from ingest.library import Overview, Topic
from ingest.types import Failure
from tests.slack.conftest import LEAVE, TRAVEL, Office, until

EXAMPLES = [
    "What does “Handbook” say about “Leave”?",
    "What does “Travel” say about “Flights”?",
    "Why VPN?",
]


def words_of(node: Any) -> str:
    return json.dumps(node, ensure_ascii=False)


async def test_the_home_tab_tells_what_is_indexed_and_what_to_ask(bot: Office) -> None:
    await bot.slack.open_home(bot.ana, tab="home")
    await bot.slack.wait_for(lambda: bot.slack.home(bot.ana))
    words = words_of(bot.slack.home(bot.ana))
    for told in (
        "*1,240* documents, *8,123* passages",
        "Last sync: 2026-11-30 09:00 UTC",
        "Handbook (people/handbook.md), 2026-11-29",
        "old.md: It is not UTF-8.",
        *EXAMPLES,
    ):
        assert told in words
    assert bot.slack.refusals == []
    await bot.slack.open_home(bot.ana, tab="home")
    await bot.slack.settled()
    assert bot.from_bot() == []


async def test_the_home_tab_says_what_becomes_of_what_is_asked_in_private(bot: Office) -> None:
    await bot.slack.open_home(bot.ana, tab="home")
    await bot.slack.wait_for(lambda: bot.slack.home(bot.ana))
    (told,) = [b for b in bot.slack.home(bot.ana)["blocks"] if "private" in words_of(b)]
    assert told["type"] == "context"
    (element,) = told["elements"]
    assert element["text"] == (
        "What you ask in a direct message or a private channel is in no list, digest or export,"
        " unless you press “Ask the owners” yourself."
    )


async def test_the_messages_tab_suggests_questions_and_greets_once(bot: Office) -> None:
    for _ in range(2):
        await bot.slack.open_home(bot.ana, tab="messages")
    greeting = await bot.slack.wait_for_message(bot.dm)
    await bot.slack.settled()
    await bot.slack.wait_for(lambda: bot.slack.prompts(bot.dm))
    assert [prompt["message"] for prompt in bot.slack.prompts(bot.dm)] == EXAMPLES
    await bot.slack.open_home(bot.ana, tab="messages")
    await bot.slack.settled()
    assert len(bot.slack.messages(bot.dm)) == 1
    assert "I answer questions from the company's documents (1,240 of them)." in greeting["text"]
    assert bot.slack.refusals == []


async def test_somebody_who_has_written_before_is_not_greeted(bot: Office) -> None:
    ts = await bot.slack.post(bot.dm, bot.ana, "How much leave?")
    await bot.slack.wait_for_message(bot.dm, thread_ts=ts)
    await bot.slack.open_home(bot.ana, tab="messages")
    await bot.slack.wait_for(lambda: bot.slack.prompts(bot.dm))
    await bot.slack.settled()
    await asyncio.sleep(0.3)
    assert len(bot.slack.messages(bot.dm)) == 2


@pytest.mark.parametrize("typed", ["", "help", "Hello!", " … "])
async def test_an_empty_mention_a_greeting_or_help_explains_in_three_lines(
    bot: Office, typed: str
) -> None:
    message = await bot.ask(typed)
    first, second = message["blocks"]
    assert len(first["text"]["text"].split("\n")) == 3
    assert second["text"]["text"].split("\n")[1:] == [f"• {question}" for question in EXAMPLES]
    assert bot.answers.asked == []
    assert bot.slack.refusals == []


async def test_help_is_given_once_for_a_mention_that_comes_again(office: Office) -> None:
    async with office.running():
        await office.ask("help")
        await office.slack.settled()
    office.restart()
    async with office.running():
        for event in list(office.slack.events):
            await office.slack.faults.redeliver(event.event_id)
        await office.slack.settled()
    assert len(office.from_bot()) == 1


async def test_rag_source_alone_lists_what_was_last_cited_to_this_person(bot: Office) -> None:
    await bot.ask("How much leave?")
    await until(lambda: bot.record.last_cited(bot.ana))
    await bot.slack.command(bot.general, bot.ana, "/rag-source", "")
    listed = await bot.slack.wait_for_ephemeral(bot.ana)
    words = words_of(listed["blocks"])
    assert f"`{LEAVE.id}` people/handbook.md › Handbook › Benefits › Leave" in words
    assert f"`{TRAVEL.id}` people/travel.md › Travel › Flights" in words
    await bot.slack.click(bot.general, listed["ts"], "shown:2", bot.ana)
    view = await bot.slack.wait_for_view(bot.ana)
    assert "economy class" in words_of(view)
    ben = bot.slack.add_user("ben")
    await bot.slack.join(bot.general, ben)
    await bot.slack.command(bot.general, ben, "/rag-source", "")
    assert LEAVE.id not in words_of(await bot.slack.wait_for_ephemeral(ben))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", True),
        ("?!", True),
        ("help", True),
        ("Hi there", True),
        ("good morning", True),
        ("What can you do?", True),
        ("help me with leave", False),
        ("hi, how much leave?", False),
        ("字", False),
    ],
)
def test_help_is_for_those_who_ask_nothing_else(text: str, expected: bool) -> None:  # noqa: FBT001
    assert is_help(text) is expected


def test_long_headings_make_questions_that_fit() -> None:
    [question] = example_questions([Topic("T" * 500, "H" * 500)])
    assert len(question) <= 160


def test_the_home_tab_before_the_first_sync_and_with_many_faults_is_taken() -> None:
    faults = tuple(Failure(f"<{n}>.md", "It is broken. " * 40) for n in range(90))
    view: Any = build_home(Overview(0, 0, None, faults, ()), [])
    check_view(view, "home")
    words = words_of(view)
    assert "No sync has ended yet." in words
    assert "and 85 more" in words
    assert "For example" not in words
