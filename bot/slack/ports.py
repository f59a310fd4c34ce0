"""What the Slack skin asks of the rest: answers, and passages by id."""

import asyncio
import functools
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import ParamSpec, Protocol, TypeVar

from bot.record import Record
from bot.settings import Settings
from bot.source import Resolved
from bot.types import Citation, Outcome, Sentence, Turn
from ingest.library import Overview, Topic

BLOCKING_LIMIT_S = 30

P = ParamSpec("P")
T = TypeVar("T")

OnStage = Callable[[str, int], Awaitable[None]]
OnSentence = Callable[[Sentence, Sequence[Citation]], Awaitable[None]]


class Answers(Protocol):
    """A question to an answer that can be checked, or an abstention."""

    async def answer(
        self,
        question: str,
        history: Sequence[Turn] = (),
        *,
        on_stage: OnStage | None = None,
        on_sentence: OnSentence | None = None,
    ) -> Outcome:
        """`history` is oldest first.

        `on_stage` gets a stage and how many passages go into it; `on_sentence` each sentence once
        it is verified, with all citations up to it.
        """
        ...


class Passages(Protocol):
    """Passages by id. Synchronous and safe to call from threads."""

    def resolve(self, passage_id: str, /) -> Resolved | None:
        """What an id stands for; None for one that was never given out."""
        ...


class Library(Protocol):
    """The documents as a whole. Synchronous and safe to call from threads."""

    def documents(self) -> int:
        """How many there are."""
        ...

    def overview(self, newest: int, /) -> Overview:
        """Figures, the last sync, the newest documents."""
        ...

    def beside(self, passage_id: str, /) -> tuple[str | None, str | None]:
        """The passages before and after one in its document."""
        ...

    def topics(self, limit: int, /) -> Sequence[Topic]:
        """Headings to ask about."""
        ...


@dataclass(frozen=True, slots=True)
class Desk:
    """What the listeners work with. `pool` runs what blocks."""

    settings: Settings
    answers: Answers
    passages: Passages
    library: Library
    record: Record
    pool: Executor

    async def call(self, function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """Run what blocks off the event loop, within a time limit.

        Raises:
            TimeoutError: it took too long; it may still come to its end.
        """
        work = functools.partial(function, *args, **kwargs)
        loop = asyncio.get_running_loop()
        return await asyncio.wait_for(loop.run_in_executor(self.pool, work), BLOCKING_LIMIT_S)
