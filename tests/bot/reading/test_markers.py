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


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Use matrix[2] here.", ""),
        ("Use matrix[2] here.", "Use grid[2] here."),
        ("The last one is row[3].", "The first one is row[0]."),
        ("It is read from sys.argv[1].", "It is an argument."),
        ("See section 4(1).", "See section 4."),
        ("Take my_list[2] and rowIds[1].", ""),
    ],
)
def test_an_index_stays_where_the_source_lacks_it(text: str, said: str) -> None:
    assert without_markers(text, said) == text


@pytest.mark.parametrize(
    ("text", "taken"),
    [
        ("Tents are lent for 6 days[1][3].", "Tents are lent for 6 days."),
        ("Lent for 6 days[1] and kayaks for 9[2].", "Lent for 6 days and kayaks for 9."),
        ("Tents are lent[2], kayaks too.", "Tents are lent, kayaks too."),
        ("Ask Ada(Source 2).", "Ask Ada."),
    ],
)  # fmt: skip
def test_a_mark_right_behind_a_word_of_the_source_or_of_a_clause_is_taken_off(
    text: str, taken: str
) -> None:
    said = "Tents are lent for 6 days. Kayaks are lent for 9 days. Ask Ada."
    assert without_markers(text, said) == taken
