import pytest

from bot.reading.bounds import across, bounds


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("over 50 EUR", {("50", "over")}),
        ("at least 3 nights", {("3", "over")}),
        ("more than EUR 1,000", {("1000", "over")}),
        ("not more than 5 days", {("5", "under")}),
        ("It isn't over 50 EUR", {("50", "under")}),
        ("no longer than 5 hours", {("5", "under")}),
        ("5 hours or more", {("5", "over")}),
        ("höchstens 20 kg", {("20", "under")}),
        ("50 EUR in all", set()),
    ],
)
def test_a_limit_is_a_number_with_its_side(text: str, said: set[tuple[str, str]]) -> None:
    assert bounds(text) == said


def test_texts_are_across_a_number_that_each_has_on_one_side_alone() -> None:
    assert across("Are bags above 8 kg free?", "Bags below 8 kg are free.") == "8"
    assert across("Are bags below 8 kg free?", "Bags up to 8 kg are free.") is None
    assert across("Are bags above 8 kg free?", "Below 8 kg: free. Above 8 kg: 5 EUR.") is None
    assert across("Are bags of 8 kg free?", "Bags below 8 kg are free.") is None
