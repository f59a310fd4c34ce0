from bot.choose import choose
from bot.types import Hit
from ingest.types import Chunk

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
