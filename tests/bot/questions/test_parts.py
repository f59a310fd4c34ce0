import pytest

from bot.questions.parts import parts_of, questions_of
from bot.questions.partwise import part_queries, question_queries, topics_of
from bot.types import Query


def test_a_question_of_two_parts_is_told_apart_and_a_follow_ups_topic_left_out() -> None:
    assert parts_of("What is the limit and who approves it?") == [
        "What is the limit",
        "who approves it?",
    ]
    assert parts_of("Do I book desks and rooms?") == ["Do I book desks and rooms?"]
    assert parts_of("does it roll over (27 days annual leave)") == ["does it roll over"]


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        (
            "When is payday, when is the audit, and how is toner ordered?",
            ["When is payday", "when is the audit", "how is toner ordered?"],
        ),
        (
            "When is payday, how is toner ordered and who signs?",
            ["When is payday", "how is toner ordered", "who signs?"],
        ),
        (
            "What is the limit, who approves it, where do I apply, and can I appeal?",
            ["What is the limit", "who approves it", "where do I apply", "can I appeal?"],
        ),
        ("What is the limit, how is it paid?", ["What is the limit", "how is it paid?"]),
        ("If I am ill, what do I do and who pays?", ["If I am ill, what do I do", "who pays?"]),
        ("When I travel, what is paid?", ["When I travel, what is paid?"]),
        ("In May, when are we paid?", ["In May, when are we paid?"]),
        (
            "How is the allowance, which is paid monthly, taxed?",
            ["How is the allowance, which is paid monthly, taxed?"],
        ),
    ],
)
def test_parts_are_told_apart_by_commas_too(question: str, parts: list[str]) -> None:
    assert parts_of(question) == parts


def test_a_part_that_says_little_leans_on_what_was_asked_before_it() -> None:
    query = Query("What's the hotel limit and who approves it?", told=("Before.",))
    assert part_queries(query) == (
        Query("What's the hotel limit", told=("Before.",)),
        Query("who approves it?", "hotel limit", ("Before.",)),
    )


def test_a_part_that_stands_alone_is_left_alone() -> None:
    query = Query("How long is the trial, and where do I park my bicycle in Berlin?")
    assert [part.expansion for part in part_queries(query)] == ["", ""]


def test_each_part_of_a_follow_up_leans_on_what_it_leans_on() -> None:
    query = Query("how much is it and who signs it?", "learning budget")
    assert [part.expansion for part in part_queries(query)] == [
        "learning budget",
        "learning budget",
    ]


@pytest.mark.parametrize("question", ["How long is parental leave?", "when and where do we meet?"])
def test_a_question_of_one_part_has_no_parts(question: str) -> None:
    assert part_queries(Query(question)) == ()


def test_what_it_stands_for_is_what_the_parts_before_speak_of() -> None:
    assert topics_of("How do I book a desk and does it come with a dock?") == [
        frozenset(),
        frozenset({"book", "desk"}),
    ]
    assert topics_of("What is free and where is the garage?") == [frozenset(), frozenset()]


@pytest.mark.parametrize(
    "message",
    [
        "Is there a trial? How long is it? Who pays for it?",
        "1. Is there a trial?\n2. How long is it?\n3. Who pays for it?",
        "- Is there a trial?\n- How long is it?\n- Who pays for it?",
        "1) Is there a trial? 2) How long is it? 3) Who pays for it?",
        "Is there a trial?\nHow long is it?\n\nWho pays for it?",
    ],
)
def test_the_questions_of_a_message_are_told_apart_in_their_order(message: str) -> None:
    assert questions_of(message) == ["Is there a trial?", "How long is it?", "Who pays for it?"]


def test_a_list_needs_no_question_marks() -> None:
    message = "Hello,\n* price of a trial\n* who signs the contract"
    assert questions_of(message) == ["Hello, price of a trial", "who signs the contract"]


def test_what_is_no_question_stays_with_the_question_beside_it() -> None:
    assert questions_of("I am in Linz. Where do I eat? Is it open? Thanks a lot!") == [
        "I am in Linz. Where do I eat?",
        "Is it open? Thanks a lot!",
    ]
    for one in ("I am in Linz. Where do I eat? Thanks a lot!", "Where is v1.2?", "1. May", "a?b=c"):
        assert questions_of(one) == [one]


def test_a_question_of_a_message_leans_on_those_before_it_where_it_says_little() -> None:
    query = Query("Is there a trial of the Pro plan? How long is it? When are salaries paid?")
    assert [(q.text, q.expansion) for q in question_queries(query)] == [
        ("Is there a trial of the Pro plan?", ""),
        ("How long is it?", "trial Pro plan"),
        ("When are salaries paid?", ""),
    ]
