import pytest

from bot.questions.unclear import choices_for, one_of
from bot.types import Hit
from ingest.types import Chunk


def hit(doc: str, heading: str, text: str) -> Hit:
    return Hit(Chunk(doc, f"{doc}.md", heading, 0, len(text), text), 1.0, 0.9)


HITS = (
    hit("leave", "Leave > Sabbatical", "A sabbatical has a limit of 12 weeks."),
    hit("leave", "Leave > Sabbatical", "The first four weeks are paid."),
    hit("join", "Joining and leaving > Probation", "Probation has a limit of 3 months."),
    hit("plans", "Plans", "The trial lasts 21 days; its limit is 5 users."),
)
PLACES = ("Sabbatical (Leave)", "Probation (Joining and leaving)", "Plans")


@pytest.mark.parametrize(
    "question", ["how long is it?", "who approves it?", "How much do I get", "whats the limit"]
)
def test_a_first_question_that_names_nothing_is_asked_back_about(question: str) -> None:
    assert choices_for(question, HITS) == PLACES


@pytest.mark.parametrize(
    "question",
    [
        "how long is a sabbatical?",
        "whens payday",
        "what is the probation",
        "rollback window?",
        "ERR_4013???",
        "Why?",
        "is it ok to fly business to sydney",
    ],
)
def test_a_question_that_names_its_thing_is_not(question: str) -> None:
    assert choices_for(question, HITS) == ()


def test_where_only_one_place_is_near_there_is_nothing_to_choose() -> None:
    assert choices_for("how long is it?", HITS[:2]) == ()
    assert choices_for("how long is it?", ()) == ()


def test_choices_are_joined_as_people_say_them() -> None:
    assert one_of(("this", "that", "these")) == "this, that or these"
    assert one_of(("this", "that")) == "this or that"
    assert one_of(()) == ""
