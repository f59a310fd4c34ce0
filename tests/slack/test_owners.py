"""Questions that the documents do not answer, on their way to the owners."""

import json
from dataclasses import replace

import pytest

from bot.localslack import Json
from bot.types import Abstention
from tests.slack.conftest import Office, abstention, leave_answer


def unanswered(question: str) -> Abstention:
    found = abstention(question)
    return replace(found, trace=replace(found.trace, standalone="Who won the <cup>?"))


@pytest.fixture
def owners(office: Office) -> str:
    """The channel of the documents' owners."""
    office.answers.outcome = unanswered
    return office.slack.add_channel("owners")


async def press(office: Office, message: Json) -> None:
    await office.slack.click(office.general, message["ts"], "owners", office.ana)


def offers(message: Json) -> bool:
    return '"owners"' in json.dumps(message["blocks"])


async def test_the_owners_get_the_question_once_with_a_link_back(
    office: Office, owners: str
) -> None:
    async with office.running(owners_channel=owners):
        message = await office.ask("Who won <!channel>?")
        assert offers(message)
        await press(office, message)
        posted = await office.slack.wait_for_message(owners)
        await office.slack.wait_for(lambda: not offers(office.from_bot()[0]))
    words = json.dumps(posted["blocks"])
    link = f"https://local.slack.com/archives/{office.general}/p{message['ts'].replace('.', '')}"
    link += f"?thread_ts={message['thread_ts']}&cid={office.general}"
    assert "asked what the documents do not answer:" in words
    assert "It was understood as: Who won the <cup>?" in words
    assert office.slack.live_marks({"blocks": posted["blocks"]}) == [
        f"<@{office.ana}>",
        f"<{link}|Open the conversation>",
    ]
    assert "The owners of the documents were asked." in json.dumps(office.from_bot()[0])
    assert office.slack.refusals == []


async def test_a_second_press_asks_nobody_again(office: Office, owners: str) -> None:
    async with office.running(owners_channel=owners):
        message = await office.ask("Who won?")
        office.slack.faults.fail("chat.update", "internal_error", times=1)
        await press(office, message)
        await office.slack.wait_for_message(owners)
        await press(office, message)
        await office.slack.wait_for(lambda: not offers(office.from_bot()[0]))
    assert len(office.slack.messages(owners)) == 1


async def test_a_channel_without_the_bot_is_told_in_words_and_can_be_tried_again(
    office: Office, caplog: pytest.LogCaptureFixture
) -> None:
    office.answers.outcome = unanswered
    owners = office.slack.add_channel("owners", with_bot=False)
    async with office.running(owners_channel=owners):
        message = await office.ask("Who won?")
        await press(office, message)
        told = await office.slack.wait_for_ephemeral(office.ana)
        assert told["text"] == (
            "The owners could not be asked: the bot is not in that channel: invite it there."
        )
        assert "invite it there" in caplog.text
        assert offers(office.from_bot()[0])
        await office.slack.join(owners, office.slack.bot_user_id)
        await press(office, message)
        await office.slack.wait_for_message(owners)


async def test_a_question_that_is_not_on_record_any_more_is_not_said_to_be_sent(
    office: Office, owners: str
) -> None:
    async with office.running(owners_channel=owners):
        message = await office.ask("Who won?")
        await office.slack.settled()
        office.record.prune(-1)
        await press(office, message)
        told = await office.slack.wait_for_ephemeral(office.ana)
    assert told["text"] == (
        "The owners could not be asked: the question is not on record any more."
    )
    assert office.slack.messages(owners) == []


async def test_nobody_is_offered_without_the_setting_or_for_an_answer(
    office: Office, owners: str
) -> None:
    async with office.running():
        assert not offers(await office.ask("Who won?"))
    office.restart()
    async with office.running(owners_channel=owners):
        office.answers.outcome = leave_answer
        assert not offers(await office.ask("How much leave?"))
        office.answers.outcome = lambda q: replace(abstention(q), reason="long_question")
        assert not offers(await office.ask("A very long one?"))
