"""What can go wrong on Slack's side, switched on by a test, and Slack's real rates."""

import math
from collections import defaultdict, deque
from collections.abc import Callable
from dataclasses import dataclass

from bot.localslack.clock import Clock
from bot.localslack.socketmode import SocketMode
from bot.localslack.types import Event

FOREVER = 10**9


@dataclass(frozen=True, slots=True)
class RateLimited:
    """Answer 429 and `Retry-After`."""

    retry_after_s: int


@dataclass(frozen=True, slots=True)
class Failing:
    """Answer with this error. `status` other than 200 makes it a broken server's answer."""

    error: str
    status: int = 200


@dataclass(frozen=True, slots=True)
class HangUp:
    """Cut the connection instead of an answer."""


Fault = RateLimited | Failing | HangUp


class Faults:
    """Faults of methods happen in the order in which they were asked for, once each."""

    def __init__(self, socket: SocketMode, events: Callable[[], list[Event]]) -> None:
        self._socket, self._events = socket, events
        self._waiting: dict[str, deque[Fault]] = defaultdict(deque)
        self._delays: dict[str, tuple[float, int]] = {}

    def rate_limit(self, method: str, times: int = 1, retry_after_s: int = 1) -> None:
        """The next `times` calls of `method` are answered 429."""
        self._waiting[method].extend([RateLimited(retry_after_s)] * times)

    def fail(self, method: str, error: str, times: int = 1, status: int = 200) -> None:
        """The next `times` calls fail with Slack's name for the error, and are not carried out."""
        self._waiting[method].extend([Failing(error, status)] * times)

    def hang_up(self, method: str, times: int = 1) -> None:
        """The next `times` calls find the connection cut, and are not carried out."""
        self._waiting[method].extend([HangUp()] * times)

    def delay(self, method: str, seconds: float, times: int | None = None) -> None:
        """Each of the next `times` calls (None: all) takes `seconds` longer."""
        self._delays[method] = (seconds, FOREVER if times is None else times)

    def clear(self) -> None:
        """No faults of methods any more."""
        self._waiting.clear()
        self._delays.clear()

    def next_fault(self, method: str) -> Fault | None:
        """The fault of the call that has just come."""
        waiting = self._waiting[method]
        return waiting.popleft() if waiting else None

    def next_delay_s(self, method: str) -> float:
        """How long the call that has just come is held, in seconds."""
        seconds, left = self._delays.get(method, (0.0, 0))
        if left <= 0:
            return 0.0
        self._delays[method] = (seconds, left - 1)
        return seconds

    async def drop_sockets(self) -> None:
        """Cut every connection without a goodbye."""
        for link in list(self._socket.links):
            self._socket.abort(link)

    def go_deaf(self, *, pongs: bool = False) -> None:
        """The connections of now stay open and nothing that the app says on them is heard.

        With `pongs` its pings are answered, so that it cannot see it.
        """
        for link in self._socket.links:
            link.deaf, link.pongs = True, pongs

    async def redeliver(self, event_id: str) -> None:
        """Send an event once more, as Slack does after a lost acknowledgement.

        Raises:
            KeyError: no such event was ever sent.
        """
        found = {e.event_id: e for e in self._events()}
        self._socket.dispatch(found[event_id])

    async def refresh_request(
        self, reason: str = "refresh_requested", grace_s: float = 10.0
    ) -> None:
        """Ask the app to reconnect (`refresh_requested`, `warning`), and hang up later."""
        await self._socket.announce_end(reason, grace_s)


class Rates:
    """Slack's published rates, each over a sliding window of Slack's clock."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._calls: dict[tuple[str, str], deque[float]] = defaultdict(deque)

    def admit(self, method: str, key: str, most: int, window_s: float) -> int:
        """Count a call; 0 when it may pass, otherwise the seconds of `Retry-After`."""
        now, calls = self._clock.now(), self._calls[method, key]
        while calls and now - calls[0] >= window_s:
            calls.popleft()
        if len(calls) < most:
            calls.append(now)
            return 0
        return max(1, math.ceil(calls[0] + window_s - now))
