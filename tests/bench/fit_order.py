"""The tables of the order, and its file: see `fit`."""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

import bot
from bot import rerank
from bot.ranking.evidence import LATE_INTERACTION
from bot.ranking.order import ALONE, FILE, MARKS, SCORES, FittedOrder, fitted_order
from tests.bench.corpus import KEPT, kept_embedder, opened
from tests.bench.evalset import EvalSet, answers
from tests.bench.ordering import (
    CODES_ALONE,
    MEASURES,
    ONE_SET,
    Numbers,
    Pool,
    Sets,
    compared,
    fitted_on,
    left_out_figures,
    left_out_weights,
    measured,
    pool_of,
)
from tests.bench.product import search_all

NAMES = (*SCORES, ALONE, *MARKS)
CANDIDATES = (CODES_ALONE,)
FITTED_ON = ("gds_way", "civicactions", "govuk_dev", "k8s_community", "mtrag_un")
OTHER = ("workarena_kb", "codebase", "trec_cast", "xquad")  # for the order alone
FOUND_BY = ("rerank.py", "retrieve.py", "rewrite.py", "tokens.py", "pipeline.py")
DIGITS = 6


def pools_of(chosen: EvalSet) -> dict[str, list[Pool]]:
    """The pools of the questions that the set answers; xquad is a set for each language."""
    file = KEPT / f"pools-{chosen.name}-{_code()}.json"
    if not file.exists():
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(_search(chosen)), encoding="utf-8")
    sets: dict[str, list[Pool]] = {}
    for label, right, features in json.loads(file.read_text(encoding="utf-8")):
        columns = {name: np.asarray(values, np.float32) for name, values in features.items()}
        sets.setdefault(label, []).append(pool_of(columns, right))
    return sets


def _search(chosen: EvalSet) -> list[tuple[str, list[bool], dict[str, list[float]]]]:
    with kept_embedder(chosen) as embedder, opened(chosen, embedder) as (index, settings):
        searched = search_all(chosen, index, settings, withdraw=False)
    rows = []
    for case in chosen.cases:
        found = searched.of(case)
        if case.answerable is not True or found.parts or not found.hits:
            continue
        label = f"{chosen.name}, {case.kind}" if chosen.name == "xquad" else chosen.name
        right = [answers(case, hit.chunk.doc, hit.chunk.text) for hit in found.hits]
        features = {
            name: [round(hit.features[name], DIGITS) for hit in found.hits]
            for name in found.hits[0].features
        }
        rows.append((label, right, features))
    return rows


def _code() -> str:
    """Names the state of the code that finds; not of the weights, which no feature rests on."""
    root = Path(bot.__path__[0])
    files = [root / name for name in FOUND_BY]
    files += sorted((root / "questions").glob("*.py"))
    files += sorted((root.parent / "ingest").rglob("*.py"))
    text = "".join(file.read_text(encoding="utf-8") for file in files)
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def print_order(sets: Sets) -> None:
    """Each set by weights of the others, beside the weights of the file; then the ablation."""
    now = left_out_figures(sets, NAMES)
    shipped = fitted_order(LATE_INTERACTION).weights
    before = {name: measured(pools, shipped) for name, pools in sets.items()}
    print(f"| order, left out (questions) | {' | '.join(MEASURES)} | less those of the file |")
    print(f"|{'---|' * (len(MEASURES) + 2)}")
    for name, rows in now.items():
        cells = " | ".join(f"{value:.3f}" for value in rows.mean(axis=0))
        star = "*" if name in ONE_SET.values() else ""
        less = _told({name: rows}, {name: before[name]})
        print(f"| {name}{star} ({len(rows)}) | {cells} | {less} |", flush=True)
    cells = " | ".join(f"{np.mean([r.mean(axis=0)[m] for r in now.values()]):.3f}" for m in _all())
    print(f"| mean | {cells} | {_told(now, before)} |")
    for name, alone in ONE_SET.items():
        print(
            f"\n\\* The weight of `{name}` is fitted on {alone} and counted there: no other has it."
        )
    _print_ablation(sets, now)


def _all() -> range:
    return range(len(MEASURES))


def _print_ablation(sets: Sets, now: Mapping[str, Numbers]) -> None:
    """A feature stays where leaving it out costs more than noise, in the mean or on a set."""
    print(f"\n| change to {', '.join(NAMES)} | {', '.join(MEASURES)} | sets beyond noise | goal |")
    print("|---|---|---|---|")
    changes = {f"without {name}": [n for n in NAMES if n != name] for name in NAMES}
    changes |= {f"with {name}": [*NAMES, name] for name in CANDIDATES}
    for label, names in changes.items():
        other = left_out_figures(sets, names)
        beyond = [
            f"{name} {gain.value:+.3f}"
            for name, rows in other.items()
            if (gain := compared({name: rows}, now)[MEASURES[-1]]).low > 0 or gain.high < 0
        ]
        goal = "a loss" if label.startswith("without") else "a gain"
        print(
            f"| {label} | {_told(other, now)} | {', '.join(beyond) or '–'} | {goal} |", flush=True
        )


def _told(new: Mapping[str, Numbers], old: Mapping[str, Numbers]) -> str:
    gains = compared(new, {name: old[name] for name in new}).values()
    return ", ".join(f"{g.value:+.3f} [{g.low:+.3f}, {g.high:+.3f}]" for g in gains)


def write_order(sets: Sets) -> Path:
    made = fitted_on(sets, NAMES, LATE_INTERACTION, datetime.now(UTC).date().isoformat())
    file = Path(bot.__path__[0]) / "ranking" / FILE.format(made.reranker)
    file.write_text(made.model_dump_json(indent=2) + "\n", encoding="utf-8")
    fitted_order.cache_clear()
    return file


def order_sets(chosen: Sequence[EvalSet]) -> Sets:
    return {name: pools for one in chosen for name, pools in pools_of(one).items()}


@contextmanager
def order_left_out(name: str, sets: Sets) -> Iterator[None]:
    """What is searched meanwhile is ordered by weights that were fitted without this set.

    A set of several (xquad: no other shows another language) keeps those of the file.
    """
    shipped = fitted_order(LATE_INTERACTION)
    if name not in sets:
        yield
        return
    weights = left_out_weights(sets, NAMES)[name]
    made = shipped.model_copy(update={"weights": weights})

    def without(_: str) -> FittedOrder:
        return made

    rerank.fitted_order = without
    try:
        yield
    finally:
        rerank.fitted_order = fitted_order
