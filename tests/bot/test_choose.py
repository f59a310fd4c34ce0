import pytest

from bot.choose import choose
from bot.types import Hit
from ingest.types import Chunk, Imprint

LONG = "Everybody agrees time off with the team lead before it is entered, two weeks ahead."
TEXTS = {
    "a": LONG,
    "b": "Parking is free.",
    "c": LONG,
    "d": "The canteen opens at noon.",
    "e": "Ask IT.",
}


def hits(order: str, texts: dict[str, str] = TEXTS) -> list[Hit]:
    return [
        Hit(Chunk(i, f"{i}.md", "Page > Rules", 0, len(texts[i]), texts[i]), 9.0 - n, 0.5)
        for n, i in enumerate(order)
    ]


def chosen(order: str, *parts: str, top_k: int = 2) -> str:
    found = choose("what is it", hits(order), [hits(part) for part in parts], {}, top_k)
    return "".join(hit.chunk.id for hit in found.hits)


def test_a_duplicate_frees_its_place_and_stays_findable() -> None:
    found = choose("what is it", hits("acbde"), (), {}, 2)
    assert [hit.chunk.id for hit in found.hits] == ["a", "b", "c", "d", "e"]
    assert found.twins == {"c": "a"}


def test_scores_stay_in_the_order_of_the_places() -> None:
    found = choose("what is it", hits("acbde"), (), {}, 2)
    assert [hit.score for hit in found.hits] == [9.0, 8.0, 7.0, 6.0, 5.0]


def test_without_duplicates_and_parts_nothing_moves() -> None:
    ranked = hits("abde")
    assert choose("what is it", ranked, (), {}, 2).hits == tuple(ranked)


def test_the_best_hit_of_each_part_has_a_place() -> None:
    assert chosen("abde", "ab", "eb") == "aebd"


def test_parts_that_are_served_already_change_nothing() -> None:
    assert chosen("abde", "bd", "ab") == "abde"


def test_a_part_whose_best_hit_is_a_duplicate_is_served_by_its_twin() -> None:
    assert chosen("bdac", "c") == "badc"


def test_more_parts_than_places_keep_the_first() -> None:
    assert chosen("abde", "e", "d", "b") == "deab"


def test_nothing_found_is_nothing_chosen() -> None:
    assert choose("what is it", [], [[], []], {}, 5).hits == ()


DESK = "Every employee receives EUR {} once for a home desk and chair."
POLICY = {
    "policy-2024.md": Imprint("policy-2024.md", "Policy 2024", {"updated": "2024-01-15"}),
    "policy-2026.md": Imprint("policy-2026.md", "Policy 2026", {"updated": "2026-02-01"}),
    "desks.md": Imprint("desks.md", "Desks", {"updated": "2025-05-01"}),
    "handbook.md": Imprint("handbook.md", "Handbook"),
}


def page(doc: str, section: str, text: str) -> Hit:
    heading = f"{POLICY[doc].title}{section}"
    return Hit(Chunk(f"{doc} {text[:9]}", doc, heading, 0, len(text), text), 1.0, 0.5)


def of_policies(question: str, *hits: Hit, top_k: int = 2) -> list[str]:
    found = choose(question, hits, (), POLICY, top_k)
    return [hit.chunk.doc for hit in found.hits]


@pytest.mark.parametrize("section", ["", " > Equipment"])
@pytest.mark.parametrize(
    ("question", "kept", "passed_over"),
    [
        ("What is the equipment allowance?", "policy-2026.md", "policy-2024.md"),
        ("What was the equipment allowance of 2024?", "policy-2024.md", "policy-2026.md"),
    ],
)
def test_of_one_place_of_two_editions_an_answer_is_made_from_one(
    section: str, question: str, kept: str, passed_over: str
) -> None:
    old = page("policy-2024.md", section, DESK.format(600))
    new = page("policy-2026.md", section, DESK.format(400))
    other = page("handbook.md", "", "Equipment is handed out by IT.")
    expected = [kept, "handbook.md", passed_over]
    assert of_policies(question, old, new, other) == expected
    assert of_policies(question, new, old, other) == expected


def test_another_edition_is_told_from_a_duplicate() -> None:
    old = page("policy-2024.md", "", DESK.format(600))
    new = page("policy-2026.md", "", DESK.format(400))
    found = choose("What is the equipment allowance?", [old, new], (), POLICY, 2)
    assert found.other_editions == {old.chunk.id: new.chunk.id}
    assert found.twins == {}


def test_a_section_that_was_written_anew_stands_for_the_older_one() -> None:
    old = page("policy-2024.md", " > Equipment", DESK.format(600))
    new = page("policy-2026.md", " > Equipment", "The allowance for equipment is EUR 400 a head.")
    other = page("handbook.md", "", "Equipment is handed out by IT.")
    question = "What is the equipment allowance?"
    assert of_policies(question, old, new, other)[:2] == ["policy-2026.md", "handbook.md"]


def test_what_only_the_older_edition_says_keeps_its_place() -> None:
    old = page("policy-2024.md", "", DESK.format(600))
    new = page("policy-2026.md", "", "Parking at the office is free on every working day.")
    other = page("handbook.md", "", "Equipment is handed out by IT.")
    question = "What is the equipment allowance?"
    assert of_policies(question, old, new, other)[:2] == ["policy-2026.md", "policy-2024.md"]


def test_two_documents_that_disagree_both_keep_their_place() -> None:
    old = page("policy-2024.md", " > Equipment", DESK.format(600))
    desks = page("desks.md", " > Equipment", DESK.format(400))
    other = page("handbook.md", "", "Equipment is handed out by IT.")
    question = "What is the equipment allowance?"
    assert of_policies(question, old, desks, other)[:2] == ["desks.md", "policy-2024.md"]


@pytest.mark.parametrize(
    "question", ["What was the equipment allowance?", "equipment allowance: 2024 against 2026"]
)
def test_a_question_for_what_was_once_or_for_both_gets_both(question: str) -> None:
    old = page("policy-2024.md", "", DESK.format(600))
    new = page("policy-2026.md", "", DESK.format(400))
    other = page("handbook.md", "", "Equipment is handed out by IT.")
    assert of_policies(question, old, new, other)[:2] == ["policy-2024.md", "policy-2026.md"]


def test_minutes_with_the_same_headings_are_no_editions_of_each_other() -> None:
    known = {
        "2024-12-02.md": Imprint("2024-12-02.md", "Minutes"),
        "2025-01-06.md": Imprint("2025-01-06.md", "Minutes"),
    }
    texts = ("The canteen stays closed in the last week.", "New laptops come with two chargers.")
    hits = [
        Hit(Chunk(doc, doc, "Minutes > Decisions", 0, len(text), text), 1.0, 0.5)
        for doc, text in zip(known, texts, strict=True)
    ]
    assert choose("What did we decide?", hits, (), known, 2).other_editions == {}


def test_a_part_whose_best_hit_is_of_an_older_edition_is_served_by_the_newer() -> None:
    old = page("policy-2024.md", "", DESK.format(600))
    new = page("policy-2026.md", "", DESK.format(400))
    others = [page("handbook.md", "", text) for text in ("Ask IT.", "The canteen opens at noon.")]
    found = choose("What is the equipment allowance?", [*others, old, new], [[old]], POLICY, 1)
    assert found.hits[0].chunk.doc == "policy-2026.md"
