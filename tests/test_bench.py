"""What the quality measurements rest on."""

from pathlib import Path

import numpy as np
import pytest

from bot import rerank
from bot.evaluate.cases import Case, Place
from bot.evaluate.metrics import Figure
from bot.ranking.order import FittedOrder, fitted_order
from ingest.settings import IngestSettings
from tests.bench.corpus import KeptEmbedder
from tests.bench.evalset import Doc, Found, answers, gain_of, load, rank_of
from tests.bench.fit_order import order_left_out
from tests.bench.goals import Goal, beyond
from tests.bench.ordering import (
    Pool,
    compared,
    fit_weights,
    fitted_on,
    left_out_weights,
    measured,
    pool_of,
)
from tests.bench.retrieval import Table

LINE = Case(1, "How long?", places=(Place("a.md", ("ten days",)), Place("b.md", ("10 days",))))
SCORES = ("maxsim", "cosine")
PAGES = Case(2, "Which?", gold_docs=("a.md", "b.md"))


def test_a_goal_set_on_a_whole_set_keeps_its_distance_to_the_plain_pipeline() -> None:
    goal = beyond(0.83, 0.75, "recall@5")
    here = goal.here({("plain", "recall@5"): 0.80, ("splitter", "recall@5"): 0.60})
    assert here == pytest.approx(0.88)


def test_a_goal_of_a_set_that_is_there_as_a_whole_stands_as_it_is() -> None:
    assert Goal(0.85).here({("plain", "AUROC own"): 0.7}) == 0.85


def test_a_goal_without_a_figure_is_what_the_other_ranking_reaches() -> None:
    goal = Goal(None, None, "nDCG@10, de", "BM25")
    assert goal.here({("BM25", "nDCG@10, de"): 0.91}) == 0.91
    assert goal.here({}) is None


def test_a_text_answers_only_in_a_document_that_the_case_names() -> None:
    assert answers(LINE, "a.md", "within ten days of")
    assert answers(LINE, "b.md", "within 10 days of")
    assert not answers(LINE, "b.md", "within ten days of")
    assert not answers(LINE, "c.md", "within ten days of")
    assert answers(PAGES, "b.md", "anything")


def test_ranks_count_passages_and_gains_count_documents_once() -> None:
    ranking = [Found(doc, "") for doc in ("c.md", "a.md", "a.md", "b.md")]
    assert rank_of(PAGES, ranking) == 2
    assert gain_of(PAGES, ranking) == pytest.approx((0.6309 + 0.5) / (1 + 0.6309), abs=1e-3)
    assert rank_of(LINE, ranking) is None


def test_a_folder_or_a_file_of_lines_is_a_set(tmp_path: Path) -> None:
    questions = '{"q": "Which?", "gold_docs": ["a.md"]}\n'
    (tmp_path / "questions.jsonl").write_text(questions)
    (tmp_path / "docs" / "deep").mkdir(parents=True)
    (tmp_path / "docs" / "deep" / "a.md").write_text("# A\n")
    assert load(tmp_path).docs == (Doc("deep/a.md", "# A\n"),)
    (tmp_path / "corpus.jsonl").write_text('{"doc": "a", "text": "A line"}\n')
    assert load(tmp_path).docs == (Doc("a", "A line"),)


def test_the_table_says_whether_the_goal_on_this_part_was_reached() -> None:
    table = Table("codebase")
    table.add("plain", "recall@5", Figure(0.80, 0.7, 0.9, 100))
    table.add("footnote", "recall@5", Figure(0.87, 0.8, 0.9, 100))
    (line,) = table.lines()
    assert line == (
        "| codebase: recall@5 | – | 0.800 [0.70, 0.90] | 0.870 [0.80, 0.90] | – | – "
        "| 0.83, here 0.880: missed |"
    )


def test_what_was_embedded_once_comes_out_of_the_file_as_it_was(tmp_path: Path) -> None:
    settings = IngestSettings(_env_file=None)
    first = KeptEmbedder(settings, tmp_path / "kept.npz")
    texts = ["Ten days of leave.", "é", ""]
    tokens, query = first.embed_tokens(texts), first.embed_query("How long?")
    passages = first.embed_passages(texts[:2])
    first.save()
    again = KeptEmbedder(settings, tmp_path / "kept.npz")
    for (ids, vectors), (kept_ids, kept_vectors) in zip(
        tokens, again.embed_tokens(texts), strict=True
    ):
        assert kept_ids == ids
        assert np.array_equal(kept_vectors, vectors)
    assert np.array_equal(again.embed_query("How long?"), query)
    assert np.array_equal(again.embed_passages(texts[:2]), passages)
    assert "_loaded" not in vars(again)


def test_sections_begin_at_headings_and_comments_in_fences_are_none() -> None:
    pytest.importorskip("langchain_text_splitters")
    from tests.bench.baselines import split, split_by_heading

    text = "# One\n\nText.\n\n```sh\n# no heading\n```\n\n## Two\n\nMore.\n"
    assert [found.text.split("\n")[0] for found in split_by_heading([Doc("a.md", text)])] == [
        "# One",
        "## Two",
    ]
    assert [found.text for found in split([Doc("a.md", text)])] == [text.strip()]


def pools(
    telling: str, misleading: str, names: tuple[str, ...] = ("maxsim", "cosine")
) -> list[Pool]:
    """Twelve pools of three: one score is highest where the answer is, another where it is not."""
    made = []
    for place in range(12):
        right = np.arange(3) == place % 3
        wrong = np.arange(3) == (place + 1) % 3
        terms = {name: np.zeros(3, np.float32) for name in names}
        terms[telling] = right.astype(np.float32)
        terms[misleading] = wrong.astype(np.float32)
        made.append(Pool(terms, right))
    return made


def test_the_score_that_tells_gets_a_weight_and_the_one_that_misleads_a_negative_one() -> None:
    some = pools("maxsim", "cosine")
    weights = fit_weights([some], SCORES)
    assert weights["maxsim"] > 1
    assert weights["cosine"] < -1
    assert measured(some, weights).tolist() == [[1.0, 1.0, 1.0]] * 12
    other = measured(some, {"cosine": 1.0})
    assert other[:, 0].tolist() == [0.0] * 12
    assert compared({"set": measured(some, weights)}, {"set": other})["recall@1"].value == 1.0


def test_a_set_is_counted_with_weights_that_were_fitted_on_the_others() -> None:
    sets = {"a": pools("maxsim", "cosine"), "b": pools("cosine", "maxsim")}
    weights = left_out_weights(sets, SCORES)
    assert weights["a"]["cosine"] > 1 > weights["a"]["maxsim"]
    assert weights["b"]["maxsim"] > 1 > weights["b"]["cosine"]


def test_what_one_set_alone_shows_is_fitted_there_and_the_file_says_so() -> None:
    names = ("maxsim", "told")
    sets = {
        "trec_cast": pools("maxsim", "told", names),
        "b": [Pool({n: p.terms[n] for n in ("maxsim",)}, p.right) for p in pools("maxsim", "x")],
    }
    weights = left_out_weights(sets, names)
    assert weights["trec_cast"]["told"] == weights["b"]["told"] < 0
    made = fitted_on(sets, names, "late-interaction", "2026-12-03")
    assert (made.sets, made.one_set) == (("trec_cast", "b"), {"told": "trec_cast"})
    assert made.figures == {"recall@1": 1.0, "recall@5": 1.0, "nDCG@10": 1.0}
    assert FittedOrder.model_validate_json(made.model_dump_json()) == made


def test_of_a_language_that_the_model_does_not_know_words_alone_are_weighed() -> None:
    names = ("maxsim", "cosine", "bm25", "codes", "same_language", "told")
    columns = {name: np.array([0.0, 1.0], np.float32) for name in names}
    known = {**columns, "known_language": np.ones(2, np.float32)}
    unknown = {**columns, "known_language": np.zeros(2, np.float32)}
    assert {*pool_of(known, [True, False]).terms} == {*names}
    terms = pool_of(unknown, [True, False]).terms
    assert {*terms} == {"bm25_alone", "codes_alone", "same_language", "told"}
    assert terms["bm25_alone"].tolist() == [-1.0, 1.0]


def test_a_set_is_searched_by_weights_of_the_others_and_the_next_by_the_shipped_ones() -> None:
    sets = {"a": pools("maxsim", "cosine"), "b": pools("cosine", "maxsim")}
    shipped = fitted_order("late-interaction")
    with order_left_out("a", sets):
        weights = rerank.fitted_order("late-interaction").weights
    assert weights["cosine"] > 1 > weights["maxsim"]
    assert rerank.fitted_order("late-interaction") is shipped
    with order_left_out("xquad", sets):
        assert rerank.fitted_order("late-interaction") is shipped
