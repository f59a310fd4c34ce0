"""History from the real client and the local Slack's own conversations.replies."""

import asyncio
from collections.abc import Sequence

import pytest

from bot.localslack import Json
from bot.slack.client import build_client
from bot.slack.people import People
from bot.slack.route import Post
from bot.slack.thread import Threads
from bot.stored import Said
from bot.types import Turn
from tests.slack.conftest import Office


def said(office: Office, ts: str, text: str, user: str = "", asked_at: str = "1.0") -> Said:
    return Said(ts, user or office.ana, float(asked_at), text)


class Reader:
    """Reads the history of a new question in a thread of the office."""

    def __init__(self, office: Office) -> None:
        self.office = office
        self.client = build_client(office.settings())
        self.threads = Threads(self.client, People(self.client), office.slack.bot_user_id)

    async def read(
        self, top: str, answers: Sequence[Said] = (), max_tokens: int = 1_000, user: str = ""
    ) -> list[Turn]:
        office = self.office
        user = user or office.ana
        words = f"<@{office.slack.bot_user_id}> now?"
        ts = await office.slack.post(office.general, user, words, thread_ts=top)
        post = Post(office.general, ts, top, user, "now?", in_thread=True)
        return await self.threads.read(post, answers, max_tokens)

    def calls(self) -> int:
        return len([c for c in self.office.slack.calls if c.method == "conversations.replies"])


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
    assert reader.calls() == 3


@pytest.mark.parametrize("pause_s", [0.0, 0.5])
async def test_of_a_thread_without_end_the_newest_messages_are_read_in_a_few_calls(
    reader: Reader, monkeypatch: pytest.MonkeyPatch, pause_s: float
) -> None:
    monkeypatch.setattr("bot.slack.thread.PAGE", 12)
    monkeypatch.setattr("bot.slack.thread.KEPT", 10)
    monkeypatch.setattr("bot.slack.thread.PAGES", 2)
    office = reader.office
    top = await office.slack.post(office.general, office.ana, "message 0")
    for n in range(1, 400):
        await office.slack.post(office.general, office.ana, f"message {n}", thread_ts=top)
        if n == 397:  # the last ones come long after the others
            await asyncio.sleep(pause_s)
    turns = await reader.read(top, max_tokens=100_000)
    assert [turn.text for turn in turns] == [f"message {n}" for n in range(390, 400)]
    assert reader.calls() <= 2 + 24


async def test_what_is_kept_of_threads_has_a_bound_in_characters(
    reader: Reader, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.slack.thread.CHARS_KEPT", 1_000)
    office = reader.office
    for _ in range(3):
        top = await office.slack.post(office.general, office.ana, "a" * 600)
        await reader.read(top)
    assert sum(len(line.text) for lines in reader.threads._known.values() for line in lines) == 600


async def test_the_newest_messages_that_fit_are_kept(reader: Reader) -> None:
    office = reader.office
    top = await office.slack.post(office.general, office.ana, "a" * 400)
    for letter in "bcd":
        await office.slack.post(office.general, office.ana, letter * 40, thread_ts=top)
    assert [turn.text[0] for turn in await reader.read(top, max_tokens=25)] == ["c", "d"]


async def test_a_long_paste_is_shortened_and_what_was_said_before_it_stays(
    reader: Reader,
) -> None:
    office = reader.office
    top = await office.slack.post(office.general, office.ana, "How much is the card?")
    pasted = "Look: " + "error 17 " * 1_500 + "why?"
    await office.slack.post(office.general, office.ana, pasted, thread_ts=top)
    first, paste = await reader.read(top, max_tokens=400)
    assert first == Turn("user", "How much is the card?")
    assert paste.text.startswith("Look: error 17")
    assert paste.text.endswith("error 17 why?")
    assert len(paste.text) <= 200


async def test_later_messages_and_the_question_itself_are_no_history(reader: Reader) -> None:
    office = reader.office
    top = await office.slack.post(office.general, office.ana, "before")
    ts = await office.slack.post(office.general, office.ana, "the question", thread_ts=top)
    await office.slack.post(office.general, office.ana, "after", thread_ts=top)
    post = Post(office.general, ts, top, office.ana, "the question", in_thread=True)
    turns = await reader.threads.read(post, (), 100)
    assert turns == [Turn("user", "before")]


async def test_the_bots_own_turns_are_the_answers_on_record_in_full(reader: Reader) -> None:
    office = reader.office
    top = await office.slack.post(office.general, office.ana, "How much leave?")
    posted = [
        await reader.client.chat_postMessage(channel=office.general, thread_ts=top, text=text)
        for text in ("Something went wrong (ref 1a2b).", "cut short…")
    ]
    turns = await reader.read(top, [said(office, str(posted[1]["ts"]), "The whole answer.")])
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
    history = await reader.threads.read(post, (), 1_000)
    assert history == []
    assert office.slack.calls == []


async def test_people_who_ask_in_one_thread_are_kept_apart(reader: Reader) -> None:
    office = reader.office
    ben = office.slack.add_user("Ben")
    await office.slack.join(office.general, ben)
    top = await office.slack.post(office.general, office.ana, "How much leave?")
    a1 = await reader.client.chat_postMessage(channel=office.general, thread_ts=top, text="25")
    q2 = await office.slack.post(office.general, ben, "Which flights?", thread_ts=top)
    a2 = await reader.client.chat_postMessage(channel=office.general, thread_ts=top, text="Eco")
    await office.slack.post(office.general, ben, "I leave on Monday", thread_ts=top)
    answers = [
        said(office, str(a1["ts"]), "25 days.", asked_at=top),
        said(office, str(a2["ts"]), "Economy.", user=ben, asked_at=q2),
    ]
    assert await reader.read(top, answers) == [
        Turn("user", "How much leave?"),
        Turn("assistant", "25 days."),
        Turn("user", "Ben: I leave on Monday"),
    ]
    assert await reader.read(top, answers, user=ben) == [
        Turn("user", "Which flights?"),
        Turn("assistant", "Economy."),
        Turn("user", "I leave on Monday"),
        Turn("user", "ana: now?"),
    ]


async def test_somebody_new_gets_on_with_what_others_asked(reader: Reader) -> None:
    office = reader.office
    ben = office.slack.add_user("Ben")
    await office.slack.join(office.general, ben)
    top = await office.slack.post(office.general, office.ana, "How much leave?")
    posted = await reader.client.chat_postMessage(channel=office.general, thread_ts=top, text="25")
    answers = [said(office, str(posted["ts"]), "25 days.", asked_at=top)]
    assert await reader.read(top, answers, user=ben) == [
        Turn("user", "ana: How much leave?"),
        Turn("assistant", "25 days."),
    ]


async def test_what_was_read_once_is_not_asked_for_again(reader: Reader) -> None:
    office = reader.office
    top = await office.slack.post(office.general, office.ana, "message 0")
    for n in range(1, 450):
        await office.slack.post(office.general, office.ana, f"message {n}", thread_ts=top)
    await reader.read(top)
    await office.slack.post(office.general, office.ana, "something new", thread_ts=top)
    turns = await reader.read(top)
    assert [turn.text for turn in turns[-3:]] == ["message 449", "now?", "something new"]
    assert reader.calls() == 4


async def test_a_thread_is_read_anew_after_a_change(reader: Reader) -> None:
    office = reader.office
    top = await office.slack.post(office.general, office.ana, "Ten days")
    await reader.read(top)
    await office.slack.edit(office.general, top, "Twelve days")
    reader.threads.forget(office.general, top)
    assert (await reader.read(top))[0] == Turn("user", "Twelve days")


async def test_what_was_said_after_a_question_is_no_history_though_it_is_remembered(
    reader: Reader,
) -> None:
    office = reader.office
    top = await office.slack.post(office.general, office.ana, "before")
    ts = await office.slack.post(office.general, office.ana, "a question", thread_ts=top)
    await office.slack.post(office.general, office.ana, "after", thread_ts=top)
    await reader.read(top)
    post = Post(office.general, ts, top, office.ana, "a question", in_thread=True)
    assert await reader.threads.read(post, (), 1_000) == [Turn("user", "before")]


async def test_without_bystanders_only_the_askers_own_words_and_answers_are_history(
    reader: Reader,
) -> None:
    office = reader.office
    bob = office.slack.add_user("bob")
    await office.slack.join(office.general, bob)
    top = await office.slack.post(office.general, office.ana, "How much is a hotel?")
    to_ana = await office.slack.post(
        office.general, office.slack.bot_user_id, "96 EUR.", thread_ts=top
    )
    asked = await office.slack.post(office.general, bob, "Is my pay 9?", thread_ts=top)
    to_ben = await office.slack.post(
        office.general, office.slack.bot_user_id, "It is.", thread_ts=top
    )
    said = [
        Said(to_ana, office.ana, float(top), "96 EUR."),
        Said(to_ben, bob, float(asked), "It is."),
    ]
    post = Post(office.general, "9999999999.0", top, office.ana, "and now?", in_thread=True)
    own = [Turn("user", "How much is a hotel?"), Turn("assistant", "96 EUR.")]
    assert await reader.threads.read(post, said, 1_000, bystanders=False) == own
    to_ben_alone = await reader.threads.read(post, said[1:], 1_000, bystanders=False)
    assert to_ben_alone == own[:1]
