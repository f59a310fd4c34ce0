from bot.gate import Gate, Thresholds, thresholds_for
from bot.settings import Settings
from bot.types import Hit, Verdict
from ingest.types import Chunk

GATE = Gate(Thresholds(min_score=0.35, min_hits=2, sure_score=0.8))


def hits(*evidence: float) -> list[Hit]:
    chunk = Chunk("0123456789ab", "a.md", "", 0, 1, "x")
    return [Hit(chunk, score=-n, evidence=e) for n, e in enumerate(evidence)]


def test_without_passages_the_reason_is_that_there_are_none() -> None:
    verdict = GATE.judge("Who?", [])
    assert verdict == Verdict("refused", 0.0, "no_passages")


def test_one_weak_hit_is_the_shape_of_a_question_that_is_not_covered() -> None:
    verdict = GATE.judge("Who?", hits(0.6, 0.1, 0.1))
    assert (verdict.zone, verdict.reason) == ("perhaps", "weak_evidence")


def test_evidence_far_under_what_is_needed_is_refused() -> None:
    assert GATE.judge("Who?", hits(0.05)) == Verdict("refused", 0.05, "weak_evidence")


def test_two_hits_over_the_threshold_pass_and_so_does_one_sure_one() -> None:
    assert GATE.judge("Who?", hits(0.4, 0.35)) == Verdict("answer", 0.4)
    assert GATE.judge("Who?", hits(0.8)) == Verdict("answer", 0.8)


def test_the_evidence_is_that_of_the_best_hit_wherever_it_stands() -> None:
    assert GATE.judge("Who?", hits(0.2, 0.5)).evidence == 0.5


def test_each_reranker_has_its_own_thresholds_and_a_setting_replaces_one() -> None:
    settings = Settings(_env_file=None, min_score=0.9)
    cross = thresholds_for("cross-encoder/any", settings)
    late = thresholds_for("late-interaction", settings)
    assert (cross.min_score, late.min_score) == (0.9, 0.9)
    assert cross.sure_score != late.sure_score


def test_calibrated_thresholds_stand_in_for_the_shipped_ones() -> None:
    own = Thresholds(0.11, 1, 0.22)
    assert thresholds_for("late-interaction", Settings(_env_file=None), own) == own
