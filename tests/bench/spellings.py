"""Misspelt words of the handbooks' questions: how often they are read as what was meant.

    python -m tests.bench spellings --eval FOLDER [SET …]

In each question its longest word of six letters or more that the documents have is misspelt once: a
letter is dropped, doubled, swapped with the next or replaced, drawn with a fixed seed; the first
letter stays. Beside it how many questions as they were asked are read otherwise: none should be.
"""

import argparse
import asyncio
import os
import random
import re
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from bot.spellings import Spellings
from ingest.index import Index
from tests.bench.corpus import kept_embedder, opened
from tests.bench.evalset import EvalSet, sets_of

SETS = ("gds_way", "civicactions", "govuk_dev", "k8s_community")
SEED, LEAST = 7, 6
LETTERS = "abcdefghijklmnopqrstuvwxyz"


def misspelt(word: str, rng: random.Random) -> str:
    at = rng.randrange(1, len(word) - 1)
    slips = (
        word[:at] + word[at + 1 :],
        word[:at] + word[at] + word[at:],
        word[:at] + word[at + 1] + word[at] + word[at + 2 :],
        word[:at] + rng.choice(LETTERS) + word[at + 1 :],
    )
    return rng.choice([slip for slip in slips if slip != word])


async def count(index: Index, questions: Sequence[str]) -> tuple[list[str], int, int, int]:
    """The readings of clean questions; misspelt words, those read rightly, and wrongly."""

    def pieces(word: str) -> int:
        return len(index.serving.token_spans(word))

    rng = random.Random(SEED)
    clean: list[str] = []
    made = right = wrong = 0
    with ThreadPoolExecutor(1) as pool:
        spellings = Spellings(index.lexical, index, pieces, pool)
        for question in questions:
            clean += [f"{r.said} > {r.meant}" for r in await spellings.readings(question)]
            words = sorted(set(re.findall(rf"\b[a-z]{{{LEAST},}}\b", question)), key=len)
            known = [word for word in words if index.lexical.search(word, 1)]
            if not known:
                continue
            slip = misspelt(known[-1], rng)
            before = {r.text for r in await spellings.readings(question)}
            read = await spellings.readings(question.replace(known[-1], slip))
            made += 1
            meant = {question, *before}
            right += any(r.text in meant for r in read)
            wrong += bool(read) and not any(r.text in meant for r in read)
    return clean, made, right, wrong


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        prog="python -m tests.bench spellings", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("--eval", type=Path, help="the folder of the sets; else the sample alone")
    parser.add_argument("sets", nargs="*", help=f"names of sets; default: {', '.join(SETS)}")
    given = parser.parse_args(arguments)
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    print("| set | questions | read otherwise as asked | misspelt | read rightly | wrongly |")
    print("|---|---|---|---|---|---|")
    for one in sets_of(given.eval, given.sets or SETS):
        _print(one)


def _print(one: EvalSet) -> None:
    questions = [case.q for case in one.cases]
    with kept_embedder(one) as embedder, opened(one, embedder) as (index, _):
        index.load_lexical()
        clean, made, right, wrong = asyncio.run(count(index, questions))
    told = f"{len(clean)} ({'; '.join(clean)})" if clean else "0"
    print(f"| {one.name} | {len(questions)} | {told} | {made} | {right} | {wrong} |", flush=True)


if __name__ == "__main__":
    main()
