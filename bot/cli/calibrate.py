"""`python -m bot calibrate`: the gate's thresholds, chosen on cases and kept in the data folder."""

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.text import Text

from bot.calibration import write_calibrated
from bot.cli.evaluate import showing, with_index
from bot.cli.figures import cell, table
from bot.cli.shared import out, print_json
from bot.evaluate.calibrate import (
    LEAST_COVERAGE,
    LIMITS,
    Effect,
    Evidence,
    Sample,
    effect,
    for_coverage,
    held_out,
    objection,
    within_limit,
)
from bot.evaluate.cases import Case, read_cases
from bot.evaluate.figures import COVERAGES, Unanswerable, is_answerable
from bot.evaluate.session import Wanted, open_index, run_cases
from bot.evaluate.types import Run, Way
from bot.evaluate.words import KINDS, number
from bot.found import Found
from bot.gate import Thresholds
from bot.settings import Settings
from bot.wiring import Parts
from ingest.errors import FootnoteError

Searches = Mapping[tuple[int, Way], Found]


@dataclass(frozen=True, slots=True)
class _Choice:
    """Thresholds for a limit on false answers, and what they do."""

    limit: float
    thresholds: Thresholds
    effect: Effect


def calibrate(
    settings: Settings,
    file: Path,
    corpus: Path | None,
    max_false_answers: float,
    *,
    as_json: bool,
) -> None:
    """Choose, show the trade-off, and keep what was chosen when it is worth keeping.

    Raises:
        FootnoteError: the cases hold nothing answerable that can be withdrawn.
    """
    run, seen = _search(settings, file, corpus)
    sample = _sample(run, seen)
    chosen = _choose(sample, max_false_answers)
    reason = objection(sample, chosen.effect)
    choices = [_choose(sample, limit) for limit in LIMITS]
    unseen = {share: held_out(sample, for_coverage(share)) for share in COVERAGES}
    own = held_out(sample, within_limit(max_false_answers))
    kept = None if reason else _keep(settings, run, file, chosen)
    if as_json:
        verdict = {"kept": kept is not None, "reason": reason, "file": kept and str(kept)}
        print_json(verdict | _json(run, chosen, own=own, choices=choices, unseen=unseen))
        return
    _print_choices(run, sample, choices)
    _print_unseen(sample, {f"at most {max_false_answers:g}": own}, unseen)
    out.print(Text(f"\nChosen: {_told(chosen)}.", style="bold"))
    if reason:
        out.print(Text(f"Nothing was kept, the gate stays as it was: {reason}", style="yellow"))
        out.print(Text(_what_to_do(chosen)))
    else:
        out.print(Text(f"Kept for {run.reranker} in {kept}; settings still come first."))


def _keep(settings: Settings, run: Run, file: Path, chosen: _Choice) -> Path:
    return write_calibrated(
        settings.data,
        run.reranker,
        chosen.thresholds,
        cases=file.name,
        max_false_answers=chosen.limit,
    )


def _what_to_do(chosen: _Choice) -> str:
    more = "Give more cases"
    if chosen.effect.coverage.value < LEAST_COVERAGE:
        more += ", or allow more with --max-false-answers"
    if not chosen.effect.coverage.value:
        return f"{more}."
    t = chosen.thresholds
    values = (
        f"FOOTNOTE_MIN_SCORE={min(t.min_score, 1):.3g}"
        f" FOOTNOTE_SURE_SCORE={min(t.sure_score, 1):.3g}"
    )
    return f"{more}. To have this gate all the same, set {values}."


def _search(settings: Settings, file: Path, corpus: Path | None) -> tuple[Run, Searches]:
    cases = read_cases(file)
    seen: dict[tuple[int, Way], Found] = {}

    def keep(case: Case, way: Way, found: Found) -> None:
        seen[case.line, way] = found

    with showing() as progress, open_index(settings, corpus, progress) as index:

        async def work(parts: Parts) -> Run:
            wanted = Wanted(withdraw=True, probe=False)
            return await run_cases(
                parts, index, file, cases, wanted, progress=progress, on_found=keep
            )

        return with_index(settings, index, work), seen


def _sample(run: Run, seen: Searches) -> Sample:
    """What the gate saw, sorted into what should pass and what should not."""
    sample = Sample()
    for question in run.questions:
        for way in question.trials:
            found = seen[question.line, way]
            evidence = Evidence(question.line, found.standalone, found.hits[: run.top_k])
            if way == "asked" and is_answerable(question):
                sample.answerable.append(evidence)
            elif way == "asked" and question.answerable is False:
                sample.unanswerable.setdefault("own", []).append(evidence)
            elif way in {"page_withdrawn", "passage_withdrawn"}:
                sample.unanswerable.setdefault(way, []).append(evidence)
    if not sample.answerable or not sample.unanswerable:
        raise FootnoteError("To calibrate takes answerable cases that name what answers them.")
    return sample


def _choose(sample: Sample, limit: float) -> _Choice:
    thresholds = within_limit(limit)(sample)
    return _Choice(limit, thresholds, effect(sample, thresholds))


def _heads(sample: Sample) -> tuple[str, ...]:
    kinds = sample.unanswerable.items()
    answered = f"answered ({len(sample.answerable)})"
    return (answered, *(f"{KINDS[kind]} ({len(some)})" for kind, some in kinds))


def _cells(sample: Sample, done: Effect) -> list[Text]:
    return [cell(done.coverage), *(cell(done.false_answers[kind]) for kind in sample.unanswerable)]


def _print_choices(run: Run, sample: Sample, choices: Sequence[_Choice]) -> None:
    title = f"{run.cases}, {run.reranker}: what each limit on false answers costs"
    shown = table(title, "at most", *_heads(sample), "min_score", "sure_score")
    for choice in choices:
        t = choice.thresholds
        thresholds = (f"{t.min_score:.3g}", f"{t.sure_score:.3g}")
        shown.add_row(number(choice.limit), *_cells(sample, choice.effect), *thresholds)
    out.print(shown)


def _print_unseen(
    sample: Sample, own: Mapping[str, Effect], unseen: Mapping[float, Effect]
) -> None:
    title = "Chosen on one half of the cases, counted on the other, both ways"
    shown = table(title, "chosen for", *_heads(sample))
    rows = {**own, **{f"coverage {number(share)}": done for share, done in unseen.items()}}
    for name, done in rows.items():
        shown.add_row(name, *_cells(sample, done))
    out.print(shown)


def _told(choice: _Choice) -> str:
    t = choice.thresholds
    rule = f"evidence {t.sure_score:.2g} to answer, {t.min_score:.2g} for perhaps"
    share = number(choice.effect.coverage.value)
    return f"it takes {rule}; {share} of the answerable questions are answered"


def _json(
    run: Run,
    chosen: _Choice,
    *,
    own: Effect,
    choices: Sequence[_Choice],
    unseen: Mapping[float, Effect],
) -> dict[str, object]:
    return {
        "reranker": run.reranker,
        "chosen": _choice_json(chosen),
        "held_out": _effect_json(own),
        "trade_off": [_choice_json(choice) for choice in choices],
        "held_out_for_coverage": {str(share): _effect_json(e) for share, e in unseen.items()},
    }


def _choice_json(choice: _Choice) -> dict[str, object]:
    t = choice.thresholds
    thresholds = {"min_score": t.min_score, "sure_score": t.sure_score}
    return {"max_false_answers": choice.limit} | thresholds | _effect_json(choice.effect)


def _effect_json(done: Effect) -> dict[str, object]:
    rates: dict[Unanswerable, object] = {
        kind: dataclasses.asdict(figure) for kind, figure in done.false_answers.items()
    }
    return {"coverage": dataclasses.asdict(done.coverage), "false_answers": rates}
