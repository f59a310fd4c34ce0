"""Sentences that were written to a judge's word on each, with only what each cites in view."""

import asyncio
import re
from collections import Counter
from collections.abc import Sequence
from html import escape

from bot import prompts
from bot.errors import TransientModelError
from bot.model import MessagesModel
from bot.reading.cited import cited_text
from bot.settings import Settings
from bot.types import Claim, Judged, JudgeVerdict

# A reader waits for it, after all that writing took: it gets less time than other calls.
LIMIT_S = 20.0
TOKENS = 32  # room of an answer
TOKENS_EACH = 8  # "12 YES" and its line end, with room to spare

_LINE = re.compile(r"([1-9][0-9]{0,3})(.*)")


class LanguageJudge:
    """Asks a language model, in one call for all sentences.

    Documents, and so sentences, may hold anything: as they are put into the question no text can
    end its own element or begin another, and in the reply only the form that was asked for counts.
    `verdicts` adds up those of all calls that did not fail.
    """

    def __init__(self, model: MessagesModel, settings: Settings) -> None:
        self.name = settings.judge_model or settings.rewrite_model
        self.verdicts: Counter[JudgeVerdict] = Counter()
        self._model = model
        self._limit_s = min(LIMIT_S, settings.model_timeout_s)
        self._system = prompts.load("judge")
        self._case = prompts.load("judge_case", "number", "sources", "question", "sentence")
        self._source = prompts.load("judge_source", "text")

    async def check(self, claims: Sequence[Claim]) -> tuple[Judged, ...]:
        """A word on each, in their order; without claims nobody is asked.

        Raises:
            ModelError: the model failed, or took too long.
        """
        if not claims:
            return ()
        cases = [self._case_of(number, claim) for number, claim in enumerate(claims, start=1)]
        try:
            async with asyncio.timeout(self._limit_s):
                reply = await self._model.complete(
                    self._system,
                    "\n\n".join(cases),
                    model=self.name,
                    max_tokens=TOKENS + TOKENS_EACH * len(claims),
                )
        except TimeoutError as error:
            raise TransientModelError("no verdicts within the time limit") from error
        judged = read_verdicts(reply, claims)
        self.verdicts.update(word.verdict for word in judged)
        return judged

    def _case_of(self, number: int, claim: Claim) -> str:
        cited = (cited_text(passage, claim.quotes) for passage in claim.passages)
        sources = [self._source.format(text=_inert(text)) for text in cited]
        return self._case.format(
            number=number,
            sources="\n".join(sources),
            question=_inert(claim.question),
            sentence=_inert(claim.text),
        )


def _inert(text: str) -> str:
    """Text that holds no tag."""
    return escape(text, quote=False)


def read_verdicts(reply: str, claims: Sequence[Claim]) -> tuple[Judged, ...]:
    """The verdicts of a reply of lines such as `1 YES`.

    A sentence that has no line, two, or one that says anything but YES or NO has no verdict. When a
    line is about none of the sentences, the numbers may have slipped: no verdict counts.
    """
    lines = [line.strip() for line in reply.split("\n") if line.strip()]
    found = [(int(match[1]), match[2]) for line in lines if (match := _LINE.fullmatch(line))]
    numbers = Counter(number for number, _ in found)
    if len(found) < len(lines) or any(number > len(claims) for number in numbers):
        return tuple(Judged(claim.text, "none") for claim in claims)
    words = {number: word for number, word in found if numbers[number] == 1}
    return tuple(_judged(claim, words.get(n)) for n, claim in enumerate(claims, start=1))


def _judged(claim: Claim, word: str | None) -> Judged:
    match word:
        case " YES":
            return Judged(claim.text, "yes")
        case " NO":
            return Judged(claim.text, "no")
        case _:
            return Judged(claim.text, "none")
