import pytest

from bot.questions.ellipsis import leans, standing_alone
from bot.types import Turn

HOTEL = "How much can I spend on a hotel per night in London?"


def after(*questions: str) -> tuple[Turn, ...]:
    turns = [(Turn("user", question), Turn("assistant", "An answer.")) for question in questions]
    return tuple(turn for pair in turns for turn in pair)


@pytest.mark.parametrize(
    ("before", "follow_up", "alone"),
    [
        (HOTEL, "and in Berlin?", "How much can I spend on a hotel per night in Berlin?"),
        (HOTEL, "what about new york", "How much can I spend on a hotel per night in new york?"),
        (HOTEL, "Berlin?", "How much can I spend on a hotel per night in Berlin?"),
        (HOTEL, "ok thanks, and per week?", "How much can I spend on a hotel per week in London?"),
        (
            "how much annual leave do i get",
            "and for contractors?",
            "how much annual leave do contractors get?",
        ),
        (
            "How many days off do full-time employees get?",
            "what about part-timers?",
            "How many days off do part-timers get?",
        ),
        (
            "What is the price of the Team plan?",
            "No, the Pro plan",
            "What is the price of the Pro plan?",
        ),
        (
            "how much storage is there on the team plan",
            "and the business one?",
            "how much storage is there on the business plan?",
        ),
        ("How do I return my phone?", "I meant the laptop", "How do I return my laptop?"),
        (
            "how much annual leave do i get",
            "sorry, i meant sick leave",
            "how much sick leave do i get?",
        ),
        ("What does ERR_4013 mean?", "how about ERR_4014?", "What does ERR_4014 mean?"),
        (
            "how quickly do i ack a sev2 page",
            "what if its a SEV1",
            "how quickly do i ack a SEV1 page?",
        ),
        (
            "who approves a purchase of 4,000 pounds",
            "and above 10k?",
            "who approves a purchase above 10k?",
        ),
        ("Do I need a receipt for a coffee?", "and for a taxi?", "Do I need a receipt for a taxi?"),
        ("Can I travel to Berlin by plane?", "or by train?", "Can I travel to Berlin by train?"),
        ("Who pays for glasses?", "and in Ireland?", "Who pays for glasses in Ireland?"),
        ("How long do you keep logs?", "and backups?", "How long do you keep backups?"),
        ("who approves expenses", "what about invoices?", "who approves invoices?"),
        ("do contractors get sick days", "and holidays?", "do contractors get holidays?"),
    ],
)
def test_a_fragment_takes_the_place_of_its_like(before: str, follow_up: str, alone: str) -> None:
    assert standing_alone(follow_up, after(before)) == alone


def test_a_chain_of_fragments_is_followed() -> None:
    history = after(HOTEL, "and in Berlin?", "thanks!")
    assert standing_alone("and in Paris?", history) == HOTEL.replace("London", "Paris")


def test_a_code_takes_the_place_of_the_last_code_however_far_back() -> None:
    history = after("What does ERR_4013 mean?", "how do I fix it")
    assert standing_alone("and ERR_4022", history) == "What does ERR_4022 mean?"
    assert standing_alone("and 4022", history) == "What does ERR_4022 mean?"


@pytest.mark.parametrize(
    "question",
    [
        "Can I bring my dog to the office?",
        "and how long does it keep working?",
        "does that include breakfast",
        "who approves it?",
        "thanks!",
        "minimum password length",
    ],
)
def test_a_question_with_a_clause_of_its_own_is_no_fragment(question: str) -> None:
    assert standing_alone(question, after(HOTEL)) is None


def test_where_nothing_is_alike_nothing_is_completed() -> None:
    assert standing_alone("what about part timers", after("does it roll over")) is None


def test_without_a_question_before_there_is_nothing_to_complete() -> None:
    assert standing_alone("and in Berlin?", ()) is None
    assert standing_alone("and in Berlin?", (Turn("assistant", "Hello, ask me."),)) is None


@pytest.mark.parametrize(
    ("question", "leaning"),
    [
        ("Can I bring my dog to the office?", False),
        ("thanks! unrelated, minimum password length?", False),
        ("whats ERR_4022", False),
        ("who do i ask for that", True),
        ("does it include breakfast and taxes", True),
        ("who approves?", True),
        ("how far ahead do i need to ask", True),
        ("Which hotel in Madrid has a rate?", True),
    ],
)
def test_a_question_of_another_topic_leans_on_nothing(question: str, leaning: bool) -> None:  # noqa: FBT001
    assert leans(question, after(HOTEL)) is leaning
