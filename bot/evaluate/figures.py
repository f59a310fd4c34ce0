"""A run to its figures: retrieval by stage, follow-ups, refusals, answers."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from bot.evaluate import metrics
from bot.evaluate.metrics import Figure
from bot.evaluate.types import STAGES, Place, Question, Run, Spent, Stage, Trial, Way

Measure = Literal["recall@1", "recall@5", "recall@20", "mrr@10", "ndcg@10"]
MEASURES: Mapping[Measure, Callable[[Place], float]] = {
    "recall@1": lambda place: metrics.recall(place.rank, 1),
    "recall@5": lambda place: metrics.recall(place.rank, 5),
    "recall@20": lambda place: metrics.recall(place.rank, 20),
    "mrr@10": lambda place: metrics.reciprocal_rank(place.rank, 10),
    "ndcg@10": lambda place: place.ndcg,
}
Row = Mapping[Measure, Figure]

# The questions that nothing answers: those that people wrote, and those made by withdrawing.
Unanswerable = Literal["own", "page_withdrawn", "passage_withdrawn"]
UNANSWERABLE: tuple[Unanswerable, ...] = ("own", "page_withdrawn", "passage_withdrawn")
COVERAGES = (0.7, 0.8, 0.9)


@dataclass(frozen=True, slots=True)
class Refusals:
    """How well the gate tells questions that nothing answers from answerable ones.

    `false_answers` is the share of unanswerable questions that pass, `recall` the share that is
    refused, `precision` the share of refusals that are right, `false_at` the share that would pass
    if a threshold on the evidence let that share of the answerable ones pass. `curve` has points
    (coverage, risk); a question is answered wrongly when nothing answers it, or when none of the
    passages that the answer is made from is right.
    """

    unanswerable: int
    false_answers: Figure
    recall: Figure
    precision: Figure
    auroc: Figure
    false_at: Mapping[float, Figure]
    curve: tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True)
class Answers:
    """What was written. Shares of sentences or of answers; `tokens_*` are those of an answer.

    `faithful` is the share of sentences that the judge upholds: the `unjudged` ones, on which it
    gave no verdict, are not.
    """

    answered: int
    abstained: Mapping[str, int]
    answered_unanswerable: Figure
    sentences_cited: Figure
    invalid_citations: int
    dropped: Mapping[str, int]
    faithful: Figure
    unjudged: int
    cites_gold: Figure
    holds_value: Figure
    citations_each: Figure
    seconds_each: Figure
    tokens_read_each: Figure
    tokens_written_each: Figure
    cost_each: Figure


Fate = Literal["not found", "ranked too low", "refused", "passed"]
FATES: tuple[Fate, ...] = ("passed", "refused", "ranked too low", "not found")


@dataclass(frozen=True, slots=True)
class Figures:
    """All figures of a run. A part is empty or None where the cases do not measure it.

    `fates` says which stage lost the answers of how many answerable questions.
    """

    retrieval: Mapping[Stage, Row] = field(default_factory=dict)
    kinds: Mapping[str, Row] = field(default_factory=dict)
    follow_ups: Mapping[str, Row] = field(default_factory=dict)
    fates: Mapping[Fate, int] = field(default_factory=dict)
    coverage: Figure | None = None
    refusals: Mapping[Unanswerable, Refusals] = field(default_factory=dict)
    answers: Answers | None = None


def figures_of(run: Run) -> Figures:
    """Make the figures of a run."""
    placed = [q for q in run.questions if q.trials["asked"].places]
    kinds = dict.fromkeys(q.kind for q in placed if q.kind)
    answerable = [q.trials["asked"] for q in run.questions if is_answerable(q)]
    return Figures(
        retrieval={stage: row(_places(placed, "asked", stage)) for stage in STAGES}
        if placed
        else {},
        kinds={
            kind: row(_places([q for q in placed if q.kind == kind], "asked", "reranked"))
            for kind in (kinds if len(kinds) > 1 else ())
        },
        follow_ups=_follow_ups(placed),
        fates=Counter(fate_of(q, run.top_k) for q in placed if q.answerable is True),
        coverage=metrics.mean([t.passed for t in answerable]) if answerable else None,
        refusals=_refusals(run),
        answers=_answers(run),
    )


def row(places: Sequence[Place]) -> Row:
    """Every measure over some questions."""
    return {name: metrics.mean([of(place) for place in places]) for name, of in MEASURES.items()}


def is_answerable(question: Question) -> bool:
    """Whether it counts as answerable: judged so, and what answers it still exists."""
    if question.answerable is not True:
        return False
    return bool(question.gold or question.unreachable or not question.missing)


def unanswerable(question: Question, kind: Unanswerable) -> Trial | None:
    """The trial of a question that ought to be refused, for want of an answer of that kind."""
    if kind == "own":
        return question.trials["asked"] if question.answerable is False else None
    return question.trials.get(kind)


def _places(questions: Iterable[Question], way: Way, stage: Stage) -> list[Place]:
    return [q.trials[way].places[stage] for q in questions if way in q.trials]


def _follow_ups(placed: Sequence[Question]) -> dict[str, Row]:
    """The follow-ups that have all three, so that the rows are of the same questions."""
    turns = [q for q in placed if q.follow_up and "standalone" in q.trials]
    if not turns:
        return {}
    ways: dict[str, Way] = {"raw turn": "raw", "rewrite": "asked", "hand-written": "standalone"}
    return {name: row(_places(turns, way, "reranked")) for name, way in ways.items()}


def _refusals(run: Run) -> dict[Unanswerable, Refusals]:
    answerable = [q for q in run.questions if is_answerable(q)]
    if not answerable:
        return {}
    passed = [q.trials["asked"] for q in answerable]
    wrong = [is_lost(q, run.top_k) for q in answerable]
    return {
        kind: _refusals_of(passed, wrong, trials)
        for kind in UNANSWERABLE
        if (trials := [t for q in run.questions if (t := unanswerable(q, kind))])
    }


def is_lost(question: Question, top_k: int) -> bool:
    """Whether no right passage is among those that the answer is made from."""
    place = question.trials["asked"].places.get("shown")
    return place is not None and not metrics.recall(place.rank, top_k)


def fate_of(question: Question, top_k: int) -> Fate:
    """The first stage that lost the answer, or `passed`."""
    trial = question.trials["asked"]
    if trial.places["union"].rank is None:
        return "not found"
    if is_lost(question, top_k):
        return "ranked too low"
    return "passed" if trial.passed else "refused"


def _refusals_of(
    answerable: Sequence[Trial], wrong: Sequence[bool], unanswered: Sequence[Trial]
) -> Refusals:
    good = [trial.evidence for trial in answerable]
    bad = [trial.evidence for trial in unanswered]
    refused = [False for t in answerable if not t.passed] + [
        True for t in unanswered if not t.passed
    ]
    return Refusals(
        unanswerable=len(unanswered),
        false_answers=metrics.mean([trial.passed for trial in unanswered]),
        recall=metrics.mean([not trial.passed for trial in unanswered]),
        precision=metrics.mean(refused),
        auroc=metrics.auroc_figure(good, bad),
        false_at={share: metrics.false_answers_at(good, bad, share) for share in COVERAGES},
        curve=tuple(metrics.risk_coverage([*good, *bad], [*wrong, *(True for _ in bad)])),
    )


def _answers(run: Run) -> Answers | None:
    replies = [(q, q.reply) for q in run.questions if q.reply is not None]
    if not replies:
        return None
    answered = [reply for _, reply in replies if reply.abstained is None]
    said = [sentence for reply in answered for sentence in reply.sentences]
    judged = [s.faithful for s in said if s.faithful is not None]
    return Answers(
        answered=len(answered),
        abstained=Counter(r.abstained for _, r in replies if r.abstained is not None),
        answered_unanswerable=metrics.mean(
            [r.abstained is None for q, r in replies if q.answerable is False]
        ),
        sentences_cited=metrics.mean([bool(s.cited) for s in said]),
        invalid_citations=sum(len(r.invalid) for r in answered),
        dropped=Counter(rule for _, r in replies for rule in r.dropped),
        faithful=metrics.mean(judged),
        unjudged=sum(reply.unjudged for reply in answered),
        cites_gold=metrics.mean([r.cites_gold for r in answered if r.cites_gold is not None]),
        holds_value=metrics.mean([r.holds_value for r in answered if r.holds_value is not None]),
        citations_each=metrics.mean([r.citations for r in answered]),
        seconds_each=metrics.mean([r.seconds for r in answered]),
        tokens_read_each=metrics.mean([r.spent.read for r in answered]),
        tokens_written_each=metrics.mean([r.spent.written for r in answered]),
        cost_each=metrics.mean([_cost(r.spent, run.prices) for r in answered if run.prices]),
    )


def _cost(spent: Spent, prices: tuple[float, float]) -> float:
    return (spent.read * prices[0] + spent.written * prices[1]) / 1_000_000
