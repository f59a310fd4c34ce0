import threading

import numpy as np
import pytest

from ingest.analyze import analyze
from ingest.lexical import InvertedBM25, LexicalIndex
from ingest.types import Chunk

TEXTS = {
    "a": "Contractors get no paid leave.",
    "b": "Employees get 28 days of paid leave a year.",
    "c": "Error ERR_4013: the upload is too large.",
    "d": "Error ERR_4014: the upload has no name.",
    "e": "Error ERR_4015: the disk is full.",
}


def passage(id_: str, text: str, heading: str = "") -> Chunk:
    return Chunk(id_, "doc.md", heading, 0, len(text), text)


def filled(**texts: str) -> LexicalIndex:
    index = LexicalIndex()
    index.update([passage(i, text) for i, text in (texts or TEXTS).items()])
    return index


def test_an_empty_index_finds_nothing() -> None:
    index = LexicalIndex()
    assert index.search("leave", 5) == []
    assert len(index) == 0
    assert index.ids() == frozenset()
    assert index.idf("leave") > 0


def test_the_passage_that_says_it_comes_first() -> None:
    assert [i for i, _ in filled().search("paid leave of contractors?", 5)] == ["a", "b"]


def test_an_error_code_finds_its_own_page_and_no_other() -> None:
    found = dict(filled().search("ERR_4013", 5))
    assert found["c"] > 4 * max(found.get("d", 0.0), found.get("e", 0.0))


def test_the_heading_is_searched_too() -> None:
    index = LexicalIndex()
    index.update([passage("x", "Up to 90 EUR a night.", "Travel > Hotels"), passage("y", "Up.")])
    assert [i for i, _ in index.search("hotels", 5)] == ["x"]


def test_a_word_in_every_passage_still_counts_for_something() -> None:
    index = filled(a="upload one", b="upload two")
    assert index.idf("upload") > 0
    assert len(index.search("upload", 5)) == 2


def test_scores_are_those_of_the_formula() -> None:
    corpus = [["red", "red", "fox"], ["fox"], ["dog", "cat"]]
    scores = InvertedBM25(corpus).get_scores(["red", "fox"])
    mean, k1, b = 2.0, 1.5, 0.75
    red = np.log((3 - 1 + 0.5) / (1 + 0.5) + 1) * 2 * (k1 + 1) / (2 + k1 * (1 - b + b * 3 / mean))
    fox = np.log((3 - 2 + 0.5) / (2 + 0.5) + 1)
    long = fox * (k1 + 1) / (1 + k1 * (1 - b + b * 3 / mean))
    short = fox * (k1 + 1) / (1 + k1 * (1 - b + b * 1 / mean))
    assert scores.tolist() == pytest.approx([red + long, short, 0.0], rel=1e-5)


def test_an_edited_index_answers_like_one_that_was_built_at_once() -> None:
    index = LexicalIndex()
    for i, text in TEXTS.items():
        index.update([passage(i, "old words about nothing")])
        index.update([passage(i, text)])
    index.update([], ["b"])
    fresh = filled(**{i: text for i, text in TEXTS.items() if i != "b"})
    for question in ("paid leave", "upload error", "ERR_4015", "nothing"):
        assert dict(index.search(question, 5)) == pytest.approx(dict(fresh.search(question, 5)))
    assert index.ids() == fresh.ids() == {"a", "c", "d", "e"}
    assert len(index) == 4


def test_many_small_edits_are_folded_together() -> None:
    index = filled()
    for n in range(50):
        index.update([passage(f"n{n}", f"note number {n} on parking")], [f"n{n - 1}"])
    assert [i for i, _ in index.search("parking", 5)] == ["n49"]
    assert index._now.corpus.segments <= 9
    assert index._now.corpus.rows <= 9


def test_everything_can_be_taken_out() -> None:
    index = filled()
    index.update([], list(TEXTS))
    assert index.search("leave", 5) == []
    index.update([passage("z", "leave")])
    assert [i for i, _ in index.search("leave", 5)] == ["z"]


def test_removing_what_is_not_there_changes_nothing() -> None:
    index = filled()
    index.update([], ["nowhere"])
    assert len(index) == 5


def test_two_texts_count_as_one_question_with_the_average_of_their_scores() -> None:
    index = filled()
    one, other = (index.scores(q, TEXTS) for q in ("leave", "upload"))
    both = index.scores(["leave", "upload"], TEXTS)
    assert both == pytest.approx({i: (one[i] + other[i]) / 2 for i in TEXTS})


def test_equal_scores_come_in_the_order_of_ids_and_k_cuts() -> None:
    index = filled(b="alike", a="alike", c="alike")
    assert [i for i, _ in index.search("alike", 2)] == ["a", "b"]


def test_readers_see_whole_updates_while_a_writer_works() -> None:
    index = LexicalIndex()
    index.update([passage("0a", "alpha beta"), passage("0b", "alpha beta")])
    wrong: list[int] = []
    done = threading.Event()

    def read() -> None:
        while not done.is_set():
            found = {i[:-1] for i, _ in index.search("alpha", 10)}
            if len(found) != 1 or len(index.search("beta", 10)) != 2:
                wrong.append(len(found))

    reader = threading.Thread(target=read)
    reader.start()
    for n in range(1, 200):
        fresh = [passage(f"{n}a", "alpha beta"), passage(f"{n}b", "alpha beta")]
        index.update(fresh, [f"{n - 1}a", f"{n - 1}b"])
    done.set()
    reader.join()
    assert wrong == []


def test_the_analysis_is_shared_with_questions() -> None:
    index = filled()
    assert index.idf(analyze("contractors")[0]) > index.idf(analyze("error")[0])
