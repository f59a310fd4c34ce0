"""Two runs of the same cases, question by question."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bot.evaluate import metrics
from bot.evaluate.figures import MEASURES, UNANSWERABLE, is_answerable, unanswerable
from bot.evaluate.metrics import Figure
from bot.evaluate.types import Question, Run, Stage, Trial

Pair = tuple[Question, Question]  # new, old


@dataclass(frozen=True, slots=True)
class Change:
    """A figure in both runs over the questions that both have, and the difference, new - old."""

    old: float
    new: float
    difference: Figure

    @property
    def verdict(self) -> str:
        """`up`, `down`, `same`, or `noise` when the interval holds 0."""
        if self.old == self.new:
            return "same"
        if metrics.is_noise(self.difference):
            return "noise"
        return "up" if self.new > self.old else "down"


@dataclass(frozen=True, slots=True)
class Moved:
    """A question whose right passage stands elsewhere, or which the gate judges otherwise."""

    line: int
    q: str
    old_rank: int | None
    new_rank: int | None
    old_passed: bool
    new_passed: bool


@dataclass(frozen=True, slots=True)
class Comparison:
    """What changed. `alone` counts questions that only one of the runs has."""

    old: str
    changes: Mapping[str, Change]
    moved: tuple[Moved, ...]
    alone: int


def compare(new: Run, old: Run) -> Comparison:
    """Compare two runs over the questions that both have."""
    by_key = _keyed(old.questions)
    fresh = _keyed(new.questions)
    pairs = [(question, by_key[key]) for key, question in fresh.items() if key in by_key]
    return Comparison(
        old=f"{old.cases}, {old.made_at}",
        changes={**_retrieval(pairs), **_gate(pairs)},
        moved=tuple(m for pair in pairs if (m := _moved(*pair)) is not None),
        alone=len(by_key) + len(fresh) - 2 * len(pairs),
    )


def _keyed(questions: Sequence[Question]) -> dict[tuple[str, int], Question]:
    """By the question, and the how-manieth of its kind it is: lines shift when a file is edited."""
    seen: Counter[str] = Counter()
    keyed = {}
    for question in questions:
        keyed[question.q, seen[question.q]] = question
        seen[question.q] += 1
    return keyed


def _retrieval(pairs: Sequence[Pair]) -> dict[str, Change]:
    changes = {}
    stages: dict[Stage, str] = {"reranked": "", "shown": "shown "}
    for stage, prefix in stages.items():
        places = [[one.trials["asked"].places.get(stage) for one in pair] for pair in pairs]
        both = [(now, then) for now, then in places if now and then]
        for name, of in MEASURES.items():
            if both:
                new, old = [of(now) for now, _ in both], [of(then) for _, then in both]
                changes[prefix + name] = _change(new, old)
    return changes


def _gate(pairs: Sequence[Pair]) -> dict[str, Change]:
    good = [
        (n.trials["asked"], o.trials["asked"])
        for n, o in pairs
        if is_answerable(n) and is_answerable(o)
    ]
    if not good:
        return {}
    changes = {"coverage": _passed(good)}
    for kind in UNANSWERABLE:
        both = [(unanswerable(n, kind), unanswerable(o, kind)) for n, o in pairs]
        bad = [(n, o) for n, o in both if n and o]
        if bad:
            name = kind.replace("_", " ")
            changes[f"false answers ({name})"] = _passed(bad)
            changes[f"AUROC ({name})"] = _auroc(good, bad)
    return changes


def _passed(trials: Sequence[tuple[Trial, Trial]]) -> Change:
    return _change([n.passed for n, _ in trials], [o.passed for _, o in trials])


def _auroc(good: Sequence[tuple[Trial, Trial]], bad: Sequence[tuple[Trial, Trial]]) -> Change:
    new = [n.evidence for n, _ in good], [n.evidence for n, _ in bad]
    old = [o.evidence for _, o in good], [o.evidence for _, o in bad]
    difference = metrics.auroc_difference(new, old)
    return Change(metrics.auroc(*old), metrics.auroc(*new), difference)


def _change(new: Sequence[float], old: Sequence[float]) -> Change:
    return Change(sum(old) / len(old), sum(new) / len(new), metrics.difference(new, old))


def _moved(new: Question, old: Question) -> Moved | None:
    now, then = new.trials["asked"], old.trials["asked"]
    moved = Moved(new.line, new.q, _rank(then), _rank(now), then.passed, now.passed)
    same = (moved.old_rank, moved.old_passed) == (moved.new_rank, moved.new_passed)
    return None if same else moved


def _rank(trial: Trial) -> int | None:
    place = trial.places.get("reranked")
    return place.rank if place else None
