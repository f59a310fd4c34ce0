"""Answers judged after they were given: for the log, and nobody waits."""

import asyncio
import logging
from types import TracebackType
from typing import Self

from bot.errors import ModelError
from bot.stages import Judge
from bot.types import Answer, claims_of

log = logging.getLogger(__name__)

GRACE_S = 5  # for verdicts that are still out at the end
SENTENCE_CHARS = 200  # of a sentence in the log


class Review:
    """An async context: what is still out at its end gets a moment, then it is cancelled."""

    def __init__(self, judge: Judge) -> None:
        self._judge = judge
        self._tasks: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._tasks and exc_type is None:
            await asyncio.wait(self._tasks, timeout=GRACE_S)
        left = list(self._tasks)
        for task in left:
            task.cancel()
        if left:
            log.info("Answers whose verdicts were not waited for: %d", len(left))
            await asyncio.wait(left, timeout=GRACE_S)

    def begin(self, answer: Answer) -> None:
        """Judge it from now on."""
        task = asyncio.create_task(self._run(answer))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _run(self, answer: Answer) -> None:
        try:
            judged = await self._judge.check(claims_of(answer.sentences, answer.citations))
        except ModelError as error:
            log.warning("%s: %s: %s", self._judge.name, type(error).__name__, error)
            return
        except Exception:  # the edge of a job
            log.exception("An answer is not judged")
            return
        ids = {citation.n: citation.chunk.id for citation in answer.citations}
        written = [sentence for sentence in answer.sentences if not sentence.quoted]
        for word, sentence in zip(judged, written, strict=True):
            if not word.supported:
                cited = " ".join(ids[n] for n in sentence.citations)
                told = "Sentence not upheld (%s says %s; it cites %s)"
                log.info(told, self._judge.name, word.verdict, cited)
                log.debug("That sentence: %s", word.text[:SENTENCE_CHARS])
