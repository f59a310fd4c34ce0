"""What the record tells afterwards: questions without an answer, and thumbs as cases."""

import json
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pytest

from bot.evaluate.cases import read_cases
from bot.gaps import Gap, Unanswered, find_gaps, read_unanswered
from bot.localslack import LocalSlack
from bot.ratings import rated_cases
from bot.record import Record
from bot.settings import Settings
from bot.slack.digest import build_digest, last_due, post_digest, post_due
from bot.stored import Asked
from bot.types import Abstention, Answer, Outcome, Trace
from ingest.embed import Embedder, Vectors
from ingest.index import Index
from ingest.ledger import Ledger
from tests.commands import run
from tests.slack.conftest import leave_answer

DAY_S = 24 * 3600


class Desk:
    """A ledger, and questions that were asked a while ago."""

    def __init__(self, data: Path) -> None:
        self.ledger = Ledger(data)
        self.record = Record(self.ledger.engine)
        self.asked = 0

    def answered(
        self, outcome: Outcome, *, days_ago: float = 0, thread: str = "1.0", user: str = "U1"
    ) -> str:
        self.asked += 1
        at = datetime.now(UTC).timestamp() - days_ago * DAY_S + self.asked / 1000
        ts = f"{self.asked}.5"
        answer_id = self.record.save(outcome, Asked("C1", thread, user, at, private=False))
        self.record.place(answer_id, ts, ())
        return ts


def unanswered(question: str, reason: str = "weak_evidence") -> Abstention:
    trace = Trace(question, question, 0.1, "r", "none", {})
    return Abstention(reason, "The documents do not say.", (), trace)


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path / "data")


def by_letter(texts: Sequence[str]) -> Vectors:
    """Texts with the same first letter are alike, all others are not."""
    rows = np.zeros((len(texts), 26), np.float32)
    for row, text in zip(rows, texts, strict=True):
        row[ord(text[0]) - ord("a")] = 1
    return rows


def at(day: int) -> datetime:
    return datetime(2026, 11, day, tzinfo=UTC)


def test_questions_that_ask_the_same_are_one_gap_the_most_asked_first() -> None:
    asked = [
        Unanswered("Beds?", at(9)),
        Unanswered("Any dog?", at(8)),
        Unanswered("any  DOG?", at(7)),
        Unanswered("Apes?", at(6)),
        Unanswered("Cats?", at(5)),
    ]
    assert find_gaps(asked, by_letter) == [
        Gap("Any dog?", 3, at(8), ("Any dog?", "any  DOG?", "Apes?")),
        Gap("Beds?", 1, at(9), ("Beds?",)),
        Gap("Cats?", 1, at(5), ("Cats?",)),
    ]


def test_with_nothing_asked_nothing_is_embedded() -> None:
    assert find_gaps([], lambda _: pytest.fail("embedded")) == []


def test_with_the_real_model_wordings_come_together_and_neighbours_stay_apart(
    embedder: Embedder,
) -> None:
    questions = ["Can I bring my dog to the office?", "Are dogs allowed in the office?"]
    questions += ["Is there a gym discount?", "Can I bring my child to the office?"]
    gaps = find_gaps([Unanswered(q, at(1)) for q in questions], embedder.embed_passages)
    assert [(gap.count, gap.question) for gap in gaps] == [
        (2, "Can I bring my dog to the office?"),
        (1, "Is there a gym discount?"),
        (1, "Can I bring my child to the office?"),
    ]


def test_only_what_was_shown_and_speaks_of_the_documents_is_a_gap(desk: Desk) -> None:
    desk.answered(unanswered("Dogs?"), days_ago=2)
    desk.answered(unanswered("Cats?", "not_in_sources"), days_ago=1)
    desk.answered(unanswered("", "empty_question"))
    desk.answered(leave_answer("Leave?"))
    desk.record.save(unanswered("Never shown?"), Asked("C1", "1.0", "U1", 5.0, private=False))
    assert [each.question for each in read_unanswered(desk.ledger.engine)] == ["Cats?", "Dogs?"]
    since = datetime.fromtimestamp(datetime.now(UTC).timestamp() - 1.5 * DAY_S, UTC)
    assert [each.question for each in read_unanswered(desk.ledger.engine, since)] == ["Cats?"]


def test_gaps_are_listed_beside_a_running_bot(tmp_path: Path) -> None:
    settings = {"FOOTNOTE_DATA": str(tmp_path / "data")}
    desk = Desk(tmp_path / "data")
    desk.answered(unanswered("Can I bring my dog to the office?"))
    desk.answered(unanswered("Are dogs allowed in the office?"))
    with Index(Settings(_env_file=None, data=tmp_path / "data")):
        done = run(settings, "-m", "bot", "gaps", "--json")
    assert done.returncode == 0, done.stderr
    [gap] = json.loads(done.stdout)
    assert (gap["question"], gap["count"]) == ("Are dogs allowed in the office?", 2)
    assert gap["questions"][1] == "Can I bring my dog to the office?"
    assert datetime.fromisoformat(gap["newest"]).tzinfo is not None


async def test_the_digest_tells_the_weeks_gaps_and_nothing_comes_alive(
    desk: Desk, tmp_path: Path
) -> None:
    desk.answered(unanswered("Old?"), days_ago=8)
    desk.answered(unanswered("<!channel> dogs & cats?"), days_ago=1)
    desk.answered(unanswered("<!channel> dogs & cats?"), days_ago=1)
    async with LocalSlack() as slack:
        owners = slack.add_channel("owners")
        settings = Settings(
            _env_file=None,
            SLACK_BOT_TOKEN=slack.bot_token,
            SLACK_API_URL=slack.api_url,
            gaps_channel=owners,
            data=tmp_path / "data",
        )
        with Index(settings) as index, ThreadPoolExecutor(1) as pool:
            await post_digest(settings, index, pool)
        [message] = slack.messages(owners)
        assert slack.live_marks(message) == []
        assert slack.refusals == []
    assert message["blocks"][0]["text"]["text"] == (
        "*Questions of the last week that the documents do not answer: 2*"
    )
    assert message["blocks"][1]["text"]["text"] == ("• &lt;!channel&gt; dogs &amp; cats? (2 times)")


async def test_a_week_without_gaps_has_no_digest(desk: Desk, tmp_path: Path) -> None:
    desk.answered(unanswered("Old?"), days_ago=8)
    async with LocalSlack() as slack:
        settings = Settings(
            _env_file=None, SLACK_API_URL=slack.api_url, gaps_channel="C1", data=tmp_path / "data"
        )
        with Index(settings) as index, ThreadPoolExecutor(1) as pool:
            await post_digest(settings, index, pool)
        assert slack.calls == []


async def test_a_digest_that_was_missed_on_monday_is_posted_at_the_next_start_and_once(
    desk: Desk, tmp_path: Path
) -> None:
    now = datetime.now().astimezone()
    due = last_due(now - timedelta(days=1))
    late = due + timedelta(days=1, hours=5)
    ago = (now - due).total_seconds() / 86_400
    desk.answered(unanswered("That week?"), days_ago=ago + 1)
    async with LocalSlack() as slack:
        owners = slack.add_channel("owners")
        settings = Settings(
            _env_file=None,
            SLACK_BOT_TOKEN=slack.bot_token,
            SLACK_API_URL=slack.api_url,
            gaps_channel=owners,
            data=tmp_path / "data",
        )
        for _start in range(2):
            with Index(settings) as index, ThreadPoolExecutor(1) as pool:
                await post_due(settings, index, pool, late)
        [message] = slack.messages(owners)
    assert "That week?" in str(message["blocks"])


@pytest.mark.parametrize(
    ("now", "due"),
    [
        ("2026-11-30 08:59", "2026-11-23 09:00"),
        ("2026-11-30 09:00", "2026-11-30 09:00"),
        ("2026-12-06 23:00", "2026-11-30 09:00"),
    ],
)
def test_a_digest_is_due_on_monday_at_nine(now: str, due: str) -> None:
    assert last_due(datetime.fromisoformat(now).astimezone()) == (
        datetime.fromisoformat(due).astimezone()
    )


def test_a_digest_of_many_gaps_names_ten_and_counts_the_rest() -> None:
    gaps = [Gap(f"Question {n}?", 1, at(1), ()) for n in range(14)]
    text = str(build_digest(gaps).blocks[1]["text"])
    assert "Question 9?" in text
    assert "Question 10?" not in text
    assert "… and 4 more" in text


def rated(desk: Desk) -> None:
    question = leave_answer("How much leave?")
    up = desk.answered(question, days_ago=3)
    follow_up = Trace("And flights?", "Which class are flights?", 0.8, "r", "g", {})
    down = desk.answered(Answer(question.sentences, question.citations, follow_up), days_ago=2)
    none = desk.answered(unanswered("Dogs?"), days_ago=1, thread="2.0")
    desk.answered(leave_answer("Not rated?"))
    desk.record.rate("C1", up, "U1", "up")
    desk.record.rate("C1", down, "U1", "up")
    desk.record.rate("C1", down, "U2", "down")
    desk.record.explain("C1", down, "U2", "outdated", "since May")
    desk.record.rate("C1", none, "U3", "up")


def test_thumbs_become_cases(desk: Desk) -> None:
    rated(desk)
    first, second, third = rated_cases(desk.ledger.engine)
    assert (first.q, first.history, first.standalone) == ("How much leave?", (), "")
    assert (first.gold, first.answerable) == (("0123456789ab", "ba9876543210"), True)
    assert first.note == "thumbs up"
    assert (second.q, second.standalone) == ("And flights?", "Which class are flights?")
    assert [turn.role for turn in second.history] == ["user", "assistant"]
    assert second.history[0].text == "How much leave?"
    assert (second.gold, second.answerable) == ((), None)
    assert second.note == "outdated: since May"
    assert (third.q, third.gold, third.answerable) == ("Dogs?", (), False)


def test_what_is_exported_can_be_evaluated(desk: Desk, tmp_path: Path) -> None:
    rated(desk)
    done = run({"FOOTNOTE_DATA": str(tmp_path / "data")}, "-m", "bot", "feedback", "export")
    assert done.returncode == 0, done.stderr
    assert "3 cases" in done.stderr
    file = tmp_path / "cases.jsonl"
    file.write_text(done.stdout, "utf-8")
    cases = read_cases(file)
    assert [case.answerable for case in cases] == [True, None, False]
    assert cases[0].gold_ids == ("0123456789ab", "ba9876543210")
    assert cases[1].note == "outdated: since May"
    assert len(cases[1].history) == 2
