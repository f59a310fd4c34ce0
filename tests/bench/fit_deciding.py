"""What decides in the passages, fitted on all sets but one and counted on that one, each in turn.

A question counts where it is answerable and its spans stand in the documents. A choice is right
where a unit of it overlaps one of them. Part of `python -m tests.bench fit`.
"""

import json
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

import bot
from bot.choices import Choice, choices
from bot.evaluate.cases import Case
from bot.evaluate.metrics import Figure
from bot.extract import ExtractiveGenerator, likeliest_choices
from bot.ranking.deciding import FEATURES, FILE, Deciding
from ingest.types import Chunk
from tests.bench.corpus import KEPT, kept_embedder, opened
from tests.bench.evalset import EvalSet
from tests.bench.product import search_all

Numbers = NDArray[np.float64]

SETS = ("handbook", "gds_way", "civicactions", "govuk_dev", "k8s_community")
READ_BY = ("choices.py", "extract.py", "reading/units.py")
PENALTY = 0.01  # on squared weights of standardised features; 0.001 to 0.03 are alike
RESAMPLES, SEED = 400, 7


@dataclass(frozen=True)
class Question:
    """Of each choice its passage (from 0), whether it is right, and its features.

    `holds` says of each passage whether a span stands in it.
    """

    passage: tuple[int, ...]
    right: tuple[bool, ...]
    features: tuple[tuple[float, ...], ...]
    holds: tuple[bool, ...]

    def matrix(self, names: Sequence[str]) -> Numbers:
        at = [FEATURES.index(name) for name in names]
        return np.asarray(self.features, np.float64)[:, at]


Questions = Sequence[Question]


def questions_of(chosen: EvalSet, code: str) -> list[Question]:
    file = KEPT / f"fit-deciding-{chosen.name}-{code}.json"
    if not file.exists():
        file.parent.mkdir(parents=True, exist_ok=True)
        rows = [[q.passage, q.right, q.features, q.holds] for q in _read(chosen)]
        file.write_text(json.dumps(rows), encoding="utf-8")
    return [
        Question(tuple(passage), tuple(right), tuple(map(tuple, features)), tuple(holds))
        for passage, right, features, holds in json.loads(file.read_text(encoding="utf-8"))
    ]


def _read(chosen: EvalSet) -> list[Question]:
    with kept_embedder(chosen) as embedder, opened(chosen, embedder) as (index, settings):
        searched = search_all(chosen, index, settings, withdraw=False)
    with ThreadPoolExecutor(1) as pool:
        quoter = ExtractiveGenerator(embedder, pool)
        every = []
        for case in chosen.cases:
            if case.answerable is True and case.places:
                found = searched.of(case)
                every.append(question(quoter, case, found.standalone, [*found.passages.values()]))
    return [one for one in every if one]


def question(
    quoter: ExtractiveGenerator, case: Case, asked: str, passages: Sequence[Chunk]
) -> Question | None:
    found = [choice for chunk in passages for choice in choices(chunk)]
    if not found:
        return None
    (features,) = quoter.features([asked], passages, found)
    at = {chunk.id: i for i, chunk in enumerate(passages)}
    return Question(
        tuple(at[choice.chunk.id] for choice in found),
        tuple(_is_right(choice, case) for choice in found),
        tuple(tuple(round(float(x), 4) for x in row) for row in features),
        tuple(bool(_spans(chunk, case)) for chunk in passages),
    )


def _spans(chunk: Chunk, case: Case) -> list[tuple[int, int]]:
    spans = [s for place in case.places if place.doc == chunk.doc for s in place.spans]
    begun = [(chunk.start + chunk.text.find(s), len(s)) for s in spans if s in chunk.text]
    return [(start, start + length) for start, length in begun]


def _is_right(choice: Choice, case: Case) -> bool:
    spans = _spans(choice.chunk, case)
    return any(u.start < end and start < u.end for u in choice.body for start, end in spans)


def fit(sets: Sequence[Questions], names: Sequence[str]) -> Deciding:
    """The weights for these sets, each of which weighs the same: a conditional logit."""
    rows = [
        (q.matrix(names), np.asarray(q.right), 1 / (len(sets) * len(questions)))
        for questions in sets
        for q in questions
        if any(q.right)
    ]
    spread = np.concatenate([x for x, _, _ in rows]).std(axis=0) + 1e-9

    def loss(weights: Numbers) -> tuple[float, Numbers]:
        total, slope = PENALTY * float(weights @ weights), 2 * PENALTY * weights
        for x, right, share in rows:
            scores = (x / spread) @ weights
            odds = np.exp(scores - scores.max())
            p = odds / odds.sum()
            held = p[right].sum()
            total -= share * float(np.log(held + 1e-12))
            slope -= share * ((np.where(right, p / held, 0.0) - p) @ (x / spread))
        return total, slope

    best = minimize(loss, np.zeros(len(names)), jac=True, method="L-BFGS-B").x / spread
    weights = {name: round(float(w), 4) for name, w in zip(names, best, strict=True)}
    return Deciding(made_at="", sets=(), weights=weights, figures={})


FIGURES = (
    "quoted unit is right",
    "first passage holds it",
    "quoted passages hold it",
    "passages quoted",
)


def counted(weights: Deciding, questions: Questions) -> Numbers:
    """Shape (questions, figures), in the order of `FIGURES`."""
    rows = []
    for q in questions:
        shares = weights.probabilities(q.matrix(list(weights.weights)))
        shown = likeliest_choices([str(at) for at in q.passage], shares)
        held = [q.holds[q.passage[i]] for i in shown]
        rows.append([q.right[shown[0]], held[0], any(held), len(shown)])
    return np.asarray(rows, np.float64)


def left_out(sets: Mapping[str, Questions], names: Sequence[str]) -> dict[str, Numbers]:
    """Each set counted with weights that were fitted on the others."""
    return {
        name: counted(fit([s for key, s in sets.items() if key != name], names), questions)
        for name, questions in sets.items()
    }


def _means(each: Mapping[str, Numbers]) -> Numbers:
    means: Numbers = np.mean([rows.mean(axis=0) for rows in each.values()], axis=0)
    return means


def _drawn(each: Mapping[str, Numbers], rng: np.random.Generator) -> dict[str, Numbers]:
    return {name: r[rng.integers(0, len(r), len(r))] for name, r in each.items()}


def intervals(each: Mapping[str, Numbers]) -> list[Figure]:
    """The means over the sets with their 95 % bootstrap intervals over questions."""
    rng = np.random.default_rng(SEED)
    draws = np.array([_means(_drawn(each, rng)) for _ in range(RESAMPLES)])
    low, high = np.quantile(draws, [0.025, 0.975], axis=0)
    values = zip(_means(each), low, high, strict=True)
    return [Figure(float(v), float(a), float(b), RESAMPLES) for v, a, b in values]


def differences(new: Mapping[str, Numbers], old: Mapping[str, Numbers]) -> list[Figure]:
    """The means of new less those of old, over the same questions drawn together."""
    return intervals({name: rows - old[name] for name, rows in new.items()})


def print_figures(sets: Mapping[str, Questions]) -> None:
    each = left_out(sets, FEATURES)
    print(f"\n| quoted without a model, left out | {' | '.join(each)} | mean |")
    print(f"|{'---|' * (len(each) + 2)}")
    for at, figure in enumerate(intervals(each)):
        cells = [f"{rows[:, at].mean():.3f}" for rows in each.values()]
        mean = f"{figure.value:.3f} [{figure.low:.2f}, {figure.high:.2f}]"
        print(f"| {FIGURES[at]} | {' | '.join(cells)} | {mean} |", flush=True)


def print_ablation(sets: Mapping[str, Questions]) -> None:
    print(f"\n| change to {', '.join(FEATURES)} | {' | '.join(FIGURES)} |")
    print(f"|{'---|' * (len(FIGURES) + 1)}")
    whole = left_out(sets, FEATURES)
    for name in FEATURES:
        other = left_out(sets, [n for n in FEATURES if n != name])
        gains = [f"{g.value:+.3f} [{g.low:+.3f}, {g.high:+.3f}]" for g in differences(other, whole)]
        print(f"| without {name} | {' | '.join(gains)} |", flush=True)


def write(sets: Mapping[str, Questions]) -> Path:
    """Fit on all sets and write the file; its figures are those of the sets left out."""
    told = zip(FIGURES, _means(left_out(sets, FEATURES)), strict=True)
    made = fit(list(sets.values()), FEATURES).model_copy(
        update={
            "made_at": datetime.now(UTC).date().isoformat(),
            "sets": tuple(sets),
            "figures": {name: round(float(value), 3) for name, value in told},
        }
    )
    file = Path(bot.__path__[0]) / "ranking" / FILE
    file.write_text(made.model_dump_json(indent=2) + "\n", encoding="utf-8")
    return file
