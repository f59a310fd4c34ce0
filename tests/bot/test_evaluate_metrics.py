import math

import pytest

from bot.evaluate import metrics
from bot.evaluate.metrics import Figure


def test_recall_and_reciprocal_rank_count_from_one_and_stop_at_their_depth() -> None:
    assert [metrics.recall(rank, 5) for rank in (1, 5, 6, None)] == [1.0, 1.0, 0.0, 0.0]
    assert [metrics.reciprocal_rank(rank) for rank in (1, 4, 10, 11, None)] == [1, 0.25, 0.1, 0, 0]


def test_ndcg_of_one_right_passage_is_the_discount_of_its_rank() -> None:
    assert metrics.ndcg([True, False, False], 1) == 1.0
    assert metrics.ndcg([False, True, False], 1) == pytest.approx(1 / math.log2(3))
    assert metrics.ndcg([False] * 10 + [True], 1) == 0.0


def test_ndcg_of_two_is_held_against_the_perfect_order_of_both() -> None:
    # (1/log2(2) + 1/log2(4)) / (1/log2(2) + 1/log2(3)) = 1.5 / 1.63093
    assert metrics.ndcg([True, False, True], 2) == pytest.approx(0.919721, abs=1e-6)


def test_alternatives_beyond_what_is_needed_gain_nothing() -> None:
    assert metrics.ndcg([True, True, True], 1) == 1.0


def test_auroc_counts_pairs_and_a_tie_as_half() -> None:
    assert metrics.auroc([0.9, 0.8], [0.1, 0.2]) == 1.0
    assert metrics.auroc([0.1], [0.9]) == 0.0
    # pairs: .9>.5, .9>.1, .5=.5, .5>.1 -> 3.5 of 4
    assert metrics.auroc([0.9, 0.5], [0.5, 0.1]) == 0.875
    assert metrics.auroc([], [0.5]) == 0.5


def test_an_interval_holds_the_mean_is_repeatable_and_has_no_width_without_spread() -> None:
    figure = metrics.mean([1.0] * 30 + [0.0] * 10)
    assert (figure.value, figure.n) == (0.75, 40)
    assert 0.6 <= figure.low <= 0.66
    assert 0.84 <= figure.high <= 0.9
    assert metrics.mean([1.0] * 30 + [0.0] * 10) == figure
    assert metrics.mean([1.0, 1.0]) == Figure(1.0, 1.0, 1.0, 2)


def test_a_figure_over_no_question_has_no_value() -> None:
    assert metrics.mean([]).n == 0
    assert math.isnan(metrics.mean([]).value)


def test_one_question_of_forty_that_changes_is_noise_and_twelve_are_none() -> None:
    old = [0.0] * 40
    assert metrics.is_noise(metrics.difference([1.0] + [0.0] * 39, old))
    assert not metrics.is_noise(metrics.difference([1.0] * 12 + [0.0] * 28, old))


def test_the_paired_interval_is_narrower_than_the_spread_between_questions() -> None:
    old = [0.0, 1.0] * 20
    new = [value + 0.1 for value in old]
    change = metrics.difference(new, old)
    assert change.value == pytest.approx(0.1)
    assert change.high - change.low < 1e-9


def test_the_threshold_for_a_coverage_lets_at_least_that_share_pass() -> None:
    evidence = [0.1 * n for n in range(1, 11)]
    assert metrics.threshold_at(evidence, 0.7) == pytest.approx(0.4)
    assert metrics.share_at_or_above(evidence, 0.4) == 0.7


def test_false_answers_at_a_coverage_are_those_above_its_threshold() -> None:
    figure = metrics.false_answers_at([0.5, 0.6, 0.7, 0.8], [0.1, 0.2, 0.55, 0.9], 0.75)
    assert figure.value == 0.25


def test_risk_rises_as_weaker_questions_are_answered_and_ties_come_together() -> None:
    points = metrics.risk_coverage([0.9, 0.5, 0.5, 0.1], [False, True, False, True])
    assert points == [(0.25, 0.0), (0.75, 1 / 3), (1.0, 0.5)]


def test_a_paired_auroc_difference_is_nothing_between_equal_runs() -> None:
    run = [0.9, 0.6, 0.7], [0.2, 0.65]
    assert metrics.auroc_difference(run, run) == Figure(0.0, 0.0, 0.0, 5)
    worse = [0.2, 0.2, 0.2], [0.2, 0.65]
    assert metrics.auroc_difference(worse, run).value == pytest.approx(0.25 - 5 / 6)
