"""Slack's one message a second in a channel: posts queue up for it, each channel on its own."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any
from weakref import WeakValueDictionary

from slack_sdk.web.async_client import AsyncWebClient
from slack_sdk.web.async_slack_response import AsyncSlackResponse

GAP_S = 1.0  # https://docs.slack.dev/apis/web-api/rate-limits: "1 per second per channel"
PACED = "chat.postMessage"


class Pace:
    """Lets one post a channel through at a time, and the next a second after its end.

    A post that is told to wait (429) keeps the others waiting with it.
    """

    def __init__(self, gap_s: float = GAP_S) -> None:
        self._gap_s = gap_s
        self._turns: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self._free_at: dict[str, float] = {}

    @asynccontextmanager
    async def turn(self, channel: str) -> AsyncIterator[None]:
        """Wait for the turn; it lasts as long as the context."""
        async with self._turns.setdefault(channel, asyncio.Lock()):
            await asyncio.sleep(self._free_at.get(channel, 0.0) - time.monotonic())
            try:
                yield
            finally:
                now = time.monotonic()
                self._free_at = {c: at for c, at in self._free_at.items() if at > now}
                self._free_at[channel] = now + self._gap_s


class PacedClient(AsyncWebClient):
    """The Web API client, whose posts keep to Slack's pace."""

    def __init__(self, **options: Any) -> None:  # noqa: ANN401 - the SDK's
        super().__init__(**options)
        self._pace = Pace()

    async def api_call(
        self,
        api_method: str,
        **request: Any,  # noqa: ANN401 - the SDK's
    ) -> AsyncSlackResponse:
        """Call a method; a post waits for its turn."""
        if api_method != PACED:
            return await super().api_call(api_method, **request)
        channel = str((request.get("json") or request.get("params") or {}).get("channel"))
        async with self._pace.turn(channel):
            return await super().api_call(api_method, **request)
