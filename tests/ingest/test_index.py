import logging
import shutil
import threading
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from ingest.embed import Embedder, Vectors
from ingest.errors import BusyError, LedgerError, StoppedError
from ingest.index import Index
from ingest.ledger import Ledger
from tests.indexes import Watched, counts, opened, settings, sync
from tests.trees import write

TREE = {
    f"page-{n}.md": f"# Page {n}\n\nText number {n} tells of {thing}.\n"
    for n, thing in enumerate(["leave", "keys", "hotels", "laptops", "badges", "payroll"])
}


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    write(tmp_path / "docs", TREE)
    return tmp_path / "docs"


@pytest.fixture
def watched(embedder: Embedder) -> Watched:
    return Watched(embedder)


class Cheap(Watched):
    """The model for some texts, a chance vector for each of the many copies."""

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        rows = [self._row(text) for text in texts]
        return np.stack(rows)

    def _row(self, text: str) -> Vectors:
        if "copy" not in text:
            return super().embed_passages([text])[0]
        seed = int.from_bytes(text.encode()[-8:])
        row = np.random.default_rng(seed).normal(size=384).astype(np.float32)
        return row / np.linalg.norm(row)


@pytest.fixture(scope="module")
def written_out(tmp_path_factory: pytest.TempPathFactory, embedder: Embedder) -> Path:
    """An index of so many passages that Chroma has written its graph to files of its own."""
    root = tmp_path_factory.mktemp("large")
    many = {f"many/{n:04}.md": f"# Many\n\nThis is copy {n:04}.\n" for n in range(1100)}
    write(root / "docs", TREE | many)
    sync(settings(root / "docs"), Cheap(embedder))
    assert list((root / "data" / "chroma").rglob("data_level0.bin"))
    return root


@pytest.fixture
def large(written_out: Path, tmp_path: Path) -> Path:
    shutil.copytree(written_out, tmp_path, dirs_exist_ok=True)
    return tmp_path / "docs"


def nearest(index: Index, question: str) -> str:
    """The document of the passage that the dense index finds first."""
    found = index.query(index.serving.embed_query(question), 1)
    return index.live([found[0][0]])[found[0][0]].doc if found else ""


def damage(docs: Path, how: str) -> None:
    chroma = docs.parent / "data" / "chroma"
    if how == "gone":
        shutil.rmtree(chroma)
    elif how == "garbage":
        (chroma / "chroma.sqlite3").write_bytes(b"garbage" * 1000)
    elif how == "cut short":
        whole = (chroma / "chroma.sqlite3").read_bytes()
        (chroma / "chroma.sqlite3").write_bytes(whole[: len(whole) // 3])
    elif how == "empty":
        (chroma / "chroma.sqlite3").write_bytes(b"")
    elif how == "a file":
        shutil.rmtree(chroma)
        chroma.write_text("no folder")
    elif how == "graph damaged":
        for file in chroma.rglob("*.bin"):
            file.write_bytes(b"x" * 100)
    else:
        for folder in chroma.iterdir():
            if folder.is_dir():
                shutil.rmtree(folder)


HOW = ("gone", "garbage", "cut short", "empty")


@pytest.mark.parametrize("how", HOW)
def test_a_damaged_dense_index_is_made_anew_from_the_ledger_without_the_model(
    docs: Path, watched: Watched, how: str
) -> None:
    write(docs, {f"more-{n}.md": f"# More {n}\n\nMore text, number {n}.\n" for n in range(14)})
    sync(settings(docs), watched)
    watched.texts = []
    damage(docs, how)
    with opened(settings(docs), watched) as index:
        told = index.repair()
        assert told == (
            "The dense index did not agree with the ledger: put 20 passages, dropped 0."
        )
        assert nearest(index, "Where do I get a badge?") == "page-4.md"
        assert index.compare() == (set(), set())
        assert index.repair() is None
    assert watched.texts == []


@pytest.mark.parametrize("how", ["graph damaged", "graph gone"])
def test_a_graph_that_a_hard_kill_lost_is_made_anew_from_the_ledger(
    large: Path, watched: Watched, how: str
) -> None:
    damage(large, how)
    with opened(settings(large), watched) as index:
        assert index.repair() == (
            "The dense index did not agree with the ledger: put 1106 passages, dropped 0."
        )
        assert nearest(index, "Where do I get a badge?") == "page-4.md"
        assert index.repair() is None
    assert watched.texts == []


@pytest.mark.parametrize("how", [*HOW, "a file"])
def test_rebuilding_mends_any_damage(docs: Path, embedder: Embedder, how: str) -> None:
    sync(settings(docs), embedder)
    damage(docs, how)
    with opened(settings(docs), embedder) as index:
        assert index.rebuild() == 6
        assert nearest(index, "Where do I get a badge?") == "page-4.md"
        assert index.compare() == (set(), set())


def test_a_sync_that_has_something_to_write_mends_a_missing_index_too(
    docs: Path, embedder: Embedder
) -> None:
    sync(settings(docs), embedder)
    damage(docs, "gone")
    write(docs, {"new.md": "# New\n\nText about parking.\n"})
    with opened(settings(docs), embedder) as index:
        assert counts(index.sync()) == (1, 0, 0, 6)
        assert index.compare() == (set(), set())
        assert nearest(index, "Where do I get a badge?") == "page-4.md"


def test_while_the_dense_index_is_broken_a_question_gets_bm25_and_the_next_pass_mends_it(
    large: Path, embedder: Embedder, caplog: pytest.LogCaptureFixture
) -> None:
    damage(large, "graph damaged")
    with opened(settings(large), embedder) as index:
        index.load_lexical()
        with caplog.at_level(logging.ERROR):
            assert nearest(index, "badge") == ""
        assert "The dense index is damaged; BM25 serves" in caplog.messages[0]
        assert index.cosines(embedder.embed_query("badge"), ["x"]) == {}
        assert len(index.lexical.search("badges", 5)) == 1
        index.sync()
        assert nearest(index, "Where do I get a badge?") == "page-4.md"


def test_what_a_killed_pass_left_in_the_dense_index_is_dropped(
    docs: Path, embedder: Embedder
) -> None:
    sync(settings(docs), embedder)
    with opened(settings(docs), embedder) as index:
        row = embedder.embed_passages(["never committed"])
        index.vectors.put(embedder.recipe, ["0123456789ab"], row)
        assert index.compare() == (set(), {"0123456789ab"})
    with opened(settings(docs), embedder) as index:
        told = index.repair()
        assert told == "The dense index did not agree with the ledger: put 0 passages, dropped 1."
        assert index.compare() == (set(), set())


def test_passages_that_the_dense_index_lacks_are_put_back_without_the_model(
    docs: Path, watched: Watched
) -> None:
    sync(settings(docs), watched)
    watched.texts = []
    with opened(settings(docs), watched) as index:
        some = sorted(c.id for c in index.ledger.all_live())[:2]
        index.vectors.delete(watched.recipe, some)
        assert index.compare() == (set(some), set())
    with opened(settings(docs), watched) as index:
        told = index.repair()
        assert told == "The dense index did not agree with the ledger: put 2 passages, dropped 0."
        assert index.compare() == (set(), set())
    assert watched.texts == []


def test_an_index_that_agrees_is_left_alone(docs: Path, embedder: Embedder) -> None:
    sync(settings(docs), embedder)
    with opened(settings(docs), embedder) as index:
        assert index.repair() is None


def test_an_empty_ledger_has_nothing_to_repair_and_answers_nothing(
    docs: Path, embedder: Embedder
) -> None:
    with opened(settings(docs), embedder) as index:
        index.load_lexical()
        assert index.repair() is None
        assert nearest(index, "anything") == ""
        assert index.lexical.search("anything", 5) == []
        assert index.rebuild() == 0


def test_bm25_that_was_loaded_from_an_empty_ledger_gets_the_first_pass(
    docs: Path, embedder: Embedder
) -> None:
    with opened(settings(docs), embedder) as index:
        index.load_lexical()
        index.sync()
        assert len(index.lexical.search("badges", 5)) == 1


@pytest.mark.parametrize("damaged", [b"garbage" * 2000, None])
def test_a_damaged_ledger_is_refused_with_the_way_to_restore(
    docs: Path, embedder: Embedder, damaged: bytes | None
) -> None:
    sync(settings(docs), embedder)
    file = docs.parent / "data" / "footnote.db"
    whole = file.read_bytes()
    file.write_bytes(damaged or whole[:4096] + b"\x77" * 8192 + whole[12288:])
    words = r"footnote\.db is damaged \(.*\)\. Put back a copy made with .*--backup FILE"
    with pytest.raises(LedgerError, match=words):  # noqa: PT012, SIM117 - wherever it is noticed
        with opened(settings(docs), embedder) as index:
            index.sync()
            list(index.ledger.all_live())
            index.ledger.known()


def test_a_refused_index_leaves_the_folder_free(docs: Path, embedder: Embedder) -> None:
    file = docs.parent / "data" / "footnote.db"
    write(docs.parent, {"data/footnote.db": "garbage" * 1000})
    for _ in range(2):
        with pytest.raises(LedgerError, match="is damaged"):
            Index(settings(docs)).__enter__()
    file.unlink()
    assert counts(sync(settings(docs), embedder)) == (6, 0, 0, 0)


def test_two_indexes_over_one_folder_are_one_too_many(docs: Path, embedder: Embedder) -> None:
    with opened(settings(docs), embedder), pytest.raises(BusyError, match="is in use by Footnote"):
        Index(settings(docs)).__enter__()


def test_a_pass_that_is_told_to_stop_stops_and_the_next_one_goes_on(
    docs: Path, watched: Watched
) -> None:
    def stop(stage: str, done: int, _total: int) -> None:
        if stage == "embedding" and done:
            raise StoppedError("Enough.")

    with opened(settings(docs), watched) as index:
        with pytest.raises(StoppedError):
            index.sync(progress=stop)
        assert index.ledger.read_note("sync_error") is None
        assert index.ledger.counts() == (0, 0)
        assert counts(index.sync()) == (6, 0, 0, 0)
    assert len(watched.texts) == 6


def test_a_failed_pass_is_on_record_until_one_ends_well(docs: Path, embedder: Embedder) -> None:
    with opened(settings(docs), embedder) as index:
        index.sync()
        docs.rename(docs.parent / "unmounted")
        for _ in range(2):
            with pytest.raises(Exception, match="does not exist"):
                index.sync()
        assert "docs does not exist" in (index.ledger.read_note("sync_error") or "")
        (docs.parent / "unmounted").rename(docs)
        index.sync()
        assert index.ledger.read_note("sync_error") == ""


def test_questions_are_answered_while_a_pass_runs_and_see_one_state_or_the_other(
    docs: Path, embedder: Embedder
) -> None:
    sync(settings(docs), embedder)
    with opened(settings(docs), embedder) as index:
        index.load_lexical()
        write(docs, {f"new-{n}.md": f"# New {n}\n\nBadge office {n} opens.\n" for n in range(40)})
        vector = embedder.embed_query("badge")
        done = threading.Event()

        def work() -> None:
            try:
                index.sync()
            finally:
                done.set()

        pass_ = threading.Thread(target=work)
        pass_.start()
        seen = set()
        while not done.is_set():
            dense = index.live([i for i, _ in index.query(vector, 60)])
            lexical = index.live([i for i, _ in index.lexical.search("badge", 60)])
            seen.add((len(dense), len(lexical)))
        pass_.join()
        seen.add(
            (len(index.query(vector, 60)), len(index.lexical.search("badge", 60))),
        )
    # Of 46 passages; Chroma's graph may miss one of forty that are all but the same.
    assert max(dense for dense, _ in seen) >= 44
    assert {lexical for _, lexical in seen} == {1, 41}


def test_another_passage_prompt_gives_other_vectors_and_the_same_ids(
    docs: Path, embedder: Embedder
) -> None:
    sync(settings(docs), embedder)
    ledger = Ledger(docs.parent / "data")
    before = {c.id for c in ledger.all_live()}
    ledger.close()
    changed = settings(docs, passage_prompt="passage: ")
    with Index(changed) as index:
        index.load_lexical()
        assert index.serving.recipe == embedder.recipe
        index.sync()
        assert index.serving.recipe == index.embedder.recipe != embedder.recipe
        assert index.compare() == (set(), set())
        assert {c.id for c in index.ledger.all_live()} == before
        assert nearest(index, "Where do I get a badge?") == "page-4.md"


def test_vectors_have_unit_length_and_find_their_own_text_first(
    docs: Path, embedder: Embedder
) -> None:
    sync(settings(docs), embedder)
    with opened(settings(docs), embedder) as index:
        for c in index.ledger.all_live():
            vector = embedder.embed_passages([c.embedded])[0]
            assert np.linalg.norm(vector) == pytest.approx(1, abs=1e-5)
            found, cosine = index.query(vector, 1)[0]
            assert found == c.id
            assert cosine == pytest.approx(1, abs=0.01)
