"""`python -m ingest` in processes of its own, as people run it."""

import json
import os
import shutil
import signal
import sqlite3
import time
from contextlib import closing
from pathlib import Path

import pytest

from ingest.embed import Embedder
from ingest.lock import DataLock
from tests.commands import finish, run, start
from tests.indexes import Watched, counts, opened, settings, sync
from tests.trees import write

TREE = {
    "leave.md": "# Leave\n\nStaff get 25 days.\n\n## Contractors\n\nThey get 10 days – at most.\n",
    "keys.md": "# Keys\n\nKeys are rotated every 90 days.\n",
    "bad.md": b"# Caf\xe9\n",
    "logo.png": "no text",
}
REPORT = {
    "documents",
    "chunks",
    "added",
    "changed",
    "removed",
    "unchanged",
    "embedded",
    "failed",
    "warnings",
    "unsupported",
    "seconds",
}
BAD = {"doc": "bad.md", "error": "not UTF-8 (byte 5, line 1); save the file as UTF-8."}


@pytest.fixture(scope="module")
def taken_in(tmp_path_factory: pytest.TempPathFactory, embedder: Embedder) -> Path:
    root = tmp_path_factory.mktemp("taken")
    write(root / "docs", TREE)
    sync(settings(root / "docs"), embedder)
    return root


@pytest.fixture
def root(taken_in: Path, tmp_path: Path) -> Path:
    """A folder that was taken in, to do with as a test likes."""
    shutil.copytree(taken_in, tmp_path, dirs_exist_ok=True)
    return tmp_path


def env(root: Path, **changes: str) -> dict[str, str]:
    return {"FOOTNOTE_DOCS": str(root / "docs"), "FOOTNOTE_DATA": str(root / "data"), **changes}


def refused(root: Path, *arguments: str, code: int, **changes: str) -> str:
    """What a command that cannot do its work says: a sentence on stderr, nothing on stdout."""
    done = run(env(root, **changes), "-m", "ingest", *arguments)
    assert done.stdout == ""
    assert "Traceback" not in done.stderr
    assert done.returncode == code, done.stderr
    return done.stderr


def test_a_first_pass_prints_its_report_as_data_alone(tmp_path: Path) -> None:
    write(tmp_path / "docs", TREE)
    done = run(env(tmp_path), "-m", "ingest", "--json")
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert done.stdout.count("\n") == 1
    report = json.loads(done.stdout)
    assert report.keys() == REPORT
    assert (report["documents"], report["chunks"], report["added"]) == (2, 3, 2)
    assert (report["embedded"], report["unsupported"]) == (3, ["logo.png"])
    assert report["failed"] == [BAD]


def test_a_second_pass_says_in_words_that_nothing_changed(root: Path) -> None:
    done = run(env(root), "-m", "ingest")
    assert done.returncode == 0
    assert done.stderr == ""
    first, *rest = done.stdout.splitlines()
    assert first.startswith(
        "2 documents, 3 passages: 0 added, 0 changed, 0 removed, 2 unchanged; 0 passages embedded"
    )
    assert rest == [
        "Not read, as their kind is not supported: logo.png.",
        f"Not taken in: bad.md: {BAD['error']}",
    ]


def test_an_empty_folder_is_told_in_words(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    done = run(env(tmp_path), "-m", "ingest")
    assert done.returncode == 0
    assert "The folders hold no document: Markdown" in done.stdout


def test_live_passages_are_listed_one_a_line_and_equal_their_slices(root: Path) -> None:
    done = run(env(root), "-m", "ingest", "--list", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert [row.keys() for row in rows] == [{"id", "doc", "heading", "start", "end"}] * 3
    texts = []
    for row in rows:
        with (root / "docs" / row["doc"]).open(encoding="utf-8", newline="") as file:
            texts.append((row["heading"], file.read()[row["start"] : row["end"]].strip()))
    assert texts == [
        ("Keys", "Keys are rotated every 90 days."),
        ("Leave", "Staff get 25 days."),
        ("Leave > Contractors", "They get 10 days – at most."),
    ]
    told = run(env(root), "-m", "ingest", "--list").stdout.splitlines()
    assert [line.split()[0] for line in told] == [row["id"] for row in rows]


def test_a_pass_below_a_path_takes_in_that_alone(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (root / "docs" / "keys.md").unlink()
    (root / "docs" / "leave.md").unlink()
    monkeypatch.chdir(root / "docs")
    done = run(env(root), "-m", "ingest", "keys.md", "--json")
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert (report["removed"], report["documents"]) == (1, 1)


def test_the_indexes_are_rebuilt_from_the_ledger(root: Path) -> None:
    (root / "data" / "chroma" / "chroma.sqlite3").write_bytes(b"garbage" * 500)
    done = run(env(root), "-m", "ingest", "--rebuild", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout) == {"chunks": 3}
    with opened(settings(root / "docs"), Embedder(settings(root / "docs"))) as index:
        assert index.compare() == (set(), set())


def test_help_names_every_option_and_needs_no_settings(tmp_path: Path) -> None:
    done = run(env(tmp_path, FOOTNOTE_MAX_FILE_MB="x"), "-m", "ingest", "--help")
    assert done.returncode == 0
    for word in ("paths", "--json", "--list", "--rebuild", "--backup", "--accept-removals"):
        assert word in done.stdout
    assert "FOOTNOTE_DOCS" in done.stdout
    assert "Default" not in done.stdout


def test_what_cannot_be_done_is_exit_code_1(root: Path) -> None:
    told = refused(root, "--json", code=1, FOOTNOTE_DOCS=str(root / "nothing"))
    assert told == f"{root}/nothing does not exist: name existing folders in FOOTNOTE_DOCS.\n"
    (root / "docs" / "keys.md").unlink()
    (root / "docs" / "leave.md").unlink()
    assert "2 of 2 documents of 'docs' vanished at once" in refused(root, code=1)


@pytest.mark.parametrize(
    ("arguments", "changes", "words"),
    [
        (("--nonsense",), {}, "No such option: --nonsense"),
        (
            (),
            {"FOOTNOTE_MAX_FILE_MB": "ten"},
            "MAX_FILE_MB is wrong: it must be a number (Lar",
        ),
        (
            (),
            {"FOOTNOTE_TARGET_TOKENS": "-1"},
            "TARGET_TOKENS is wrong: it must be at least 16",
        ),
        ((), {"FOOTNOTE_DOCS": " "}, "FOOTNOTE_DOCS names no folder"),
        ((), {"FOOTNOTE_DOCS": "/a/docs:/b/docs"}, "names two folders called 'docs'"),
        ((), {"FOOTNOTE_EXCLUDE": "!"}, "FOOTNOTE_EXCLUDE cannot be read: "),
        (("/etc",), {}, "/etc is not below any folder in FOOTNOTE_DOCS."),
        (("docs/typo.md",), {}, "docs/typo.md does not exist, and no document was known there."),
    ],
)
def test_a_wrong_argument_or_setting_is_exit_code_2(
    root: Path, arguments: tuple[str, ...], changes: dict[str, str], words: str
) -> None:
    assert words in refused(root, *arguments, code=2, **changes)


def test_a_damaged_ledger_and_a_data_folder_that_is_none_are_exit_code_1(root: Path) -> None:
    (root / "data" / "footnote.db").write_bytes(b"garbage" * 1000)
    for arguments in ((), ("--list",), ("--rebuild",)):
        assert "footnote.db is damaged (file is not a database)" in refused(
            root, *arguments, code=1
        )
    told = refused(root, code=1, FOOTNOTE_DATA=str(root / "docs" / "leave.md"))
    assert "leave.md cannot be written (" in told
    assert "FOOTNOTE_DATA=" in told


def test_beside_a_running_holder_writing_is_exit_code_3_and_reading_works(root: Path) -> None:
    with DataLock(root / "data"):
        words = f"is in use by Footnote with pid {os.getpid()}: only one process may own"
        assert words in refused(root, "--json", code=3)
        assert words in refused(root, "--rebuild", code=3)
        done = run(env(root), "-m", "ingest", "--list")
        assert (done.returncode, len(done.stdout.splitlines())) == (0, 3)


def test_reading_does_not_wait_for_a_writer(root: Path) -> None:
    file = root / "data" / "footnote.db"
    with closing(sqlite3.connect(file, isolation_level=None)) as writer:
        writer.execute("BEGIN IMMEDIATE")
        begun = time.monotonic()
        done = run(env(root), "-m", "ingest", "--list")
        assert (done.returncode, len(done.stdout.splitlines())) == (0, 3)
        assert time.monotonic() - begun < 20  # a writer is waited for 30 s


# Shells start what runs in the background with SIGINT ignored, and children inherit that.
SLOWLY = """
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)
import ingest.sync
ingest.sync.WINDOW = 2
from ingest.__main__ import main
main()
"""


def embedded(root: Path) -> int:
    """How many vectors the ledger keeps."""
    file = root / "data" / "footnote.db"
    if not file.exists():
        return 0
    with closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True)) as reader:
        try:
            return int(reader.execute("SELECT count(*) FROM half_vectors").fetchone()[0])
        except sqlite3.OperationalError:
            return 0


@pytest.mark.parametrize("signal_", [signal.SIGINT, signal.SIGKILL])
def test_a_pass_that_is_interrupted_loses_nothing_and_the_next_one_finishes(
    tmp_path: Path, embedder: Embedder, signal_: signal.Signals
) -> None:
    texts = {f"{n:03}.md": f"# Page {n}\n\nText number {n} of many.\n" for n in range(150)}
    write(tmp_path / "docs", texts)
    process = start(env(tmp_path), "-c", SLOWLY)
    while embedded(tmp_path) == 0 and process.poll() is None:
        time.sleep(0.05)
    process.send_signal(signal_)
    code, out, err = finish(process)
    assert out == ""
    assert "Traceback" not in err
    if signal_ == signal.SIGINT:
        assert (code, err) == (130, "Interrupted; nothing is lost, run it again to go on.\n")
    kept = embedded(tmp_path)
    assert 0 < kept < 150
    watched = Watched(embedder)
    with opened(settings(tmp_path / "docs"), watched) as index:
        assert index.ledger.counts() == (0, 0)
        assert counts(index.sync()) == (150, 0, 0, 0)
        assert index.compare() == (set(), set())
    assert len(watched.texts) == 150 - kept
