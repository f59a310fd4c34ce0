"""Posts of workflows, and what belongs to a thread."""

from bot.types import Turn
from tests.slack.conftest import LEAVE, Office


async def test_a_workflow_is_declined_in_words_once_and_no_loop_begins(bot: Office) -> None:
    top = await bot.slack.post_by_workflow(bot.general, "<@BOT> How much leave?")
    told = await bot.slack.wait_for_message(bot.general, thread_ts=top)
    assert told["text"].startswith("I answer people, not workflows or apps")
    await bot.slack.post_by_workflow(bot.general, "<@BOT> And flights?", thread_ts=top)
    await bot.slack.post_by_workflow(bot.general, "<@BOT> And pay?")
    await bot.slack.settled()
    assert bot.answers.asked == []
    assert len(bot.from_bot()) == 1


async def test_two_direct_messages_are_two_threads(bot: Office) -> None:
    for words in ("How much leave?", "Which class?"):
        ts = await bot.slack.post(bot.dm, bot.ana, words)
        answer = await bot.slack.wait_for_message(bot.dm, thread_ts=ts)
        assert answer["thread_ts"] == ts
    assert bot.answers.asked == [("How much leave?", []), ("Which class?", [])]


async def test_what_people_say_between_two_answers_is_part_of_the_history(bot: Office) -> None:
    ben = bot.slack.add_user("Ben")
    await bot.slack.join(bot.general, ben)
    top = (await bot.ask("How much leave?"))["thread_ts"]
    await bot.slack.settled()
    await bot.slack.post(bot.general, ben, f"<@{bot.ana}> it is for contractors", thread_ts=top)
    await bot.slack.post(bot.general, bot.ana, f"<@{ben}> in Oslo, right", thread_ts=top)
    await bot.ask("And now?", thread_ts=top)
    [_, (question, history)] = bot.answers.asked
    assert question == "And now?"
    assert history[0] == Turn("user", "How much leave?")
    assert history[1].text.startswith(LEAVE.text[:30])
    assert history[2:] == [
        Turn("user", "Ben: it is for contractors"),
        Turn("user", "in Oslo, right"),
    ]
