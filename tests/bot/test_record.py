from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from sqlalchemy import Engine, select, text

from bot.record import Record
from bot.schema import answers
from bot.stored import Asked, Said, StoredCitation
from bot.types import Abstention, Answer, Citation, Quote, Sentence, Trace
from ingest.commit import note
from ingest.schema import open_database
from ingest.types import Chunk

CHUNK = Chunk("0123456789ab", "a.md", "A > B", 10, 30, "Ten days. Not more.")
TRACE = Trace("How long?", "How long is leave?", 0.7, "late-interaction", "quoting", {})
QUOTES = (Quote("0123456789ab", "Ten days.", 10, 19), Quote("0123456789ab", "Not more.", 20, 29))
ANSWER = Answer(
    sentences=(Sentence("Ten days.", (1,)), Sentence("Not more.", (1,))),
    citations=(Citation(1, CHUNK, QUOTES),),
    trace=TRACE,
    quoting=True,
)
ASKED = Asked("C1", "5.0", "U1", 5.0)
KEYS = ["Ev1", "C1:5.0"]


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    opened = open_database(tmp_path / "footnote.db")
    yield opened
    opened.dispose()


class Clock:
    now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


def test_a_post_is_claimed_once_under_either_of_its_keys(engine: Engine) -> None:
    record = Record(engine)
    assert record.claim(["Ev1", "C1:5.0"])
    assert not record.claim(["Ev1", "C1:5.0"])
    assert not record.claim(["Ev2", "C1:5.0"])
    assert record.claim(["Ev2", "C1:6.0"])


def test_of_many_threads_one_gets_the_claim(engine: Engine) -> None:
    record = Record(engine)
    with ThreadPoolExecutor(8) as pool:
        claims = list(pool.map(lambda n: record.claim([f"Ev{n}", "C1:5.0"]), range(40)))
    assert sum(claims) == 1


def test_a_claim_that_a_dead_run_left_unfinished_is_taken_over_once(engine: Engine) -> None:
    assert Record(engine).claim(KEYS)
    after = Record(engine)
    assert after.claim(["Ev9", "C1:5.0"])
    assert not after.claim(KEYS)


def test_what_is_finished_stays_finished_after_a_restart(engine: Engine) -> None:
    record = Record(engine)
    record.claim(KEYS)
    record.finish(KEYS)
    assert not Record(engine).claim(KEYS)
    assert not Record(engine).claim(["Ev9", "C1:5.0"])


def test_a_placed_answer_finishes_its_post(engine: Engine) -> None:
    record = Record(engine)
    record.claim(KEYS)
    record.place(record.save(ANSWER, ASKED), "6.0", KEYS)
    assert not Record(engine).claim(KEYS)


def test_events_are_forgotten_after_a_day(engine: Engine) -> None:
    clock = Clock()
    record = Record(engine, clock=clock)
    record.claim(KEYS)
    clock.now += 86_399
    assert not record.claim(KEYS)
    clock.now += 2
    assert record.claim(["Ev7"])
    with engine.connect() as connection:
        assert connection.execute(text("SELECT key FROM events")).scalars().all() == ["Ev7"]


def test_an_answer_is_found_by_its_message_with_what_it_cites(engine: Engine) -> None:
    record = Record(engine)
    record.place(record.save(ANSWER, ASKED), "6.0", KEYS)
    stored = Record(engine).answer_at("C1", "6.0")
    assert stored is not None
    assert (stored.kind, stored.question, stored.standalone, stored.text, stored.reason) == (
        "answer",
        "How long?",
        "How long is leave?",
        "Ten days. Not more.",
        None,
    )
    assert stored.citations == (
        StoredCitation(
            n=1,
            passage_id="0123456789ab",
            doc="a.md",
            heading="A > B",
            start=10,
            end=30,
            text="Ten days. Not more.",
            quotes=QUOTES,
        ),
    )
    assert record.answer_at("C2", "6.0") is None
    assert record.answer_at("C1", "5.0") is None


def test_an_abstention_is_kept_with_its_reason(engine: Engine) -> None:
    record = Record(engine)
    abstention = Abstention("weak_evidence", "The documents do not say.", (), TRACE)
    record.place(record.save(abstention, ASKED), "6.0", KEYS)
    stored = record.answer_at("C1", "6.0")
    assert stored is not None
    assert (stored.kind, stored.reason, stored.text, stored.citations) == (
        "abstention",
        "weak_evidence",
        "The documents do not say.",
        (),
    )


def test_a_thread_is_answered_from_the_moment_its_answer_is_saved(engine: Engine) -> None:
    record = Record(engine)
    assert not record.has_answered("C1", "5.0")
    answer_id = record.save(ANSWER, ASKED)
    assert record.has_answered("C1", "5.0")
    assert not record.has_answered("C1", "6.0")
    assert not record.has_answered("C2", "5.0")
    record.place(answer_id, "6.0", KEYS)
    assert record.said_in("C1", "5.0") == [Said("6.0", "U1", 5.0, "Ten days. Not more.")]


def placed(engine: Engine) -> Record:
    record = Record(engine)
    record.place(record.save(ANSWER, ASKED), "6.0", KEYS)
    return record


def opinions(engine: Engine) -> list[tuple[str, str, str, str]]:
    with engine.connect() as connection:
        rows = connection.execute(text("SELECT user, value, reason, text FROM feedback"))
        return [tuple(row) for row in rows]


def test_a_thumb_is_one_a_person_and_can_be_turned(engine: Engine) -> None:
    record = placed(engine)
    assert record.rate("C1", "6.0", "U1", "up")
    assert record.rate("C1", "6.0", "U2", "up")
    assert record.rate("C1", "6.0", "U1", "down")
    assert opinions(engine) == [("U1", "down", "", ""), ("U2", "up", "", "")]


def test_a_thumb_up_is_taken_back_by_pressing_it_again(engine: Engine) -> None:
    record = placed(engine)
    record.rate("C1", "6.0", "U1", "up")
    assert record.rate("C1", "6.0", "U1", "up") is False
    assert opinions(engine) == []


def test_why_a_thumb_is_down_stays_when_it_is_pressed_again(engine: Engine) -> None:
    record = placed(engine)
    record.rate("C1", "6.0", "U1", "down")
    record.explain("C1", "6.0", "U1", "outdated", "It is 30 now.")
    assert record.rate("C1", "6.0", "U1", "down")
    assert opinions(engine) == [("U1", "down", "outdated", "It is 30 now.")]


def test_a_thumb_for_a_message_that_is_no_answer_is_not_kept(engine: Engine) -> None:
    assert placed(engine).rate("C1", "7.0", "U1", "up") is None
    assert opinions(engine) == []


def test_a_question_goes_to_the_owners_once_unless_that_failed(engine: Engine) -> None:
    record = placed(engine)
    assert record.forward("C1", "6.0")
    assert not record.forward("C1", "6.0")
    record.take_back("C1", "6.0")
    assert record.forward("C1", "6.0")
    assert not record.forward("C1", "7.0")


def test_what_was_last_cited_to_somebody_is_their_newest_answers(engine: Engine) -> None:
    record = placed(engine)
    later = Asked("C1", "8.0", "U1", 8.0)
    record.save(Abstention("weak_evidence", "No.", (), TRACE), later)
    assert [c.passage_id for c in record.last_cited("U1")] == ["0123456789ab"]
    assert record.last_cited("U2") == ()


def test_an_answer_is_kept_with_the_generation_that_it_was_made_from(engine: Engine) -> None:
    with engine.begin() as connection:
        note(connection, "generation", "7")
    Record(engine).save(ANSWER, ASKED)
    with engine.connect() as connection:
        kept = connection.execute(select(answers.c.generation, answers.c.generator)).all()
    assert [tuple(row) for row in kept] == [(7, ANSWER.trace.generator)]


def test_old_answers_are_forgotten_with_what_they_cite_and_younger_ones_are_not(
    engine: Engine,
) -> None:
    day = 24 * 60 * 60
    clock = Clock()
    record = Record(engine, clock=clock)
    for age, ts in ((31, "1.0"), (29, "2.0")):
        asked = Asked("C1", ts, "U1", clock.now - age * day)
        record.place(record.save(ANSWER, asked), ts, [])
    assert record.rate("C1", "1.0", "U1", "up")
    assert record.prune(30) == 1
    assert record.answer_at("C1", "1.0") is None
    kept = record.answer_at("C1", "2.0")
    assert kept is not None
    assert len(kept.citations) == len(ANSWER.citations)
    assert record.prune(30) == 0
