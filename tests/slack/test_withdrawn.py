"""What people take back: the words of a question that was changed or deleted."""

import asyncio

import pytest
from sqlalchemy import select

from bot.forget import forget
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


async def asked_in_anothers_words(office: Office, *, forwarded: bool) -> str:
    """Ana has the bot answer what Ben wrote; gives the ts of Ben's post."""
    ben = office.slack.add_user("ben")
    await office.slack.join(office.general, ben)
    top = await office.slack.post(office.general, ben, "Hello all")
    words = "How much leave has Mr Lumbergh?"
    ts = await office.slack.post(office.general, ben, words, thread_ts=top)
    if forwarded:
        (message,) = [m for m in office.slack.messages(office.general, top) if m["ts"] == ts]
        top = await office.slack.post(office.dm, office.ana, "", forwards=message)
        await office.slack.wait_for_message(office.dm, thread_ts=top)
    else:
        await office.ask("", thread_ts=top)
    await until(lambda: holds(office, "Lumbergh"))
    await until(lambda: bool(office.record.last_cited(office.ana)))
    return ts


@pytest.mark.parametrize("forwarded", [False, True], ids=["mentioned under", "forwarded"])
@pytest.mark.parametrize("change", ["edited", "deleted"])
async def test_words_that_somebody_else_asked_with_leave_the_record_with_their_post(
    bot: Office, change: str, *, forwarded: bool
) -> None:
    ts = await asked_in_anothers_words(bot, forwarded=forwarded)
    if change == "deleted":
        await bot.slack.delete(bot.general, ts)
    else:
        await bot.slack.edit(bot.general, ts, "How much leave do I get?")
    await until(lambda: not holds(bot, "Lumbergh"))
    assert len(bot.answers.asked) == 1


@pytest.mark.parametrize("forwarded", [False, True], ids=["mentioned under", "forwarded"])
@pytest.mark.parametrize("who", ["asker", "author"])
async def test_a_question_in_anothers_words_is_forgotten_for_its_asker_and_for_their_author(
    bot: Office, who: str, *, forwarded: bool
) -> None:
    await bot.ask("And flights?")
    await asked_in_anothers_words(bot, forwarded=forwarded)
    await bot.slack.settled()
    engine = bot.record._engine
    with engine.connect() as connection:
        author = str(connection.scalar(select(answers.c.author).where(answers.c.author != "")))
    found = forget(engine, bot.ana if who == "asker" else author)
    assert not holds(bot, "Lumbergh")
    assert not holds(bot, author)
    assert found.questions == (2 if who == "asker" else 1)
    assert holds(bot, "And flights?") == (who == "author")


async def test_a_mention_that_is_added_to_a_question_takes_no_words_back(bot: Office) -> None:
    ts = await asked_in_anothers_words(bot, forwarded=False)
    await bot.slack.edit(bot.general, ts, "How much leave has Mr Lumbergh? <@U07QX4Z9K2M>")
    await bot.slack.settled()
    assert holds(bot, "Lumbergh")


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
