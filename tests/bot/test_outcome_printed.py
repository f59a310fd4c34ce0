"""Answers and passages that may answer, as a terminal or a pipe shows them."""

from dataclasses import replace

from bot.cli.shared import out, outcome_json, print_outcome
from bot.types import Abstention, Answer, Citation, Hit, Outcome, Quote, Sentence, Trace
from ingest.types import Chunk

TEXT = "* Ask in `#leave`, see [the form](https://forms.example/leave).\n* It takes **two** days."
PASSAGE = Chunk("a", "leave.md", "Leave", 0, len(TEXT), TEXT)
TRACE = Trace("q", "q", 0.5, "late-interaction", "extractive", {})


def printed(outcome: Outcome) -> list[str]:
    with out.capture() as captured:
        print_outcome(outcome)
    return captured.get().splitlines()


def test_a_sentence_is_shown_without_markup_and_with_its_addresses() -> None:
    said = "Ask in `#leave`: **two** days, by [the form](https://forms.example/leave)."
    cited = Citation(1, PASSAGE, (Quote("a", TEXT, 0, len(TEXT)),))
    assert printed(Answer((Sentence(said, (1,)),), (cited,), TRACE))[0] == (
        "Ask in #leave: two days, by the form (https://forms.example/leave). [1]"
    )


def test_a_passage_that_may_answer_is_shown_as_plain_words() -> None:
    perhaps = Citation(1, PASSAGE, ())
    lines = printed(Abstention("weak_evidence", "It may.", (), TRACE, perhaps))
    assert lines[2:4] == ["  - Ask in #leave, see the form.", "  - It takes two days."]


def test_in_a_pipe_no_line_of_a_passage_is_cut_and_none_commands_a_terminal() -> None:
    text = f"{'long ' * 40}end \x1b[2J"
    chunk = Chunk("b", "long.md", "Long", 0, len(text), text)
    lines = printed(Abstention("weak_evidence", "It may.", (), TRACE, Citation(1, chunk, ())))
    assert lines[2] == f"  {'long ' * 40}end \ufffd[2J"


def test_beside_a_passage_that_may_answer_the_next_two_can_be_read_in_place() -> None:
    chunks = [Chunk(id_, "a.md", "A", 0, 5, f"Say {id_}") for id_ in "wxyz"]
    hits = tuple(Hit(chunk, 1.0, 0.5) for chunk in chunks)
    lines = printed(Abstention("weak_evidence", "It may.", hits, TRACE, Citation(1, chunks[0], ())))
    assert lines == [
        "It may.",
        "a.md (A, chars 0-5) w",
        "  Say w",
        "Or these, which are less near:",
        "a.md (A, chars 0-5) x",
        "  Say x",
        "a.md (A, chars 0-5) y",
        "  Say y",
        "Closest, but not an answer:",
        "  - a.md (A, chars 0-5) z",
    ]


def test_how_a_follow_up_was_read_is_said_before_the_answer_and_only_then() -> None:
    read = replace(TRACE, question="and DC?", standalone="What is the limit in Washington?")
    cited = Citation(1, PASSAGE, (Quote("a", TEXT, 0, len(TEXT)),))
    sentence = Sentence("It is so.", (1,))
    assert printed(Answer((sentence,), (cited,), read))[:2] == [
        "Searched for: What is the limit in Washington?",
        "It is so. [1]",
    ]
    assert printed(Answer((sentence,), (cited,), TRACE))[0] == "It is so. [1]"


def test_how_a_question_was_read_is_said_before_the_answer() -> None:
    note = "“PTO” was read as “paid time off”."
    read = replace(TRACE, notes=(note,))
    abstention = Abstention("weak_evidence", "The documents do not say.", (), read)
    assert printed(abstention)[:2] == [note, "The documents do not say."]
    assert outcome_json(abstention)["notes"] == [note]
