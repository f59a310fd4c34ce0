import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from ingest.embed import Vectors
from ingest.errors import LedgerError
from ingest.vectors import VectorIndex, collection_name


def unit(*numbers: float) -> Vectors:
    vector = np.array(numbers, np.float32)
    return vector / np.linalg.norm(vector)


EAST, NORTH, UP = unit(1, 0, 0), unit(0, 1, 0), unit(0, 0, 1)


@pytest.fixture
def index(tmp_path: Path) -> Iterator[VectorIndex]:
    index = VectorIndex(tmp_path / "chroma")
    yield index
    index.close()


def test_the_nearest_come_first_with_their_cosine(index: VectorIndex) -> None:
    index.put("model", ["east", "north", "up"], np.stack([EAST, NORTH, UP]))
    found = index.query("model", unit(3, 4, 0), 2)
    assert [id_ for id_, _ in found] == ["north", "east"]
    assert [cosine for _, cosine in found] == pytest.approx([0.8, 0.6], abs=1e-5)


def test_fewer_are_given_when_it_holds_fewer_and_none_when_it_is_empty(index: VectorIndex) -> None:
    assert index.query("model", EAST, 5) == []
    index.put("model", ["east"], EAST[None, :])
    assert len(index.query("model", EAST, 5)) == 1


def test_a_passage_put_again_has_its_new_vector_alone(index: VectorIndex) -> None:
    index.put("model", ["a"], EAST[None, :])
    index.put("model", ["a"], NORTH[None, :])
    assert index.count("model") == 1
    assert index.query("model", NORTH, 1)[0][1] == pytest.approx(1, abs=1e-5)


def test_a_deleted_passage_is_found_no_more_and_unknown_ids_are_no_error(
    index: VectorIndex,
) -> None:
    index.put("model", ["east", "north"], np.stack([EAST, NORTH]))
    index.delete("model", ["east", "never"])
    assert index.ids("model") == {"north"}
    assert [id_ for id_, _ in index.query("model", EAST, 5)] == ["north"]


def test_cosines_are_given_for_those_it_holds(index: VectorIndex) -> None:
    index.put("model", ["east", "north"], np.stack([EAST, NORTH]))
    assert index.cosines("model", EAST, ["east", "north", "never"]) == pytest.approx(
        {"east": 1.0, "north": 0.0}, abs=1e-5
    )
    assert index.cosines("model", EAST, []) == {}
    assert index.cosines("model", EAST, ["never"]) == {}


def test_each_recipe_has_a_collection_of_its_own(index: VectorIndex) -> None:
    index.put("one", ["a"], EAST[None, :])
    index.put("two", ["b"], unit(1, 2)[None, :])
    assert (index.ids("one"), index.ids("two")) == ({"a"}, {"b"})
    assert collection_name("one") != collection_name("two")
    index.drop_others("two")
    assert (index.ids("one"), index.ids("two")) == (set(), {"b"})


def test_what_was_put_is_there_after_a_restart(index: VectorIndex, tmp_path: Path) -> None:
    assert not index.exists()
    index.put("model", ["east"], EAST[None, :])
    index.close()
    again = VectorIndex(tmp_path / "chroma")
    assert again.exists()
    assert again.ids("model") == {"east"}
    again.close()


def test_nothing_to_put_or_delete_does_not_open_it(index: VectorIndex, tmp_path: Path) -> None:
    index.put("model", [], np.zeros((0, 3), np.float32))
    index.delete("model", [])
    assert not (tmp_path / "chroma").exists()


def test_more_than_one_batch_is_put_and_deleted(index: VectorIndex) -> None:
    ids = [f"{n:04}" for n in range(2100)]
    rows = np.random.default_rng(0).normal(size=(2100, 3)).astype(np.float32)
    index.put("model", ids, rows)
    assert index.count("model") == 2100
    index.delete("model", ids[:2050])
    assert index.ids("model") == set(ids[2050:])


def test_a_folder_that_is_no_index_is_an_error_with_the_way_to_mend_it(tmp_path: Path) -> None:
    (tmp_path / "chroma").write_text("a file")
    with pytest.raises(LedgerError, match=r"chroma cannot be opened .*--rebuild` makes it anew"):
        VectorIndex(tmp_path / "chroma").count("model")


def test_an_erased_index_begins_anew(index: VectorIndex) -> None:
    index.put("model", ["east"], EAST[None, :])
    index.erase()
    assert not index.exists()
    index.put("model", ["north"], NORTH[None, :])
    assert index.ids("model") == {"north"}


def test_chromas_file_gives_back_at_the_end_what_is_free_and_keeps_what_it_holds(
    tmp_path: Path,
) -> None:
    index = VectorIndex(tmp_path / "chroma")
    rows = np.random.default_rng(0).standard_normal((2000, 384)).astype(np.float32)
    ids = [f"{n:012x}" for n in range(2000)]
    index.put("model", ids, rows)
    index.close()
    with closing(sqlite3.connect(tmp_path / "chroma" / "chroma.sqlite3")) as raw:
        pages, free = (
            raw.execute(f"PRAGMA {what}").fetchone()[0] for what in ("page_count", "freelist_count")
        )
    assert free <= pages / 4
    assert index.ids("model") == set(ids)
    assert index.query("model", rows[7], 1)[0][0] == ids[7]
    index.close()
