import pytest

from bot.given import as_given, filled
from bot.reading.units import units
from ingest.types import Chunk, Span


def chunk(id_: str, start: int, text: str, heading: str = "Page") -> Chunk:
    return Chunk(id_, "page.md", heading, start, start + len(text), text)


PAGE = [
    chunk("intro", 0, "All of this is about laptops.\n"),
    chunk("one", 100, "Do this:\n\n1. Turn it off.\n"),
    chunk("two", 200, "2. Take out the card:\n\n```\neject /dev/card\n```\n"),
    chunk("three", 300, "3. Do not turn it on again.\n"),
    chunk("after", 400, "Spare cards are in room 4.\n"),
    chunk("last", 500, "Ask the desk for help.\n"),
    chunk("other", 600, "4. Another section's item.\n", "Page > More"),
]
BY_ID = {each.id: each for each in PAGE}


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (["two"], ["two", "one", "three"]),
        (["three", "intro"], ["three", "intro", "one", "two"]),
        (["after"], ["after"]),
        (["last", "after"], ["last", "after"]),
        (["last", "intro"], ["last", "intro", "one", "two", "three", "after"]),
        (["other", "after"], ["other", "after"]),
    ],
)
def test_what_lies_between_two_passages_and_the_rest_of_a_list_is_filled_in(
    given: list[str], expected: list[str]
) -> None:
    assert list(filled({id_: BY_ID[id_] for id_ in given}, PAGE)) == expected


def test_nothing_is_filled_in_from_another_document() -> None:
    other = Chunk("x", "other.md", "Page", 250, 270, "4. Something else.\n")
    given = {"two": BY_ID["two"], "three": BY_ID["three"], "one": BY_ID["one"]}
    assert filled(given, [other]) == given


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('See [the policy](https://a.example/p?q=(1) "Title") first.', "See the policy first."),
        ("See [the policy][policy] first.", "See the policy first."),
        ("[![The gate](gate.png)](https://a.example) is open.", "The gate is open."),
        ("Write to <ada@a.example> or https://a.example/x.", "Write to <ada@a.example> or https://a.example/x."),
        ("Use grid[1][2] and list[x](y).", "Use grid[1][2] and listx."),
        ("Run `ls   -l` now.", "Run `ls -l` now."),
    ],
)  # fmt: skip
def test_links_are_given_as_their_words_and_addresses_that_are_text_stay(
    text: str, said: str
) -> None:
    assert [as_given(unit) for unit in units(chunk("a", 0, text))] == [said]


def test_the_blanks_that_tags_leave_are_not_given() -> None:
    text = "Ask <span class='name'>Ada</span> first."
    tags = (Span(4, 23), Span(26, 33))
    (unit,) = units(Chunk("a", "page.md", "Page", 0, len(text), text, hidden=tags))
    assert unit.text != as_given(unit) == "Ask Ada first."
