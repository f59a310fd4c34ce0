"""Retrieval on evaluation sets, beside two baselines and the goals; of evidence see `fit`.

    python -m tests.bench retrieval --eval FOLDER [SET …]

Each set is a folder with `questions.jsonl` and `docs/` or `corpus.jsonl`. A figure is the mean with
its 95 % bootstrap interval. No language model takes part. `ceiling` is what a perfect order of the
product's candidates would give. A goal is followed by what it comes to on the part of the set at
hand, see `goals`. Footnote orders a set by weights that were fitted on the other ones, see `fit`;
xquad alone keeps those of the file, as no other set has another language. The first run embeds
everything; later ones take what was kept.
"""

import argparse
import os
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from bot.evaluate import metrics
from bot.evaluate.cases import Case
from bot.evaluate.metrics import Figure
from bot.evaluate.types import Way
from tests.bench import product
from tests.bench.baselines import Baseline, Plain, Splitter
from tests.bench.corpus import KeptEmbedder, kept_embedder, opened
from tests.bench.evalset import EvalSet, Found, answers, gain_of, load, rank_of, sets_of
from tests.bench.fit_order import FITTED_ON, OTHER, order_left_out, order_sets
from tests.bench.goals import GOALS, Goal
from tests.bench.ordering import Sets
from tests.bench.product import Searched, search_all

PIPELINES = ("splitter", "plain", "footnote", "BM25", "ceiling")


@dataclass
class Table:
    """Figures by measure and pipeline, in the order in which they were first told."""

    name: str
    rows: dict[str, dict[str, Figure]] = field(default_factory=dict)

    def add(self, pipeline: str, measure: str, figure: Figure) -> None:
        self.rows.setdefault(measure, {})[pipeline] = figure

    def ranking(
        self, pipeline: str, label: str, cases: Sequence[Case], found: Sequence[list[Found]]
    ) -> None:
        both = list(zip(cases, found, strict=True))
        ranks = [rank_of(case, ranking) for case, ranking in both]
        for k in (1, 5):
            hits = [metrics.recall(rank, k) for rank in ranks]
            self.add(pipeline, f"recall@{k}{label}", metrics.mean(hits))
        gains = [gain_of(case, ranking) for case, ranking in both]
        self.add(pipeline, f"nDCG@10{label}", metrics.mean(gains))

    def lines(self) -> Iterator[str]:
        """Rows of a Markdown table."""
        values = {(p, m): f.value for m, row in self.rows.items() for p, f in row.items()}
        for measure, row in self.rows.items():
            cells = [told(row[p]) if p in row else "–" for p in PIPELINES]
            ours = row["footnote"].value if "footnote" in row else None
            goal = _goal(GOALS.get((self.name, measure)), values, ours)
            yield f"| {self.name}: {measure} | {' | '.join(cells)} | {goal} |"


def told(figure: Figure) -> str:
    return f"{figure.value:.3f} [{figure.low:.2f}, {figure.high:.2f}]"


def _goal(goal: Goal | None, values: dict[tuple[str, str], float], ours: float | None) -> str:
    if goal is None:
        return "–"
    here = goal.here(values)
    figure = "–" if goal.figure is None else f"{goal.figure:.2f}"
    if here is None or ours is None:
        return f"{figure}, here not known"
    reached = "reached" if ours >= here - 5e-4 else "missed"
    return f"{figure}, here {here:.3f}: {reached}"


def measure(chosen: EvalSet, embedder: KeptEmbedder, sets: Sets) -> Table:
    table = Table(chosen.name)
    with opened(chosen, embedder) as (index, settings), order_left_out(chosen.name, sets):
        searched = search_all(chosen, index, settings, withdraw=False)
    answerable = [case for case in chosen.cases if case.answerable is True]
    single = [c for c in answerable if not c.history or chosen.name != "gds_way"]
    baselines: dict[str, Baseline] = {
        "splitter": Splitter(chosen.docs, embedder),
        "plain": Plain(chosen.docs, embedder),
    }
    kinds = sorted({c.kind for c in single}) if chosen.name == "xquad" else [""]
    for kind in kinds:
        some = [c for c in single if not kind or c.kind == kind]
        _rank(table, some, searched, baselines, f", {kind}" if kind else "")
    if any(case.places for case in single):
        _show(table, chosen, single, searched, baselines)
    return table


def _rank(
    table: Table,
    cases: Sequence[Case],
    searched: Searched,
    baselines: dict[str, Baseline],
    label: str,
) -> None:
    """By passages; follow-ups in every way of asking."""
    follow_ups = any(case.history for case in cases)
    asked = ", follow-ups by rule" if follow_ups else label
    searches = [searched.of(case) for case in cases]
    found = [product.passages(search) for search in searches]
    table.ranking("footnote", asked, cases, found)
    perfect = [_perfect(case, ranking) for case, ranking in zip(cases, found, strict=True)]
    table.ranking("ceiling", asked, cases, perfect)
    table.ranking("BM25", asked, cases, [product.lexical(search) for search in searches])
    for name, baseline in baselines.items():
        if not follow_ups:
            table.ranking(name, label, cases, [baseline.search(c.q).found for c in cases])
            continue
        for way, questions in _ways(cases).items():
            table.ranking(name, way, cases, [baseline.search(q).found for q in questions])
    ways: dict[str, Way] = {", raw turn": "raw", ", hand-written question": "standalone"}
    for named, way in ways.items() if follow_ups else ():
        rankings = [product.passages(searched.of(case, way)) for case in cases]
        if way == "raw" or any(case.standalone for case in cases):
            table.ranking("footnote", named, cases, rankings)


def _perfect(case: Case, ranking: Sequence[Found]) -> list[Found]:
    return sorted(ranking, key=lambda found: not answers(case, found.doc, found.text))


def _ways(cases: Sequence[Case]) -> dict[str, list[str]]:
    ways = {
        ", raw turn": [c.q for c in cases],
        ", previous turn in front": [
            " ".join([*(t.text for t in c.history[-2:-1]), c.q]) for c in cases
        ],
    }
    if any(case.standalone for case in cases):
        ways[", hand-written question"] = [c.standalone or c.q for c in cases]
    return ways


def _show(
    table: Table,
    chosen: EvalSet,
    cases: Sequence[Case],
    searched: Searched,
    baselines: dict[str, Baseline],
) -> None:
    """The deciding line in what is shown of the first hits, at most 1,200 characters each."""
    texts = {doc.name: doc.text for doc in chosen.docs}
    found = {"footnote": [product.shown(searched.of(case), texts) for case in cases]}
    for name, baseline in baselines.items():
        found[name] = [baseline.search(case.q).found for case in cases]
    for k in (1, 5):
        for name, rankings in found.items():
            both = zip(cases, rankings, strict=True)
            hits = [metrics.recall(rank_of(case, ranking), k) for case, ranking in both]
            table.add(name, f"shown@{k}", metrics.mean(hits))


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        prog="python -m tests.bench retrieval", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("--eval", type=Path, required=True, help="the folder of the sets")
    parser.add_argument("sets", nargs="*", help="names of sets; default: all")
    given = parser.parse_args(arguments)
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    print(f"| set, measure | {' | '.join(PIPELINES)} | goal |")
    print(f"|{'---|' * (len(PIPELINES) + 2)}")
    sets = order_sets(sets_of(given.eval, (*FITTED_ON, *OTHER)))
    times: list[str] = []
    for folder in sorted(p.parent for p in given.eval.glob("*/questions.jsonl")):
        if given.sets and folder.name not in given.sets:
            continue
        begun, chosen = time.monotonic(), load(folder)
        with kept_embedder(chosen) as embedder:
            table = measure(chosen, embedder, sets)
        for line in table.lines():
            print(line, flush=True)
        minutes = (time.monotonic() - begun) / 60
        times.append(f"{folder.name} {minutes:.1f} min ({len(chosen.cases)} questions)")
    print(f"\n{', '.join(times)}")


if __name__ == "__main__":
    main()
