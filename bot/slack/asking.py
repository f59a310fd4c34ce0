"""A question as a job: what its thread's status says while it waits, and how it ends."""

import math
import time
from collections.abc import Callable

from bot.slack.answering import HANDED_BACK, Answering, Question
from bot.slack.status import Status
from bot.slack.work import Place

SHOW_EVERY_S = 5.0  # a place changes faster than people want to read, and than Slack wants to hear

WAITING = "is busy. You are number {number}, about {wait}"
FULL = (
    "Too many questions are waiting ({waiting}), and this one is not answered. Please ask again in"
    " about {wait}."
)


class Asking:
    """A question that was taken on. `searching` is its status once it is its turn."""

    def __init__(
        self,
        answering: Answering,
        question: Question,
        status: Status,
        searching: str,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._answering = answering
        self._question = question
        self._status = status
        self._searching = searching
        self._clock = clock
        self._shown = -math.inf

    @property
    def person(self) -> str:
        """Who asks."""
        return self._question.post.user

    async def run(self) -> None:
        """Answer."""
        self._show(self._searching)
        await self._answering.answer(self._question, self._status)

    async def refuse(self, waiting: int, place: Place) -> None:
        """Too many are waiting."""
        words = FULL.format(waiting=waiting, wait=in_time(place.wait_s))
        await self._answering.decline(self._question, words)
        await self._status.clear()

    def wait(self, place: Place) -> None:
        """Show the place, now and then."""
        now = self._clock()
        if now - self._shown >= SHOW_EVERY_S:
            self._shown = now
            self._show(WAITING.format(number=place.number, wait=in_time(place.wait_s)))

    async def hand_back(self) -> None:
        """The next run answers; the question is on record."""
        if not self._question.shared:
            await self._status.leave(HANDED_BACK)

    def _show(self, text: str) -> None:
        if not self._question.shared:  # nobody of another company is told what there is
            self._status.show(text)


def in_time(seconds: float) -> str:
    """About so long: `5 s`, `20 s`, `3 min`."""
    if seconds > 90:  # noqa: PLR2004 - from here on minutes read better
        return f"{math.ceil(seconds / 60)} min"
    return f"{max(5, math.ceil(seconds / 5) * 5)} s"
