from bot.gate import Gate, Thresholds, thresholds_for
from bot.settings import Settings
from bot.types import Hit, Verdict
from ingest.types import Chunk

GATE = Gate(Thresholds(min_score=0.35, sure_score=0.8))


def hits(*evidence: float) -> list[Hit]:
    chunk = Chunk("0123456789ab", "a.md", "", 0, 1, "x")
    return [Hit(chunk, score=-n, evidence=e) for n, e in enumerate(evidence)]


def test_without_passages_the_reason_is_that_there_are_none() -> None:
    verdict = GATE.judge("Who?", [])
    assert verdict == Verdict("refused", 0.0, "no_passages")


def test_evidence_decides_the_zone_and_the_thresholds_belong_to_the_better_one() -> None:
    assert GATE.judge("Who?", hits(0.8)) == Verdict("answer", 0.8)
    assert GATE.judge("Who?", hits(0.79, 0.79)) == Verdict("perhaps", 0.79, "weak_evidence")
    assert GATE.judge("Who?", hits(0.35)) == Verdict("perhaps", 0.35, "weak_evidence")
    assert GATE.judge("Who?", hits(0.34)) == Verdict("refused", 0.34, "weak_evidence")


def test_the_evidence_is_that_of_the_best_hit_wherever_it_stands() -> None:
    assert GATE.judge("Who?", hits(0.2, 0.5)).evidence == 0.5


def test_each_reranker_has_its_own_thresholds_and_a_setting_replaces_one() -> None:
    settings = Settings(_env_file=None, min_score=0.9)
    cross = thresholds_for("cross-encoder/any", settings)
    late = thresholds_for("late-interaction", settings)
    assert (cross.min_score, late.min_score) == (0.9, 0.9)
    assert cross.sure_score != late.sure_score


def test_calibrated_thresholds_stand_in_for_the_shipped_ones() -> None:
    own = Thresholds(0.11, 0.22)
    assert thresholds_for("late-interaction", Settings(_env_file=None), own) == own
