"""Order, evidence, zones and what is quoted, fitted on all sets but one and counted on that one.

    python -m tests.bench fit --eval FOLDER [SET …] [--write]

The sample handbook's cases count as a set, `handbook`. Near misses are answerable questions whose
passage alone was withdrawn, and those that people wrote as such (their note says so). Figures are
means over the handbooks, with their 95 % bootstrap intervals; an ablation is what each costs that
is left out. `--write` fits on all sets and writes the files that the program loads; evidence is
then fitted on what the new order finds. What was found for a set is kept until the code that finds
it changes.
"""

import argparse
import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

import bot
from bot.ranking.evidence import FILE
from tests.bench import fit_deciding, fit_order
from tests.bench.corpus import KEPT, kept_embedder, opened
from tests.bench.evalset import EvalSet, sets_of
from tests.bench.fitting import (
    Asked,
    Counted,
    Sample,
    differences,
    figures_of,
    fit,
    intervals,
    left_out,
    means,
)
from tests.bench.product import search_all

CONVERSATIONS = frozenset({"mtrag_un"})  # no handbook: counted, but neither fitted on nor in a mean
FEATURES = ("maxsim", "lead", "words")
CANDIDATES = ("cosine", "codes", "bm25")
GOALS = {
    "AUROC never answered": ">= .82",
    "AUROC near misses": ">= .80",
    "answerable not refused": ">= .98",
    "never answered in answer": "<= .10",
    "calibration error": "<= .08",
}
SHOWN = ("AUROC never answered", "AUROC page withdrawn", "AUROC near misses", "calibration error")
FOUND_BY = (*fit_order.FOUND_BY, "choose.py")


def samples_of(sets: Sequence[EvalSet]) -> dict[str, Sample]:
    return {one.name: _kept(one) for one in sets if one.name not in fit_order.OTHER}


def _kept(chosen: EvalSet) -> Sample:
    file = KEPT / f"fit-{chosen.name}-{_code()}.json"
    if not file.exists():
        file.parent.mkdir(parents=True, exist_ok=True)
        rows = [[one.line, one.group, [dict(hit) for hit in one.hits]] for one in _search(chosen)]
        file.write_text(json.dumps(rows), encoding="utf-8")
    return [
        Asked(line, group, tuple(hits))
        for line, group, hits in json.loads(file.read_text(encoding="utf-8"))
    ]


def _search(chosen: EvalSet) -> list[Asked]:
    with kept_embedder(chosen) as embedder, opened(chosen, embedder) as (index, settings):
        searched = search_all(chosen, index, settings, withdraw=True)
    asked = []
    for question in searched.run.questions:
        for way in question.trials:
            if way == "asked" and question.answerable in (True, False):
                near = question.note.startswith("near miss")
                group = "yes" if question.answerable else "near" if near else "own"
            elif way in {"page_withdrawn", "passage_withdrawn"}:
                group = way
            else:
                continue
            hits = searched.found[question.line, way].hits[: searched.run.top_k]
            asked.append(Asked(question.line, group, tuple(hit.features for hit in hits)))
    return asked


def _code(also: Sequence[str] = ()) -> str:
    """Names the state of the code that finds."""
    root = Path(bot.__path__[0])
    files = [root / name for name in (*FOUND_BY, *also)]
    files += sorted((root / "ranking").glob("order*"))
    files += sorted((root / "questions").glob("*.py"))
    files += sorted((root.parent / "ingest").rglob("*.py"))
    text = "".join(file.read_text(encoding="utf-8") for file in files)
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def handbooks(counted: Mapping[str, Counted]) -> dict[str, Counted]:
    return {name: one for name, one in counted.items() if name not in CONVERSATIONS}


def print_figures(counted: Mapping[str, Counted]) -> None:
    told = intervals(handbooks(counted))
    print(f"| left out | {' | '.join(counted)} | mean of the handbooks | goal |")
    print(f"|{'---|' * (len(counted) + 3)}")
    each = {name: figures_of(one) for name, one in counted.items()}
    for name, figure in told.items():
        cells = [f"{own[name]:.3f}" if name in own else "–" for own in each.values()]
        mean = f"{figure.value:.3f} [{figure.low:.2f}, {figure.high:.2f}]"
        print(f"| {name} | {' | '.join(cells)} | {mean} | {GOALS.get(name, '–')} |", flush=True)


def print_ablation(samples: Mapping[str, Sample], counted: Mapping[str, Counted]) -> None:
    print(f"\n| change to {', '.join(FEATURES)} | {' | '.join(SHOWN)} |")
    print(f"|{'---|' * (len(SHOWN) + 1)}")
    changes = {f"without {name}": [n for n in FEATURES if n != name] for name in FEATURES}
    changes |= {f"with {name}": [*FEATURES, name] for name in CANDIDATES}
    for label, names in changes.items():
        other = left_out(samples, names, CONVERSATIONS)
        gains = differences(handbooks(other), handbooks(counted), SHOWN)
        cells = [
            f"{g.value:+.3f} [{g.low:+.3f}, {g.high:+.3f}]" for g in map(gains.get, SHOWN) if g
        ]
        print(f"| {label} | {' | '.join(cells)} |", flush=True)


def write(samples: Mapping[str, Sample]) -> Path:
    """Fit on all sets and write the file; its figures are those of the sets left out."""
    figures = means(handbooks(left_out(samples, FEATURES, CONVERSATIONS)))
    fitted_on = {name: one for name, one in samples.items() if name not in CONVERSATIONS}
    made = fit(list(fitted_on.values()), FEATURES).model_copy(
        update={
            "made_at": datetime.now(UTC).date().isoformat(),
            "sets": tuple(fitted_on),
            "figures": {name: round(value, 3) for name, value in figures.items()},
        }
    )
    file = Path(bot.__path__[0]) / "ranking" / FILE.format(made.reranker)
    file.write_text(made.model_dump_json(indent=2) + "\n", encoding="utf-8")
    return file


def _order(sets: Sequence[EvalSet], *, write: bool) -> None:
    pools = fit_order.order_sets(sets)
    fit_order.print_order(pools)
    if write:
        print(f"\nwritten: {fit_order.write_order(pools)}")
    print()


def _deciding(sets: Sequence[EvalSet], *, write: bool) -> None:
    code = _code(fit_deciding.READ_BY)
    names = {one.name: one for one in sets if one.name in fit_deciding.SETS}
    questions = {name: fit_deciding.questions_of(one, code) for name, one in names.items()}
    fit_deciding.print_figures(questions)
    fit_deciding.print_ablation(questions)
    if write:
        print(f"\nwritten: {fit_deciding.write(questions)}")


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        prog="python -m tests.bench fit", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("--eval", type=Path, help="the folder of the sets; else the sample alone")
    parser.add_argument("--figures", action="store_true", help="print evidence's figures alone")
    parser.add_argument("--write", action="store_true", help="write the files the program loads")
    parser.add_argument("sets", nargs="*", help="names of sets; default: all of the README")
    given = parser.parse_args(arguments)
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    sets = sets_of(given.eval, given.sets or (*fit_order.FITTED_ON, *fit_order.OTHER))
    if not given.figures:
        _order(sets, write=given.write)
    samples = samples_of(sets)
    counted = left_out(samples, FEATURES, CONVERSATIONS)
    print_figures(counted)
    if not given.figures:
        print_ablation(samples, counted)
    if given.write:
        print(f"\nwritten: {write(samples)}")
    if not given.figures:
        _deciding(sets, write=given.write)


if __name__ == "__main__":
    main()
