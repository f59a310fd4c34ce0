"""What an earlier run took on and did not answer, taken up by the next one."""

import logging
from dataclasses import replace

from slack_sdk.web.async_client import AsyncWebClient

from bot.slack.client import Identity
from bot.slack.faults import FAULTS, in_words, name_of
from bot.slack.lookback import look_back
from bot.slack.ports import Desk
from bot.slack.question import Question
from bot.stored import Owed

log = logging.getLogger(__name__)

MAX_AGE_S = 10 * 60  # after that an answer surprises more than it helps


async def take_up(desk: Desk, client: AsyncWebClient, me: Identity) -> list[Question]:
    """The questions to answer now, the oldest first.

    Before this run shows anything: a stream that stands in a thread is then an earlier run's.
    """
    owed, old = await desk.call(desk.record.take_over, MAX_AGE_S)
    for gone in old:
        log.warning("Given up after %d s: %s:%s", MAX_AGE_S, gone.channel, gone.ts)
    taken: set[str] = set()
    looked = [await _look_back(desk, client, me, each, taken) for each in owed]
    questions = [question for question in looked if question is not None]
    if owed:
        log.info("Taken up from an earlier run: %d of %d questions", len(questions), len(owed))
    return questions


async def _look_back(
    desk: Desk, client: AsyncWebClient, me: Identity, owed: Owed, taken: set[str]
) -> Question | None:
    """The question, with the message that was begun for it; None if its answer was shown."""
    question, record = Question.of(owed), desk.record
    try:
        shown = await look_back(client, question.post, me.user_id, taken)
    except FAULTS as error:
        why = in_words(error) or name_of(error)
        log.warning("Cannot look for an answer to %s: %s", question.post.key, why)
        if await desk.call(record.was_saved, owed):  # it may stand there: twice is worse than never
            await desk.call(record.finish, owed.keys)
            return None
        return question
    if shown is None:
        return question
    if shown.whole:
        await desk.call(record.settle, owed, shown.ts)
        return None
    taken.add(shown.ts)
    return replace(question, begun=shown.ts)
