"""An answer that appears as it is written: nothing is shown before its sentence is verified.

Only where one person reads. In a channel a stream has one recipient, "the user to receive the
streaming text" (https://docs.slack.dev/reference/methods/chat.startStream); the others are reported
to see no more than its first piece before its end
(https://github.com/agentconnect-md/agentconnect/issues/1494).
"""

import asyncio
import logging
import time
from collections import deque
from collections.abc import Callable, Sequence

from slack_sdk.errors import SlackClientError
from slack_sdk.web.async_chat_stream import AsyncChatStream
from slack_sdk.web.async_client import AsyncWebClient

from bot.slack.faults import FAULTS, name_of
from bot.slack.render import Message, lead_of
from bot.slack.route import Post
from bot.types import Answer, Citation, Sentence, Trace

log = logging.getLogger(__name__)

STARTS_A_MINUTE = 18  # Slack allows 20; the rest is room for clocks that disagree
APPEND_EVERY_S = 0.35
UPDATE_TRIES = 3
UPDATE_WAIT_S = 1.0


class Starts:
    """How many streams may begin, counted over a sliding minute. `clock` gives seconds."""

    def __init__(
        self, most: int = STARTS_A_MINUTE, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._most = most
        self._clock = clock
        self._begun: deque[float] = deque()

    def exhaust(self) -> None:
        """None within the next minute: an earlier run may have begun as many as there may be."""
        self._begun = deque([self._clock()] * self._most)

    def take(self) -> bool:
        """Begin one, if the rate allows."""
        now = self._clock()
        while self._begun and now - self._begun[0] >= 60:  # noqa: PLR2004 - a minute
            self._begun.popleft()
        if len(self._begun) >= self._most:
            return False
        self._begun.append(now)
        return True


class Reply:
    """The one message that answers a post.

    Sentences go into a stream as they are verified. `finish` makes the message complete, or says
    that nothing was shown and it is still to be posted.
    """

    def __init__(self, client: AsyncWebClient, post: Post, starts: Starts, *, sources: int) -> None:
        self._client = client
        self._post = post
        self._starts = starts
        self._sources = sources
        self._quoting = False
        self._sentences: tuple[Sentence, ...] = ()
        self._citations: tuple[Citation, ...] = ()
        self._stream: AsyncChatStream | None = None
        self._begun: str | None = None  # by an earlier run
        self._sent = ""
        self._over = False  # no more is to be shown before the end
        self._died = False
        self._ending = asyncio.Event()
        self._writing: asyncio.Task[None] | None = None

    @property
    def ts(self) -> str | None:
        """The message, once something is shown."""
        return self._stream.ts if self._stream is not None else self._begun

    @property
    def shown(self) -> bool:
        """Whether a sentence is shown."""
        return bool(self._sent)

    def take_over(self, ts: str) -> None:
        """Put the answer where an earlier run began one."""
        self._begun = ts
        self._over = self._died = True

    def quote(self) -> None:
        """What follows are the documents' own sentences."""
        self._quoting = True

    async def add(self, sentence: Sentence, citations: Sequence[Citation]) -> None:
        """Show a verified sentence as soon as may be, without waiting for it."""
        self._sentences = (*self._sentences, sentence)
        self._citations = tuple(citations)
        if not self._over and (self._writing is None or self._writing.done()):
            self._writing = asyncio.create_task(self._write())

    def partial(self, question: str) -> Answer:
        """What was shown, as an answer that says that it is not whole."""
        trace = Trace(question, question, 0.0, "", "", {})
        return Answer(self._sentences, self._citations, trace, self._quoting, incomplete=True)

    async def settle(self) -> bool:
        """Show no more. Whether anything is shown, which is known once the last call has ended."""
        self._over = True
        self._ending.set()
        if self._writing is not None:
            await self._writing
        return self.ts is not None

    async def finish(self, message: Message) -> str | None:
        """Make what was begun the whole message and give its ts; None if nothing was begun."""
        if not await self.settle() or (ts := self.ts) is None:
            return None
        if self._died:
            await self._replace(ts, message)
            return ts
        try:
            await self._stop(message)
        except FAULTS as error:
            log.info("The stream of %s died: %s", self._post.key, name_of(error))
            await self._replace(ts, message)
        return ts

    async def _write(self) -> None:
        """Send what is new, again and again, not faster than Slack likes."""
        try:
            while not self._over and (text := self._lead()[len(self._sent) :]):
                if self._stream is None and not self._begin():
                    return
                await self._stream.append(markdown_text=text)  # type: ignore[union-attr]
                self._sent += text
                try:
                    await asyncio.wait_for(self._ending.wait(), APPEND_EVERY_S)
                except TimeoutError:
                    continue
        except FAULTS as error:
            log.info("The stream of %s died: %s", self._post.key, name_of(error))
            self._over = self._died = True

    def _begin(self) -> bool:
        if not self._starts.take():
            log.info("No stream for %s: too many in this minute", self._post.key)
            self._over = True
            return False
        self._stream = AsyncChatStream(
            self._client,
            logger=log,
            channel=self._post.channel,
            thread_ts=self._post.thread_ts,
            buffer_size=1,  # each append is sent
        )
        return True

    def _lead(self) -> str:
        if self._quoting:  # passages are laid out whole, which no stream shows
            return ""
        return lead_of(self._sentences, self._citations, sources=self._sources)

    async def _stop(self, message: Message) -> None:
        """End the stream with what is left of the message.

        Raises:
            SlackClientError: it has ended otherwise, or what it shows is no beginning of this.
        """
        if not message.lead.startswith(self._sent):
            raise SlackClientError("what was shown is no beginning of the message")
        rest = message.lead[len(self._sent) :]
        await self._client.chat_stopStream(
            channel=self._post.channel,
            ts=self.ts or "",
            markdown_text=rest or None,
            blocks=message.blocks[1:],
        )

    async def _replace(self, ts: str, message: Message) -> None:
        """Put the whole message where the stream was."""
        for attempt in range(1, UPDATE_TRIES + 1):
            await self._stop_quietly(ts)
            try:
                await self._client.chat_update(
                    channel=self._post.channel, ts=ts, text=message.text, blocks=message.blocks
                )
            except FAULTS as error:
                if attempt == UPDATE_TRIES or name_of(error) == "message_not_found":
                    log.exception("The answer to %s stays as it was begun", self._post.key)
                    return
                await asyncio.sleep(UPDATE_WAIT_S)
            else:
                return

    async def _stop_quietly(self, ts: str) -> None:
        """A message cannot be changed while it streams; most that get here do not any more."""
        try:
            await self._client.chat_stopStream(channel=self._post.channel, ts=ts)
        except FAULTS as error:
            log.debug("%s was not streaming: %s", ts, name_of(error))
