"""A secret is taken back: nothing of it is left in any file, and its id says so ever after."""

import json
import os
import re
import shutil
import signal
import sqlite3
import time
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import select

from bot.record import Record
from bot.schema import answers
from bot.source import Passages, tell_erasure
from bot.stored import Asked
from bot.types import Answer, Citation, Quote, Sentence, Trace
from ingest.blocked import STILL_STANDS
from ingest.embed import Embedder
from ingest.index import Index
from ingest.ledger import Ledger
from ingest.lock import DataLock
from ingest.types import Chunk
from tests.commands import run, start
from tests.indexes import opened, settings, sync
from tests.trees import write

SECRET = "tangerine-4711"
KEYS = (
    f"---\nhint: the word is {SECRET}\n---\n# Keys\n\n## Door\n\n"
    f"The code of the back door is {SECRET}, and no visitor may know it.\n\n"
    "## Rotation\n\nKeys are rotated every 90 days by the caretaker.\n"
)
LEAVE = "# Leave\n\nStaff get 25 days of paid leave a year.\n"
TODAY = r"removed by an administrator on \d{4}-\d{2}-\d{2}\."

pytestmark = pytest.mark.timeout(400)  # several commands each, every one loads the model


@pytest.fixture
def root(tmp_path: Path, embedder: Embedder) -> Path:
    """A folder whose secret stands in a live passage, an old one, an answer and a vector."""
    write(tmp_path / "docs", {"keys.md": KEYS.replace("back door", "shed"), "leave.md": LEAVE})
    chosen = settings(tmp_path / "docs")
    sync(chosen, embedder)
    write(tmp_path / "docs", {"keys.md": KEYS})
    with opened(chosen, embedder) as index:
        index.sync()
        answer(index, the_secret(index.ledger))
    return tmp_path


def the_secret(ledger: Ledger) -> Chunk:
    (found,) = [c for c in ledger.all_live() if SECRET in c.text]
    return found


def answer(index: Index, chunk: Chunk) -> None:
    record = Record(index.ledger.engine)
    quote = Quote(chunk.id, chunk.text.strip(), chunk.start, chunk.end)
    trace = Trace("Which code?", f"Which code? (not {SECRET})", 0.9, "r", "quotes", {})
    said = Answer((Sentence(chunk.text, (1,)),), (Citation(1, chunk, (quote,)),), trace)
    record.place(record.save(said, Asked("C1", "1.0", "U1", 1.0)), "2.0", ())


def env(root: Path, **changes: str) -> dict[str, str]:
    return {"FOOTNOTE_DOCS": str(root / "docs"), "FOOTNOTE_DATA": str(root / "data"), **changes}


def holding(root: Path, *words: str) -> list[str]:
    """Files of the data folder in whose bytes one of the words stands."""
    files = [path for path in (root / "data").rglob("*") if path.is_file()]
    assert len(files) > 1
    wanted = [word.encode() for word in words or (SECRET, "tangerine")]
    return [str(f.relative_to(root)) for f in files if any(w in f.read_bytes() for w in wanted)]


def in_ledger(root: Path) -> list[str]:
    """The same of the ledger's files: the graph's takes over what stands in a sync's memory."""
    return [name for name in holding(root) if name.startswith("data/footnote.db")]


def purge(root: Path, *targets: str) -> dict[str, object]:
    done = run(env(root), "-m", "ingest", "--purge", *targets, "--yes", "--json")
    assert done.returncode == 0, done.stderr
    told: dict[str, object] = json.loads(done.stdout)
    return told


def secret_ids(root: Path) -> list[str]:
    """The ids of the live secret and of its older wording."""
    with closing(sqlite3.connect(root / "data" / "footnote.db")) as connection:
        query = "SELECT id FROM passages WHERE text LIKE ? ORDER BY retired_at IS NOT NULL"
        return [row[0] for row in connection.execute(query, (f"%{SECRET}%",))]


def test_a_purged_document_leaves_no_byte_of_its_text_title_or_front_matter(root: Path) -> None:
    assert holding(root) != []
    ids = secret_ids(root)
    told = purge(root, "keys.md")
    assert told["purged"] is True
    assert told["answers"] == 1
    assert holding(root, SECRET, "tangerine", "rotated every", "caretaker", "no visitor") == []
    assert len(ids) == 2
    for id_ in ids:
        done = run(env(root), "-m", "bot", "source", id_)
        assert (done.returncode, done.stderr) == (0, "")
        assert re.fullmatch(rf"The passage {id_} was {TODAY}\n", done.stdout)


def test_purged_ids_take_the_older_wording_too_when_it_is_named_and_are_told_of_it(
    root: Path,
) -> None:
    live, old = secret_ids(root)
    with Ledger.existing(root / "data").engine.connect() as connection:
        assert connection.scalar(select(answers.c.standalone)) == f"Which code? (not {SECRET})"
    told = purge(root, live)
    assert told["alike"] == [{"id": old, "doc": "keys.md"}]
    told = purge(root, old)
    assert told["alike"] == []
    assert holding(root) == ["data/footnote.db"]  # the front matter, which is of the document
    done = run(env(root), "-m", "bot", "source", live, "--json")
    data = json.loads(done.stdout)
    assert (data["status"], data["cited"], data["current"]) == ("purged", None, None)
    assert re.search(TODAY, data["told"])
    ledger = Ledger.existing(root / "data")
    with ledger.engine.connect() as connection:
        kept = connection.execute(select(answers.c.question, answers.c.standalone, answers.c.text))
        assert [tuple(row) for row in kept] == [
            (
                "Which code?",
                "Which code?",
                "This answer was removed: it cited a passage that an administrator purged.",
            )
        ]
    assert [c.text.strip() for c in ledger.all_live()] == [
        "Keys are rotated every 90 days by the caretaker.",
        "Staff get 25 days of paid leave a year.",
    ]
    ledger.close()


def test_what_still_stands_in_its_file_is_not_taken_in_again_and_reported(root: Path) -> None:
    purge(root, "keys.md")
    for changed in (
        KEYS,
        KEYS.replace("# Keys\n", "# Keys\n\nA new first paragraph about lockers.\n"),
        KEYS.replace("## Door\n\n", ""),
    ):
        write(root / "docs", {"keys.md": changed})
        done = run(env(root), "-m", "ingest", "--json")
        report = json.loads(done.stdout)
        assert report["warnings"] == [{"doc": "keys.md", "error": STILL_STANDS}] or (
            report["warnings"][0]["error"].endswith(STILL_STANDS)
        )
        assert in_ledger(root) == []
    write(root / "docs", {"keys.md": "# Keys\n\nKeys are at the desk.\n"})
    report = json.loads(run(env(root), "-m", "ingest", "--json").stdout)
    assert report["warnings"] == []


def test_other_bounds_of_passages_let_a_purged_text_in_no_more(root: Path) -> None:
    purge(root, *secret_ids(root), "keys.md")
    done = run(env(root, FOOTNOTE_TARGET_TOKENS="400"), "-m", "ingest", "--json")
    assert json.loads(done.stdout)["changed"] == 2
    assert in_ledger(root) == []


def test_the_same_text_under_another_id_goes_too_and_unlike_passages_stay(
    root: Path, embedder: Embedder
) -> None:
    write(root / "docs", {"copy.md": KEYS.replace("# Keys", "# Copy")})
    sync(settings(root / "docs"), embedder)
    with opened(settings(root / "docs"), embedder) as index:
        first, second = [c.id for c in index.ledger.all_live() if SECRET in c.text]
        index.load_lexical()
        planned = index.purge([first])
        assert {c.id for c in planned.passages} == {first, second}
        assert index.repair() is not None
        assert index.compare() == (set(), set())
        assert index.differing() == set()
        assert index.lexical.ids() == {c.id for c in index.ledger.all_live()}
        assert len(index.lexical.ids()) == 3


def test_a_lead_in_that_is_purged_goes_from_the_context_of_its_list(
    tmp_path: Path, embedder: Embedder
) -> None:
    items = "".join(f"- Item {n} about {'many words of padding ' * 8}end.\n" for n in range(40))
    lead = f"The following are known to {SECRET}, who wrote this list himself:"
    write(tmp_path / "docs", {"list.md": f"# List\n\n{lead}\n\n{items}"})
    chosen = settings(tmp_path / "docs")
    with opened(chosen, embedder) as index:
        index.sync()
        assert any(SECRET in c.text for p in index.ledger.all_live() for c in p.context)
        index.purge([the_secret(index.ledger).id])
        assert len(list(index.ledger.all_live())) > 2
    assert holding(tmp_path) == []
    sync(chosen, embedder)
    with opened(chosen, embedder) as index:
        assert (index.compare(), index.differing()) == ((set(), set()), set())
    assert in_ledger(tmp_path) == []


def test_a_dry_run_changes_nothing_and_names_what_would_go(root: Path) -> None:
    live, _old = secret_ids(root)
    before = (root / "data" / "footnote.db").read_bytes()
    done = run(env(root), "-m", "ingest", "--purge", live, "--dry-run")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("This would go for good: 1 passage; the text of 1 answer.\n")
    assert f"  {live}  keys.md\n" in done.stdout
    assert "Copies made with `--backup`" in done.stdout
    assert SECRET not in done.stdout
    assert (root / "data" / "footnote.db").read_bytes() == before


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("--purge", "keys.md"), 2, "say --yes as well"),
        (("--purge", "--yes"), 2, "Name the ids of passages, or documents, after --purge."),
        (("--purge", "0123456789ab", "--yes"), 2, "'0123456789ab' is neither the id of a pass"),
        (("--purge", "keys.md", "no.md", "--yes"), 2, "'no.md' is neither the id of a passage"),
        (("--dry-run",), 2, "--dry-run and --yes go with --purge."),
    ],
)
def test_a_purge_that_is_not_clear_changes_nothing(
    root: Path, arguments: tuple[str, ...], code: int, words: str
) -> None:
    done = run(env(root), "-m", "ingest", *arguments)
    assert (done.returncode, done.stdout) == (code, "")
    assert words in done.stderr
    assert len(secret_ids(root)) == 2


def test_a_purge_beside_a_running_bot_names_its_pid(root: Path) -> None:
    with DataLock(root / "data"):
        done = run(env(root), "-m", "ingest", "--purge", "keys.md", "--yes")
    assert done.returncode == 3
    assert f"in use by Footnote with pid {os.getpid()}" in done.stderr


# Dies by SIGKILL when the function of this name is called.
DYING = """
import os, signal, sys
import ingest.index as index
def die(*_, **__):
    os.kill(os.getpid(), signal.SIGKILL)
NAME
from ingest.__main__ import main
main()
"""


@pytest.mark.parametrize(
    "where",
    [
        "import ingest.purge; ingest.purge.erase = die",
        "index.VectorIndex.erase = die",
        "index.scrub = die",
    ],
)
def test_a_purge_that_was_killed_is_completed_by_the_same_command(root: Path, where: str) -> None:
    code = DYING.replace("NAME", where)
    process = start(env(root), "-c", code, "--purge", "keys.md", "--yes")
    process.communicate(timeout=100)
    assert process.returncode == -signal.SIGKILL
    purge(root, "keys.md")
    assert holding(root, SECRET, "tangerine", "caretaker") == []
    with opened(settings(root / "docs"), Embedder(settings(root / "docs"))) as index:
        index.repair()
        assert index.compare() == (set(), set())


def test_a_renamed_document_is_purged_under_its_earlier_name_as_well(
    root: Path, embedder: Embedder
) -> None:
    shutil.move(root / "docs" / "keys.md", root / "docs" / "new.md")
    sync(settings(root / "docs"), embedder)
    live = secret_ids(root)[0]
    ledger = Ledger.existing(root / "data")
    found = ledger.find(live)
    assert found is not None
    assert found.chunk.doc == "new.md"
    ledger.close()
    purge(root, "new.md", "keys.md")
    assert holding(root, SECRET, "tangerine", "caretaker") == []


def test_an_old_ledger_opens_and_takes_a_purge(root: Path) -> None:
    with closing(sqlite3.connect(root / "data" / "footnote.db")) as connection:
        connection.execute("DROP TABLE erasures")
        connection.execute("DROP TABLE blocked")
    purge(root, "keys.md")
    assert holding(root) == []


def test_passages_that_went_long_ago_lose_their_text_and_say_until_when_it_was_kept(
    root: Path, embedder: Embedder
) -> None:
    live, old = secret_ids(root)
    kept = settings(root / "docs", keep_versions="30d")
    sync(kept, embedder)
    assert secret_ids(root) == [live, old]
    with closing(sqlite3.connect(root / "data" / "footnote.db")) as connection:
        days = time.time() - 31 * 24 * 60 * 60
        connection.execute("UPDATE passages SET retired_at = ? WHERE id = ?", (days, old))
        connection.commit()
    sync(settings(root / "docs"), embedder)
    assert secret_ids(root) == [live, old]
    sync(kept, embedder)
    assert secret_ids(root) == [live]
    assert holding(root, "of the shed is") == []
    done = run(env(root), "-m", "bot", "source", old)
    assert (done.returncode, done.stderr) == (0, "")
    told = rf"The passage {old} is no more: its text was kept until \d{{4}}-\d\d-\d\d\.\n"
    assert re.fullmatch(told, done.stdout)
    write(root / "docs", {"keys.md": KEYS.replace("back door", "shed")})
    sync(kept, embedder)
    ledger = Ledger.existing(root / "data")
    found = Passages(ledger).resolve(old)
    ledger.close()
    assert found is not None
    assert (found.status, tell_erasure(found.cited)) == ("live", None)
    assert SECRET in found.cited.chunk.text
