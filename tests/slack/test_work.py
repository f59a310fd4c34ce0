import asyncio

from bot.slack.work import Work


class Bench:
    """Jobs that wait at a gate, and what became of them."""

    def __init__(self, limit: int) -> None:
        self.work = Work(limit)
        self.gate = asyncio.Event()
        self.begun: list[int] = []
        self.ended: list[int] = []
        self.told: dict[int, int] = {}

    def start(self, name: int) -> None:
        async def job() -> None:
            self.begun.append(name)
            await self.gate.wait()
            self.ended.append(name)

        async def on_wait(ahead: int) -> None:
            self.told[name] = ahead

        self.work.start(job, on_wait)


async def test_jobs_beyond_the_limit_wait_in_order_and_are_told_how_many_are_ahead() -> None:
    bench = Bench(2)
    for name in range(5):
        bench.start(name)
    await asyncio.sleep(0.01)
    assert bench.begun == [0, 1]
    assert bench.told == {2: 1, 3: 2, 4: 3}
    bench.gate.set()
    assert await bench.work.drain(1) == 0
    assert bench.begun == bench.ended == [0, 1, 2, 3, 4]


async def test_what_outlasts_the_limit_is_cancelled_and_counted() -> None:
    bench = Bench(1)
    for name in range(3):
        bench.start(name)
    assert await bench.work.drain(0.01) == 3
    assert bench.ended == []


async def test_a_free_place_is_given_at_once() -> None:
    bench = Bench(1)
    bench.gate.set()
    bench.start(0)
    await bench.work.drain(1)
    bench.start(1)
    await bench.work.drain(1)
    assert bench.told == {}
