"""A mention without a word: what it forwards, or the message above it, is the question."""

from bot.slack.forwarded import Forwarded, read_forwarded
from bot.types import Turn
from tests.slack.conftest import Office


async def test_a_forwarded_message_under_a_bare_mention_is_the_question(bot: Office) -> None:
    first = await bot.slack.post(bot.general, bot.ana, "How much leave, <@U07QX4Z9K2M>?")
    [message] = [m for m in bot.slack.messages(bot.general) if m["ts"] == first]
    ts = await bot.slack.post(bot.general, bot.ana, "<@BOT>", forwards=message)
    await bot.slack.wait_for_message(bot.general, thread_ts=ts)
    direct = await bot.slack.post(bot.dm, bot.ana, "", forwards=message)
    await bot.slack.wait_for_message(bot.dm, thread_ts=direct)
    assert bot.answers.asked == [("How much leave?", [])] * 2


async def test_what_a_post_says_itself_goes_before_what_it_forwards(bot: Office) -> None:
    first = await bot.slack.post(bot.general, bot.ana, "How much leave?")
    [message] = [m for m in bot.slack.messages(bot.general) if m["ts"] == first]
    ts = await bot.slack.post(bot.general, bot.ana, "<@BOT> Which class?", forwards=message)
    await bot.slack.wait_for_message(bot.general, thread_ts=ts)
    assert bot.answers.asked == [("Which class?", [])]


async def test_a_bare_mention_under_somebodys_question_answers_that(bot: Office) -> None:
    ben = bot.slack.add_user("Ben")
    await bot.slack.join(bot.general, ben)
    top = await bot.slack.post(bot.general, bot.ana, "I am new here")
    await bot.slack.post(bot.general, ben, "How much leave?", thread_ts=top)
    await bot.ask("", thread_ts=top)
    assert bot.answers.asked == [("How much leave?", [Turn("user", "I am new here")])]


async def test_a_bare_mention_under_no_question_gets_help(bot: Office) -> None:
    top = await bot.slack.post(bot.general, bot.ana, "I am new here")
    told = await bot.ask("", thread_ts=top)
    assert told["text"].startswith("I answer questions from the company's documents")
    again = await bot.ask("", thread_ts=top)
    assert again["text"].startswith("I answer questions from the company's documents")
    assert bot.answers.asked == []


async def test_without_bystanders_only_ones_own_question_above_counts(office: Office) -> None:
    ben = office.slack.add_user("Ben")
    await office.slack.join(office.general, ben)
    async with office.running(bystanders=False):
        top = await office.slack.post(office.general, ben, "How much leave?")
        told = await office.ask("", thread_ts=top)
        own = await office.slack.post(office.general, office.ana, "Which class?", thread_ts=top)
        ts = await office.mention("", thread_ts=top)
        await office.slack.wait_for_message(office.general, thread_ts=top, after=ts)
    assert told["text"].startswith("I answer questions")
    assert [question for question, _ in office.answers.asked] == ["Which class?"]
    assert own < ts


def test_a_shared_message_of_blocks_alone_is_read_from_them() -> None:
    text = {"type": "rich_text_section", "elements": [{"type": "text", "text": "How much leave?"}]}
    blocks = [{"message": {"blocks": [{"type": "rich_text", "elements": [text]}]}}]
    shared = {"is_msg_unfurl": True, "text": "", "message_blocks": blocks}
    preview = {"title": "A page", "text": "of the web"}
    read = read_forwarded({"attachments": [preview, shared]})
    assert read == Forwarded("How much leave?", author="", source="")
    assert read_forwarded({"attachments": [preview]}) is None
