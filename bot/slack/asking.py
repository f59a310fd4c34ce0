"""A question as a job: what its thread's status says while it waits, and how it ends."""

import math
import time
from collections.abc import Callable

from bot.slack.answering import HANDED_BACK, Answering
from bot.slack.question import Question
from bot.slack.refusals import Refusals, Refused
from bot.slack.status import Status
from bot.slack.work import Place

SHOW_EVERY_S = 5.0  # a place changes faster than people want to read, and than Slack wants to hear

WAITING = "is busy. You are number {number}, about {wait}"


class Asking:
    """A question that was taken on. `searching` is its status once it is its turn."""

    def __init__(
        self,
        answering: Answering,
        question: Question,
        status: Status,
        *,
        searching: str,
        refusals: Refusals,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._answering = answering
        self._question = question
        self._status = status
        self._searching = searching
        self._refusals = refusals
        self._clock = clock
        self._shown = -math.inf

    @property
    def person(self) -> str:
        """Who asks."""
        return self._question.post.user

    @property
    def channel(self) -> str:
        """Where."""
        return self._question.post.channel

    async def run(self, thought: Callable[[], None]) -> None:
        """Answer."""
        self._show(self._searching)
        await self._answering.answer(self._question, self._status, thought)

    async def refuse(self, waiting: int, place: Place) -> None:
        """Too many are waiting."""
        self._refusals.add(Refused(self._question, waiting, in_time(place.wait_s)))
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
