"""Questions in hand: how many run at once, who is next, and what happens to them at the end."""

import asyncio
import logging
import time
from collections import Counter, OrderedDict, deque
from collections.abc import Callable, Coroutine, Iterator
from dataclasses import dataclass
from typing import Protocol

log = logging.getLogger(__name__)

FIRST_GUESS_S = 5.0  # how long a question takes, before one has ended
WEIGHT = 0.2  # of the newest duration in the moving average
GIVE_UP_S = 5.0  # for what was cancelled to say goodbye


@dataclass(frozen=True, slots=True)
class Place:
    """A place in the queue: from 1, and about how long until its turn, in seconds."""

    number: int
    wait_s: float


class Job(Protocol):
    """A question. No method may raise; of `run`, `refuse` and `hand_back` exactly one is called."""

    @property
    def person(self) -> str:
        """Whose it is: people take turns."""

    @property
    def channel(self) -> str:
        """Where its answer goes: channels take turns too."""

    def run(self, thought: Callable[[], None]) -> Coroutine[object, object, None]:
        """Answer it; call `thought` once all that is left is to show the answer."""

    def refuse(self, waiting: int, place: Place) -> Coroutine[object, object, None]:
        """Say that too many are waiting; `place` is where it would have been."""

    def wait(self, place: Place) -> None:
        """It waits, and this is its place now. Must not block."""

    def hand_back(self) -> Coroutine[object, object, None]:
        """The end has come and it was not begun: leave it to the next run."""


class Work:
    """Runs jobs, at most `limit` at once; at most `queue` more wait.

    A job makes room for the next as soon as its answer is known: Slack takes about one message a
    second in a channel. As many as `limit` of a channel are in hand, shown or not, so that answers
    do not pile up. The channel with the fewest running is next, and in it people take turns, each
    with the oldest of theirs. When the queue is full, somebody with fewer jobs in it takes the
    place of the newest job of whoever has the most, and so does a channel with fewer: nobody can
    keep the others out.
    """

    def __init__(self, limit: int, queue: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._limit = limit
        self._queue = queue
        self._clock = clock
        self._waiting: OrderedDict[str, deque[Job]] = OrderedDict()  # the next person first
        self._tasks: set[asyncio.Task[None]] = set()
        self._running: Counter[str] = Counter()  # by channel
        self._in_hand: Counter[str] = Counter()  # those too whose answer is still to be shown
        self._refused = 0
        self._stopping = False
        self._usual_s: float | None = None  # a moving average

    @property
    def waiting(self) -> int:
        """How many jobs wait."""
        return sum(map(len, self._waiting.values()))

    @property
    def running(self) -> int:
        """How many jobs run."""
        return self._running.total()

    @property
    def refused(self) -> int:
        """How many jobs were refused so far."""
        return self._refused

    def start(self, job: Job, *, always: bool = False) -> None:
        """Begin a job now, or when its turn comes, or refuse one; `always`: the queue may grow."""
        if self._stopping:
            self._spawn(job.hand_back())
            return
        refused = None if always else self._crowded_out(job)
        if refused is not job:
            self._waiting.setdefault(job.person, deque()).append(job)
        if refused is not None:
            waiting = self.waiting
            self._refused += 1
            self._spawn(refused.refuse(waiting, self._place(waiting + 1)))
        self._fill()
        self.tell()

    def tell(self) -> None:
        """Tell every job that waits its place."""
        for number, job in enumerate(self._in_order(), start=1):
            job.wait(self._place(number))

    async def drain(self, limit_s: float) -> int:
        """Hand back what waits, let what runs end within a limit; cancel and count the rest."""
        self._stopping = True
        for job in list(self._in_order()):
            self._spawn(job.hand_back())
        self._waiting.clear()
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=limit_s)
        left = list(self._tasks)
        for task in left:
            task.cancel()
        if left:
            await asyncio.wait(left, timeout=GIVE_UP_S)
        return len(left)

    def _crowded_out(self, job: Job) -> Job | None:
        """Who has to go for this job to come in: nobody, one of the greediest, or itself."""
        if self.waiting < self._queue or self._may_begin(job):
            return None
        waiting = [each for jobs in self._waiting.values() for each in jobs]
        people = Counter(each.person for each in waiting)
        channels = Counter(each.channel for each in waiting)
        person = max(people, key=people.__getitem__, default=job.person)
        if people[person] > people[job.person] + 1:
            return self._waiting[person].pop()
        channel = max(channels, key=channels.__getitem__, default=job.channel)
        if channels[channel] > channels[job.channel] + 1:
            there = [each for each in reversed(waiting) if each.channel == channel]
            return self._remove(max(there, key=lambda each: people[each.person]))
        return job

    def _remove(self, job: Job) -> Job:
        """Take a job out of the queue."""
        jobs = self._waiting[job.person]
        jobs.remove(job)
        if not jobs:
            del self._waiting[job.person]
        return job

    def _may_begin(self, job: Job) -> bool:
        return self.running < self._limit and self._in_hand[job.channel] < self._limit

    def _fill(self) -> None:
        while (job := self._next()) is not None:
            self._remove(job)
            if job.person in self._waiting:
                self._waiting.move_to_end(job.person)
            self._running[job.channel] += 1
            self._in_hand[job.channel] += 1
            self._spawn(self._run(job))

    def _next(self) -> Job | None:
        """The job whose turn it is, if one may begin."""
        firsts = (next(filter(self._may_begin, jobs), None) for jobs in self._waiting.values())
        ready = [job for job in firsts if job is not None]
        return min(ready, key=lambda job: self._running[job.channel], default=None)

    async def _run(self, job: Job) -> None:
        begun, running = self._clock(), True

        def thought() -> None:
            nonlocal running
            if running:
                running = False
                self._learn(self._clock() - begun)
                _take_one(self._running, job.channel)
                self._go_on()

        try:
            await job.run(thought)
        finally:
            thought()
            _take_one(self._in_hand, job.channel)
            self._go_on()

    def _go_on(self) -> None:
        if not self._stopping:
            self._fill()
            self.tell()

    def _spawn(self, work: Coroutine[object, object, None]) -> None:
        task = asyncio.create_task(self._guard(work))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    @staticmethod
    async def _guard(work: Coroutine[object, object, None]) -> None:
        try:
            await work
        except Exception:  # the edge of a job
            log.exception("A question was left")

    def _learn(self, took_s: float) -> None:
        usual_s = took_s if self._usual_s is None else self._usual_s
        self._usual_s = usual_s + WEIGHT * (took_s - usual_s)

    def _place(self, number: int) -> Place:
        usual_s = FIRST_GUESS_S if self._usual_s is None else self._usual_s
        return Place(number, number * usual_s / self._limit)

    def _in_order(self) -> Iterator[Job]:
        """The jobs that wait, in the order in which they begin where no channel holds them up."""
        rounds = [list(jobs) for jobs in self._waiting.values()]
        for n in range(max(map(len, rounds), default=0)):
            yield from (jobs[n] for jobs in rounds if n < len(jobs))


def _take_one(counts: Counter[str], channel: str) -> None:
    counts[channel] -= 1
    if not counts[channel]:
        del counts[channel]
