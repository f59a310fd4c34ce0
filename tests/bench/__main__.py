"""`python -m tests.bench`: speed as ratios, measured side by side in one run.

Figures swing with the machine's load; ratios hold. `disk` states what is stored for a byte of
documents, `hostile` puts files that stop a parser beside those of a running bot. `retrieval` and
`refusals` measure quality on evaluation sets, `fit` fits what ranks and decides on them,
`spellings` misspells their questions: see their `--help`.
"""

import argparse
import logging
import os
import sys
from pathlib import Path

SPEED = ("ingestion", "second-sync", "question")
MEASUREMENTS = (*SPEED, "disk", "hostile")


def main() -> None:
    match sys.argv[1:]:
        case ["retrieval", *arguments]:
            from tests.bench import retrieval

            retrieval.main(arguments)
        case ["fit", *arguments]:
            from tests.bench import fit

            fit.main(arguments)
        case ["spellings", *arguments]:
            from tests.bench import spellings

            spellings.main(arguments)
        case ["refusals", *arguments]:
            from tests.bench import fit

            fit.main(["--figures", *arguments])
        case _:
            measure_speed()


def measure_speed() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument(
        "only", nargs="*", help=f"of {', '.join(MEASUREMENTS)}; default: those of speed"
    )
    parser.add_argument("--docs", type=Path, help="a folder of documents; default: made-up pages")
    parser.add_argument("--questions", type=Path, help='lines of {"q"} for "question"')
    parser.add_argument("--rounds", type=int, default=3, help="the median of so many is told")
    given = parser.parse_args()
    unknown = set(given.only) - set(MEASUREMENTS)
    if unknown:
        parser.error(f"no such measurement: {', '.join(sorted(unknown))}")
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    logging.basicConfig(level="ERROR")
    for name in given.only or SPEED:
        print(f"\n{name}", flush=True)
        for line in measure(name, given):
            print(f"  {line}", flush=True)


def measure(name: str, given: argparse.Namespace) -> list[str]:
    from tests.bench import disk, hostile, ingestion, question, second_sync

    if name == "ingestion":
        return ingestion.measure(given.docs, given.rounds)
    if name == "second-sync":
        return second_sync.measure(given.docs, given.rounds)
    if name == "disk":
        return disk.measure(given.docs)
    if name == "hostile":
        return hostile.measure()
    return question.measure(given.docs, given.questions)


if __name__ == "__main__":
    main()
