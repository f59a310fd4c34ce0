"""A person's questions are taken back: nothing of them is left in any file, all else stays."""

import os
import pty
import select as poll
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import select

from bot.record import Record
from bot.schema import answers, feedback, owed
from bot.stored import Asked, Owed
from bot.types import Abstention, Answer, Citation, Quote, Sentence, Trace
from ingest.embed import Embedder
from ingest.ledger import Ledger
from ingest.lock import DataLock
from tests.commands import TIME_LIMIT_S, environment, run, start
from tests.indexes import opened, settings
from tests.trees import write

SECRET = "tangerine"  # in all that goes
WORDS = "marigold"  # in all that stays
PAGE = f"# Leave\n\nStaff get 25 days of paid leave a year, the {WORDS} rule.\n"
ELSEWHERE = (
    "Copies made with `--backup`, exported cases, and any other copy of the data folder still hold"
    " it: delete them. What was posted in Slack stays there until it is deleted there."
)
COUNTS = """\
  2 questions answered
  1 citation of those answers
  2 ratings of those answers or by U1
  1 question waiting for an answer
  Sent to the owners, and still in their channel: 1.
  Follow-ups of others that lose their rewriting: 1.
"""

pytestmark = pytest.mark.timeout(400)


def env(root: Path) -> dict[str, str]:
    return {"FOOTNOTE_DOCS": str(root / "docs"), "FOOTNOTE_DATA": str(root / "data")}


def holding(root: Path, word: str = SECRET) -> list[str]:
    """Files of the data folder in whose bytes the word stands."""
    files = [path for path in (root / "data").rglob("*") if path.is_file()]
    assert len(files) > 1
    return [f.name for f in files if word.encode() in f.read_bytes()]


def waiting(ts: str, user: str, text: str) -> Owed:
    keys = (f"Ev{ts}", f"C1:{ts}")
    return Owed("C1", ts, ts, user, text, in_thread=False, team="T1", shared=False, keys=keys)


@pytest.fixture
def root(tmp_path: Path, embedder: Embedder) -> Path:
    """A data folder in which U1 asked twice, has a third question waiting, and rated U2's answer.

    U2 rated U1's answer and asked on in that thread.
    """
    write(tmp_path / "docs", {"leave.md": PAGE})
    with opened(settings(tmp_path / "docs"), embedder) as index:
        index.sync()
        (chunk,) = index.ledger.all_live()
        quote = Quote(chunk.id, chunk.text.strip(), chunk.start, chunk.end)
        cited = (Citation(1, chunk, (quote,)),)

        def outcome(question: str, standalone: str, said: str) -> Answer:
            trace = Trace(question, standalone, 0.9, "r", "quotes", {})
            return Answer((Sentence(said, (1,)),), cited, trace)

        record = Record(index.ledger.engine)
        first = outcome(f"Leave for {SECRET}?", f"Leave for {SECRET} in 2026?", f"25, {SECRET}.")
        record.place(record.save(first, Asked("C1", "1.0", "U1", 1.0)), "1.5", [])
        on = outcome(f"And for {WORDS}?", f"Leave for {WORDS}, not {SECRET}?", f"25, {WORDS}.")
        record.place(record.save(on, Asked("C1", "1.0", "U2", 2.0)), "2.5", [])
        trace = Trace(f"Who is {SECRET}?", f"Who is {SECRET}?", 0.1, "r", "quotes", {})
        none = Abstention("weak_evidence", f"The documents do not say {SECRET}.", (), trace)
        record.place(record.save(none, Asked("C1", "3.0", "U1", 3.0)), "3.5", [])
        record.forward("C1", "3.5")
        record.explain("C1", "1.5", "U2", "wrong", f"not {SECRET}")
        record.explain("C1", "2.5", "U1", "wrong", f"I think of {SECRET}")
        record.rate("C1", "2.5", "U3", "up")
        for ts, user, word in (("4.0", "U1", SECRET), ("5.0", "U2", WORDS)):
            question = waiting(ts, user, f"May {word} come?")
            assert record.claim(question.keys, question)
    assert holding(tmp_path) == ["footnote.db"]
    return tmp_path


def test_what_a_person_asked_is_in_no_file_any_more_and_the_rest_of_the_record_stands(
    root: Path,
) -> None:
    done = run(env(root), "-m", "bot", "forget", "U1", "--yes")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"Removed for good, of U1:\n{COUNTS}{ELSEWHERE}\n"
    assert holding(root) == []
    assert holding(root, WORDS) != []
    ledger = Ledger.existing(root / "data")
    with ledger.engine.connect() as connection:
        a = answers.c
        kept = connection.execute(select(a.user, a.question, a.standalone, a.text)).all()
        rated = connection.execute(select(feedback.c.user, feedback.c.value)).all()
        owing = connection.execute(select(owed.c.user, owed.c.text)).all()
    assert [*map(tuple, kept)] == [
        ("U2", f"And for {WORDS}?", f"And for {WORDS}?", f"25, {WORDS}.")
    ]
    assert [*map(tuple, rated)] == [("U3", "up")]
    assert [*map(tuple, owing)] == [("U2", f"May {WORDS} come?")]
    record = Record(ledger.engine)
    stored = record.answer_at("C1", "2.5")
    assert stored is not None
    assert [WORDS in citation.text for citation in stored.citations] == [True]
    assert record.answer_at("C1", "1.5") is None
    assert record.last_cited("U1") == ()
    young, old = record.take_over(10**9)
    assert ([question.user for question in young], old) == (["U2"], [])
    ledger.close()


def test_a_question_that_waited_is_not_taken_on_when_slack_delivers_it_again(root: Path) -> None:
    assert run(env(root), "-m", "bot", "forget", "U1", "--yes").returncode == 0
    ledger = Ledger.existing(root / "data")
    record = Record(ledger.engine)  # of the next run
    again = waiting("4.0", "U1", f"May {SECRET} come?")
    assert not record.claim(again.keys, again)
    assert holding(root) == []
    ledger.close()


def test_after_a_person_was_forgotten_the_commands_and_the_next_sync_go_on(root: Path) -> None:
    assert run(env(root), "-m", "bot", "forget", "<@U1|ana>", "--yes").returncode == 0
    asked = run(env(root), "-m", "bot", "ask", "How many days of paid leave do staff get a year?")
    assert "Staff get 25 days of paid leave a year" in asked.stdout, asked.stderr
    assert run(env(root), "-m", "ingest").returncode == 0
    again = run(env(root), "-m", "bot", "forget", "U1", "--yes")
    assert (again.returncode, again.stderr) == (0, "")
    assert again.stdout == "The record holds nothing of U1.\n"


def test_a_dry_run_beside_a_running_bot_counts_and_changes_nothing(root: Path) -> None:
    before = (root / "data" / "footnote.db").read_bytes()
    with DataLock(root / "data"):
        done = run(env(root), "-m", "bot", "forget", "<@U1>", "--dry-run")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"This would go for good, of U1:\n{COUNTS}{ELSEWHERE}\n"
    assert (root / "data" / "footnote.db").read_bytes() == before


def test_beside_a_running_bot_nothing_is_forgotten_and_its_pid_is_named(root: Path) -> None:
    with DataLock(root / "data"):
        done = run(env(root), "-m", "bot", "forget", "U1", "--yes")
    assert done.returncode == 3
    assert f"in use by Footnote with pid {os.getpid()}" in done.stderr
    assert holding(root) == ["footnote.db"]


@pytest.mark.parametrize("person", ["ana", "u1", "C1", "<@U1", "U1 U2", "@U1", "", "U1\nU2", "U"])
def test_what_is_no_id_of_a_person_removes_nothing_and_says_where_ids_are(
    root: Path, person: str
) -> None:
    done = run(env(root), "-m", "bot", "forget", "--yes", "--", person)
    assert (done.returncode, done.stdout) == (2, "")
    assert "is not the id of a person in Slack, so nothing was removed." in done.stderr
    assert "Copy member ID" in done.stderr
    assert holding(root) == ["footnote.db"]


def test_where_nobody_can_be_asked_nothing_goes_without_yes(root: Path) -> None:
    done = run(env(root), "-m", "bot", "forget", "U1")
    assert (done.returncode, done.stdout) == (2, "")
    assert "Nothing was removed: say --yes as well where nobody can be asked" in done.stderr
    assert holding(root) == ["footnote.db"]


@pytest.mark.parametrize(
    ("reply", "code", "told", "left"),
    [
        ("n\n", 2, "Nothing was removed.", ["footnote.db"]),
        ("y\n", 0, "Removed for good, of U1:", []),
    ],
)
def test_in_a_terminal_it_counts_and_asks_before_it_removes(
    root: Path, reply: str, code: int, told: str, left: list[str]
) -> None:
    master, terminal = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "bot", "forget", "U1"],
        env=environment(env(root)),
        stdin=terminal,
        stdout=terminal,
        stderr=terminal,
    )
    os.close(terminal)
    shown = read_until(master, "Remove this for good?")
    assert "This would go for good, of U1:" in shown
    assert "2 questions answered" in shown
    os.write(master, reply.encode())
    assert told in read_until(master, told)
    assert process.wait(TIME_LIMIT_S) == code
    os.close(master)
    assert holding(root) == left


def read_until(terminal: int, words: str) -> str:
    """What a terminal shows, up to these words."""
    shown, until = b"", time.monotonic() + TIME_LIMIT_S
    while words.encode() not in shown and time.monotonic() < until:
        if poll.select([terminal], [], [], 1)[0]:
            shown += os.read(terminal, 4096)
    return shown.decode()


def test_a_run_that_was_killed_is_completed_by_the_same_command(root: Path) -> None:
    die = "lambda _: os.kill(os.getpid(), signal.SIGKILL)"
    code = f"import os, signal, bot.cli.forget as f; f.scrub = {die}; import bot.__main__ as m"
    process = start(env(root), "-c", f"{code}; m.main()", "forget", "U1", "--yes")
    process.communicate(timeout=TIME_LIMIT_S)
    assert process.returncode == -signal.SIGKILL
    assert holding(root) != []  # in the log, which nobody emptied
    done = run(env(root), "-m", "bot", "forget", "U1", "--yes")
    assert (done.returncode, done.stdout) == (0, "The record holds nothing of U1.\n")
    assert holding(root) == []


def test_while_another_process_reads_it_is_said_that_the_log_may_hold_a_copy(
    root: Path,
) -> None:
    with closing(sqlite3.connect(root / "data" / "footnote.db")) as reader:
        reader.execute("BEGIN")
        assert reader.execute("SELECT count(*) FROM answers").fetchone() == (3,)
        done = run(env(root), "-m", "bot", "forget", "U1", "--yes")
        assert done.returncode == 1
        assert "run the same command again in a moment" in done.stderr
    assert run(env(root), "-m", "bot", "forget", "U1", "--yes").returncode == 0
    assert holding(root) == []


def test_a_folder_without_a_ledger_is_told_and_not_filled(tmp_path: Path) -> None:
    done = run(env(tmp_path), "-m", "bot", "forget", "U1", "--yes")
    assert done.returncode == 1
    assert "holds no ledger" in done.stderr
    assert not (tmp_path / "data").exists()
