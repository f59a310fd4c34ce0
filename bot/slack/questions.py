"""From a post to a question in hand: claimed before Slack is told so, answered in its turn."""

import logging
import math
import time
from collections.abc import Awaitable, Callable, Mapping

from slack_bolt import BoltResponse
from slack_bolt.context.async_context import AsyncBoltContext
from slack_sdk.web.async_client import AsyncWebClient

from bot.slack.access import Access, is_shared
from bot.slack.answering import SORRY, Answering
from bot.slack.asking import Asking
from bot.slack.client import Identity
from bot.slack.people import People
from bot.slack.ports import Desk
from bot.slack.question import Question
from bot.slack.refusals import Refusals
from bot.slack.resume import take_up
from bot.slack.route import Route, read_post, route
from bot.slack.status import Status
from bot.slack.work import Work

log = logging.getLogger(__name__)

COUNT_KEPT_S = 30

PEOPLE_ONLY = (
    "I answer people, not workflows or apps: mention me yourself, in this thread if you like."
)
SEARCHING = "is searching {documents:,} documents…"


class Questions:
    """Takes questions on, answers them, and lets them end."""

    def __init__(
        self, desk: Desk, client: AsyncWebClient, me: Identity, people: People, access: Access
    ) -> None:
        self._desk = desk
        self._client = client
        self._me = me
        self._answering = Answering(desk, client, me, people, access)
        self._counted = (-math.inf, 0)
        answering = self._answering
        self._refusals = Refusals(answering.say, answering.announce, answering.finish)
        self.work = Work(desk.settings.concurrency, desk.settings.queue)

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
        self._answering.places.note(event)
        settings = self._desk.settings
        where, why = route(
            event,
            self._me.user_id,
            mention_only=settings.mention_only,
            max_chars=settings.max_question_chars,
        )
        if where is Route.DECLINE:
            await self._decline(event)
            return BoltResponse(status=200)
        if where is Route.IGNORE:
            log.debug("Ignored %s: %s", body.get("event_id"), why)
            return BoltResponse(status=await self._withdraw(event))
        post = read_post(event)
        keys = (str(body.get("event_id") or post.key), post.key)
        question = Question(post, keys, is_shared(body, post, self._me))
        try:
            if not await self._is_new(question, where):
                return BoltResponse(status=200)
        except Exception as error:
            log.exception("Cannot take on %s", post.key)
            if where is Route.ASK:
                await self._answering.apologise(question, SORRY, error)
            return BoltResponse(status=200)
        context["question"] = question
        await next_()
        return None

    async def _decline(self, event: Mapping[str, object]) -> None:
        """Tell an app's readers once a day and channel: apps that answer each other never end."""
        record, channel = self._desk.record, str(event.get("channel"))
        key = [f"declined:{channel}:{event.get('bot_id')}"]
        try:
            if await self._desk.call(record.claim, key):
                await self._desk.call(record.finish, key)
                thread_ts = str(event.get("thread_ts") or event.get("ts"))
                await self._answering.announce(channel, PEOPLE_ONLY, thread_ts)
        except Exception:  # the edge of a handler
            log.exception("No word to the app in %s", channel)

    async def _withdraw(self, event: Mapping[str, object]) -> int:
        """Forget what a post said that was changed or deleted; gives the status for Slack."""
        before, now = event.get("previous_message"), event.get("message")
        if not isinstance(before, Mapping) or before.get("user") == self._me.user_id:
            return 200
        channel, ts = str(event.get("channel")), str(before.get("ts"))
        self._answering.history.forget(channel, str(before.get("thread_ts") or ts))
        text: str | None = None
        if isinstance(now, Mapping) and now.get("subtype") != "tombstone":
            text = str(now.get("text") or "")
            if text == before.get("text"):  # a preview of a link was added
                return 200
        try:
            await self._answering.withdraw(channel, ts, text)
        except Exception:  # the edge of a handler
            log.exception("What %s:%s said is still on record; Slack will tell again", channel, ts)
            return 500
        return 200

    async def _is_new(self, question: Question, where: Route) -> bool:
        desk, post = self._desk, question.post
        if where is Route.FOLLOW_UP and not await desk.call(
            desk.record.has_answered, post.channel, post.thread_ts
        ):
            return False
        return await desk.call(desk.record.claim, question.keys, question.owed)

    async def begin(self, context: AsyncBoltContext) -> None:
        """Answer the question that was taken on, when its turn comes."""
        question: Question = context["question"]
        self.work.start(await self._job(question))

    async def resume(self) -> None:
        """Answer what an earlier run took on and did not answer. Before Slack is listened to."""
        questions = await take_up(self._desk, self._client, self._me)
        if questions:
            self._answering.starts.exhaust()
        for question in questions:
            self.work.start(await self._job(question), always=True)

    async def _job(self, question: Question) -> Asking:
        status = Status(self._client, question.post.channel, question.post.thread_ts)
        searching = SEARCHING.format(documents=await self._documents())
        return Asking(
            self._answering, question, status, searching=searching, refusals=self._refusals
        )

    async def _documents(self) -> int:
        """How many there are, or were a moment ago: a status must not wait for the record."""
        counted_at, documents = self._counted
        now = time.monotonic()
        if now - counted_at > COUNT_KEPT_S:
            if documents:  # meanwhile the others make do with the figure of before
                self._counted = (now, documents)
            documents = await self._desk.call(self._desk.library.documents)
            self._counted = (now, documents)
        return documents

    async def drain(self, limit_s: float) -> None:
        """Let the questions in hand end, within a limit; leave the others to the next run."""
        left = await self.work.drain(limit_s)
        await self._refusals.close()
        if left:
            log.warning("Questions cut off at the end: %d", left)
