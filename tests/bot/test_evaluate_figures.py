import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from bot.calibration import is_outdated, read_calibrated, write_calibrated
from bot.evaluate.calibrate import (
    Evidence,
    Sample,
    effect,
    for_coverage,
    halves,
    held_out,
    objection,
    within_limit,
)
from bot.evaluate.compare import compare
from bot.evaluate.drafts import propose
from bot.evaluate.figures import figures_of
from bot.evaluate.markup import el
from bot.evaluate.report import report_page
from bot.evaluate.types import Place, Probe, Question, Reply, Run, Said, Shown, Spent, Trial
from bot.evaluate.words import figure_text, number
from bot.gate import Thresholds, thresholds_for
from bot.settings import Settings
from bot.types import Hit
from ingest.errors import SettingsError
from ingest.types import Chunk, Context


def trial(rank: int | None, evidence: float, *, union: int | None = 1, text: str = "") -> Trial:
    at = Place(rank, 0.0 if rank is None else 1.0)
    places = {
        "dense": at,
        "bm25": Place(None, 0.0),
        "union": Place(union, 1.0),
        "reranked": at,
        "shown": at,
    }
    hit = Shown("aaa", "leave.md", "Leave", 0, 9, text, 1.5, evidence, rank == 1, 1, None)
    return Trial("q", evidence, evidence >= 0.5, None, places, (hit,))  # type: ignore[arg-type]


def question(line: int, asked: Trial, **changes: object) -> Question:
    plain = Question(line, f"q{line}", "", True, "", False, ("aaa",), (), {"asked": asked})
    return replace(plain, **changes)  # type: ignore[arg-type]


def nothing(evidence: float) -> Trial:
    return replace(trial(None, evidence), places={})


def run(*questions: Question) -> Run:
    return Run(
        "c.jsonl", "2026-01-01T00:00:00+00:00", 3, 9, "model", "late-interaction", "extractive", 5,
        Probe(9, 1.0, 1.0, ()), questions,
    )  # fmt: skip


ANSWERABLE = (
    question(1, trial(1, 0.9), kind="single"),
    question(2, trial(3, 0.8), kind="single"),
    question(3, trial(7, 0.7), kind="table"),
    question(4, trial(2, 0.4), kind="table"),
    question(5, trial(None, 0.3, union=None), kind="table"),
)
DOG = question(6, nothing(0.6), answerable=False, gold=())


def test_retrieval_figures_are_means_over_questions_with_gold() -> None:
    figures = figures_of(run(*ANSWERABLE, DOG))
    row = figures.retrieval["reranked"]
    assert [row[m].value for m in ("recall@1", "recall@5", "recall@20")] == [0.2, 0.6, 0.8]
    assert row["mrr@10"].value == pytest.approx((1 + 1 / 3 + 1 / 7 + 1 / 2) / 5)
    assert row["recall@1"].n == 5
    assert figures.retrieval["union"]["recall@1"].value == 0.8
    assert figures.retrieval["bm25"]["recall@20"].value == 0.0
    assert figures.kinds["single"]["recall@5"].value == 1.0


def test_each_answerable_question_has_one_fate() -> None:
    fates = figures_of(run(*ANSWERABLE)).fates
    assert fates == {"passed": 2, "refused": 1, "ranked too low": 1, "not found": 1}


def test_refusal_figures_count_what_passed_and_what_did_not() -> None:
    weak = question(7, nothing(0.2), answerable=False, gold=())
    figures = figures_of(run(*ANSWERABLE, DOG, weak))
    assert figures.coverage is not None
    assert figures.coverage.value == 0.6
    own = figures.refusals["own"]
    assert (own.false_answers.value, own.recall.value) == (0.5, 0.5)
    assert own.precision.value == pytest.approx(1 / 3)  # of three refusals one was right
    assert own.auroc.value == 0.8  # .6 is above .4 and .3, .2 below all: 8 of 10 pairs
    assert own.curve[-1] == (1.0, pytest.approx(4 / 7))  # two lost, two that nothing answers


def test_partial_and_unjudged_questions_count_for_neither_side() -> None:
    partial = question(7, trial(1, 0.1), answerable="partial")
    unjudged = question(8, nothing(0.9), answerable=None, gold=())
    figures = figures_of(run(*ANSWERABLE, DOG, partial, unjudged))
    assert figures.coverage is not None
    assert figures.coverage.n == 5
    assert figures.refusals["own"].unanswerable == 1
    assert figures.retrieval["reranked"]["recall@1"].n == 6


def test_answers_are_counted_by_what_became_of_them() -> None:
    said = (Said("a", ("aaa",), faithful=True), Said("b", (), faithful=False), Said("c", ("x",)))
    answered = Reply(
        None, "model", said, citations=2, unjudged=1, dropped=("fact",), cites_gold=True
    )
    refused = Reply("not_in_sources", "model", dropped=("fact", "uncited"))
    told = figures_of(
        run(replace(ANSWERABLE[0], reply=answered), replace(DOG, reply=refused))
    ).answers
    assert told is not None
    assert (told.answered, told.abstained) == (1, {"not_in_sources": 1})
    assert told.dropped == {"fact": 2, "uncited": 1}
    assert told.sentences_cited.value == pytest.approx(2 / 3)
    assert (told.faithful.value, told.faithful.n, told.unjudged) == (0.5, 2, 1)
    assert told.answered_unanswerable.value == 0.0
    assert (told.cites_gold.value, told.holds_value.n) == (1.0, 0)


def test_an_answer_costs_what_its_tokens_do_at_the_prices_given() -> None:
    reply = Reply(None, "model", spent=Spent(2000, 100))
    priced = replace(run(replace(ANSWERABLE[0], reply=reply)), prices=(3.0, 15.0))
    told = figures_of(priced).answers
    assert told is not None
    assert told.cost_each.value == pytest.approx(0.0075)
    assert told.tokens_read_each.value == 2000
    assert number(0.0012) == "0.0012"


def test_a_comparison_calls_one_question_of_forty_noise_and_names_it() -> None:
    old = run(*(question(n, trial(1, 0.9)) for n in range(40)))
    new = run(question(0, trial(2, 0.4)), *old.questions[1:])
    comparison = compare(new, old)
    change = comparison.changes["recall@1"]
    assert (change.old, change.new, change.verdict) == (1.0, 0.975, "noise")
    assert comparison.changes["recall@5"].verdict == "same"
    (moved,) = comparison.moved
    assert (moved.q, moved.old_rank, moved.new_rank) == ("q0", 1, 2)
    assert (moved.old_passed, moved.new_passed) == (True, False)


def test_a_change_of_many_questions_is_no_noise_and_lines_may_have_shifted() -> None:
    old = run(*(question(n, trial(2, 0.9)) for n in range(40)))
    new = run(*(replace(question(n, trial(1, 0.9)), line=n + 7) for n in range(1, 40)))
    comparison = compare(new, old)
    assert comparison.changes["recall@1"].verdict == "up"
    assert comparison.alone == 1


def test_equal_questions_are_compared_in_their_order() -> None:
    same = (question(1, trial(1, 0.9), q="why?"), question(2, trial(4, 0.9), q="why?"))
    assert compare(run(*same), run(*same)).moved == ()
    swapped = compare(run(*reversed(same)), run(*same))
    assert [(m.old_rank, m.new_rank) for m in swapped.moved] == [(1, 4), (4, 1)]


def evidence(line: int, *values: float) -> Evidence:
    chunk = Chunk("a", "a.md", "A", 0, 1, "a")
    return Evidence(line, "q", tuple(Hit(chunk, value, value) for value in values))


SAMPLE = Sample(
    answerable=[evidence(1, 0.9, 0.8), evidence(2, 0.7, 0.6), evidence(3, 0.5, 0.5)],
    unanswerable={
        "own": [evidence(4, 0.6, 0.1), evidence(5, 0.1, 0.1)],
        "page_withdrawn": [evidence(1, 0.3, 0.1), evidence(2, 0.2, 0.2)],
    },
)


def test_calibration_passes_as_many_as_the_limit_on_false_answers_allows() -> None:
    chosen = within_limit(0.0)(SAMPLE)
    done = effect(SAMPLE, chosen)
    assert done.coverage.value == pytest.approx(2 / 3)  # .9 and .7; .5 is under the .6 of another
    assert (chosen.min_score, chosen.sure_score) == (0.5, pytest.approx(0.7, abs=0.05))
    assert done.false_mean == 0.0


def test_a_coverage_is_reached_with_the_fewest_false_answers() -> None:
    harder = Sample([*SAMPLE.answerable, evidence(6, 0.15, 0.1)], SAMPLE.unanswerable)
    assert effect(harder, for_coverage(0.5)(harder)).false_mean == 0.0
    every = effect(harder, for_coverage(1.0)(harder))
    assert every.coverage.value == 1.0
    assert every.false_answers["page_withdrawn"].value == 1.0


def test_calibration_refuses_all_where_nothing_tells_the_questions_apart() -> None:
    same = Sample([evidence(1, 0.5)], {"own": [evidence(2, 0.5)]})
    done = effect(same, within_limit(0.1)(same))
    assert (done.coverage.value, done.false_mean) == (0.0, 0.0)


def test_a_choice_on_few_cases_or_that_refuses_most_questions_is_objected_to() -> None:
    lax, strict = Thresholds(0.5, 0.5), Thresholds(0.9, 0.9)
    enough = Sample([evidence(n, 0.7) for n in range(20)], {"own": [evidence(1, 0.1)] * 20})
    few = Sample(enough.answerable, {"own": [evidence(1, 0.1)] * 19})
    assert objection(enough, effect(enough, lax)) is None
    assert objection(few, effect(few, lax)) == (
        "only 19 cases of a kind (as written): with fewer than 20 the choice is chance."
    )
    assert objection(enough, effect(enough, strict)) == (
        "only 0% of the answerable questions would pass: with under 50% a gate is no use."
    )


def test_a_question_and_what_was_made_of_it_are_in_the_same_half() -> None:
    first, second = halves(SAMPLE)
    assert [e.line for e in first.answerable] == [1, 3]
    assert [e.line for e in first.unanswerable["page_withdrawn"]] == [1]
    assert [e.line for e in second.answerable] == [2]
    assert [e.line for e in second.unanswerable["own"]] == [4]


def test_held_out_figures_count_each_case_once_under_thresholds_of_the_other_half() -> None:
    def passes_all_of_odd_lines(sample: Sample) -> Thresholds:
        odd = sample.answerable[0].line % 2
        return Thresholds(0.0, 0.0) if odd else Thresholds(1.01, 1.01)

    done = held_out(SAMPLE, passes_all_of_odd_lines)
    assert (done.coverage.value, done.coverage.n) == (pytest.approx(1 / 3), 3)
    assert (done.false_answers["own"].value, done.false_answers["own"].n) == (0.5, 2)


CHOSEN = Thresholds(min_score=0.41, sure_score=0.77)


def test_calibrated_thresholds_are_kept_by_reranker_and_come_after_settings(
    tmp_path: Path,
) -> None:
    assert read_calibrated(tmp_path, "late-interaction") is None
    write_calibrated(tmp_path, "late-interaction", CHOSEN, cases="c", max_false_answers=0.05)
    other = Thresholds(0.1, 0.2)
    write_calibrated(tmp_path, "some/cross-encoder", other, cases="c", max_false_answers=0.1)
    kept = read_calibrated(tmp_path, "late-interaction")
    assert kept == CHOSEN
    plain = Settings(_env_file=None)
    assert thresholds_for("late-interaction", plain, kept) == CHOSEN
    given = plain.model_copy(update={"min_score": 0.6})
    assert thresholds_for("late-interaction", given, kept).min_score == 0.6
    assert thresholds_for("late-interaction", given, kept).sure_score == 0.77


def test_thresholds_of_another_evidence_are_left_alone(tmp_path: Path) -> None:
    write_calibrated(tmp_path, "late-interaction", CHOSEN, cases="c", max_false_answers=0.05)
    file = tmp_path / "gate.json"
    assert not is_outdated(tmp_path, "late-interaction")
    kept = json.loads(file.read_text())
    kept["late-interaction"]["evidence"] = "fitted 2020-01-01"
    file.write_text(json.dumps(kept))
    assert read_calibrated(tmp_path, "late-interaction") is None
    assert is_outdated(tmp_path, "late-interaction")


def test_a_damaged_file_of_thresholds_is_named(tmp_path: Path) -> None:
    (tmp_path / "gate.json").write_text('{"late-interaction": {"thresholds": {}}}')
    with pytest.raises(SettingsError, match=r"gate\.json cannot be read .* calibrate again"):
        read_calibrated(tmp_path, "late-interaction")


EVIL = "<script>alert('&')</script>"


def test_the_report_needs_nothing_from_elsewhere_and_escapes_all_text() -> None:
    bad = question(1, trial(1, 0.9, text=EVIL), q=EVIL, note=EVIL, kind=EVIL)
    reply = Reply(None, EVIL, (Said(EVIL, ("aaa",)),), invalid=(EVIL,), dropped=(EVIL,))
    missing = question(2, nothing(0.1), gold=(), missing=(EVIL,))
    tried = run(replace(bad, reply=reply), DOG, missing)
    page = report_page(tried, figures_of(tried), compare(tried, tried))
    assert "<script" not in page
    assert page.count("&lt;script&gt;alert('&amp;')&lt;/script&gt;") >= 7
    assert not re.search(r"(?:src|href)=|url\(|@import|https?://", page)
    assert page.count("<details") == page.count("</details>")
    assert "<svg" in page


def test_an_attribute_cannot_be_broken_out_of() -> None:
    assert el("p", "a<b", title='"><i>') == '<p title="&quot;&gt;&lt;i&gt;">a&lt;b</p>'


def test_a_report_of_cases_without_gold_has_no_empty_tables() -> None:
    unjudged = run(question(1, nothing(0.2), answerable=None, gold=()))
    page = report_page(unjudged, figures_of(unjudged))
    assert "<h2>Retrieval</h2>" not in page
    assert "Question by question" in page


def test_figures_are_written_as_people_read_them() -> None:
    assert [number(n) for n in (0.874, 1.0, 0.0, 3.14159, 1234.5, 7)] == [
        ".87", "1.00", ".00", "3.14", "1,234", "7",
    ]  # fmt: skip
    assert [number(n, "+") for n in (0.03, -0.03)] == ["+.03", "-.03"]
    assert (
        figure_text(figures_of(run(*ANSWERABLE)).retrieval["bm25"]["recall@1"]) == ".00 [.00, .00]"
    )


TABLE = "| Sydney | AUD 240 | north |"
DRAFTS = propose(
    [
        Chunk("a", "terms.md", "Terms", 0, 90, "A **release train** is a fixed slot for releases.\n"
              "It is a good thing to have."),
        Chunk("b", "travel.md", "Travel > Hotels", 0, 99,
              "| City | Limit | Area |\n| --- | --- | --- |\n| London | £195 | |\n"),
        Chunk("c", "travel.md", "Travel > Hotels", 99, 140, TABLE,
              (Context(0, 24, "| City | Limit | Area |\n"),)),
        Chunk("d", "faq.md", "FAQ > How do I get a badge?", 0, 40, "Ask the desk for a badge."),
    ],
    20,
)  # fmt: skip


def test_definitions_rows_and_headings_become_questions() -> None:
    asked = {draft.q: (draft.file, draft.span, draft.kind) for draft in DRAFTS}
    definition = "A **release train** is a fixed slot for releases."
    assert asked["What is a release train?"] == ("terms.md", definition, "definition")
    assert asked["Hotels: limit for London?"] == ("travel.md", "| London | £195 | |", "table")
    assert asked["Hotels: limit for Sydney?"] == ("travel.md", TABLE, "table")
    badge = ("faq.md", "Ask the desk for a badge.", "heading")
    assert asked["How do I get a badge?"] == badge
    assert len(asked) == 4
