"""Thumbs under an answer."""

import pytest
from sqlalchemy import text

from bot.localslack import Json
from bot.slack.feedback import build_reasons_view
from bot.slack.origin import Origin
from tests.slack.conftest import Office, abstention, until
from tests.slack.test_app import place_late


def opinions(office: Office) -> list[tuple[str, str, str, str]]:
    with office.record._engine.connect() as connection:
        rows = connection.execute(text("SELECT user, value, reason, text FROM feedback"))
        return [tuple(row) for row in rows]


async def press(office: Office, message: Json, value: str, user: str = "") -> None:
    channel, ts = office.general, message["ts"]
    await office.slack.click(channel, ts, "feedback", user or office.ana, value=value)


async def test_a_thumb_up_is_kept_thanked_for_and_undone_by_pressing_it_again(bot: Office) -> None:
    message = await bot.ask("How much leave?")
    await press(bot, message, "up")
    thanks = await bot.slack.wait_for_ephemeral(bot.ana)
    assert thanks["text"].startswith("Thank you.")
    assert thanks["thread_ts"] == message["thread_ts"]
    assert opinions(bot) == [(bot.ana, "up", "", "")]
    await press(bot, message, "up")
    taken = await bot.slack.wait_for_ephemeral(bot.ana, count=2)
    assert taken["text"] == "Your thumb is taken back."
    assert opinions(bot) == []
    assert len(bot.from_bot()) == 1


async def test_a_thumb_down_asks_why_and_keeps_it(bot: Office) -> None:
    message = await bot.ask("How much leave?")
    await press(bot, message, "down")
    view = await bot.slack.wait_for_view(bot.ana)
    assert view["title"]["text"] == "Not helpful"
    await until(lambda: opinions(bot) == [(bot.ana, "down", "", "")])
    await bot.slack.submit_view(
        bot.ana, {"reason": {"reason": "outdated"}, "words": {"words": "It is 30 <days> now."}}
    )
    await until(lambda: opinions(bot) == [(bot.ana, "down", "outdated", "It is 30 <days> now.")])
    assert bot.slack.views[bot.ana] == []
    assert bot.slack.refusals == []


async def test_a_thumb_down_without_a_word_is_kept_too(bot: Office) -> None:
    message = await bot.ask("How much leave?")
    await press(bot, message, "down")
    await bot.slack.wait_for_view(bot.ana)
    await bot.slack.submit_view(bot.ana, {"reason": {"reason": "wrong"}})
    await until(lambda: opinions(bot) == [(bot.ana, "down", "wrong", "")])


async def test_a_thumb_that_is_ahead_of_the_record_is_kept(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    place_late(office, monkeypatch)
    async with office.running():
        message = await office.ask("How much leave?")
        await press(office, message, "up")
        assert (await office.slack.wait_for_ephemeral(office.ana))["text"].startswith("Thank you.")


async def test_each_person_has_one_thumb_also_under_an_abstention(bot: Office) -> None:
    bot.answers.outcome = abstention
    ben = bot.slack.add_user("ben")
    await bot.slack.join(bot.general, ben)
    message = await bot.ask("Who won?")
    await press(bot, message, "up")
    await press(bot, message, "down", user=ben)
    await until(
        lambda: sorted(opinions(bot)) == sorted([(bot.ana, "up", "", ""), (ben, "down", "", "")])
    )


async def test_a_thumb_under_a_message_of_long_ago_is_kept_after_a_restart(
    office: Office,
) -> None:
    async with office.running():
        message = await office.ask("How much leave?")
    office.slack.clock.advance(400 * 24 * 3600)
    office.restart()
    async with office.running():
        await press(office, message, "up")
        await until(lambda: opinions(office))


def test_the_form_remembers_where_it_was_opened() -> None:
    view = build_reasons_view(Origin("C1", "5.0"))
    assert Origin.read(str(view["private_metadata"])) == Origin("C1", "5.0")
