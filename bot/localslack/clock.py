"""Slack's clock, which a test can move, and the signal that something changed."""

import asyncio
import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


class Clock:
    """Seconds since the epoch, plus what `advance` added."""

    def __init__(self) -> None:
        self._offset_s = 0.0

    def now(self) -> float:
        """The time in Slack, in seconds since the epoch."""
        return time.time() + self._offset_s

    def advance(self, seconds: float) -> None:
        """Let `seconds` pass at once: triggers, streams, statuses and response_urls age."""
        self._offset_s += seconds


class Changes:
    """Wakes those who wait for something to become true."""

    def __init__(self) -> None:
        self._next = asyncio.Event()

    @property
    def next(self) -> asyncio.Event:
        """Set at the next change."""
        return self._next

    def notify(self) -> None:
        """Something changed; whoever waits looks again."""
        self._next.set()
        self._next = asyncio.Event()

    async def wait_for(self, look: Callable[[], T | None], timeout_s: float, what: str) -> T:
        """Return the first truthy `look()`.

        Raises:
            TimeoutError: after `timeout_s`, naming `what` was waited for.
        """
        try:
            async with asyncio.timeout(timeout_s):
                while True:
                    pending = self._next
                    if found := look():
                        return found
                    await pending.wait()
        except TimeoutError:
            raise TimeoutError(f"{what} did not come within {timeout_s} s") from None
