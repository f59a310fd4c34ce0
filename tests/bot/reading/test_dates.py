import pytest

from bot.reading.dates import Date, dates


@pytest.mark.parametrize(
    ("text", "date"),
    [
        ("Der Vertrag endet am 3. Mai 2026.", Date(2026, 5, 3)),
        ("Stand: 12. März 2025", Date(2025, 3, 12)),
        ("Bis Dezember 2026 gilt sie.", Date(2026, 12, 0)),
        ("Es gilt ab Mai.", Date(0, 5, 0)),
        ("El 3 de mayo de 2026 termina.", Date(2026, 5, 3)),
        ("Le 1er août 2026 il finit.", Date(2026, 8, 1)),
        ("It ends on 3rd May, 2026.", Date(2026, 5, 3)),
        ("It ends on Sept. 4.", Date(0, 9, 4)),
    ],
)
def test_a_date_is_read_in_the_languages_that_name_their_months(text: str, date: Date) -> None:
    assert [found for _, _, found in dates(text)] == [date]


@pytest.mark.parametrize("text", ["You may go.", "They march on.", "Mars has two moons."])
def test_a_word_that_is_a_months_name_as_well_is_no_date(text: str) -> None:
    assert list(dates(text)) == []
