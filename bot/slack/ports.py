"""What the Slack skin asks of the rest: answers, and passages by id."""

import asyncio
import functools
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from datetime import datetime
from typing import ParamSpec, Protocol, TypeVar

from bot.record import Record
from bot.settings import Settings
from bot.types import Outcome, Turn
from ingest.types import Chunk

BLOCKING_LIMIT_S = 30

P = ParamSpec("P")
T = TypeVar("T")

OnStage = Callable[[str, int], Awaitable[None]]


class Answers(Protocol):
    """A question to an answer that can be checked, or an abstention."""

    async def answer(
        self, question: str, history: Sequence[Turn] = (), *, on_stage: OnStage | None = None
    ) -> Outcome:
        """`history` is oldest first; `on_stage` gets a stage and how many passages go into it."""
        ...


class Sourced(Protocol):
    """A passage with where it comes from. Times are aware; `retired_at` is None while it lives."""

    @property
    def chunk(self) -> Chunk:
        """The passage."""
        ...

    @property
    def version(self) -> int:
        """Of its document, from 1."""
        ...

    @property
    def ingested_at(self) -> datetime:
        """When that version was taken in."""
        ...

    @property
    def retired_at(self) -> datetime | None:
        """When it left the documents."""
        ...


class Passages(Protocol):
    """Passages by id. Synchronous and safe to call from threads."""

    def lookup(self, passage_id: str, /) -> Sourced | None:
        """None for an id that was never given out."""
        ...


@dataclass(frozen=True, slots=True)
class Desk:
    """What the listeners work with. `pool` runs what blocks."""

    settings: Settings
    answers: Answers
    passages: Passages
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
