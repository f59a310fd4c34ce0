import pytest

from bot.questions.marks import has_emoji, without_marks


@pytest.mark.parametrize(
    ("text", "spoken"),
    [
        ("@U07QX4Z9K2M asks: how much?", "asks: how much?"),
        ("when are salaries paid? cc @W012A3CDE", "when are salaries paid? cc"),
        ("from #C07AB12CD: when?", "from: when?"),
        ("from #G07AB12CD|: when?", "from: when?"),
        ("ask @S0614TZR7, please", "ask, please"),
        (":wave: what is the rate? :+1::skin-tone-2:", "what is the rate?"),
        ("der Satz :flag-de: :größe: :party_parrot::tada:", "der Satz"),
        ("(:warning:) is it on?", "() is it on?"),
    ],
)
def test_ids_and_emoji_are_no_words(text: str, spoken: str) -> None:
    assert without_marks(text) == spoken


@pytest.mark.parametrize(
    "text",
    [
        "does it start at 10:30:00 or 7:15?",
        "what does a::b or std::vector::push do?",
        "ticket #4821, #C1007 and C-1007, E-1001",
        "@ana and @WEBMASTERS know, and ops@U07QX4Z9K2M.example too",
        "what does `:latest:` mean, and `@U07QX4Z9K2M`?",
        "```\nimage:latest :a: b\n``` what is it?",
        "map 8080:80:tcp and :ref:`target`",
        "first  line\nsecond line",
    ],
)
def test_times_codes_names_and_code_stay_as_they_are(text: str) -> None:
    assert without_marks(text) == text


def test_emoji_are_told_from_colons() -> None:
    assert has_emoji("done :white_check_mark:")
    assert not has_emoji("at 10:30:00")
