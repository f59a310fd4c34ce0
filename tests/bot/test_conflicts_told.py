"""Conflicts, unanswered parts and duplicates as the commands tell them."""

from datetime import date

import pytest

from bot.cli.search import found_json
from bot.cli.shared import out, outcome_json, print_outcome
from bot.found import Found
from bot.types import (
    Answer,
    Citation,
    Conflict,
    Disputed,
    Hit,
    Quote,
    Sentence,
    Shown,
    Trace,
    Verdict,
)
from ingest.types import Chunk


def passage(id_: str, text: str) -> Chunk:
    return Chunk(id_, f"{id_}.md", "Travel", 0, len(text), text)


OLD, NEW = passage("a", "It is 45 EUR a night."), passage("b", "It is 60 EUR a night.")
ANSWER = Answer(
    (Sentence(OLD.text, (1,)),),
    tuple(Citation(n, c, (Quote(c.id, c.text, 0, c.end),)) for n, c in ((1, OLD), (2, NEW))),
    Trace("q", "q", 0.9, "late-interaction", "extractive", {}),
    conflicts=(
        Conflict(
            Disputed(2, NEW.text, "Travel FAQ", date(2026, 3, 12)),
            Disputed(1, OLD.text, "Travel policy"),
        ),
    ),
    unanswered=("who approves it?",),
)


def test_json_gives_both_sides_of_a_conflict_and_the_parts_without_an_answer() -> None:
    data = outcome_json(ANSWER)
    assert data["conflicts"] == [
        {
            "first": {"n": 2, "title": "Travel FAQ", "text": NEW.text, "dated": "2026-03-12"},
            "second": {"n": 1, "title": "Travel policy", "text": OLD.text, "dated": None},
        }
    ]
    assert data["unanswered"] == ["who approves it?"]


def test_a_terminal_shows_them_between_the_answer_and_its_sources() -> None:
    with out.capture() as captured:
        print_outcome(ANSWER)
    lines = captured.get().splitlines()
    assert lines[0] == "It is 45 EUR a night. [1]"
    assert lines[1] == "The documents do not say: who approves it."
    assert lines[2] == (
        "⚠ Two documents disagree: [2] Travel FAQ (12 Mar 2026) says “It is 60 EUR a night”;"
        " [1] Travel policy says “It is 45 EUR a night”."
    )
    assert [line[:3] for line in lines[4:6]] == ["[1]", "[2]"]
    assert " ".join(lines[6:]).startswith(
        "Checked against 1 source, 1 sentence: citations, figures"
    )


@pytest.mark.parametrize(("twins", "marks"), [({"b": "a"}, [None, "a"]), ({}, [None, None])])
def test_a_search_marks_what_repeats_a_better_hit(
    twins: dict[str, str], marks: list[str | None]
) -> None:
    hits = tuple(Hit(chunk, 1.0, 0.5) for chunk in (OLD, NEW))
    shown = tuple(Shown(hit, (hit.chunk,)) for hit in hits)
    data = found_json(Found("q", "q", hits, Verdict("answer", 0.9), {}, shown, twins))
    found = data["hits"]
    assert isinstance(found, list)
    assert [hit.get("duplicate_of") for hit in found] == marks


def test_a_search_marks_the_other_edition_of_a_better_hit() -> None:
    hits = tuple(Hit(chunk, 1.0, 0.5) for chunk in (NEW, OLD))
    shown = tuple(Shown(hit, (hit.chunk,)) for hit in hits)
    found = Found("q", "q", hits, Verdict("answer", 0.9), {}, shown, other_editions={"a": "b"})
    data = found_json(found)["hits"]
    assert isinstance(data, list)
    assert [hit.get("other_edition_of") for hit in data] == [None, "b"]


def test_a_neighbour_of_which_another_edition_is_asked_for_makes_no_answer() -> None:
    beside, old = passage("c", "Receipts go to the team lead."), passage("a", OLD.text)
    hits = tuple(Hit(chunk, 1.0, 0.5) for chunk in (NEW, beside, old))
    shown = (Shown(hits[0], (NEW,)), Shown(hits[1], (beside, old)))
    found = Found("q", "q", hits, Verdict("answer", 0.9), {}, shown, other_editions={"a": "b"})
    assert list(found.passages) == ["b", "c"]
