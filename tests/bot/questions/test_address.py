import pytest

from bot.questions.address import without_address


@pytest.mark.parametrize(
    "message",
    [
        "@U07QX4Z9K2M asks: When are salaries paid?",
        "@Ada Lovelace asks: When are salaries paid?",
        "@U07QX4Z9K2M wants to know, When are salaries paid?",
        "@ada_l asks: When are salaries paid?",
        "hi @U07QX4Z9K2M, When are salaries paid?",
        "hi @U07QX4Z9K2M When are salaries paid?",
        "Hey @U07QX4Z9K2M and @W012A3CDE, When are salaries paid?",
        "thanks @U07QX4Z9K2M! When are salaries paid?",
        "Good morning! When are salaries paid?",
        "Hi there\nWhen are salaries paid?",
        "When are salaries paid? cc @U07QX4Z9K2M",
        "When are salaries paid? cc @Ada Lovelace",
        "When are salaries paid? (fyi @U07QX4Z9K2M, @W012A3CDE)",
        "When are salaries paid? I ask for @U07QX4Z9K2M.",
        "@U07QX4Z9K2M When are salaries paid? @W012A3CDE",
        "When are salaries paid, @U07QX4Z9K2M?",
        "When are salaries paid? Does @U07QX4Z9K2M know?",
    ],
)
def test_a_mention_and_what_greets_or_names_somebody_with_it_are_no_words(message: str) -> None:
    assert without_address(message) == "When are salaries paid?"


@pytest.mark.parametrize(
    ("message", "asked"),
    [
        ("Unicorns for @U07QX4Z9K2M: how many?", "Unicorns for: how many?"),
        ("@U07QX4Z9K2M in Berlin: what is it?", "in Berlin: what is it?"),
        ("What may it cost? In Linz @U07QX4Z9K2M", "What may it cost? In Linz"),
        ("Does @U07QX4Z9K2M approve leave?", "Does approve leave?"),
        ("no, the Pro plan", "no, the Pro plan"),
        ("Leave policy: how many days?", "Leave policy: how many days?"),
        ("What does @lru_cache do?", "What does @lru_cache do?"),
        ("@lru_cache: what does it do?", "@lru_cache: what does it do?"),
        ("hi @U07QX4Z9K2M", "hi"),
        ("Hello!", "Hello!"),
        ("@U07QX4Z9K2M", ""),
    ],
)
def test_what_says_something_stays(message: str, asked: str) -> None:
    assert without_address(message) == asked
