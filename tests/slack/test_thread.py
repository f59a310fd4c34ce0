"""History from the real client and the local Slack's own conversations.replies."""

import pytest

from bot.localslack import Json
from bot.slack.client import build_client
from bot.slack.route import Post
from bot.slack.thread import read_history
from bot.types import Turn
from tests.slack.conftest import Office


class Reader:
    """Reads the history of a new question in a thread of the office."""

    def __init__(self, office: Office) -> None:
        self.office = office
        self.client = build_client(office.settings())

    async def read(
        self, top: str, answers: dict[str, str] | None = None, max_tokens: int = 1_000
    ) -> list[Turn]:
        office = self.office
        ts = await office.mention("now?", thread_ts=top)
        return await read_history(
            self.client,
            Post(office.general, ts, top, office.ana, "now?", in_thread=True),
            bot_user_id=office.slack.bot_user_id,
            answers=answers or {},
            max_tokens=max_tokens,
        )


@pytest.fixture
def reader(office: Office) -> Reader:
    return Reader(office)


def message_at(office: Office, ts: str) -> Json:
    return next(m for m in office.slack.messages(office.general) if m["ts"] == ts)


async def test_a_thread_of_several_pages_is_read_to_its_newest_messages(reader: Reader) -> None:
    office = reader.office
    top = await office.slack.post(office.general, office.ana, "message 0")
    for n in range(1, 450):
        await office.slack.post(office.general, office.ana, f"message {n}", thread_ts=top)
    turns = await reader.read(top, max_tokens=100_000)
    assert len(turns) == 100
    assert turns[0] == Turn("user", "message 350")
    assert turns[-1] == Turn("user", "message 449")
    assert len([c for c in office.slack.calls if c.method == "conversations.replies"]) == 3


async def test_the_newest_messages_that_fit_are_kept(reader: Reader) -> None:
    office = reader.office
    top = await office.slack.post(office.general, office.ana, "a" * 400)
    for letter in "bcd":
        await office.slack.post(office.general, office.ana, letter * 40, thread_ts=top)
    assert [turn.text[0] for turn in await reader.read(top, max_tokens=25)] == ["c", "d"]


async def test_later_messages_and_the_question_itself_are_no_history(reader: Reader) -> None:
    office = reader.office
    top = await office.slack.post(office.general, office.ana, "before")
    ts = await office.slack.post(office.general, office.ana, "the question", thread_ts=top)
    await office.slack.post(office.general, office.ana, "after", thread_ts=top)
    turns = await read_history(
        reader.client,
        Post(office.general, ts, top, office.ana, "the question", in_thread=True),
        bot_user_id=office.slack.bot_user_id,
        answers={},
        max_tokens=100,
    )
    assert turns == [Turn("user", "before")]


async def test_the_bots_own_turns_are_the_answers_on_record_in_full(reader: Reader) -> None:
    office = reader.office
    top = await office.slack.post(office.general, office.ana, "How much leave?")
    posted = [
        await reader.client.chat_postMessage(channel=office.general, thread_ts=top, text=text)
        for text in ("Something went wrong (ref 1a2b).", "cut short…")
    ]
    turns = await reader.read(top, {str(posted[1]["ts"]): "The whole answer."})
    assert turns == [Turn("user", "How much leave?"), Turn("assistant", "The whole answer.")]


async def test_other_bots_and_joins_are_no_turns(reader: Reader) -> None:
    office = reader.office
    top = await office.slack.post(office.general, office.ana, "Deployed?")
    other = office.slack.add_user("deploys", is_bot=True)
    await office.slack.join(office.general, other)
    await office.slack.post(office.general, other, "Deployed v2", thread_ts=top)
    assert await reader.read(top) == [Turn("user", "Deployed?")]


async def test_a_message_that_is_blocks_alone_is_read_from_them(reader: Reader) -> None:
    office = reader.office
    top = await office.slack.post(office.general, office.ana, "in blocks <https://x.y|a link>")
    message_at(office, top)["text"] = ""
    [turn] = await reader.read(top)
    assert turn.role == "user"
    assert "in blocks" in turn.text
    assert "a link" in turn.text


async def test_a_first_question_asks_slack_for_nothing(reader: Reader) -> None:
    office = reader.office
    ts = await office.mention("now?")
    post = Post(office.general, ts, ts, office.ana, "now?", in_thread=False)
    history = await read_history(
        reader.client, post, bot_user_id="U0", answers={}, max_tokens=1_000
    )
    assert history == []
    assert office.slack.calls == []
