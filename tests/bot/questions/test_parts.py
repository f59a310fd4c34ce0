import pytest

from bot.questions.parts import parts_of
from bot.questions.partwise import part_queries, topics_of
from bot.types import Query


def test_a_question_of_two_parts_is_told_apart_and_a_follow_ups_topic_left_out() -> None:
    assert parts_of("What is the limit and who approves it?") == [
        "What is the limit",
        "who approves it?",
    ]
    assert parts_of("Is there a trial? How long is it?") == ["Is there a trial", "How long is it?"]
    assert parts_of("Do I book desks and rooms?") == ["Do I book desks and rooms?"]
    assert parts_of("does it roll over (27 days annual leave)") == ["does it roll over"]


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
