"""Questions that are not answered because too many wait: said once a person and minute."""

import asyncio
import logging
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field

from bot.slack.pace import notice
from bot.slack.question import Question

log = logging.getLogger(__name__)

EVERY_S = 60.0
GATHER_S = 5.0  # before a crowd is told how many it is
MOST = 30  # people of a channel who are told each by themselves within a minute

FULL = (
    "Too many questions are waiting ({waiting}), and this one is not answered. Please ask again in"
    " about {wait}."
)
MANY = (
    "Too many questions are waiting ({waiting}), and {count} of yours are not answered, this one"
    " among them. Please ask again in about {wait}."
)
CROWD = (
    "Too many questions were asked here at once: {count} more are not answered. Please ask again in"
    " about {wait}."
)


@dataclass(frozen=True, slots=True)
class Refused:
    """A question that was refused; `waiting`: how many waited, `wait`: how long it would take."""

    question: Question
    waiting: int
    wait: str


@dataclass(slots=True)
class _Telling:
    """What is to be told to a person, or to a channel as a whole."""

    channel: str
    crowd: bool
    untold: list[Refused] = field(default_factory=list)
    task: "asyncio.Task[None] | None" = None


class Refusals:
    """Tells people that they are not answered, after all answers of the channel.

    The first refusal of a person is told at once, those within the next minute as one number when
    it is over, and those of a crowd as one number for its channel. A question is owed until its
    refusal is told, so that the end of the process drops none in silence.

    Args:
        say: posts words under a question.
        announce: posts words in a channel.
        finish: puts on record that nothing more is owed for these questions.
    """

    def __init__(
        self,
        say: Callable[[Question, str], Awaitable[None]],
        announce: Callable[[str, str], Awaitable[None]],
        finish: Callable[[Sequence[Question]], Awaitable[None]],
    ) -> None:
        self._say = say
        self._announce = announce
        self._finish = finish
        self._open: dict[str, _Telling] = {}  # by person, or by channel
        self._people: Counter[str] = Counter()  # of those, in each channel

    def add(self, refused: Refused) -> None:
        """Tell of a refusal, now or within a minute. Does not block."""
        person, channel = refused.question.post.user, refused.question.post.channel
        crowd = person not in self._open and self._people[channel] >= MOST
        key = channel if crowd else person
        if (telling := self._open.get(key)) is None:
            telling = self._open[key] = _Telling(channel, crowd)
            self._people[channel] += not crowd
            telling.task = asyncio.create_task(self._tell(key, telling))
        telling.untold.append(refused)

    async def close(self) -> None:
        """Tell no more; what is untold stays owed."""
        tasks = [each.task for each in self._open.values() if each.task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _tell(self, key: str, telling: _Telling) -> None:
        notice.set(True)
        try:
            if telling.crowd:
                await asyncio.sleep(GATHER_S)
            while untold := telling.untold:
                telling.untold = []
                await self._tell_of(untold, telling)
                await asyncio.sleep(EVERY_S)
        except Exception:  # the edge of a task
            log.exception("A refusal was not told")
        finally:
            del self._open[key]
            self._people[telling.channel] -= not telling.crowd
            if not self._people[telling.channel]:
                del self._people[telling.channel]

    async def _tell_of(self, untold: Sequence[Refused], telling: _Telling) -> None:
        last, count = untold[-1], len(untold)
        if telling.crowd:
            await self._announce(telling.channel, CROWD.format(count=count, wait=last.wait))
        else:
            words = (FULL if count == 1 else MANY).format(
                waiting=last.waiting, wait=last.wait, count=count
            )
            await self._say(last.question, words)
        await self._finish([refused.question for refused in untold])
