from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from bot.abbreviations import Abbreviations, definitions, in_words
from bot.types import Reading
from ingest.embed import Embedder
from tests.indexes import opened, settings
from tests.trees import write

TREE = {
    "pto.md": "# Paid time off\n\nIt is 24 days a year.\n",
    "soc.md": "# Security\n\nThe security operations centre is reached at extension 3344.\n",
    "wfh.md": "# WFH\n\nWFH is allowed on 2 days a week.\n",
    "leave.md": "# Parents\n\nShared Parental Leave (SPL) lasts 20 weeks.\n",
    "more.md": "# Forms\n\nFor SPL fill in form 7. Ask about SPL at the desk. SPL is paid.\n",
    "pitch.md": "# Annual general meeting\n\nIt is in May.\n",
    "model.md": "# Approved grant model\n\nIt is used for bids.\n",
}


@pytest.fixture
def read(tmp_path: Path, embedder: Embedder) -> Iterator[Abbreviations]:
    write(tmp_path / "docs", TREE)
    with opened(settings(tmp_path / "docs"), embedder) as index, ThreadPoolExecutor(1) as pool:
        index.sync()
        index.load_lexical()
        yield Abbreviations(index.lexical, index, pool)


async def texts(read: Abbreviations, question: str) -> list[str]:
    return [reading.text for reading in await read.readings(question)]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("How much PTO do I get?", ["How much paid time off do I get?"]),
        ("how much pto do i get", ["how much paid time off do i get"]),
        ("What is the SOC extension?", ["What is the security operations centre extension?"]),
        ("How often can I work from home?", ["How often can I WFH?"]),
        ("How long is SPL?", ["How long is shared parental leave?"]),
        ("What is the SOC budget?", []),  # by a text alone that says nothing else of it
        ("How many days of leave are there?", []),
        ("What is ABC-12?", []),
    ],
)
async def test_abbreviations_are_read_by_what_the_documents_say(
    read: Abbreviations, question: str, expected: list[str]
) -> None:
    assert await texts(read, question) == expected


async def test_initials_of_two_headings_are_read_both_ways_and_the_reply_says_so(
    read: Abbreviations,
) -> None:
    readings = await read.readings("When is the AGM?")
    assert {r.meant for r in readings} == {"annual general meeting", "approved grant model"}
    told = in_words(readings, next(r for r in readings if r.meant == "annual general meeting"))
    assert told == (
        "“AGM” was read as “annual general meeting”; it may also stand for “approved grant model”."
    )


def test_what_the_documents_define_needs_no_word() -> None:
    reading = Reading("How long is shared parental leave?", "SPL", "shared parental leave", True)
    assert in_words([reading], reading) == ""


@pytest.mark.parametrize(
    ("short", "text", "expected"),
    [
        ("PTO", "We give Paid Time Off (PTO).", ["paid time off"]),
        ("CDC", "the Centers for Disease Control (CDC)", ["centers for disease control"]),
        ("PTO", "PTO (paid time off) is given.", ["paid time off"]),
        ("PTO", "Ask the office (PTO).", []),
        ("PTO", "See PTO (the page on leave).", []),
    ],
)
def test_a_definition_is_the_words_before_or_in_brackets(
    short: str, text: str, expected: list[str]
) -> None:
    assert definitions(short, text) == expected
