import pytest

from bot.questions.asked import asked, speaks_of_others, unsaid
from ingest.analyze import analyze


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("How many days of leave do I get?", "count"),
        ("how long is the trial", "duration"),
        ("how long must a password be", "amount"),
        ("how long do access codes stay valid", "duration"),
        ("how long can a file name stay reserved", "duration"),
        ("when is payday", "time"),
        ("deadline for putting in expenses", "time"),
        ("how much can I spend", "amount"),
        ("min password length", "amount"),
        ("who approves it", "person"),
        ("where do I park", "place"),
        ("can I bring my dog", "open"),
    ],
)
def test_the_kind_of_thing_asked_for_is_told_by_the_words(question: str, kind: str) -> None:
    assert asked(question).kind == kind


@pytest.mark.parametrize(
    ("question", "text", "held"),
    [
        ("How many days of leave?", "Employees get 27 days of leave.", 1.0),
        ("How many days of leave?", "Ask at least twice as many days ahead.", 0.0),
        ("How many days of leave?", "There are 38 desks.", 0.5),
        ("How many days of leave?", "Ask your manager.", 0.0),
        ("How long is the trial?", "It lasts 21 days.", 1.0),
        ("How long is the trial?", "It has 5 users.", 0.0),
        ("When is payday?", "On Friday.", 1.0),
        ("When is payday?", "Payday is nice.", 0.0),
        ("What does it cost?", "It costs €300.", 1.0),
        ("What does it cost?", "It is free.", 0.0),
        ("Who approves it?", "Your manager does.", 1.0),
        ("Who approves it?", "It needs to be approved.", 0.0),
        ("Can I bring my dog?", "No.", 1.0),
    ],
)
def test_a_text_holds_what_is_asked_for_or_not(question: str, text: str, held: float) -> None:
    assert asked(question).held(text) == held


def test_a_passage_about_other_people_than_those_asked_about_is_known() -> None:
    employees = analyze("Employees get 27 days of leave.")
    assert speaks_of_others("How much leave do interns get?", employees)
    assert not speaks_of_others("How much leave do employees get?", employees)
    assert not speaks_of_others("How much leave do I get?", employees)
    assert not speaks_of_others("Where do interns park?", analyze("London has no car park."))


@pytest.mark.parametrize(
    ("question", "named"),
    [
        ("How much storage does the Silver plan have?", "Silver"),
        ("How many days do interns get?", "intern"),
        ("What does the Team plan cost?", None),
        ("How many days do I get as an employee?", None),
        ("Do we pay for a VPN?", None),
        ("Was kostet die Karte für das Team und den Gast in der Kantine?", None),
    ],
)
def test_a_name_or_a_group_that_no_passage_speaks_of_is_told(
    question: str, named: str | None
) -> None:
    assert (
        unsaid(question, analyze("Plans\nThe Team plan costs 12 euros. You get 27 days.")) == named
    )
