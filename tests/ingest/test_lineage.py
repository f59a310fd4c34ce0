from ingest.chunk import normalise
from ingest.lineage import link
from ingest.types import Chunk

LEAVE = "Employees get 25 days of paid leave a year. Unused days expire at the end of March."
LEAVE_NOW = "Employees get 28 days of paid leave a year. Unused days expire at the end of March."
BADGE = "Ask the front desk for a visitor badge; it opens the doors of the ground floor only."
PARKING = "Cyclists park in the yard. The garage is for delivery vans between six and nine."
LAPTOP = "A stolen laptop is reported to security within an hour, day or night."


def passage(id_: str, text: str, doc: str = "a.md", heading: str = "A", start: int = 0) -> Chunk:
    return Chunk(id_, doc, heading, start, start + len(text), text)


def test_a_passage_with_a_word_changed_is_followed_by_the_new_wording() -> None:
    old, new = [passage("old", LEAVE), passage("b", BADGE)], [passage("new", LEAVE_NOW)]
    assert link(old, new) == {"old": "new"}


def test_a_passage_whose_document_says_nothing_alike_has_no_successor() -> None:
    assert link([passage("old", LEAVE)], [passage("new", PARKING), passage("b", BADGE)]) == {}


def test_the_same_text_under_another_heading_is_where_it_moved() -> None:
    rival = passage("rival", LEAVE + " More.", heading="A")
    moved = passage("moved", LEAVE, heading="A > Leave")
    assert link([passage("old", LEAVE)], [rival, moved]) == {"old": "moved"}


def test_line_ends_and_white_space_at_them_do_not_make_another_text() -> None:
    spaced = passage("new", LEAVE.replace(". ", ".  \r\n") + "\r\n", heading="B")
    old = passage("old", LEAVE.replace(". ", ".\n"))
    assert normalise(spaced.text) == normalise(old.text)
    assert link([old], [passage("rival", LEAVE_NOW), spaced]) == {"old": "new"}


def test_the_same_text_in_its_own_document_comes_before_one_elsewhere() -> None:
    near = passage("near", LEAVE, start=900)
    far = passage("far", LEAVE, doc="b.md")
    assert link([passage("old", LEAVE)], [far, near]) == {"old": "near"}


def test_of_two_with_the_same_text_the_heading_that_is_most_alike_wins_then_the_place() -> None:
    old = passage("old", LEAVE, heading="Benefits > Leave", start=100)
    other = passage("other", LEAVE, heading="Costs", start=100)
    alike = passage("alike", LEAVE, heading="Benefits and more > Leave", start=900)
    later = passage("later", LEAVE, heading="Benefits and more > Leave", start=2000)
    assert link([old], [other, later, alike]) == {"old": "alike"}


def test_a_copy_that_stood_in_the_document_before_follows_its_twin() -> None:
    twin = passage("twin", LEAVE, start=900)
    assert link([passage("old", LEAVE)], [passage("new", LEAVE_NOW)], [twin]) == {"old": "twin"}


def test_a_copy_in_another_document_follows_only_when_nothing_took_the_place() -> None:
    copy = passage("copy", LEAVE, doc="b.md")
    assert link([passage("old", LEAVE)], [passage("new", LEAVE_NOW)], [copy]) == {"old": "new"}
    assert link([passage("old", LEAVE)], [passage("new", PARKING)], [copy]) == {"old": "copy"}


def test_a_passage_that_moved_to_another_document_in_the_same_sync_is_found_there() -> None:
    there = passage("there", LEAVE, doc="b.md")
    assert link([passage("old", LEAVE)], [passage("x", PARKING), there]) == {"old": "there"}


def test_a_document_that_was_renamed_and_edited_keeps_its_passages_lineage() -> None:
    old = [passage("1", LEAVE), passage("2", BADGE), passage("3", PARKING)]
    reworded = "Visitors ask the front desk for a badge: it opens the ground floor's doors only."
    new = [
        passage("one", LEAVE, doc="b.md"),
        passage("two", reworded, doc="b.md"),
        passage("three", PARKING, doc="b.md"),
    ]
    assert link(old, new) == {"1": "one", "2": "two", "3": "three"}


def test_one_that_went_elsewhere_with_its_words_changed_must_be_more_alike() -> None:
    old = [passage("old", LEAVE)]
    assert link(old, [passage("new", LEAVE_NOW, doc="b.md")]) == {"old": "new"}
    half = "Contractors get none of it at all. Unused days expire at the end of March."
    assert link(old, [passage("new", half, doc="b.md")]) == {}
    assert link(old, [passage("new", half)]) == {"old": "new"}


def test_both_halves_of_a_merge_point_to_the_whole() -> None:
    merged = passage("whole", LEAVE + "\n\n" + BADGE)
    assert link([passage("1", LEAVE), passage("2", BADGE)], [merged]) == {
        "1": "whole",
        "2": "whole",
    }


def test_what_was_split_points_to_the_part_with_most_of_it() -> None:
    parts = [passage("less", LAPTOP), passage("more", LEAVE + " " + PARKING)]
    old = passage("old", f"{LAPTOP} {LEAVE} {PARKING}")
    assert link([old], parts) == {"old": "more"}


def test_words_that_every_new_passage_holds_do_not_decide() -> None:
    crowd = [passage(f"c{n}", f"Rule {n}: {BADGE}") for n in range(40)]
    old = passage("old", f"{BADGE} {LAPTOP}")
    assert link([old], [*crowd, passage("new", f"{BADGE} {LAPTOP} Always.")]) == {"old": "new"}
    assert link([passage("lost", f"{BADGE} {PARKING}")], crowd) == {}


def test_the_outcome_does_not_depend_on_the_order_of_what_came() -> None:
    old = [passage("1", LEAVE), passage("2", BADGE), passage("3", PARKING)]
    new = [passage("a", LEAVE_NOW), passage("b", BADGE, heading="B"), passage("c", LAPTOP)]
    assert link(old, new) == link(old[::-1], new[::-1]) == {"1": "a", "2": "b"}
