"""The line under a thread that says what the bot is doing; no answer depends on it."""

import asyncio
import logging

from slack_sdk.web.async_client import AsyncWebClient

from bot.slack.faults import FAULTS, name_of

log = logging.getLogger(__name__)

CALL_LIMIT_S = 2


class Status:
    """One thread's status. Showing never waits; when words come faster than calls, the last win."""

    def __init__(self, client: AsyncWebClient, channel: str, thread_ts: str) -> None:
        self._client = client
        self._channel = channel
        self._thread_ts = thread_ts
        self._wanted = ""
        self._sending: asyncio.Task[None] | None = None

    def show(self, text: str) -> None:
        """Show this from now on."""
        self._wanted = text
        if self._sending is None or self._sending.done():
            self._sending = asyncio.create_task(self._send())

    async def leave(self, text: str) -> None:
        """Show this, and wait until it is there."""
        self.show(text)
        if self._sending is not None:
            await self._sending

    async def clear(self) -> None:
        """Show nothing any more. Slack clears it with an answer, but a late call may have come."""
        if self._sending is not None:
            self.show("")
            await self._sending

    async def _send(self) -> None:
        shown = None
        while shown != self._wanted:
            shown = self._wanted
            try:
                async with asyncio.timeout(CALL_LIMIT_S):
                    await self._client.assistant_threads_setStatus(
                        channel_id=self._channel, thread_ts=self._thread_ts, status=shown
                    )
            except FAULTS as error:
                where = f"{self._channel}:{self._thread_ts}"
                log.info("No status under %s: %s", where, name_of(error))
