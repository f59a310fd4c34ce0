"""Every case of a set through the product, as its own evaluation asks them."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass

from bot.evaluate.cases import Case
from bot.evaluate.session import Wanted, run_cases
from bot.evaluate.types import Run, Way
from bot.evaluate.withdraw import EvaluationIndex
from bot.found import Found as Search
from bot.settings import Settings
from bot.wiring import open_parts
from tests.bench.evalset import EvalSet, Found

Searches = Mapping[tuple[int, Way], Search]


@dataclass(frozen=True)
class Searched:
    """By line and way what was found; the run as `python -m bot eval` has it."""

    run: Run
    found: Searches

    def of(self, case: Case, way: Way = "asked") -> Search:
        """What was found in a way; as asked where the two are the same question."""
        return self.found.get((case.line, way)) or self.found[case.line, "asked"]


def search_all(
    chosen: EvalSet, index: EvaluationIndex, settings: Settings, *, withdraw: bool
) -> Searched:
    found: dict[tuple[int, Way], Search] = {}

    def keep(case: Case, way: Way, search: Search) -> None:
        found[case.line, way] = search

    async def run() -> Run:
        async with open_parts(settings, index) as parts:
            wanted = Wanted(withdraw=withdraw, probe=False)
            cases = chosen.cases
            return await run_cases(parts, index, chosen.questions, cases, wanted, on_found=keep)

    return Searched(asyncio.run(run()), found)


def passages(search: Search) -> list[Found]:
    """The hits, best first."""
    return [Found(hit.chunk.doc, hit.chunk.text) for hit in search.hits]


def shown(search: Search, texts: Mapping[str, str]) -> list[Found]:
    """The first hits with what is shown around them: a stretch of the file each."""
    return [
        Found(one.hit.chunk.doc, texts[one.hit.chunk.doc][one.start : one.end])
        for one in search.shown
    ]


def lexical(search: Search) -> list[Found]:
    """BM25 alone: the candidates that it found, in its order."""
    ranked = [
        (hit.candidate.lexical_rank, hit.chunk)
        for hit in search.hits
        if hit.candidate is not None and hit.candidate.lexical_rank is not None
    ]
    return [Found(c.doc, c.text) for _, c in sorted(ranked, key=lambda pair: pair[0])]
