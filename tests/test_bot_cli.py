"""The commands of `python -m bot`; all but the last few run in the tests' own process."""

import json
import logging
import os
import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import func, select

from bot.__main__ import main
from bot.calibration import write_calibrated
from bot.cli import shared
from bot.cli.search import read_cases
from bot.gate import Thresholds
from bot.ranking.evidence import fitted
from bot.record import Record
from bot.schema import answers
from ingest.embed import Embedder
from ingest.errors import FootnoteError, LedgerError
from ingest.ledger import Ledger
from ingest.lock import DataLock
from tests.commands import run
from tests.indexes import settings, sync
from tests.trees import write

TREE = {
    "people/leave.md": "# Leave\n\nStaff get 25 days of paid leave a year.\n\n## Contractors\n\n"
    "Contractors get 10 days of leave a year, and 3 days for moving house.\n",
    "it/keys.md": "# Keys\n\nAPI keys are rotated every 90 days by the platform team.\n",
    "it/errors.md": "# Errors\n\nERR_4013 means that the token has expired.\n\nERR_4014 means that"
    " the region is closed.\n",
    "office.txt": "OPENING HOURS\n\nThe office in Berlin opens at eight.\n",
}
ANSWERING = {"FOOTNOTE_SURE_SCORE": "0"}
REFUSING = {"FOOTNOTE_MIN_SCORE": "1", "FOOTNOTE_SURE_SCORE": "1"}
QUESTION = "How many days of leave do contractors get?"


@dataclass
class Done:
    code: int
    out: str
    err: str

    @property
    def data(self) -> Any:
        assert self.code == 0, self.err
        assert self.out.count("\n") == 1
        return json.loads(self.out)


Bot = Callable[..., Done]


@pytest.fixture(scope="module")
def taken_in(tmp_path_factory: pytest.TempPathFactory, embedder: Embedder) -> Path:
    root = tmp_path_factory.mktemp("taken")
    write(root / "docs", TREE)
    sync(settings(root / "docs"), embedder)
    return root


@pytest.fixture
def root(taken_in: Path, tmp_path: Path) -> Path:
    shutil.copytree(taken_in, tmp_path, dirs_exist_ok=True)
    return tmp_path


def env(root: Path) -> dict[str, str]:
    return {
        "FOOTNOTE_DOCS": str(root / "docs"),
        "FOOTNOTE_DATA": str(root / "data"),
        "FOOTNOTE_RERANKER": "late-interaction",
    }


@pytest.fixture
def bot(
    root: Path,
    embedder: Embedder,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Bot:
    """Run a command with the model that is loaded already; give what it printed."""
    embedder.load()
    monkeypatch.setattr(Embedder, "_load", lambda _self: embedder._loaded)
    for name, value in env(root).items():
        monkeypatch.setenv(name, value)

    def command(*arguments: str, **changes: str) -> Done:
        for name, value in changes.items():
            monkeypatch.setenv(name, value)
        monkeypatch.setattr(sys, "argv", ["footnote", *arguments])
        capsys.readouterr()
        with pytest.raises(SystemExit) as stopped:
            main()
        printed = capsys.readouterr()
        assert "Traceback" not in printed.err
        return Done(int(stopped.value.code or 0), printed.out, printed.err)

    return command


def test_an_answer_as_data_cites_slices_of_the_files(bot: Bot, root: Path) -> None:
    data = bot("ask", QUESTION, "--json", **ANSWERING).data
    assert data.keys() >= {
        "question",
        "standalone",
        "abstained",
        "reason",
        "answer",
        "sentences",
        "citations",
        "evidence",
        "reranker",
        "generator",
        "timings_ms",
    }
    assert (data["question"], data["standalone"]) == (QUESTION, QUESTION)
    assert (data["abstained"], data["reason"]) == (False, None)
    assert (data["reranker"], data["generator"]) == ("late-interaction", "extractive")
    assert data["sentences"][0]["citations"] == [1]
    assert "10 days" in data["sentences"][0]["text"]
    assert data["answer"].startswith(f"{data['sentences'][0]['text']} [1]")
    assert 0 <= data["evidence"] <= 1
    assert data["zone"] == "answer"
    assert data["timings_ms"].keys() >= {"rewrite", "retrieve", "rerank", "generate"}
    first = data["citations"][0]
    assert first.keys() >= {
        "n",
        "id",
        "doc",
        "heading",
        "start",
        "end",
        "text",
        "quote",
        "quote_start",
        "quote_end",
    }
    assert (first["n"], first["doc"]) == (1, "people/leave.md")
    assert first["heading"] == "Leave > Contractors"
    text = (root / "docs" / first["doc"]).read_text(encoding="utf-8")
    assert text[first["start"] : first["end"]] == first["text"]
    assert text[first["quote_start"] : first["quote_end"]] == first["quote"]


def test_an_answer_in_words_names_its_sources(bot: Bot) -> None:
    done = bot("ask", QUESTION, **ANSWERING)
    assert done.code == 0
    lines = done.out.splitlines()
    assert lines[0] == "In the documents' own words:"
    source = next(line for line in lines if line.startswith("[1] "))
    assert source.startswith("[1] people/leave.md (Leave > Contractors, chars 66-")
    assert len(source.rsplit(") ", 1)[1]) == 12


def test_what_was_answered_is_on_record(bot: Bot, root: Path) -> None:
    cited = bot("ask", QUESTION, "--json", **ANSWERING).data["citations"][0]["id"]
    ledger = Ledger(root / "data")
    assert Record(ledger.engine).first_cited(cited) is not None
    ledger.close()


def test_an_answer_that_cannot_be_recorded_is_given_all_the_same(
    bot: Bot, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def full(*_: object) -> None:
        raise LedgerError("the disk is full")

    monkeypatch.setattr(Record, "save", full)
    with caplog.at_level(logging.WARNING):
        done = bot("ask", QUESTION, "--json", **ANSWERING)
    assert done.data["abstained"] is False
    assert "The answer could not be kept on record: the disk is full" in caplog.messages


def test_a_refusal_names_the_nearest_places_as_no_answer(bot: Bot) -> None:
    data = bot("ask", "Who won the match?", "--json", **REFUSING).data
    assert (data["abstained"], data["reason"]) == (True, "weak_evidence")
    assert (data["answer"], data["sentences"], data["citations"]) == ("", [], [])
    assert len(data["nearest"]) == 5
    done = bot("ask", "Who won the match?", **REFUSING)
    lines = done.out.splitlines()
    assert lines[0] == "The documents do not say."
    assert lines[1] == "Closest, but not an answer:"
    assert len(lines) == 7
    assert "[1]" not in done.out


@pytest.mark.parametrize(
    ("question", "reason", "words"),
    [
        ("", "empty_question", "There is no question in that."),
        ("?!…", "empty_question", "There is no question in that."),
        ("word " * 1000, "long_question", "too long. Ask it in at most 2000 characters."),
    ],
)
def test_what_is_no_question_is_declined_in_a_sentence(
    bot: Bot, question: str, reason: str, words: str
) -> None:
    data = bot("ask", question, "--json").data
    assert (data["abstained"], data["reason"], data["nearest"]) == (True, reason, [])
    done = bot("ask", question)
    assert done.code == 0
    assert words in done.out


@pytest.mark.parametrize("said", ["hello", "Good morning!", "thanks a lot", "help"])
def test_a_greeting_is_told_what_to_ask_and_is_not_kept(bot: Bot, root: Path, said: str) -> None:
    done = bot("ask", said, **REFUSING)
    assert done.code == 0
    assert done.out.startswith("I answer questions from the documents, every sentence with its")
    assert done.out.count("\n") == 1
    data = bot("ask", said, "--json").data
    assert (data["abstained"], data["reason"]) == (True, "empty_question")
    ledger = Ledger(root / "data")
    with ledger.engine.connect() as connection:
        assert connection.execute(select(func.count()).select_from(answers)).scalar() == 0
    ledger.close()


@pytest.mark.parametrize(
    "question", ["Wie viele Urlaubstage?", "Сколько дней отпуска?", "休暇は何日ですか", "a\udcff?"]
)
def test_a_question_in_another_language_or_with_broken_bytes_gets_an_outcome(
    bot: Bot, question: str
) -> None:
    assert bot("ask", question, "--json").data["abstained"] in {True, False}


def test_before_any_document_is_taken_in_the_answer_says_so(bot: Bot, root: Path) -> None:
    empty = {"FOOTNOTE_DATA": str(root / "new")}
    data = bot("ask", QUESTION, "--json", **empty).data
    assert (data["abstained"], data["reason"]) == (True, "no_passages")
    assert bot("ask", QUESTION).out == (
        "There are no documents to answer from yet.\n"
        "`python -m ingest` takes them in, from the folders of FOOTNOTE_DOCS.\n"
    )
    assert bot("search", QUESTION, "--json").data == {
        "hits": [],
        "zone": "refused",
        "abstained": True,
        "evidence": 0.0,
        "standalone": QUESTION,
    }


def test_a_search_as_data_gives_hits_whatever_the_gate_says(bot: Bot) -> None:
    data = bot("search", "What does error ERR_4013 mean?", "--json", **REFUSING).data
    assert data.keys() == {"hits", "zone", "abstained", "evidence", "standalone"}
    assert (data["zone"], data["abstained"]) == ("refused", True)
    assert len(data["hits"]) == 5
    assert data["hits"][0].keys() >= {"id", "doc", "heading", "start", "end", "text", "score"}
    assert data["hits"][0]["doc"] == "it/errors.md"
    scores = [hit["score"] for hit in data["hits"]]
    assert scores == sorted(scores, reverse=True)


def test_a_search_gives_as_many_hits_as_asked_for(bot: Bot) -> None:
    assert len(bot("search", QUESTION, "--json", "--k", "2").data["hits"]) == 2
    assert len(bot("search", QUESTION, "--json", "--k", "50").data["hits"]) == 5
    assert bot("search", QUESTION, "--k", "0").code == 2


def test_a_search_in_words_tells_who_found_it_and_where(bot: Bot) -> None:
    done = bot("search", "When are API keys rotated?", "--k", "1", **ANSWERING)
    first, _, hit, found_by, text = done.out.splitlines()
    assert first.endswith(", answer")
    assert hit.startswith("1. ")
    assert hit.endswith("it/keys.md › Keys")
    assert found_by.endswith("found by dense 1, BM25 1")
    assert text == "   API keys are rotated every 90 days by the platform team."


def test_a_batch_is_a_line_of_data_for_each_line(bot: Bot, root: Path) -> None:
    cases = [
        {"q": "When are API keys rotated?", "id": 7},
        {
            "q": "and for contractors?",
            "history": [
                {"role": "user", "text": "How many days of leave do staff get?"},
                {"role": "assistant", "text": "25 days of paid leave a year."},
            ],
        },
        {"q": "line\u2028separator ERR_4014"},
    ]
    file = root / "cases.jsonl"
    file.write_text("\n\n".join(json.dumps(c, ensure_ascii=False) for c in cases), "utf-8")
    done = bot("search", "--batch", str(file), "--k", "3")
    assert (done.code, done.err) == (0, "")
    assert r"line\u2028separator" in done.out
    rows = [json.loads(line) for line in done.out.splitlines()]
    assert [row["hits"][0]["doc"] for row in rows] == [
        "it/keys.md",
        "people/leave.md",
        "it/errors.md",
    ]
    assert [len(row["hits"]) for row in rows] == [3, 3, 3]
    assert rows[0]["standalone"] == "When are API keys rotated?"
    assert "contractors" in rows[1]["standalone"]
    assert "leave" in rows[1]["standalone"]


@pytest.mark.parametrize(
    "line", ["no json", '{"history": []}', '["q"]', '{"q": "x", "history": [{"role": "system"}]}']
)
def test_a_bad_line_of_a_batch_is_named_with_its_file(root: Path, line: str) -> None:
    file = root / "cases.jsonl"
    file.write_text(f'{{"q": "good"}}\n\n{line}\n', encoding="utf-8")
    with pytest.raises(FootnoteError, match=r'cases\.jsonl, line 3: expected \{"q": "…"'):
        read_cases(file)


def test_a_batch_that_cannot_be_read_is_exit_code_1_and_prints_no_data(
    bot: Bot, root: Path
) -> None:
    done = bot("search", "--batch", str(root / "nothing.jsonl"))
    assert (done.code, done.out) == (1, "")
    assert "nothing.jsonl cannot be read as UTF-8 text" in done.err
    write(root, {"bad.jsonl": '{"q": "good"}\nbad\n'})
    done = bot("search", "--batch", str(root / "bad.jsonl"))
    assert (done.code, done.out) == (1, "")
    assert "bad.jsonl, line 2: expected" in done.err


def _verified(bot: Bot, root: Path, *lines: object) -> list[dict[str, Any]]:
    file = root / "sentences.jsonl"
    file.write_text("\n".join(json.dumps(line) for line in lines), encoding="utf-8")
    done = bot("verify", "--batch", str(file), "--json")
    assert (done.code, done.err) == (0, "")
    return [json.loads(line) for line in done.out.splitlines()]


def test_a_batch_of_sentences_is_held_against_the_texts_they_cite(bot: Bot, root: Path) -> None:
    cited = [{"heading": "Tents > Loans", "text": "Tents are lent for 6 <!-- 9 days --> days."}]
    table = "<table><tr><th>Room</th><th>Seats</th></tr><tr><td>Amber</td><td>6</td></tr></table>"
    asked = {"question": "For how long?", "cited": cited}
    shown = {"shown": True, "rule": None, "detail": None}
    rows = _verified(
        bot,
        root,
        {**asked, "sentence": "Tents are lent for 6 days [1][3]."},
        {**asked, "sentence": "Tents are lent for 9 days."},
        {**asked, "sentence": "Tents are lent for 9 days.", "cited": []},
        {
            "cited": [{"heading": ["Rooms"], "text": table}],
            "sentence": "Amber has 6 seats.",
            "id": 1,
        },
    )
    heading = {"cited": [{"heading": "Tents > For 6 days", "text": ""}], "sentence": "For 6 days."}
    assert _verified(bot, root, heading) == [shown]
    assert (rows[0], rows[3]) == (shown, shown)
    assert (rows[1]["shown"], rows[1]["rule"]) == (False, "hard_facts")
    assert "'9 days'" in rows[1]["detail"]
    assert (rows[2]["shown"], rows[2]["rule"]) == (False, "uncited_sentences")


def test_sentences_come_from_stdin_and_are_printed_as_a_table() -> None:
    line = {"cited": [{"text": "Tents cost 5 EUR."}], "sentence": "Tents cost 9 EUR."}
    done = run({}, "-m", "bot", "verify", "--batch", "-", stdin=json.dumps(line))
    assert (done.returncode, done.stderr) == (0, "")
    assert "dropped" in done.stdout
    assert "hard_facts" in done.stdout


@pytest.mark.parametrize("line", ["bad", '{"sentence": "x"}', '{"cited": [{}], "sentence": "x"}'])
def test_a_bad_line_of_sentences_is_named_with_its_number(bot: Bot, root: Path, line: str) -> None:
    write(root, {"bad.jsonl": f'{{"cited": [], "sentence": "good"}}\n\n{line}\n'})
    done = bot("verify", "--batch", str(root / "bad.jsonl"), "--json")
    assert (done.code, done.out) == (1, "")
    assert "bad.jsonl, line 3: expected {" in done.err


def test_a_search_without_a_question_is_exit_code_2(bot: Bot) -> None:
    done = bot("search")
    assert (done.code, done.out) == (2, "")
    assert done.err == "Give a question, or a file of them with --batch.\n"


def test_a_conversation_carries_the_topic_on_and_shows_a_passage_by_its_id(
    bot: Bot, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger = Ledger(root / "data")
    keys = next(c.id for c in ledger.all_live() if c.doc == "it/keys.md")
    ledger.close()
    said = iter(["How many days of leave do staff get?", "and contractors?", keys, "0" * 12])

    def typed(*_: object, **__: object) -> str:
        line = next(said, None)
        if line is None:
            raise EOFError
        return line

    monkeypatch.setattr(shared.out, "input", typed)
    done = bot("chat", **ANSWERING)
    assert (done.code, done.err) == (0, "")
    assert "  Staff get 25 days of paid leave a year." in done.out
    assert done.out.count("[1] people/leave.md (Leave") == 2
    assert "API keys are rotated every 90 days by the platform team." in done.out
    assert "No passage has that id." in done.out


@pytest.mark.parametrize("last", ["quit", "Exit", "bye", ""])
def test_a_conversation_ends_when_the_person_says_so(
    bot: Bot, monkeypatch: pytest.MonkeyPatch, last: str
) -> None:
    said = iter([last, QUESTION])
    monkeypatch.setattr(shared.out, "input", lambda *_: next(said))
    done = bot("chat", **ANSWERING)
    assert (done.code, done.err) == (0, "")
    assert next(said) == QUESTION


def test_a_passage_is_shown_by_its_id_however_it_was_pasted(bot: Bot, root: Path) -> None:
    ledger = Ledger(root / "data")
    chunk = next(c for c in ledger.all_live() if c.doc == "it/keys.md")
    ledger.close()
    for pasted in (chunk.id, f" [{chunk.id.upper()}] ", f"`{chunk.id}`"):
        done = bot("source", pasted)
        assert (done.code, done.err) == (0, "")
        assert "it/keys.md › Keys" in done.out
        assert "API keys are rotated every 90 days by the platform team." in done.out
    data = bot("source", chunk.id, "--json").data
    assert data["status"] == "live"
    assert (data["cited"]["id"], data["cited"]["start"]) == (chunk.id, chunk.start)


@pytest.mark.parametrize(
    ("pasted", "words"),
    [
        ("000000000000", "No passage has the id 000000000000."),
        ("hello", "'hello' is no citation id: those are 12 characters, 0-9 and a-f."),
        ("[]", "Give the id of a citation: 12 characters, 0-9 and a-f."),
    ],
)
def test_an_id_that_stands_for_nothing_is_exit_code_1(bot: Bot, pasted: str, words: str) -> None:
    done = bot("source", pasted, "--json")
    assert (done.code, done.out) == (1, "")
    assert words in done.err


def findings(done: Done) -> dict[str, tuple[str, str]]:
    rows = json.loads(done.out)["findings"]
    return {row["about"]: (row["mark"], row["text"]) for row in rows}


def test_doctor_finds_nothing_wrong_where_nothing_is(bot: Bot) -> None:
    done = bot("doctor", "--json")
    assert (done.code, json.loads(done.out)["ok"]) == (0, True)
    found = findings(done)
    assert found["schedule"] == ("ok", "a sync every 15m")
    assert found["ledger"] == ("ok", "4 documents, 5 passages")
    assert found["embedder"] == ("ok", "all-MiniLM-L6-v2, its checksum as published")
    assert found["reranker"] == ("ok", "late-interaction")
    assert found["indexes"][0] == "ok"
    assert found["sync"][0] == "ok"
    assert found["data"][0] == "warning"
    assert "looks ephemeral" in found["data"][1]
    assert found["SLACK_BOT_TOKEN"][0] == "warning"
    assert found["FOOTNOTE_JUDGE"] == (
        "ok",
        "nothing to judge: answers quote the documents",
    )
    assert "ok" in bot("doctor").out.splitlines()[0]


def test_doctor_says_which_gate_is_in_force_and_how_to_undo_it(bot: Bot, root: Path) -> None:
    shipped = fitted("late-interaction")
    rule = f"evidence {shipped.answer:.3g} to answer, {shipped.perhaps:.3g} for perhaps"
    assert findings(bot("doctor", "--json"))["gate"] == (
        "ok",
        f"{rule} (the defaults for late-interaction)",
    )
    chosen = Thresholds(min_score=0.31, sure_score=0.62)
    data = root / "data"
    file = write_calibrated(data, "late-interaction", chosen, cases="c.jsonl", max_false_answers=0)
    made = json.loads(file.read_text())["late-interaction"]["made_at"][:10]
    origin = f"calibrated on {made} with c.jsonl; deleting {file} undoes it"
    assert findings(bot("doctor", "--json"))["gate"] == (
        "ok",
        f"evidence 0.62 to answer, 0.31 for perhaps ({origin})",
    )
    origin = f"set by FOOTNOTE_MIN_SCORE; the rest: {origin}"
    assert findings(bot("doctor", "--json", FOOTNOTE_MIN_SCORE="0.2"))["gate"] == (
        "ok",
        f"evidence 0.62 to answer, 0.2 for perhaps ({origin})",
    )
    file.write_text("nonsense")
    done = bot("doctor", "--json")
    assert done.code == 1
    assert findings(done)["gate"][0] == "wrong"


@pytest.mark.parametrize(
    ("changes", "mark", "text"),
    [
        ({"FOOTNOTE_JUDGE": "off"}, "ok", "off: the wording of sentences is not judged"),
        (
            {"FOOTNOTE_JUDGE": "log", "ANTHROPIC_API_KEY": "sk-ant-x"},
            "ok",
            "claude-haiku-5-5 judges each sentence: what it does not uphold is logged",
        ),
        (
            {"FOOTNOTE_JUDGE_MODEL": "claude-opus-5-5", "ANTHROPIC_API_KEY": "sk-ant-x"},
            "ok",
            "claude-opus-5-5 judges each sentence: only what it upholds is shown",
        ),
        (
            {"FOOTNOTE_VERIFIER": "nobody/no-such-model", "ANTHROPIC_API_KEY": "sk-ant-x"},
            "warning",
            (
                "nobody/no-such-model (FOOTNOTE_VERIFIER) is not on this disk: it is fetched at"
                " start if it can be"
            ),
        ),
    ],
)
def test_doctor_says_whether_a_judge_is_on(
    bot: Bot, changes: dict[str, str], mark: str, text: str
) -> None:
    done = bot("doctor", "--json", **changes)
    assert done.code == 0
    assert findings(done)["FOOTNOTE_JUDGE"] == (mark, text)


@pytest.mark.parametrize(
    ("changes", "about", "words"),
    [
        ({"FOOTNOTE_SYNC_EVERY": "often"}, "schedule", "neither a time like 15m"),
        ({"FOOTNOTE_DOCS": "/nothing"}, "FOOTNOTE_DOCS", "/nothing does not exist"),
        ({"SLACK_BOT_TOKEN": "xapp-secret"}, "SLACK_BOT_TOKEN", "no token of its kind (xoxb-…)"),
    ],
)
def test_doctor_names_what_is_wrong_and_ends_with_1(
    bot: Bot, changes: dict[str, str], about: str, words: str
) -> None:
    done = bot("doctor", "--json", **changes)
    assert done.code == 1
    mark, text = findings(done)[about]
    assert mark == "wrong"
    assert words in text
    assert "secret" not in done.out + done.err


def test_doctor_sees_damage_of_the_ledger_and_of_the_dense_index(bot: Bot, root: Path) -> None:
    (root / "data" / "chroma" / "chroma.sqlite3").write_bytes(b"garbage" * 500)
    done = bot("doctor", "--json")
    assert done.code == 1
    assert findings(done)["indexes"][0] == "wrong"
    assert "--rebuild" in findings(done)["indexes"][1]
    (root / "data" / "footnote.db").write_bytes(b"garbage" * 500)
    done = bot("doctor", "--json")
    assert done.code == 1
    assert "footnote.db is damaged" in findings(done)["ledger"][1]


def test_doctor_lists_documents_that_were_left_out_or_read_in_part(
    bot: Bot, root: Path, embedder: Embedder
) -> None:
    write(root / "docs", {"bad.md": b"\xff", "empty.md": ""})
    sync(settings(root / "docs"), embedder)
    done = bot("doctor", "--json")
    told = [f["text"] for f in json.loads(done.out)["findings"] if f["about"] == "document"]
    assert (done.code, len(told)) == (0, 2)
    assert told[0].startswith("bad.md: not UTF-8")
    assert told[1] == "empty.md: It holds no text, so there is nothing in it to cite."


def test_a_gate_chosen_on_few_cases_is_shown_and_not_kept(bot: Bot, root: Path) -> None:
    case = {"q": QUESTION, "file": "people/leave.md", "span": "10 days of leave a year"}
    write(root, {"cases.jsonl": json.dumps(case)})
    data = bot("calibrate", str(root / "cases.jsonl"), "--json").data
    assert (data["kept"], data["file"]) == (False, None)
    assert data["reason"].startswith("only 1 case of a kind (answerable)")
    done = bot("calibrate", str(root / "cases.jsonl"), "--max-false-answers", "1")
    assert done.code == 0
    assert "Nothing was kept, the gate stays as it was: only 1 case of a kind" in done.out
    assert "To have this gate all the same, set FOOTNOTE_MIN_SCORE=" in done.out
    assert not (root / "data" / "gate.json").exists()


def test_beside_a_running_holder_questions_are_exit_code_3_and_reading_works(
    bot: Bot, root: Path
) -> None:
    ledger = Ledger(root / "data")
    some = next(iter(ledger.all_live())).id
    ledger.close()
    with DataLock(root / "data"):
        for arguments in (("ask", "x?"), ("search", "x?", "--json"), ("chat",)):
            done = bot(*arguments)
            assert (done.code, done.out) == (3, "")
            assert f"is in use by Footnote with pid {os.getpid()}" in done.err
        assert bot("source", some, "--json").data["status"] == "live"
        done = bot("doctor", "--json")
        assert done.code == 0
        assert findings(done)["indexes"] == ("ok", f"held by pid {os.getpid()}")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--nonsense",), "No such option"),
        (("nonsense",), "No such command"),
        (("ask",), "Missing argument"),
        (("search", "x", "--k", "many"), "Invalid value for '--k'"),
    ],
)
def test_a_wrong_argument_is_exit_code_2(bot: Bot, arguments: tuple[str, ...], words: str) -> None:
    done = bot(*arguments)
    assert (done.code, done.out) == (2, "")
    assert words in done.err


def test_doctor_says_that_a_model_is_not_on_the_disk(bot: Bot) -> None:
    found = findings(bot("doctor", "--json", FOOTNOTE_EMBEDDER="foo/bar"))
    told = "foo/bar is not on this disk: it is fetched when it is first needed"
    assert found["embedder"] == ("warning", told)


def test_a_wrong_setting_is_exit_code_2_and_its_value_is_not_repeated(bot: Bot) -> None:
    done = bot("ask", "x?", FOOTNOTE_TOP_K="secret")
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("FOOTNOTE_TOP_K is wrong: ")
    assert "secret" not in done.err


@pytest.mark.parametrize("token", ["SLACK_BOT_TOKEN", "SLACK_APP_TOKEN"])
def test_without_its_tokens_the_slack_app_says_which_and_ends_with_2(bot: Bot, token: str) -> None:
    others = {"SLACK_BOT_TOKEN": "xoxb-1", "SLACK_APP_TOKEN": "xapp-1", token: ""}
    done = bot(**others)
    assert (done.code, done.out) == (2, "")
    assert token in done.err
    assert done.err.count("\n") == 1


def test_help_names_the_commands_and_each_has_its_own(bot: Bot) -> None:
    done = bot("--help")
    assert done.code == 0
    for command in ("ask", "chat", "search", "source", "doctor", "demo", "forget"):
        assert f"\n  {command} " in done.out
        usage = bot(command, "--help").out.splitlines()[0]
        assert usage.startswith("Usage: ")
        assert f" {command} [OPTIONS]" in usage


def test_a_fault_of_the_program_is_a_sentence_without_a_traceback(
    bot: Bot, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError("oh")

    monkeypatch.setattr("bot.cli.doctor.examine", broken)
    done = bot("doctor")
    assert (done.code, done.out) == (1, "")
    assert done.err == (
        "Something unexpected went wrong (ZeroDivisionError: oh)."
        " FOOTNOTE_LOG_LEVEL=DEBUG shows where.\n"
    )


def test_a_process_of_its_own_prints_data_alone(root: Path) -> None:
    done = run({**env(root), **ANSWERING}, "-m", "bot", "ask", QUESTION, "--json")
    assert (done.returncode, done.stderr) == (0, "")
    assert "10 days" in json.loads(done.stdout)["answer"]


def test_a_chat_without_a_terminal_ends_with_its_input(root: Path) -> None:
    done = run({**env(root), **ANSWERING}, "-m", "bot", "chat", stdin=f"{QUESTION}\n")
    assert (done.returncode, done.stderr) == (0, "")
    assert "10 days of leave" in done.stdout


def test_a_chat_looks_nothing_up_for_a_greeting_or_thanks(root: Path) -> None:
    done = run({**env(root), **ANSWERING}, "-m", "bot", "chat", stdin="hello\nthanks!\n")
    assert (done.returncode, done.stderr) == (0, "")
    assert "do not say" not in done.stdout
    assert done.stdout.count("Ask on; an id shows its passage") == 3


def test_where_a_fault_lies_is_shown_to_those_who_look_for_it(root: Path) -> None:
    code = (
        "import bot.cli.doctor as d\n"
        "def broken(*_, **__): raise ZeroDivisionError('oh')\n"
        "d.examine = broken\n"
        "from bot.cli.shared import load_settings, quiet, set_up_logging\n"
        "import bot.__main__ as m\n"
        "set_up_logging(quiet(load_settings()))\n"
        "m.main()"
    )
    done = run({**env(root), "FOOTNOTE_LOG_LEVEL": "DEBUG"}, "-c", code, "doctor")
    assert done.returncode == 1
    assert "in broken" in done.stderr
