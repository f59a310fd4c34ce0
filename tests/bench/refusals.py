"""The gate chosen on one half of the cases and counted on the other, both ways.

    python -m tests.bench refusals --eval FOLDER [SET …]

Questions that nothing answers are those of the sets (own), and answerable ones whose document, or
only whose passage, was withdrawn; a question and what was made of it are in the same half. The
sample handbook's cases count as a set, `handbook`. Rows: every set alone, then all cases together.
Of one set alone `python -m bot calibrate CASES` tells the same.
"""

import argparse
import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from bot.evaluate.calibrate import Effect, Evidence, Sample, for_coverage, held_out
from bot.evaluate.cases import read_cases
from bot.evaluate.figures import COVERAGES, UNANSWERABLE, Unanswerable
from tests.bench.corpus import kept_embedder, opened
from tests.bench.evalset import EvalSet, load
from tests.bench.product import Searched, search_all
from tests.bench.retrieval import GATED, told
from tests.commands import HANDBOOK, ROOT

SAMPLE = "handbook"
LINES = 1_000_000  # more than any set has: what keeps the lines of two sets apart


def sample_of(searched: Searched) -> Sample:
    """What the gate saw of a set's cases."""
    sample = Sample()
    top_k = searched.run.top_k
    for question in searched.run.questions:
        for way in question.trials:
            found = searched.found[question.line, way]
            seen = Evidence(question.line, found.standalone, found.hits[:top_k])
            if way == "asked" and question.answerable is True:
                sample.answerable.append(seen)
            elif way == "asked" and question.answerable is False:
                sample.unanswerable.setdefault("own", []).append(seen)
            elif way in {"page_withdrawn", "passage_withdrawn"}:
                sample.unanswerable.setdefault(way, []).append(seen)
    return sample


def together(samples: Sequence[Sample]) -> Sample:
    """All cases as one set."""
    every = Sample()
    for n, sample in enumerate(samples):
        every.answerable += _apart(sample.answerable, n)
        for kind, some in sample.unanswerable.items():
            every.unanswerable.setdefault(kind, []).extend(_apart(some, n))
    return every


def _apart(some: Sequence[Evidence], n: int) -> list[Evidence]:
    return [replace(one, line=one.line + n * LINES) for one in some]


def lines(name: str, sample: Sample) -> Iterator[str]:
    """Rows of a Markdown table."""
    for coverage in COVERAGES:
        effect = held_out(sample, for_coverage(coverage))
        cells = [_cell(effect, kind, sample) for kind in UNANSWERABLE]
        yield f"| {name} | {coverage:.2f} | {told(effect.coverage)} | {' | '.join(cells)} |"


def _cell(effect: Effect, kind: Unanswerable, sample: Sample) -> str:
    some = sample.unanswerable.get(kind)
    return f"{told(effect.false_answers[kind])} of {len(some)}" if some else "–"


def _handbook() -> EvalSet:
    cases = ROOT / "tests" / "quality" / "cases.jsonl"
    return EvalSet(SAMPLE, cases, HANDBOOK, None, (), tuple(read_cases(cases)))


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        prog="python -m tests.bench refusals", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("--eval", type=Path, help="the folder of the sets; else the sample alone")
    parser.add_argument("sets", nargs="*", help=f"names of sets; default: {', '.join(GATED)}")
    given = parser.parse_args(arguments)
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    chosen = [_handbook()]
    if given.eval:
        chosen += [load(given.eval / name) for name in given.sets or GATED]
    print("| set | coverage asked | reached | own | page withdrawn | passage withdrawn |")
    print("|---|---|---|---|---|---|")
    samples = []
    for one in chosen:
        with kept_embedder(one) as embedder, opened(one, embedder) as (index, settings):
            searched = search_all(one, index, settings, withdraw=True)
        samples.append(sample_of(searched))
        print(*lines(one.name, samples[-1]), sep="\n", flush=True)
    if len(samples) > 1:
        print(*lines("all together", together(samples)), sep="\n", flush=True)


if __name__ == "__main__":
    main()
