"""Documents are read in a child process: its limits, its death, the death of its parent."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from ingest.embed import Embedder
from ingest.errors import DocumentError
from ingest.messages import Job, Reading
from ingest.reader import Reader
from ingest.settings import IngestSettings
from ingest.types import Sizes
from tests.commands import ROOT, environment
from tests.indexes import opened, settings
from tests.trees import write

SECONDS = 5.0
NEVER_ENDS = b"never ends"
EATS_MEMORY = b"eats memory"
DIES = b"dies"
PAGE = b"# Leave\n\nStaff get 25 days of leave.\n"


def count(text: str) -> int:
    """Words; some texts make the child do what a hostile document makes a parser do."""
    if NEVER_ENDS.decode() in text:
        while True:
            pass
    if EATS_MEMORY.decode() in text:
        _ = [bytes(1_000_000) for _ in range(10_000)]
    if DIES.decode() in text:
        os.kill(os.getpid(), signal.SIGKILL)
    return len(text.split())


def job(data: bytes, path: str = "page.md") -> Job:
    return Job("docs", path, path, path, data, Sizes(200, 256))


def read(reader: Reader, data: bytes) -> Reading:
    return reader.read(job(data), count)


@pytest.fixture
def reader() -> Iterator[Reader]:
    chosen = IngestSettings(_env_file=None)
    limits = {"parse_timeout_s": SECONDS, "parse_memory_mb": 400}
    reader = Reader(chosen.model_copy(update=limits))
    yield reader
    reader.close()


def pid(reader: Reader) -> int:
    assert reader._child is not None
    return reader._child._process.pid


def test_one_process_reads_many_documents_as_they_would_be_read_here(reader: Reader) -> None:
    first = read(reader, PAGE)
    same = pid(reader)
    assert [(c.heading, c.text) for c in first.chunks] == [("Leave", "Staff get 25 days of leave.")]
    assert read(reader, b"---\ntitle: Pay\n---\nOn the 25th.\n").front_matter == {"title": "Pay"}
    assert pid(reader) == same


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (NEVER_ENDS, "Reading it took more than 5 s: look for a very long line"),
        (EATS_MEMORY, "Reading it took more than 400 MB of memory: split it, or raise FOOTNOTE_"),
        (DIES, "Reading it ended the process that reads documents"),
        (b"\xff\xfe", "page.md: not UTF-8 (byte 0, line 1); save the file as UTF-8."),
    ],
)
def test_a_document_that_meets_a_limit_is_refused_and_the_next_one_read(
    reader: Reader, data: bytes, told: str
) -> None:
    with pytest.raises(DocumentError) as caught:
        read(reader, data)
    assert str(caught.value).startswith(told)
    assert read(reader, PAGE).title == "Leave"


def test_a_document_that_met_a_limit_does_not_cost_the_limit_again(reader: Reader) -> None:
    with pytest.raises(DocumentError):
        read(reader, NEVER_ENDS)
    begun = time.monotonic()
    with pytest.raises(DocumentError, match="more than 5 s"):
        read(reader, NEVER_ENDS)
    assert time.monotonic() - begun < SECONDS


def test_an_interruption_ends_the_reading_at_once(reader: Reader) -> None:
    def stop() -> None:
        raise KeyboardInterrupt

    read(reader, PAGE)
    begun = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        reader.read(job(NEVER_ENDS), count, stop)
    assert time.monotonic() - begun < SECONDS
    assert reader._child is None


def test_a_child_that_was_ended_from_outside_is_replaced(reader: Reader) -> None:
    read(reader, PAGE)
    os.kill(pid(reader), signal.SIGKILL)
    time.sleep(0.2)
    assert read(reader, PAGE).title == "Leave"


def test_a_child_that_takes_nothing_in_does_not_hold_the_sync_up(reader: Reader) -> None:
    read(reader, PAGE)
    os.kill(pid(reader), signal.SIGSTOP)
    with pytest.raises(DocumentError, match="more than 5 s"):
        read(reader, PAGE + b"A line of text.\n" * 100_000)
    assert read(reader, PAGE).title == "Leave"


def test_a_document_over_the_limit_keeps_its_last_version_and_is_reported(
    tmp_path: Path, embedder: Embedder
) -> None:
    docs = tmp_path / "docs"
    chosen = settings(docs, data=tmp_path / "data", parse_timeout_s=3)
    write(docs, {"leave.md": PAGE, "pay.md": "# Pay\n\nOn the 25th.\n"})
    with opened(chosen, embedder) as index:
        index.sync()
        row = "| one | two | three |\n"
        table = row + "|---|---|---|\n" + row * 400_000
        write(docs, {"leave.md": table, "new.md": "# New\n\nYes.\n"})
        report = index.sync()
        live = {chunk.doc: chunk.text for chunk in index.ledger.all_live()}
    assert [(f.doc, f.error[:30]) for f in report.failed] == [
        ("leave.md", "Reading it took more than 3 s:")
    ]
    assert live == {
        "leave.md": "Staff get 25 days of leave.",
        "pay.md": "On the 25th.",
        "new.md": "Yes.",
    }


PARENT = """
from tests.ingest.test_reader import IngestSettings, NEVER_ENDS, PAGE, Reader, count, job, pid
reader = Reader(IngestSettings(_env_file=None))
reader.read(job(PAGE), count)
print(pid(reader), flush=True)
reader.read(job(NEVER_ENDS), count)
"""


def test_the_child_dies_with_its_parent_even_in_a_loop_that_never_ends() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", PARENT], env=environment({}), cwd=ROOT, stdout=subprocess.PIPE
    ) as parent:
        assert parent.stdout is not None
        child = int(parent.stdout.readline())
        time.sleep(0.5)
        assert lives(child)
        parent.kill()
    deadline = time.monotonic() + 5
    while lives(child) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not lives(child)


def lives(process: int) -> bool:
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


def test_the_child_holds_none_of_its_parents_files(reader: Reader, tmp_path: Path) -> None:
    with (tmp_path / "lock").open("w"):
        read(reader, PAGE)
        held = {str(fd.readlink()) for fd in Path(f"/proc/{pid(reader)}/fd").iterdir()}
    assert held <= {"/dev/null", *(name for name in held if name.startswith(("pipe:", "socket:")))}
