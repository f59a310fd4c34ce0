import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field

from bot.slack.work import Place, Work


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


@dataclass
class Job:
    """Waits at its bench's gate, and tells what becomes of it."""

    bench: "Bench"
    name: str
    places: list[Place] = field(default_factory=list)

    @property
    def person(self) -> str:
        return self.name[0]

    @property
    def channel(self) -> str:
        return self.name.partition("#")[2]

    async def run(self, thought: Callable[[], None]) -> None:
        self.bench.begun.append(self.name)
        await self.bench.gate.wait()
        self.bench.clock.now += 4
        thought()
        if self.channel in self.bench.slow:
            await self.bench.shown.wait()
        if self.name.endswith("!"):
            raise OSError(self.name)
        self.bench.ended.append(self.name)

    async def refuse(self, waiting: int, place: Place) -> None:
        self.bench.refused.append((self.name, waiting, place))

    def wait(self, place: Place) -> None:
        self.places.append(place)

    async def hand_back(self) -> None:
        self.bench.handed_back.append(self.name)


class Bench:
    def __init__(self, limit: int, queue: int = 50) -> None:
        self.clock = Clock()
        self.work = Work(limit, queue, self.clock)
        self.gate = asyncio.Event()
        self.slow: set[str] = set()  # channels that take no more messages for now
        self.shown = asyncio.Event()
        self.begun: list[str] = []
        self.ended: list[str] = []
        self.refused: list[tuple[str, int, Place]] = []
        self.handed_back: list[str] = []
        self.jobs: dict[str, Job] = {}

    async def start(self, *names: str) -> None:
        for name in names:
            self.jobs[name] = Job(self, name)
            self.work.start(self.jobs[name])
        await asyncio.sleep(0.01)

    async def end(self) -> None:
        self.gate.set()
        async with asyncio.timeout(5):
            while self.work.running or self.work.waiting:  # noqa: ASYNC110 - no event tells
                await asyncio.sleep(0)


async def test_jobs_beyond_the_limit_wait_and_know_their_place() -> None:
    bench = Bench(2)
    await bench.start("a1", "b1", "c1", "d1", "e1")
    assert bench.begun == ["a1", "b1"]
    assert [bench.jobs[name].places[-1] for name in ("c1", "d1", "e1")] == [
        Place(1, 2.5),
        Place(2, 5.0),
        Place(3, 7.5),
    ]
    assert (bench.work.running, bench.work.waiting) == (2, 3)
    await bench.end()
    assert bench.ended == ["a1", "b1", "c1", "d1", "e1"]


async def test_the_wait_is_told_by_how_long_jobs_took() -> None:
    bench = Bench(1)
    bench.gate.set()
    await bench.start("a1")
    bench.gate.clear()
    await bench.start("b1", "c1")
    assert bench.jobs["c1"].places[-1] == Place(1, 4.0)
    await bench.end()


async def test_people_take_turns_however_much_one_of_them_asks() -> None:
    bench = Bench(1)
    await bench.start("a1", "a2", "a3", "a4", "b1", "c1", "b2")
    await bench.end()
    assert bench.begun == ["a1", "a2", "b1", "c1", "a3", "b2", "a4"]


async def test_a_place_is_told_in_the_order_of_the_turns() -> None:
    bench = Bench(1)
    await bench.start("a1", "a2", "a3", "b1")
    places = {name: bench.jobs[name].places[-1].number for name in ("a2", "a3", "b1")}
    assert places == {"a2": 1, "b1": 2, "a3": 3}
    await bench.end()


async def test_beyond_the_queue_a_job_is_refused_with_how_long_the_queue_is() -> None:
    bench = Bench(1, queue=2)
    await bench.start("a1", "b1", "c1", "d1")
    assert bench.refused == [("d1", 2, Place(3, 15.0))]
    await bench.end()
    assert bench.ended == ["a1", "b1", "c1"]


async def test_with_no_queue_what_cannot_begin_is_refused() -> None:
    bench = Bench(1, queue=0)
    await bench.start("a1", "b1")
    assert [name for name, _, _ in bench.refused] == ["b1"]
    await bench.end()


async def test_a_full_queue_of_one_person_makes_room_for_another() -> None:
    bench = Bench(1, queue=3)
    await bench.start("a1", "a2", "a3", "a4", "b1", "b2")
    assert [name for name, _, _ in bench.refused] == ["a4", "b2"]
    await bench.end()
    assert bench.ended == ["a1", "a2", "b1", "a3"]


async def test_what_is_always_taken_is_taken_beyond_the_queue() -> None:
    bench = Bench(1, queue=0)
    await bench.start("a1")
    bench.work.start(Job(bench, "b1"), always=True)
    await bench.end()
    assert bench.ended == ["a1", "b1"]
    assert bench.refused == []


async def test_at_the_end_what_waits_is_handed_back_and_what_runs_may_end() -> None:
    bench = Bench(1)
    await bench.start("a1", "b1", "c1")
    bench.gate.set()
    assert await bench.work.drain(1) == 0
    assert bench.ended == ["a1"]
    assert bench.handed_back == ["b1", "c1"]
    await bench.start("d1")
    assert bench.handed_back == ["b1", "c1", "d1"]


async def test_what_outlasts_the_limit_is_cancelled_and_counted() -> None:
    bench = Bench(2)
    await bench.start("a1", "b1", "c1")
    assert await bench.work.drain(0.01) == 2
    assert bench.ended == []
    assert bench.handed_back == ["c1"]


async def test_a_job_that_fails_gives_its_place_to_the_next() -> None:
    bench = Bench(1)
    await bench.start("a!", "b1")
    await bench.end()
    assert bench.ended == ["b1"]


async def test_a_job_whose_answer_waits_to_be_shown_leaves_its_place_to_the_next() -> None:
    bench = Bench(2)
    bench.slow = {"flood"}
    bench.gate.set()
    await bench.start("a1#flood", "b1#flood", "c1#flood", "d1#quiet")
    assert bench.ended == ["d1#quiet"]
    bench.shown.set()
    await bench.end()
    assert bench.ended == ["d1#quiet", "a1#flood", "b1#flood", "c1#flood"]


async def test_of_a_channel_no_more_are_in_hand_than_can_run() -> None:
    bench = Bench(2, queue=3)
    bench.slow = {"flood"}
    bench.gate.set()
    await bench.start(*(f"{person}1#flood" for person in "abcdefg"))
    assert bench.begun == ["a1#flood", "b1#flood"]
    assert (bench.work.running, bench.work.waiting) == (0, 3)
    assert [name for name, _, _ in bench.refused] == ["f1#flood", "g1#flood"]
    bench.shown.set()
    await bench.end()


async def test_channels_take_turns_however_many_people_ask_in_one_of_them() -> None:
    bench = Bench(2)
    await bench.start("a1#flood", "b1#flood", "c1#flood", "d1#flood", "e1#quiet", "f1#still")
    await bench.end()
    assert bench.begun[2:4] == ["e1#quiet", "c1#flood"]


async def test_a_full_queue_of_one_channel_makes_room_for_another() -> None:
    bench = Bench(1, queue=3)
    await bench.start("a1#flood", "b1#flood", "c1#flood", "d1#flood", "e1#quiet")
    assert [name for name, _, _ in bench.refused] == ["d1#flood"]
    await bench.end()
    assert "e1#quiet" in bench.ended
