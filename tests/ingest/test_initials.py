import pytest

from ingest.initials import initials, phrases


def found(text: str, letters: str) -> list[tuple[str, bool]]:
    return [(phrase.text, phrase.bounded) for phrase in phrases(text, letters)]


def test_the_initials_of_a_text_are_those_of_all_words_and_of_words_of_content() -> None:
    assert initials("Paid time off is 24 days") == ("ptoid", "ptd")


@pytest.mark.parametrize(
    ("text", "letters", "expected"),
    [
        ("Ask the security operations centre.", "soc", [("security operations centre", True)]),
        ("See the new security operations centre", "soc", [("security operations centre", False)]),
        ("You can work from home.", "wfh", [("work from home", True)]),
        ("the request for proposals", "rp", [("request for proposals", True)]),
        ("# Paid time off\n\nIt is paid.", "pto", [("Paid time off", True)]),
        ("They are paid time off when ill", "pto", []),
        ("security, operations, centre", "soc", []),
        ("on-call security operations\ncentre", "soc", []),
    ],
)
def test_a_phrase_is_found_by_its_initials(
    text: str, letters: str, expected: list[tuple[str, bool]]
) -> None:
    assert found(text, letters) == expected
