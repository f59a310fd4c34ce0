"""Quality does not get worse than recorded by more than its noise: ranks, refusals, verification.

After a change that is meant, `python -m tests.quality` prints what moved and records it.
"""

import asyncio

import pytest

from bot.evaluate import metrics
from bot.evaluate.compare import Change, compare
from ingest.embed import Embedder
from tests.quality.measured import Measured, judge_sentences, measure, recorded

pytestmark = pytest.mark.timeout(600)

HIGHER_IS_BETTER = ("recall@1", "recall@5", "recall@20", "mrr@10", "ndcg@10", "coverage")


@pytest.fixture(scope="module")
def now(embedder: Embedder) -> Measured:
    return asyncio.run(measure(embedder))


@pytest.fixture(scope="module")
def changes(now: Measured) -> dict[str, Change]:
    return dict(compare(now.run, recorded().run).changes)


def test_every_case_names_gold_that_the_handbook_holds(now: Measured) -> None:
    assert [told for question in now.run.questions for told in question.missing] == []


@pytest.mark.parametrize("name", HIGHER_IS_BETTER)
def test_retrieval_and_coverage_are_not_worse(name: str, changes: dict[str, Change]) -> None:
    assert changes[name].verdict != "down", changes[name]


@pytest.mark.parametrize("name", ["false answers (own)"])
def test_unanswerable_questions_do_not_pass_more_often(
    name: str, changes: dict[str, Change]
) -> None:
    assert changes[name].verdict != "up", changes[name]


def test_the_gates_evidence_does_not_tell_less(changes: dict[str, Change]) -> None:
    assert changes["AUROC (own)"].verdict != "down", changes["AUROC (own)"]


def test_verification_agrees_with_people_as_often() -> None:
    then, here = recorded().agreed, judge_sentences()
    both = sorted(then.keys() & here.keys())
    assert len(both) > len(here) / 2, "the sentences are others: record again"
    change = metrics.difference([here[key] for key in both], [then[key] for key in both])
    lost = [key for key in both if then[key] and not here[key]]
    assert change.high >= 0, lost
