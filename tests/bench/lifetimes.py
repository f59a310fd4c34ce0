"""Many random lives of a folder of documents: `python -m tests.bench.lifetimes [LIVES]`.

The machine and its invariants are those of `tests/ingest/test_lifetimes.py`.
"""

import sys
import time

from hypothesis import settings
from hypothesis.stateful import run_state_machine_as_test

from tests.ingest.test_lifetimes import STEPS, Lifetimes, TestLifetimes

LIVES = 500


def main() -> None:
    lives = int(sys.argv[1]) if len(sys.argv) > 1 else LIVES
    started = time.monotonic()
    options = settings(TestLifetimes.settings, max_examples=lives, print_blob=False)
    run_state_machine_as_test(Lifetimes, settings=options)
    seconds = time.monotonic() - started
    print(f"{lives} lives of up to {STEPS} steps: no id lost, none for two texts ({seconds:.0f} s)")


if __name__ == "__main__":
    main()
