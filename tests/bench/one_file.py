"""A sync that changes one file among many beside one that changes none.

`python -m tests.bench.one_file [FILES]`: 10,000 files of six passages by default, in a process that
answers questions (BM25 in memory). Vectors are a stand-in's, so that embedding hides nothing.
"""

import gc
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import cast

from ingest.embed import Embedder
from ingest.index import Index
from tests.indexes import opened, settings
from tests.standin import StandIn

FILES = 10_000
SECTIONS = 6
ROUNDS = 15
RETIRED = 300


def page(number: int, edit: int) -> str:
    parts = [f"# Page {number}"]
    for section in range(SECTIONS):
        change = f" Edit {edit} of page {number}." if section == edit % SECTIONS and edit else ""
        rule = (
            f"Rule {section} of page {number} holds for team {number % 97}. Ask its lead in"
            f" building {number % 13} about item {number * 7 + section} before noon.{change}"
        )
        parts += [f"## Part {section}", rule]
    return "\n\n".join(parts) + "\n"


def timed(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def resident_mb() -> float:
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * 4096 / 1e6


def main() -> None:
    files = int(sys.argv[1]) if len(sys.argv) > 1 else FILES
    with tempfile.TemporaryDirectory() as root:
        docs = Path(root) / "docs"
        for number in range(files):
            file = docs / f"{number % 100:02}" / f"{number}.md"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(page(number, 0))
        time.sleep(2.1)  # younger files are read again
        chosen = settings(docs)
        with opened(chosen, cast("Embedder", StandIn(chosen))) as index:
            index.load_lexical()
            print(f"first sync of {files} files: {timed(index.sync):.1f} s", flush=True)
            print(f"{len(index.lexical)} passages in BM25")
            measure(index, docs, files)


def measure(index: Index, docs: Path, files: int) -> None:
    edits = 0

    def edit() -> None:
        nonlocal edits
        edits += 1
        number = edits * 37 % files
        (docs / f"{number % 100:02}" / f"{number}.md").write_text(page(number, edits))

    def one() -> float:
        edit()
        return timed(index.sync)

    one(), index.sync()
    none_s, one_s = [], []
    for _ in range(ROUNDS):
        none_s.append(timed(index.sync))
        one_s.append(one())
    none, changed = statistics.median(none_s), statistics.median(one_s)
    print(f"nothing changed: {none * 1000:.0f} ms; one file changed: {changed * 1000:.0f} ms")
    mean = statistics.mean(one_s) / statistics.mean(none_s)
    print(f"ratio {changed / none:.2f} (goal: at most 1.5): medians of {ROUNDS}; means: {mean:.2f}")
    before = resident_mb()
    for _ in range(RETIRED):
        one()
    print(f"{RETIRED} passages retired: memory {before:.0f} MB, then {resident_mb():.0f} MB")


if __name__ == "__main__":
    main()
