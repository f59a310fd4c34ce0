"""The app in a process of its own, with answers written by hand: a thing that can be killed."""

import asyncio
import json
import os
import random
import signal
from collections.abc import Sequence
from contextlib import AsyncExitStack

from bot.errors import TransientModelError
from bot.record import Record
from bot.settings import Settings
from bot.slack.app import run
from bot.slack.http import Web
from bot.slack.metrics import Metrics
from bot.slack.ports import OnSentence, OnStage
from bot.types import Answer, Outcome, Turn
from ingest.schema import open_database
from tests.slack.conftest import Shelf, abstention, leave_answer


class Answers:
    """Takes a moment; abstains and fails now and then, by the question's number."""

    def __init__(self, seconds: float, failures: float) -> None:
        self._seconds = seconds
        self._failures = failures

    async def answer(
        self,
        question: str,
        history: Sequence[Turn] = (),
        *,
        on_stage: OnStage | None = None,
        on_sentence: OnSentence | None = None,
    ) -> Outcome:
        del history
        chance = random.Random(question)
        if on_stage is not None:
            await on_stage("generate", 5)
        await asyncio.sleep(self._seconds * chance.uniform(0.5, 1.5) / 2)
        fate = chance.random()
        if fate < self._failures:
            raise TransientModelError("overloaded")
        if fate > 0.9:
            return abstention(question)
        outcome = leave_answer(question)
        assert isinstance(outcome, Answer)
        if on_sentence is not None:
            for sentence in outcome.sentences:
                await on_sentence(sentence, outcome.citations)
                await asyncio.sleep(self._seconds / 4)
        return outcome


async def main() -> None:
    settings = Settings(_env_file=None)
    engine = open_database(settings.data / "footnote.db")
    stop = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
    answers = Answers(
        float(os.environ.get("ANSWER_S", "0.2")), float(os.environ.get("FAILURES", "0"))
    )
    shelf = Shelf()
    web = Web(Metrics(), slack=False)
    async with AsyncExitStack() as stack:
        if settings.http_port:
            await stack.enter_async_context(web.listening("127.0.0.1", settings.http_port))
        await run(settings, answers, shelf, shelf, Record(engine), stop=stop, web=web)
    engine.dispose()
    await asyncio.sleep(0.5)  # what ends by itself has ended
    left = asyncio.all_tasks() - {asyncio.current_task()}
    print(json.dumps({"tasks_left": sorted(str(task.get_coro()) for task in left)}))


if __name__ == "__main__":
    asyncio.run(main())
