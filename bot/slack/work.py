"""Questions in hand: how many run at once, who waits, and what happens to them at the end."""

import asyncio
from collections.abc import Callable, Coroutine

Job = Callable[[], Coroutine[object, object, None]]
OnWait = Callable[[int], Coroutine[object, object, None]]


class Work:
    """Runs jobs, at most `limit` at once, first come first served."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._slots = asyncio.Semaphore(limit)
        self._tasks: set[asyncio.Task[None]] = set()

    def start(self, job: Job, on_wait: OnWait) -> None:
        """Begin a job now, or when its turn comes. Neither callable may raise.

        `on_wait` is told, at once, how many jobs are to end before this one begins.
        """
        ahead = len(self._tasks) - self._limit + 1
        task = asyncio.create_task(self._run(job, on_wait, ahead))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _run(self, job: Job, on_wait: OnWait, ahead: int) -> None:
        telling = asyncio.create_task(on_wait(ahead)) if ahead > 0 else None
        try:
            async with self._slots:
                if telling is not None:
                    await telling  # or it would overwrite what the job has to say
                await job()
        finally:
            if telling is not None:
                telling.cancel()

    async def drain(self, limit_s: float) -> int:
        """Let what is in hand end, within a limit; cancel and count the rest."""
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=limit_s)
        left = list(self._tasks)
        for task in left:
            task.cancel()
        await asyncio.gather(*left, return_exceptions=True)
        return len(left)
