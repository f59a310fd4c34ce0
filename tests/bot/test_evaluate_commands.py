import json
from pathlib import Path

import pytest

from tests import commands
from tests.trees import write

pytestmark = pytest.mark.timeout(400)

DOCS = {
    "leave.md": "# Leave\n\nA leave day is a working day off.\n\n| Group | Days |\n| --- | --- |\n"
    "| Employees | 27 |\n| Contractors | none |\n",
    "travel.md": "# Travel\n\nA hotel in London may cost up to £195 per night.\n",
}
CASES = (
    '{"q": "How much may a hotel in London cost?", "file": "travel.md", "span": "up to £195"}\n'
    '{"q": "How many days do employees get?", "file": "leave.md", "span": "| Employees | 27 |"}\n'
    '{"q": "May I bring my dog?", "answerable": false}\n'
)

# As many of a kind as a choice takes: each is asked about in ten ways, twice.
MANY = "".join(
    CASES.replace('?"', f', {word}?"')
    for word in ("please", "say", "then", "now", "once", "here", "today", "again", "pray", "yes")
    for _ in range(2)
)


@pytest.fixture
def settings(tmp_path: Path) -> dict[str, str]:
    write(tmp_path / "docs", DOCS)
    (tmp_path / "cases.jsonl").write_text(CASES)
    return {
        "FOOTNOTE_DOCS": str(tmp_path / "docs"),
        "FOOTNOTE_DATA": str(tmp_path / "data"),
        "FOOTNOTE_RERANKER": "late-interaction",
    }


def test_drafts_come_from_the_ledger_eval_prints_data_and_writes_a_page_calibrate_keeps_a_gate(
    settings: dict[str, str], tmp_path: Path
) -> None:
    cases, report = str(tmp_path / "cases.jsonl"), tmp_path / "report"
    assert commands.run(settings, "-m", "ingest").returncode == 0
    drafted = commands.run(settings, "-m", "bot", "cases", "draft")
    asked = [json.loads(line)["q"] for line in drafted.stdout.splitlines()]
    assert asked[0] == "What is a leave day?"
    assert "Leave: days for Contractors?" in asked

    done = commands.run(
        settings, "-m", "bot", "eval", cases, "--withdraw", "--json", "--report", str(report)
    )
    assert done.returncode == 0, done.stderr
    data = json.loads(done.stdout)
    assert data["figures"]["retrieval"]["reranked"]["recall@5"]["value"] == 1.0
    assert data["figures"]["refusals"]["page_withdrawn"]["unanswerable"] == 2
    assert json.loads((report / "run.json").read_text()) == data
    assert (report / "report.html").read_text().startswith("<!doctype html>")

    (tmp_path / "cases.jsonl").write_text(MANY)
    allowed = ("--max-false-answers", "0.9", "--json")
    chosen = commands.run(settings, "-m", "bot", "calibrate", cases, *allowed)
    assert chosen.returncode == 0, chosen.stderr
    kept = json.loads((tmp_path / "data" / "gate.json").read_text())
    told = json.loads(chosen.stdout)
    assert (told["kept"], told["reason"]) == (True, None)
    assert told["file"] == str(tmp_path / "data" / "gate.json")
    names = ("min_score", "sure_score")
    thresholds = {name: told["chosen"][name] for name in names}
    assert kept["late-interaction"]["thresholds"] == thresholds


def test_a_bad_line_ends_with_its_number_before_anything_is_loaded(
    settings: dict[str, str], tmp_path: Path
) -> None:
    (tmp_path / "cases.jsonl").write_text(CASES + '{"question": "?"}\n')
    done = commands.run(settings, "-m", "bot", "eval", str(tmp_path / "cases.jsonl"))
    assert done.returncode == 1
    assert "cases.jsonl, line 4: q: Field required." in done.stderr
    assert not (tmp_path / "data").exists()
