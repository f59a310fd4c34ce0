"""A hundred kills of a real pass: `python -m tests.bench.killed [KILLS] [SEED]`."""

import sys
import tempfile
from pathlib import Path

from ingest.embed import Embedder
from ingest.settings import IngestSettings
from tests.ingest.test_killed import run_kills

KILLS = 100


def main() -> None:
    kills = int(sys.argv[1]) if len(sys.argv) > 1 else KILLS
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    with tempfile.TemporaryDirectory() as folder:
        seen = run_kills(Path(folder), kills, seed, Embedder(IngestSettings(_env_file=None)))
    print(f"{kills} kills (seed {seed}): {seen.writing} while the indexes were behind or ahead,")
    print(f"{seen.committed} of them between a commit and the end of its pass;")
    print(f"{len(seen.shown)} ids shown: {seen.lost} lost, {seen.duplicated} duplicated,")
    print(f"{seen.unresolvable} that do not open to their text")


if __name__ == "__main__":
    main()
