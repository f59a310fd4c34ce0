"""An edit that adds the mention is the question; one of a post that was answered is none."""

from tests.slack.conftest import Office
from tests.slack.test_withdrawn import words_on_record


def mentioning(office: Office, words: str) -> str:
    return f"<@{office.slack.bot_user_id}> {words}"


async def test_an_edit_that_adds_the_mention_is_answered_once(bot: Office) -> None:
    ts = await bot.slack.post(bot.general, bot.ana, "How much leave?")
    await bot.slack.edit(bot.general, ts, mentioning(bot, "How much leave?"))
    await bot.slack.wait_for_message(bot.general, thread_ts=ts)
    await bot.slack.edit(bot.general, ts, mentioning(bot, "How much leave is there?"))
    for event in list(bot.slack.events):
        await bot.slack.faults.redeliver(event.event_id)
    await bot.slack.settled()
    await bot.ask("Anything else?")
    assert [question for question, _ in bot.answers.asked] == ["How much leave?", "Anything else?"]
    assert len(bot.from_bot()) == 2


async def test_a_question_by_an_edit_stays_on_record_until_it_is_edited_again(bot: Office) -> None:
    ts = await bot.slack.post(bot.general, bot.ana, "How much leave?")
    await bot.slack.edit(bot.general, ts, mentioning(bot, "How much leave?"))
    await bot.slack.wait_for_message(bot.general, thread_ts=ts)
    await bot.slack.settled()
    for event in list(bot.slack.events):
        await bot.slack.faults.redeliver(event.event_id)
    await bot.ask("Anything else?")
    assert "How much leave?" in words_on_record(bot)
    await bot.slack.edit(bot.general, ts, mentioning(bot, "How much pay?"))
    await bot.slack.settled()
    assert "How much leave?" not in words_on_record(bot)


async def test_an_edit_of_a_post_that_was_answered_draws_none_after_a_restart(
    office: Office,
) -> None:
    async with office.running():
        top = await office.mention("How much leave?")
        await office.slack.wait_for_message(office.general, thread_ts=top)
        reply = await office.slack.post(office.general, office.ana, "And for two?", thread_ts=top)
        await office.slack.wait_for_message(office.general, thread_ts=top, after=reply)
        await office.slack.settled()
    office.restart()
    async with office.running():
        await office.slack.edit(office.general, top, mentioning(office, "How much leave, then?"))
        await office.slack.edit(office.general, reply, mentioning(office, "And for two?"))
        await office.slack.settled()
        await office.ask("And flights?")
    asked = [question for question, _ in office.answers.asked]
    assert asked == ["How much leave?", "And for two?", "And flights?"]


async def test_a_post_from_before_the_start_is_answered_when_the_mention_is_added(
    office: Office,
) -> None:
    top = await office.slack.post(office.general, office.ana, "I fly to Oslo")
    ts = await office.slack.post(office.general, office.ana, "Which class?", thread_ts=top)
    async with office.running():
        await office.slack.edit(office.general, ts, mentioning(office, "Which class?"))
        await office.slack.wait_for_message(office.general, thread_ts=top, after=ts)
    assert [question for question, _ in office.answers.asked] == ["Which class?"]
