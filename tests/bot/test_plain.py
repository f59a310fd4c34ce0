import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.cli.plain import CODE, plain_words
from ingest.types import PAD


@pytest.mark.parametrize(
    ("markdown", "words"),
    [
        ("Ask **twice**, *never* __once__.", "Ask twice, never once."),
        ("## The `head` of **it** ##", "The head of it"),
        ("Head\n====\n\nText", "Head\n\nText"),
        ("* one\n+ two\n- three\n1. four", "- one\n- two\n- three\n1. four"),
        ("> **Note**\n> Read it.", "Note\nRead it."),
        ("> > Said twice.", "Said twice."),
        ("See [the *page*](../page.md 'title').", "See the page."),
        ("![A plan](plan.png) of it", "A plan of it"),
        ("[![Go](go.svg)](https://go.org/x)", "Go"),
        ("See [the list][sig-list] here.", "See the list here."),
        ("See [the list][l].\n\n[l]: https://l.org/", "See the list.\n\n"),
        ("<https://go.org/x>", "https://go.org/x"),
        (r"5 \* 3 &lt; 20 &amp; snake_case_name", "5 * 3 < 20 & snake_case_name"),
        ("Give `<name>` or <name>.", "Give <name> or <name>."),
        ("One\\\ntwo", "One\ntwo"),
        ("One\n\n***\n\ntwo", "One\n\ntwo"),
    ],
)
def test_markup_is_gone_and_words_stay(markdown: str, words: str) -> None:
    assert plain_words(markdown).text == words


@pytest.mark.parametrize(
    "text",
    [
        "grid[i][j]",
        "array[1]",
        "[x] done",
        "2 ** 3 ** 4",
        "~~30~~ 40 days",
        "[^1]: Deprecated",
        "a_b_c",
    ],
)
def test_what_only_looks_like_markup_stays(text: str) -> None:
    assert plain_words(text).text == text


def test_code_keeps_its_characters() -> None:
    words = plain_words(
        "Run:\n\n```yaml\na: **b**\n\n\n  - `c` [d](e)\n```\n\nThen ``x `y` **z**``."
    )
    assert words.text == "Run:\n\na: **b**\n\n\n  - `c` [d](e)\n\nThen x `y` **z**."
    code = {words.text[start:end] for start, end, style in words.styles if style == CODE}
    assert code == {"a: **b**\n\n\n  - `c` [d](e)\n", "x `y` **z**"}


def test_a_table_is_rows_in_columns_without_its_ruler() -> None:
    table = "| Plan | **Price** |\n|---|:-:|\n| [Basic](b.md) | `5` |\n| Professional | 12 |"
    assert plain_words(table).text == ("Plan         | Price\nBasic        | 5\nProfessional | 12")


def test_ranges_are_carried_over_to_the_same_words() -> None:
    text = "Send **the form** to [the desk](desk.md). Then *wait* for `ok`.\r\n"
    marked = (text.index("Then"), text.index("\r"))
    words = plain_words(text, [marked, (5, 17)])
    assert [words.text[start:end] for start, end in words.marks] == [
        "Then wait for ok.",
        "the form",
    ]


def test_an_address_is_kept_only_where_it_is_marked_and_leads_somewhere() -> None:
    text = "Read [this](https://a.org/x). Fill in [the form](https://b.org/f) and [that](c.md)."
    words = plain_words(text, [(text.index("Fill"), len(text))])
    assert words.text == "Read this. Fill in the form (https://b.org/f) and that."
    assert [words.text[a:b] for a, b in words.marks] == [
        "Fill in the form (https://b.org/f) and that."
    ]


def test_what_keeps_the_offsets_of_hidden_tags_is_gone() -> None:
    text = f"  {PAD * 9}Ask in #help{PAD * 4}.  \n{PAD * 3}- {PAD}one"
    words = plain_words(text, [(text.index("one"), len(text))])
    assert words.text.split("\n")[-1] == "- one"
    assert words.text.startswith("Ask in #help.")
    assert [words.text[start:end] for start, end in words.marks] == ["one"]


def test_what_is_marked_is_bold_in_a_terminal_and_nothing_else_is() -> None:
    text = "**Never** wait. Go."
    styled = plain_words(text, [(text.index("Go"), len(text))]).styled
    bold = [styled.plain[s.start : s.end] for s in styled.spans if s.style == "bold"]
    assert (styled.plain, bold) == ("Never wait. Go.", ["Go."])


@given(
    st.text(alphabet="ab \n*_`[]()!<>|\\-#&;:1.\r" + PAD, max_size=60),
    st.integers(0, 60),
    st.integers(0, 60),
)
def test_any_text_and_range_give_ranges_of_the_words(text: str, one: int, other: int) -> None:
    start, end = sorted((min(one, len(text)), min(other, len(text))))
    words = plain_words(text, [(start, end)])
    for low, high, *_ in (*words.marks, *words.styles):
        assert 0 <= low < high <= len(words.text)
    letters = [c for c in words.text if c in "ab"]
    assert len(letters) <= text.count("a") + text.count("b")
