"""The failures that every audit of such a bot finds, asked of the sample handbook."""

import asyncio
from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from bot.evaluate.withdraw import EvaluationIndex
from bot.settings import Settings
from bot.types import Abstention, Answer, Outcome
from bot.wiring import open_parts
from ingest.embed import Embedder
from tests.quality.measured import handbook

pytestmark = pytest.mark.timeout(300)

TABLE = "hotel limit paris"
CODE = "what does ERR_4013 mean"
NO_CODE = "what does ERR_4017 mean"
NEWS = "api key expiry - how long can a key live"
NEAR_MISS = "How many days of annual leave do interns get?"
HEADING = "how often do i get a new laptop"
COPIED = "laptop got nicked, whom do I report a stolen device to?"
DISPUTED = "how much per mile if i drive my own car"
FORMER = "what was the meal allowance in 2024"
TWO_PARTS = "refund limit for a shift lead and how fast does the card refund show up"
HALF = "how do i book a desk and does it come with a docking station"

QUESTIONS = (
    TABLE,
    CODE,
    NO_CODE,
    NEWS,
    NEAR_MISS,
    HEADING,
    COPIED,
    DISPUTED,
    FORMER,
    TWO_PARTS,
    HALF,
)


@pytest.fixture(scope="module")
def outcomes(embedder: Embedder) -> Iterator[dict[str, Outcome]]:
    with ExitStack() as stack:
        index = stack.enter_context(handbook(embedder))
        yield asyncio.run(ask_all(index))


async def ask_all(index: EvaluationIndex) -> dict[str, Outcome]:
    settings = Settings(_env_file=None).model_copy(update=index.settings.model_dump())
    async with open_parts(settings, index) as parts:
        return {question: await parts.pipeline.answer(question) for question in QUESTIONS}


def answer(outcomes: dict[str, Outcome], question: str) -> Answer:
    outcome = outcomes[question]
    assert isinstance(outcome, Answer), outcome
    return outcome


def first(outcome: Outcome) -> tuple[str, str]:
    chunk = outcome.trace.hits[0].chunk
    return chunk.doc, chunk.heading.rsplit(" > ", 1)[-1]


def test_a_row_of_a_table_is_told_with_its_header(outcomes: dict[str, Outcome]) -> None:
    said = [sentence.text for sentence in answer(outcomes, TABLE).sentences]
    assert said[0] == "City Paris — Limit per night: €180; Company rate: none"


def test_an_error_code_gets_its_own_section_not_anothers(outcomes: dict[str, Outcome]) -> None:
    found = outcomes[CODE]
    assert first(found) == ("product/error-codes.md", "ERR_4013")
    assert isinstance(found, Abstention)
    assert found.perhaps is not None
    assert "ERR_4013" in found.perhaps.chunk.embedded


def test_an_error_code_that_does_not_exist_gets_no_answer(outcomes: dict[str, Outcome]) -> None:
    assert isinstance(outcomes[NO_CODE], Abstention)


def test_the_page_stands_above_the_release_notes_that_announce_it(
    outcomes: dict[str, Outcome],
) -> None:
    found = answer(outcomes, NEWS)
    assert first(found) == ("product/api-keys.md", "Expiry and rotation")
    assert "365 days" in found.sentences[0].text


def test_a_rule_for_employees_is_no_answer_about_interns(outcomes: dict[str, Outcome]) -> None:
    assert isinstance(outcomes[NEAR_MISS], Abstention)


def test_what_only_the_heading_says_is_found(outcomes: dict[str, Outcome]) -> None:
    found = answer(outcomes, HEADING)
    assert first(found) == ("it/equipment.md", "Laptops are replaced every 36 months")
    assert first(found)[1] in found.citations[0].chunk.heading


def test_a_paragraph_that_stands_on_two_pages_takes_one_place(outcomes: dict[str, Outcome]) -> None:
    chunks = [hit.chunk for hit in outcomes[COPIED].trace.hits]
    twice = [n for n, c in enumerate(chunks) if c.text.startswith("Report a lost or stolen laptop")]
    assert twice[0] < 5 <= twice[1]


def test_two_pages_that_disagree_are_named_the_newer_first(outcomes: dict[str, Outcome]) -> None:
    found = answer(outcomes, DISPUTED)
    (conflict,) = found.conflicts
    assert [side.title for side in (conflict.first, conflict.second)] == [
        "Travel and expenses",
        "Mileage and meal rates 2024",
    ]
    assert "52p" in conflict.first.text
    assert "45p" in conflict.second.text
    assert {conflict.first.n, conflict.second.n} <= {c.n for c in found.citations}


def test_a_question_for_the_older_page_gets_that_one_without_a_conflict(
    outcomes: dict[str, Outcome],
) -> None:
    found = answer(outcomes, FORMER)
    assert first(found)[0] == "people/mileage-and-meals-2024.md"
    assert found.conflicts == ()


def test_both_parts_of_a_question_are_answered(outcomes: dict[str, Outcome]) -> None:
    said = " ".join(sentence.text for sentence in answer(outcomes, TWO_PARTS).sentences)
    assert "A shift lead may grant up to €1,000." in said
    assert "A refund to a card takes 5 to 10 working days to appear." in said


def test_a_part_that_the_documents_do_not_answer_is_named(outcomes: dict[str, Outcome]) -> None:
    found = answer(outcomes, HALF)
    assert "Book one in Rostera" in found.sentences[0].text
    assert found.unanswered == ("does it come with a docking station",)


def test_no_other_answer_names_a_conflict(outcomes: dict[str, Outcome]) -> None:
    others = [outcomes[q] for q in QUESTIONS if q != DISPUTED]
    assert [o.conflicts for o in others if isinstance(o, Answer) and o.conflicts] == []
