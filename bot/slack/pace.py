"""Slack's rates, kept before they are broken: calls wait for their turn, or are left out.

https://docs.slack.dev/apis/web-api/rate-limits. Its figures are a method's own, for the whole app.
"""

import asyncio
import time
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any
from weakref import WeakValueDictionary

from slack_sdk.errors import SlackClientError
from slack_sdk.web.async_client import AsyncWebClient
from slack_sdk.web.async_slack_response import AsyncSlackResponse

MINUTE_S = 60.0
SHARE = 0.9  # of what Slack allows; the rest is room for clocks that disagree
GAP_S = 1.0  # "1 per second per channel"
POST = "chat.postMessage"
WAITING = {  # calls a minute; each is needed, if later
    "chat.stopStream": 20,
    "chat.update": 50,
    "conversations.replies": 50,
    "users.info": 100,
}
SPARED = {  # an answer comes without them as well
    "assistant.threads.setStatus": 300,  # of 600: a run killed just before may have used as many
    "chat.appendStream": 100,
    "chat.startStream": 20,
}


class SparedError(SlackClientError):
    """The call was left out, to stay within Slack's rates."""


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


class Window:
    """How many calls a minute, counted over the last one. `clock` gives seconds."""

    def __init__(self, most: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._most = most
        self._clock = clock
        self._calls: deque[float] = deque()

    def take(self) -> float:
        """Count a call, if there is room (0); else give how long to wait, in seconds."""
        now = self._clock()
        while self._calls and now - self._calls[0] >= MINUTE_S:
            self._calls.popleft()
        if len(self._calls) >= self._most:
            return self._calls[0] + MINUTE_S - now
        self._calls.append(now)
        return 0.0


class PacedClient(AsyncWebClient):
    """The Web API client, whose calls keep to Slack's rates."""

    def __init__(self, **options: Any) -> None:  # noqa: ANN401 - the SDK's
        super().__init__(**options)
        self._pace = Pace()
        rates = WAITING | SPARED
        self._windows = {method: Window(int(most * SHARE)) for method, most in rates.items()}

    async def api_call(
        self,
        api_method: str,
        **request: Any,  # noqa: ANN401 - the SDK's
    ) -> AsyncSlackResponse:
        """Call a method when its turn comes.

        Raises:
            SparedError: there is no room for a call that can be spared.
        """
        if api_method == POST:
            channel = str((request.get("json") or request.get("params") or {}).get("channel"))
            async with self._pace.turn(channel):
                return await super().api_call(api_method, **request)
        if (window := self._windows.get(api_method)) is not None:
            while (wait_s := window.take()) > 0:
                if api_method in SPARED:
                    raise SparedError(f"{api_method}: no room for it now")
                await asyncio.sleep(wait_s)
        return await super().api_call(api_method, **request)
