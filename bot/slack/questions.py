"""From a post to its answer: claimed before Slack is told so, answered once, in its thread."""

import asyncio
import functools
import logging
import secrets
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from weakref import WeakValueDictionary

from slack_bolt import BoltResponse
from slack_bolt.context.async_context import AsyncBoltContext
from slack_sdk.errors import SlackClientError
from slack_sdk.web.async_client import AsyncWebClient

from bot.record import Asked
from bot.slack.client import Identity
from bot.slack.ports import Desk
from bot.slack.render import build_message
from bot.slack.route import Post, Route, read_post, route
from bot.slack.text import read_text
from bot.slack.thread import read_history
from bot.slack.work import Work
from bot.types import Outcome

log = logging.getLogger(__name__)

ANSWER_LIMIT_S = 180
STATUS_LIMIT_S = 2
GOODBYE_LIMIT_S = 3

SORRY = (
    "Something went wrong, and the question is not answered (ref {reference}). Please ask again."
)
TOO_SLOW = "The answer took too long (ref {reference}). Please ask again."
STOPPED = "I was stopped before I could answer. Please ask again in a minute."
WAITING = "is busy: questions before yours: {ahead}"
STAGES = {
    "retrieve": "is searching the documents…",
    "generate": "is reading {count} passages…",
}


@dataclass(frozen=True, slots=True)
class Question:
    """A post that was taken on, and the keys it was claimed under."""

    post: Post
    keys: tuple[str, ...]


class Questions:
    """Takes questions on, answers them, and lets them end."""

    def __init__(self, desk: Desk, client: AsyncWebClient, me: Identity) -> None:
        self._desk = desk
        self._client = client
        self._me = me
        self._work = Work(desk.settings.concurrency)
        self._threads: WeakValueDictionary[tuple[str, str], asyncio.Lock] = WeakValueDictionary()

    async def take_on(
        self,
        event: Mapping[str, object],
        body: Mapping[str, object],
        context: AsyncBoltContext,
        next_: Callable[[], Awaitable[None]],
    ) -> BoltResponse | None:
        """Go on to the listener with a question that is ours to answer, else acknowledge.

        This runs before the acknowledgement, so that a question is on record when Slack forgets it.
        """
        where, why = route(event, self._me.user_id)
        if where is Route.IGNORE:
            log.debug("Ignored %s: %s", body.get("event_id"), why)
            return BoltResponse(status=200)
        post = read_post(event)
        question = Question(post, (str(body.get("event_id") or post.key), post.key))
        try:
            if not await self._is_new(question, where):
                return BoltResponse(status=200)
        except Exception as error:
            log.exception("Cannot take on %s", post.key)
            if where is Route.ASK:
                await self._apologise(question, SORRY, error)
            return BoltResponse(status=200)
        context["question"] = question
        await next_()
        return None

    async def _is_new(self, question: Question, where: Route) -> bool:
        desk, post = self._desk, question.post
        if where is Route.FOLLOW_UP and not await desk.call(
            desk.record.has_answered, post.channel, post.thread_ts
        ):
            return False
        return await desk.call(desk.record.claim, question.keys)

    async def begin(self, context: AsyncBoltContext) -> None:
        """Answer the question that was taken on, when its turn comes."""
        question: Question = context["question"]
        self._work.start(
            functools.partial(self._answer, question), functools.partial(self._wait, question)
        )

    async def drain(self, limit_s: float) -> None:
        """Let the questions in hand end, within a limit."""
        if left := await self._work.drain(limit_s):
            log.warning("Questions cut off at the end: %d", left)

    async def _answer(self, question: Question) -> None:
        try:
            async with asyncio.timeout(ANSWER_LIMIT_S):
                outcome = await self._think(question.post)
                await self._deliver(question, outcome)
        except asyncio.CancelledError:
            async with asyncio.timeout(GOODBYE_LIMIT_S):
                await self._say(question.post, STOPPED)
            raise
        except TimeoutError as error:
            await self._apologise(question, TOO_SLOW, error)
        except Exception as error:  # noqa: BLE001 - the edge of a job
            await self._apologise(question, SORRY, error)

    async def _think(self, post: Post) -> Outcome:
        desk = self._desk
        async with self._thread(post):
            answers = await desk.call(desk.record.texts_in, post.channel, post.thread_ts)
        history = await read_history(
            self._client,
            post,
            bot_user_id=self._me.user_id,
            answers=answers,
            max_tokens=desk.settings.history_tokens,
        )
        return await desk.answers.answer(
            read_text(post.text, self._me.user_id),
            history,
            on_stage=functools.partial(self._show_stage, post),
        )

    async def _deliver(self, question: Question, outcome: Outcome) -> None:
        """Put the answer on record, show it, and put on record where."""
        desk, post = self._desk, question.post
        message = build_message(outcome)
        asked = Asked(post.channel, post.thread_ts, post.user, float(post.ts))
        async with self._thread(post):
            answer_id = await desk.call(desk.record.save, outcome, asked)
            posted = await self._client.chat_postMessage(
                channel=post.channel,
                thread_ts=post.thread_ts,
                text=message.text,
                blocks=message.blocks,
                unfurl_links=False,
                unfurl_media=False,
            )
            try:
                await desk.call(desk.record.place, answer_id, str(posted["ts"]), question.keys)
            except Exception:  # the person has the answer
                log.exception("Where the answer to %s stands is not on record", post.key)

    def _thread(self, post: Post) -> asyncio.Lock:
        """Held while an answer goes into the thread, so that nobody sees it before the record."""
        return self._threads.setdefault((post.channel, post.thread_ts), asyncio.Lock())

    async def _apologise(self, question: Question, words: str, error: Exception) -> None:
        """Tell the log all and the person enough to ask about it."""
        reference = secrets.token_hex(2)
        log.error("ref %s: %s is not answered", reference, question.post.key, exc_info=error)
        await self._say(question.post, words.format(reference=reference))
        try:
            await self._desk.call(self._desk.record.finish, question.keys)
        except Exception:  # the edge of a job
            log.exception("ref %s: cannot be put on record", reference)

    async def _say(self, post: Post, text: str) -> None:
        try:
            await self._client.chat_postMessage(
                channel=post.channel, thread_ts=post.thread_ts, text=text
            )
        except (SlackClientError, OSError, TimeoutError):
            log.exception("No word could be left under %s", post.key)

    async def _wait(self, question: Question, ahead: int) -> None:
        await self._show(question.post, WAITING.format(ahead=ahead))

    async def _show_stage(self, post: Post, stage: str, count: int) -> None:
        if stage in STAGES:
            await self._show(post, STAGES[stage].format(count=count))

    async def _show(self, post: Post, status: str) -> None:
        """Show a status under the thread; the answer does not depend on it."""
        try:
            async with asyncio.timeout(STATUS_LIMIT_S):
                await self._client.assistant_threads_setStatus(
                    channel_id=post.channel, thread_ts=post.thread_ts, status=status
                )
        except (SlackClientError, OSError, TimeoutError) as error:
            log.info("No status under %s: %s", post.key, type(error).__name__)
