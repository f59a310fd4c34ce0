"""One question's answer: thought out, shown, put on record, or apologised for."""

import asyncio
import logging
import re
import secrets
from collections.abc import Callable, Sequence
from dataclasses import replace
from weakref import WeakValueDictionary

from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from bot.questions.smalltalk import is_help
from bot.slack.access import Access, Refusal
from bot.slack.blocks import section
from bot.slack.client import Identity
from bot.slack.faults import FAULTS, in_words, name_of
from bot.slack.help import EXAMPLES, build_help
from bot.slack.lookback import look_back, mark
from bot.slack.people import People
from bot.slack.places import Places
from bot.slack.ports import Desk
from bot.slack.question import Question
from bot.slack.render import Message, build_message, unrecorded
from bot.slack.route import Post
from bot.slack.status import Status
from bot.slack.streams import Reply, Starts
from bot.slack.text import read_text
from bot.slack.thread import Line, Threads
from bot.slack.withdrawn import Withdrawn
from bot.stored import Asked
from bot.types import Outcome

log = logging.getLogger(__name__)

ANSWER_LIMIT_S = 180
GOODBYE_LIMIT_S = 3
SERVER_ERROR = 500

SORRY = (
    "Something went wrong, and the question is not answered (ref {reference}). Please ask again."
)
TOO_SLOW = "The answer took too long (ref {reference}). Please ask again."
HANDED_BACK = "is restarting; the answer comes in a moment"
READING = "is reading {count} passages…"


class Answering:
    """Answers questions, each in one message of its thread."""

    def __init__(
        self, desk: Desk, client: AsyncWebClient, me: Identity, people: People, access: Access
    ) -> None:
        self.history = Threads(client, people, me.user_id)
        self.places = Places()
        self._desk = desk
        self._client = client
        self._me = me
        self._access = access
        self.starts = Starts()
        self._withdrawn = Withdrawn()
        self._threads: WeakValueDictionary[tuple[str, str], asyncio.Lock] = WeakValueDictionary()

    async def answer(self, question: Question, status: Status, thought: Callable[[], None]) -> None:
        """Answer, whatever happens on the way; `thought` is called before what is left is shown."""
        sources = self._desk.settings.top_k
        reply = Reply(self._client, question.post, self.starts, sources=sources)
        if question.begun:
            reply.take_over(question.begun)
        try:
            async with asyncio.timeout(ANSWER_LIMIT_S):
                await self._serve(question, status, reply, thought)
        except asyncio.CancelledError:
            async with asyncio.timeout(GOODBYE_LIMIT_S):
                await self._part(question, status, reply)
            raise
        except Exception as error:  # noqa: BLE001 - the edge of a job
            thought()
            await self._rescue(question, reply, error)
        await status.clear()

    async def _serve(
        self, question: Question, status: Status, reply: Reply, thought: Callable[[], None]
    ) -> None:
        post, text = question.post, self._text(question)
        if self._withdrawn.is_deleted(post.key):
            return
        if refusal := await self._access.refuse(post.user, shared=question.shared):
            thought()
            await self._refuse(question, refusal, reply)
            return
        above = await self._above(post, text)
        if above is None and is_help(text):
            shown = await self._desk.call(self._help)
            thought()
            await self._show(post, shown, reply)
            await self._desk.call(self._desk.record.finish, question.keys)
        else:
            told = post if above is None else replace(post, ts=above.ts)
            outcome = await self._think(told, above.text if above else text, status, reply)
            thought()
            if not self._withdrawn.is_deleted(post.key) or await reply.settle():
                asked = question.in_words_of(above) if above else question
                await self._deliver(asked, outcome, reply)

    async def _refuse(self, question: Question, refusal: Refusal, reply: Reply) -> None:
        """Say it once a thread, to whoever asks there first; what may pass, to each question."""
        record, post = self._desk.record, question.post
        once = [] if refusal.passing else [f"refused:{post.channel}:{post.thread_ts}"]
        if refusal.passing or await self._desk.call(record.claim, once):
            await self._say(post, refusal.words, reply)
        await self._desk.call(record.finish, [*once, *question.keys])

    async def say(self, question: Question, words: str) -> None:
        """Post words under a question."""
        await self._say(question.post, words)

    async def announce(self, channel: str, words: str, thread_ts: str | None = None) -> None:
        """Post words in a channel, or in a thread of it."""
        try:
            await self._client.chat_postMessage(channel=channel, text=words, thread_ts=thread_ts)
        except FAULTS as error:
            log.warning(
                "No word could be left in %s: %s", channel, in_words(error) or name_of(error)
            )

    async def withdraw(self, channel: str, ts: str, text: str | None) -> None:
        """Forget the words of a post that was changed to `text`, or deleted (None)."""
        words = None if text is None else read_text(text, self._me.user_id)
        if self._withdrawn.note(f"{channel}:{ts}", words):
            await self._desk.call(self._desk.record.withdraw, channel, ts, text)

    async def finish(self, questions: Sequence[Question]) -> None:
        """Put on record that nothing more is owed for these questions."""
        keys = [key for question in questions for key in question.keys]
        await self._desk.call(self._desk.record.finish, keys)

    def _text(self, question: Question) -> str:
        return read_text(question.post.text, self._me.user_id)

    async def _above(self, post: Post, text: str) -> Line | None:
        """The question that a mention without a word stands under, if there is one."""
        if re.search(r"\w", text):
            return None
        return await self.history.above(post, bystanders=self._desk.settings.bystanders)

    def _help(self) -> Message:
        library = self._desk.library
        return build_help(library.documents(), library.topics(EXAMPLES))

    async def _think(self, post: Post, text: str, status: Status, reply: Reply) -> Outcome:
        desk = self._desk
        async with self._thread(post):
            said = await desk.call(desk.record.said_in, post.channel, post.thread_ts)
        history = await self.history.read(
            post,
            said,
            desk.settings.history_tokens,
            bystanders=desk.settings.bystanders,
        )

        async def on_stage(stage: str, count: int) -> None:
            if stage in {"generate", "quote"}:
                status.show(READING.format(count=count))
            if stage == "quote":
                reply.quote()

        live = reply.add if self.places.is_direct(post.channel) else None
        return await desk.answers.answer(text, history, on_stage=on_stage, on_sentence=live)

    async def _deliver(self, question: Question, outcome: Outcome, reply: Reply) -> None:
        """Put the answer on record, show it, and put on record where."""
        desk, post = self._desk, question.post
        message = build_message(outcome, owners=bool(desk.settings.owners_channel))
        private = post.private and self.places.is_private(post.channel)
        asked = Asked(
            post.channel,
            post.thread_ts,
            post.user,
            float(post.ts),
            private,
            post.author,
            post.source,
        )
        said = {post.key: "" if post.source else self._text(question)}
        if post.source:
            said[post.source] = self._text(question)
        for key, words in said.items():
            self._withdrawn.answered(key, words)
        async with self._thread(post):
            try:
                answer_id = await desk.call(desk.record.save, outcome, asked)
            except Exception:  # the person gets the answer
                log.exception("The answer to %s is not on record", post.key)
                await self._show(post, unrecorded(message), reply)
                return
            ts = await self._show(post, message, reply)
            try:
                await desk.call(desk.record.place, answer_id, ts, question.keys)
                if any(self._withdrawn.is_changed(key, words) for key, words in said.items()):
                    await desk.call(desk.record.withdraw, post.channel, post.ts, None)
            except Exception:  # the person has the answer
                log.exception("Where the answer to %s stands is not on record", post.key)

    def _thread(self, post: Post) -> asyncio.Lock:
        """Held while an answer goes into the thread, so that nobody sees it before the record."""
        return self._threads.setdefault((post.channel, post.thread_ts), asyncio.Lock())

    async def _part(self, question: Question, status: Status, reply: Reply) -> None:
        """The end came first: keep what was shown, or leave the question to the next run."""
        if await reply.settle() and reply.shown:
            await self._deliver(question, reply.partial(self._text(question)), reply)
            await status.clear()
        elif not question.shared:
            await status.leave(HANDED_BACK)

    async def _rescue(self, question: Question, reply: Reply, error: Exception) -> None:
        """After a failure: what passed stays and says that it is not whole, or an apology."""
        if await reply.settle() and reply.shown:
            log.error("%s is answered in part", question.post.key, exc_info=error)
            try:
                async with asyncio.timeout(ANSWER_LIMIT_S):
                    await self._deliver(question, reply.partial(self._text(question)), reply)
            except Exception:  # the edge of a job
                log.exception("The answer to %s stays as it was begun", question.post.key)
            return
        words = TOO_SLOW if isinstance(error, TimeoutError) else SORRY
        await self.apologise(question, words, error, reply)

    async def apologise(
        self, question: Question, words: str, error: Exception, reply: Reply | None = None
    ) -> None:
        """Tell the log all and the person enough to ask about it."""
        reference, post = secrets.token_hex(2), question.post
        if known := in_words(error):
            log.error("ref %s: %s is not answered: %s", reference, post.key, known)
        else:
            log.error("ref %s: %s is not answered", reference, post.key, exc_info=error)
        await self._say(post, words.format(reference=reference), reply)
        try:
            await self._desk.call(self._desk.record.finish, question.keys)
        except Exception:  # the edge of a job
            log.exception("ref %s: cannot be put on record", reference)

    async def _show(self, post: Post, message: Message, reply: Reply | None) -> str:
        """Show the one message that answers the post, where it was begun or as a new one."""
        message = mark(message, post)
        if reply is not None and (ts := await reply.finish(message)):
            return ts
        try:
            return await self._post(post, message)
        except FAULTS as error:
            if isinstance(error, SlackApiError) and error.response.status_code < SERVER_ERROR:
                raise
            log.info("It is not known whether %s is answered: %s", post.key, name_of(error))
        shown = await look_back(self._client, post, self._me.user_id, ())
        return shown.ts if shown and shown.whole else await self._post(post, message)

    async def _post(self, post: Post, message: Message) -> str:
        posted = await self._client.chat_postMessage(
            channel=post.channel,
            thread_ts=post.thread_ts,
            text=message.text,
            blocks=message.blocks,
            unfurl_links=False,
            unfurl_media=False,
        )
        return str(posted["ts"])

    async def _say(self, post: Post, text: str, reply: Reply | None = None) -> None:
        try:
            await self._show(post, Message(text, [section(text)]), reply)
        except FAULTS as error:
            known = in_words(error)
            if known is None:
                log.exception("No word could be left under %s", post.key)
            else:
                log.warning("No word could be left under %s: %s", post.key, known)
