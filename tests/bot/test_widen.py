from bot.types import Hit
from bot.widen import widen
from ingest.types import Chunk


def chunk(id_: str, heading: str, start: int, end: int) -> Chunk:
    return Chunk(id_, "page.md", heading, start, end, "x" * (end - start))


PAGE = [
    chunk("a", "Page > Leave", 0, 100),
    chunk("b", "Page > Leave", 110, 200),
    chunk("c", "Page > Leave > Sick", 220, 300),
    chunk("d", "Page > Pay", 320, 400),
]


def ids(at: int, budget: int, page: list[Chunk] = PAGE) -> list[str]:
    return [c.id for c in widen(Hit(page[at], 1.0, 1.0), page, (), budget).chunks]


def test_the_same_heading_comes_before_one_below_and_that_before_another() -> None:
    assert ids(1, 200) == ["a", "b"]
    assert ids(1, 300) == ["a", "b", "c"]
    assert ids(1, 400) == ["a", "b", "c", "d"]


def test_of_two_alike_what_follows_comes_first() -> None:
    page = [chunk(id_, "Page", at, at + 100) for id_, at in (("a", 0), ("b", 100), ("c", 200))]
    assert ids(1, 200, page) == ["b", "c"]


def test_of_two_alike_the_one_that_ranks_better_comes_before_what_follows() -> None:
    page = [chunk(id_, "Page", at, at + 100) for id_, at in (("a", 0), ("b", 100), ("c", 200))]
    ranked = [Hit(page[1], 3.0, 1.0), Hit(page[0], 2.0, 1.0), Hit(page[2], 1.0, 1.0)]
    assert [c.id for c in widen(ranked[0], page, ranked, 200).chunks] == ["a", "b"]


def test_a_passage_over_the_budget_is_shown_alone() -> None:
    assert ids(1, 50) == ["b"]


def test_the_range_shown_runs_from_the_first_passage_to_the_last() -> None:
    shown = widen(Hit(PAGE[1], 1.0, 1.0), PAGE, (), 300)
    assert (shown.start, shown.end) == (0, 300)


def test_a_passage_that_was_retired_meanwhile_is_shown_alone() -> None:
    assert [c.id for c in widen(Hit(PAGE[0], 1.0, 1.0), PAGE[2:], ()).chunks] == ["a"]
