"""Whom the bot answers, what it leaves alone, and what refusals of Slack are told as."""

from typing import Any

import pytest

from tests.slack.conftest import LEAVE, Office

SHARED = "shared with another company"
GUEST = "I answer members of the workspace only."


def texts(office: Office, channel: str) -> list[str]:
    return [
        message["text"]
        for message in office.slack.messages(channel)
        if message["user"] == office.slack.bot_user_id
    ]


async def ask(office: Office, channel: str, user: str, thread_ts: str | None = None) -> str:
    words = f"<@{office.slack.bot_user_id}> How much leave?"
    return await office.slack.post(channel, user, words, thread_ts=thread_ts)


async def test_a_shared_channel_is_refused_politely_once_a_thread(bot: Office) -> None:
    channel = bot.slack.add_channel("with-acme", [bot.ana], ext_shared=True)
    top = await ask(bot, channel, bot.ana)
    told = await bot.slack.wait_for_message(channel, thread_ts=top)
    assert SHARED in told["text"]
    await ask(bot, channel, bot.ana, thread_ts=top)
    other = await ask(bot, channel, bot.ana)
    await bot.slack.wait_for_message(channel, thread_ts=other)
    assert len(texts(bot, channel)) == 2
    assert bot.answers.asked == []


async def test_a_person_of_another_company_is_refused(bot: Office) -> None:
    stranger = bot.slack.add_user("eve", team_id="T0ACME")
    await bot.slack.join(bot.general, stranger)
    top = await ask(bot, bot.general, stranger)
    assert SHARED in (await bot.slack.wait_for_message(bot.general, thread_ts=top))["text"]
    assert bot.answers.asked == []


async def test_a_guest_is_refused_and_members_in_the_same_thread_are_not(bot: Office) -> None:
    guest = bot.slack.add_user("gil", guest=True)
    await bot.slack.join(bot.general, guest)
    top = await ask(bot, bot.general, guest)
    told = await bot.slack.wait_for_message(bot.general, thread_ts=top)
    assert told["text"].startswith(GUEST)
    ts = await ask(bot, bot.general, bot.ana, thread_ts=top)
    answer = await bot.slack.wait_for_message(bot.general, thread_ts=top, after=ts)
    assert answer["blocks"][0]["text"].startswith("Employees get 25 days")
    await ask(bot, bot.general, guest, thread_ts=top)
    await bot.slack.settled()
    assert len(bot.answers.asked) == 1


async def test_settings_let_others_in(office: Office) -> None:
    guest = office.slack.add_user("gil", guest=True)
    channel = office.slack.add_channel("with-acme", [guest], ext_shared=True)
    async with office.running(answer_shared=True, answer_guests=True):
        top = await ask(office, channel, guest)
        message = await office.slack.wait_for_message(channel, thread_ts=top)
    assert message["blocks"][0]["text"].startswith("Employees get 25 days")


async def test_a_guest_opens_no_passage_by_its_id_and_sees_no_figures(bot: Office) -> None:
    guest = bot.slack.add_user("gil", guest=True)
    await bot.slack.join(bot.general, guest)
    await bot.slack.command(bot.general, guest, "/rag-source", LEAVE.id)
    assert (await bot.slack.wait_for_ephemeral(guest))["text"].startswith(GUEST)
    assert bot.slack.views[guest] == []
    await bot.slack.open_home(guest, tab="home")
    await bot.slack.wait_for(lambda: bot.slack.home(guest))
    home: Any = bot.slack.home(guest)
    assert [block["text"]["text"] for block in home["blocks"]] == [
        f"{GUEST} Please ask a colleague who is one."
    ]


async def test_an_app_that_may_not_see_people_answers_nobody_and_says_what_it_lacks(
    bot: Office, caplog: pytest.LogCaptureFixture
) -> None:
    bot.slack.faults.fail("users.info", "missing_scope", times=1)
    told = await bot.ask("How much leave?")
    assert "the app lacks the scope `users:read`" in told["text"]
    assert bot.answers.asked == []
    assert "the app lacks a scope: give it what manifest.yml lists" in caplog.text


@pytest.mark.parametrize(
    ("error", "words"),
    [
        ("is_archived", "that channel is archived"),
        ("not_in_channel", "the bot is not in that channel: invite it there"),
        ("token_revoked", "SLACK_BOT_TOKEN is not valid any more"),
        ("missing_scope", "the app lacks a scope"),
    ],
)
async def test_what_slack_refuses_is_told_in_words_without_a_trace(
    bot: Office, caplog: pytest.LogCaptureFixture, error: str, words: str
) -> None:
    bot.slack.faults.fail("chat.postMessage", error, times=2)
    await bot.mention("How much leave?")
    await bot.slack.wait_for(lambda: caplog.text.count(words) == 2)
    assert "Traceback" not in caplog.text


async def test_thanks_and_replies_to_others_in_an_answered_thread_are_left_alone(
    bot: Office,
) -> None:
    ben = bot.slack.add_user("ben")
    await bot.slack.join(bot.general, ben)
    top = (await bot.ask("How much leave?"))["thread_ts"]
    for words in ("Thanks!", f"<@{ben}> did you know?", ":tada:"):
        await bot.slack.post(bot.general, bot.ana, words, thread_ts=top)
    await bot.slack.post(bot.general, bot.ana, "And for contractors?", thread_ts=top)
    await bot.slack.wait_for(lambda: len(bot.answers.asked) == 2)
    await bot.slack.settled()
    assert [question for question, _ in bot.answers.asked] == [
        "How much leave?",
        "And for contractors?",
    ]


async def test_with_mention_only_a_plain_reply_is_left_alone(office: Office) -> None:
    async with office.running(mention_only=True):
        top = (await office.ask("How much leave?"))["thread_ts"]
        await office.slack.post(office.general, office.ana, "And flights?", thread_ts=top)
        await office.ask("And contractors?", thread_ts=top)
    assert [question for question, _ in office.answers.asked] == [
        "How much leave?",
        "And contractors?",
    ]


async def test_a_changed_message_is_read_as_it_is_now(bot: Office) -> None:
    top = await bot.slack.post(bot.general, bot.ana, "I fly to Oslo")
    await bot.ask("which class?", thread_ts=top)
    await bot.slack.edit(bot.general, top, "I fly to Rome")
    await bot.slack.settled()
    await bot.ask("and the train?", thread_ts=top)
    assert bot.answers.asked[1][1][0].text == "I fly to Rome"


async def test_two_people_in_one_thread_keep_their_own_line(bot: Office) -> None:
    ben = bot.slack.add_user("ben")
    await bot.slack.join(bot.general, ben)
    top = (await bot.ask("How much leave?"))["thread_ts"]
    ts = await ask(bot, bot.general, ben, thread_ts=top)
    await bot.slack.wait_for_message(bot.general, thread_ts=top, after=ts)
    ts = await bot.slack.post(bot.general, ben, "And flights?", thread_ts=top)
    await bot.slack.wait_for_message(bot.general, thread_ts=top, after=ts)
    assert bot.answers.asked[1][1][0].text == "ana: How much leave?"
    assert [(turn.role, turn.text[:15]) for turn in bot.answers.asked[2][1]] == [
        ("user", "How much leave?"),
        ("assistant", "Employees get 2"),
    ]


async def test_a_question_with_a_file_is_answered_and_a_file_alone_is_not(bot: Office) -> None:
    dm = bot.slack._store.channels[bot.dm]
    shared = {"type": "message", "subtype": "file_share", "user": bot.ana, "files": [{"id": "F1"}]}
    bot.slack._ws.add(dm, {**shared, "text": ""}, None)
    asked = bot.slack._ws.add(dm, {**shared, "text": "How much leave?"}, None)
    answer = await bot.slack.wait_for_message(bot.dm, thread_ts=asked["ts"])
    assert answer["blocks"][0]["text"].startswith("Employees get 25 days")
    await bot.slack.settled()
    assert [question for question, _ in bot.answers.asked] == ["How much leave?"]
