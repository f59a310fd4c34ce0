import pytest

from bot.reading.markers import without_markers


@pytest.mark.parametrize(
    "mark",
    [
        "[1]", "[1][3]", "[1] [3]", "[1, 3]", "[1-3]", "[1]–[3]", "([1])", "[^4]", "[†1]", "［1］",
        "【1†source】", "【1】【2】", "(Source 2)", "(Sources 1 and 2)", "(source: tents.md)",
        "[Source: x]", "[doc_2]", "(Quelle 2)", "<sup>1</sup>", r"\[1\]", "(1)",
    ],
)  # fmt: skip
def test_a_mark_of_citation_is_taken_off_before_and_after_the_full_stop(mark: str) -> None:
    assert without_markers(f"Tents are lent for 6 days {mark}.", "") == "Tents are lent for 6 days."
    after = f"Tents are lent for 6 days. {mark}" if mark != "(1)" else "Tents are lent for 6 days."
    assert without_markers(after, "") == "Tents are lent for 6 days."


def test_raised_numbers_are_taken_off_words_and_left_on_units() -> None:
    assert without_markers("It has 20 m² for six days¹.", "") == "It has 20 m² for six days."


@pytest.mark.parametrize(
    "text",
    [
        "Run `argv[1]` and `(Source 2)`.",
        "See [1](keys.md).",
        "The second is argv[1].",
        "See [the source](keys.md) (level 2).",
    ],
)
def test_code_links_and_what_the_source_says_itself_stay(text: str) -> None:
    assert without_markers(text, "The first argument is argv[1].") == text
