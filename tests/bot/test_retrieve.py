import asyncio
import threading
from collections.abc import Collection, Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from bot.retrieve import Retriever, fuse
from bot.types import Query
from ingest.embed import Vectors
from ingest.lexical import LexicalIndex
from ingest.types import Chunk

NOTES = {
    "leave": ("paid leave", (1.0, 0.0)),
    "holiday": ("days off", (0.9, 0.436)),
    "travel": ("hotel prices", (0.0, 1.0)),
    "gone": ("paid leave of old", (0.99, 0.14)),
}


class Library:
    """A handful of notes with vectors of two numbers; `gone` is indexed still, but not live."""

    def __init__(self) -> None:
        self.threads: set[str] = set()
        self.meeting: threading.Barrier | None = None

    def embed_query(self, text: str) -> Vectors:
        self.threads.add(threading.current_thread().name)
        return np.array([0.0, 1.0] if "hotel" in text else [1.0, 0.0], np.float32)

    def query(self, vector: Vectors, k: int) -> list[tuple[str, float]]:
        if self.meeting:
            self.meeting.wait(5)
        found = self.cosines(vector, NOTES)
        return sorted(found.items(), key=lambda pair: -pair[1])[:k]

    def cosines(self, vector: Vectors, ids: Collection[str]) -> dict[str, float]:
        return {i: float(np.dot(vector, np.float32(NOTES[i][1]))) for i in ids}

    def live(self, ids: Collection[str]) -> dict[str, Chunk]:
        return {i: note(i) for i in ids if i != "gone"}


class MeetingLexical(LexicalIndex):
    """BM25 that waits until the dense search has begun too."""

    def __init__(self, library: Library) -> None:
        super().__init__()
        self._library = library

    def search(self, query: str | Sequence[str], k: int) -> list[tuple[str, float]]:
        if self._library.meeting:
            self._library.meeting.wait(5)
        return super().search(query, k)


def note(id_: str) -> Chunk:
    text = NOTES[id_][0]
    return Chunk(id_, "notes.md", "", 0, len(text), text)


@pytest.fixture
def library() -> Library:
    return Library()


def retriever(library: Library, *, k: int = 3, budget: int = 80) -> Retriever:
    lexical = MeetingLexical(library)
    lexical.update([note(i) for i in NOTES])
    pool = ThreadPoolExecutor(2, thread_name_prefix="pool")
    return Retriever(
        library, library, lexical, library, dense_k=k, lexical_k=k, budget=budget, pool=pool
    )


async def test_the_union_of_both_is_given_with_ranks_and_scores(library: Library) -> None:
    found = await retriever(library, k=2).retrieve(Query("prices leave"))
    ranks = {c.chunk.id: (c.dense_rank, c.lexical_rank) for c in found}
    assert ranks == {"leave": (1, 2), "holiday": (2, None), "travel": (None, 1)}
    assert {c.chunk.id for c in found if c.bm25} == {"leave", "travel"}


async def test_a_candidate_that_only_bm25_found_has_a_cosine_all_the_same(
    library: Library,
) -> None:
    found = await retriever(library, k=1).retrieve(Query("prices"))
    assert {c.chunk.id: (c.dense_rank, c.lexical_rank) for c in found} == {
        "leave": (1, None),
        "travel": (None, 1),
    }
    assert {c.chunk.id: c.cosine for c in found} == pytest.approx({"leave": 1.0, "travel": 0.0})
    assert {c.chunk.id: c.bm25 for c in found}["leave"] == 0.0


async def test_what_is_not_live_is_left_out_and_leaves_no_gap(library: Library) -> None:
    found = await retriever(library, k=2).retrieve(Query("paid leave"))
    assert [c.chunk.id for c in found] == ["leave", "holiday"]
    assert [c.dense_rank for c in found] == [1, 2]


async def test_over_budget_the_fused_rank_says_who_stays(library: Library) -> None:
    found = await retriever(library, budget=1).retrieve(Query("paid leave"))
    assert [c.chunk.id for c in found] == ["leave"]


async def test_both_searches_run_at_once_and_off_the_event_loop(library: Library) -> None:
    library.meeting = threading.Barrier(2)
    await asyncio.wait_for(retriever(library).retrieve(Query("paid leave")), 10)
    assert all(name.startswith("pool") for name in library.threads)


async def test_an_expansion_finds_both_topics(library: Library) -> None:
    found = await retriever(library, k=2).retrieve(Query("leave", "hotel"))
    assert {c.chunk.id for c in found} == {"leave", "travel", "holiday"}
    cosines = {c.chunk.id: c.cosine for c in found}
    assert cosines["leave"] == pytest.approx(0.5)


def test_fusing_ignores_the_order_of_equal_lists() -> None:
    one, other = {"a": 1, "b": 2}, {"b": 1, "c": 2}
    assert fuse(one, other) == fuse(other, one) == ["b", "a", "c"]
