"""Slack's rates, kept before they are broken: calls wait for their turn, or are left out.

https://docs.slack.dev/apis/web-api/rate-limits. Its figures are a method's own, for the whole app.
"""

import asyncio
import heapq
import itertools
import time
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from contextvars import ContextVar
from typing import Any
from weakref import WeakValueDictionary

from slack_sdk.errors import SlackClientError
from slack_sdk.web.async_client import AsyncWebClient
from slack_sdk.web.async_slack_response import AsyncSlackResponse

from ingest.printable import clean

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


# Whether what is posted can wait for all answers in its channel. Holds for the task that sets it.
notice: ContextVar[bool] = ContextVar("notice", default=False)


class SparedError(SlackClientError):
    """The call was left out, to stay within Slack's rates."""


class _Line:
    """Those who want to post in one channel: answers first, then notices, each in their order."""

    def __init__(self) -> None:
        self._taken = False
        self._waiting: list[tuple[bool, int, asyncio.Future[None]]] = []
        self._count = itertools.count()

    async def enter(self, *, late: bool) -> None:
        """Wait for the turn; `late`: after all that are not."""
        if not self._taken:
            self._taken = True
            return
        turn = asyncio.get_running_loop().create_future()
        heapq.heappush(self._waiting, (late, next(self._count), turn))
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self._next()
            raise

    def leave(self, gap_s: float) -> None:
        """Let the next one in, so long from now: who that is, is decided then."""
        asyncio.get_running_loop().call_later(gap_s, self._next)

    def _next(self) -> None:
        while self._waiting:
            _, _, turn = heapq.heappop(self._waiting)
            if not turn.done():
                turn.set_result(None)
                return
        self._taken = False


class Pace:
    """Lets one post a channel through at a time, and the next a second after its end.

    A post that is told to wait (429) keeps the others waiting with it.
    """

    def __init__(self, gap_s: float = GAP_S) -> None:
        self._gap_s = gap_s
        self._lines: WeakValueDictionary[str, _Line] = WeakValueDictionary()

    @asynccontextmanager
    async def turn(self, channel: str, *, late: bool = False) -> AsyncIterator[None]:
        """Wait for the turn; it lasts as long as the context. `late`: after the others."""
        line = self._lines.setdefault(channel, _Line())
        await line.enter(late=late)
        try:
            yield
        finally:
            line.leave(self._gap_s)


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
        request |= {part: clean(request[part]) for part in ("json", "params") if part in request}
        if api_method == POST:
            channel = str((request.get("json") or request.get("params") or {}).get("channel"))
            async with self._pace.turn(channel, late=notice.get()):
                return await super().api_call(api_method, **request)
        if (window := self._windows.get(api_method)) is not None:
            while (wait_s := window.take()) > 0:
                if api_method in SPARED:
                    raise SparedError(f"{api_method}: no room for it now")
                await asyncio.sleep(wait_s)
        return await super().api_call(api_method, **request)
