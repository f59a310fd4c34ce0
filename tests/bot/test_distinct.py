import pytest

from bot.distinct import duplicates, same_text
from bot.types import Hit
from ingest.types import Chunk, Context

TEXT = (
    "Report a lost or stolen laptop, phone or badge within one hour to security@example.com, day"
    " or night, even if you are not sure. We lock the device and block the badge from afar."
)


def passage(text: str, heading: str = "Page > Losses", id_: str = "a") -> Chunk:
    return Chunk(id_, f"{id_}.md", heading, 0, len(text), text)


@pytest.mark.parametrize(
    ("text", "heading"),
    [
        (TEXT, "Page > Losses"),
        (TEXT.replace(" ", "\n", 3).upper(), "Page > Losses"),
        (f"**{TEXT}**", "Other page > Devices > Stolen things"),
        (TEXT.replace("not sure", "not quite sure"), "Page > Losses"),
        (TEXT, "Security policy 2024"),
    ],
)
def test_a_copy_is_a_duplicate_whatever_its_layout_and_its_page(text: str, heading: str) -> None:
    assert same_text(passage(TEXT), passage(text, heading))


@pytest.mark.parametrize(
    ("was", "becomes"),
    [
        ("one hour", "two hours"),
        ("security@", "it-help@"),
        ("even if", "only if"),
        ("We lock", "We do not lock"),
        ("laptop", "tablet"),
        ("We lock", "Berlin locks"),
    ],
)
def test_a_value_that_differs_is_no_duplicate(was: str, becomes: str) -> None:
    assert not same_text(passage(TEXT), passage(TEXT.replace(was, becomes)))


def test_a_short_text_says_another_thing_under_another_heading() -> None:
    short = "Included in every plan."
    assert same_text(passage(short), passage(short, "Copy > Losses"))
    assert not same_text(passage(short), passage(short, "Page > Backups"))


def test_the_code_of_a_heading_keeps_two_texts_apart() -> None:
    one, other = passage(TEXT, "Errors > ERR_4012"), passage(TEXT, "Errors > ERR_4013")
    assert not same_text(one, other)


def test_rows_that_differ_in_the_key_fact_are_no_duplicates() -> None:
    rows = "\n".join(f"| Team {name} | 10 GB of storage | yes |" for name in "ABCDEFGH")
    others = rows.replace("Team A", "Team X")
    assert not same_text(passage(rows), passage(others))


def test_a_passages_context_is_a_part_of_what_it_says() -> None:
    row = "| Dublin | €190 | none |"
    one, other = (
        Chunk(id_, f"{id_}.md", "Page > Hotels", 50, 74, row, (Context(0, len(head), head),))
        for id_, head in (("a", "| City | Limit | Rate |"), ("b", "| City | Train | Rate |"))
    )
    assert not same_text(one, other)


def test_each_duplicate_names_the_better_one_that_it_repeats() -> None:
    chunks = [
        passage(TEXT, id_="a"),
        passage("Something else.", id_="b"),
        passage(TEXT, id_="c"),
        passage(TEXT, id_="d"),
    ]
    hits = [Hit(chunk, 1.0, 0.5) for chunk in chunks]
    assert duplicates(hits) == {"c": "a", "d": "a"}
