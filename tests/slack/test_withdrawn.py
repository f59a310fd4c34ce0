"""What people take back: the words of a question that was changed or deleted."""

import asyncio

from bot.gaps import read_unanswered
from bot.schema import answers, owed
from tests.slack.conftest import Office, abstention, until


def words_on_record(office: Office) -> list[str]:
    """Everything that the record's tables of questions hold."""
    with office.record._engine.connect() as connection:
        return [
            str(value)
            for table in (answers, owed)
            for row in connection.execute(table.select())
            for value in row
        ]


def holds(office: Office, word: str) -> bool:
    return any(word in value for value in words_on_record(office))


async def test_a_deleted_question_leaves_the_record_and_the_gaps_and_its_answer_stays(
    bot: Office,
) -> None:
    bot.answers.outcome = abstention
    ts = await bot.mention("Is the merger with Initech off?")
    await bot.slack.wait_for_message(bot.general, thread_ts=ts)
    await until(lambda: holds(bot, "Initech"))
    await until(lambda: len(read_unanswered(bot.record._engine)) == 1)
    await bot.slack.delete(bot.general, ts)
    await until(lambda: not holds(bot, "Initech"))
    assert read_unanswered(bot.record._engine) == []
    assert len(bot.from_bot()) == 1


async def test_an_edited_question_is_forgotten_and_draws_no_second_answer(bot: Office) -> None:
    ts = await bot.mention("How much leave has Mr Lumbergh?")
    await bot.slack.wait_for_message(bot.general, thread_ts=ts)
    await until(lambda: holds(bot, "Lumbergh"))
    await bot.slack.edit(bot.general, ts, f"<@{bot.slack.bot_user_id}> How much leave?")
    await until(lambda: not holds(bot, "Lumbergh"))
    await bot.slack.settled()
    assert len(bot.answers.asked) == 1
    assert len(bot.from_bot()) == 1


async def test_a_question_that_is_deleted_while_it_waits_is_not_answered(office: Office) -> None:
    office.answers.gate = asyncio.Event()
    async with office.running(concurrency=1):
        await office.mention("Question 0")
        await office.slack.settled()
        ts = await office.mention("Question 1 of Initech")
        await office.slack.settled()
        await office.slack.delete(office.general, ts)
        await until(lambda: not holds(office, "Initech"))
        office.answers.gate.set()
        await until(lambda: len(office.from_bot()) == 1)
        await office.slack.settled()
    assert [question for question, _ in office.answers.asked] == ["Question 0"]
    assert not holds(office, "Initech")


async def test_a_question_that_is_deleted_while_it_is_thought_about_leaves_nothing(
    office: Office,
) -> None:
    office.answers.gate = asyncio.Event()
    async with office.running():
        ts = await office.mention("And Initech?")
        await until(lambda: office.answers.running == 1)
        await office.slack.delete(office.general, ts)
        await until(lambda: not holds(office, "Initech"))
        office.answers.gate.set()
        await until(lambda: office.answers.running == 0)
        await office.slack.settled()
    assert office.from_bot() == []
    assert not holds(office, "Initech")
