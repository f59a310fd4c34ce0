"""Sentences that a language model wrote from passages, and how many of them are dropped, by rule.

They stand outside of the project, in a folder like the other sets to measure with: a line has
`set`, `question`, `cited` (`file` or `heading`, and `text`), `sentence`, `true` and `kind`. Beside
them the half of our own sentences that no rule was made from.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel, ConfigDict
from rich.console import Console
from rich.table import Table

from bot.checks.claims import contradictions
from bot.checks.exact import exact_faults
from bot.cli.verify import Cited
from bot.evaluate.metrics import mean
from bot.reading.markers import without_markers
from bot.reading.statements import statements
from tests.quality import agreement

FILE = Path("sentences") / "sentences.jsonl"
HELD_OUT = "held-out"
DROPPED_GOAL, CAUGHT_GOAL = 0.02, 0.30


class Line(BaseModel):
    """One judged sentence."""

    model_config = ConfigDict(frozen=True)

    set: str
    question: str
    cited: tuple[Cited, ...]
    sentence: str
    true: bool
    kind: str


@dataclass(frozen=True, slots=True)
class Held:
    """A sentence and the rules that it breaks, each with what it missed."""

    line: Line
    broken: dict[str, str]


def hold(line: Line, *, exact: bool) -> Held:
    """Hold a sentence as the product does, without entailment; `exact` leaves the rules out."""
    passages = [cited.chunk(number) for number, cited in enumerate(line.cited, start=1)]
    text = without_markers(line.sentence, "\n".join(p.visible for p in passages))
    broken = dict(exact_faults(text, passages, line.question))
    if not exact:
        said = [statement for passage in passages for statement in statements(passage)]
        broken = dict(contradictions(text, said)) | broken
    return Held(line, broken)


def _lines(folder: Path) -> list[Line]:
    written = (folder / FILE).read_text("utf-8").splitlines()
    return [Line.model_validate(json.loads(line)) for line in written]


def _held_out() -> list[Line]:
    """Our own sentences of that half, each with all that it cites."""
    own = map(agreement.Line.model_validate_json, agreement.BLIND.read_text("utf-8").splitlines())
    return [
        Line(
            set=HELD_OUT,
            question="",
            cited=tuple(Cited(heading=j.heading, text=text) for text in (j.span, *j.also)),
            sentence=j.sentence,
            true=j.supported,
            kind=j.kind,
        )
        for j in own
        if j.split == HELD_OUT
    ]


def print_natural(console: Console, folder: Path, *, exact: bool, every: bool) -> None:
    """Shares of true sentences dropped and false ones caught, by set, by rule and by kind.

    With `every` also each true sentence that is dropped.
    """
    held = [hold(line, exact=exact) for line in (*_lines(folder), *_held_out())]
    natural = [h for h in held if h.line.set != HELD_OUT]
    sets = sorted({h.line.set for h in natural})
    groups = {name: [h for h in held if h.line.set == name] for name in (*sets, HELD_OUT)}
    groups = {"natural": natural, **groups}
    shown = Table("set", f"true dropped (goal {DROPPED_GOAL})", f"false caught ({CAUGHT_GOAL})")
    for name, own in groups.items():
        cells = (_share([bool(h.broken) for h in own if h.line.true is t]) for t in (True, False))
        shown.add_row(name, *cells)
    console.print(shown)
    _print_rules(console, groups)
    _print_kinds(console, natural)
    for h in held:
        if every and h.line.true and h.broken:
            console.print(f"{h.broken}\n  {h.line.sentence}", markup=False)


def _print_rules(console: Console, groups: dict[str, list[Held]]) -> None:
    """What each rule alone drops and catches: what would be otherwise without it."""
    for name, own in groups.items():
        shown = Table(f"{name}: by this rule alone", "true dropped", "false caught")
        for rule in sorted({rule for h in own for rule in h.broken}):
            alone = [(h.line.true, list(h.broken) == [rule]) for h in own]
            cells = (_share([hit for true, hit in alone if true is t]) for t in (True, False))
            shown.add_row(rule, *cells)
        console.print(shown)


def _print_kinds(console: Console, held: Sequence[Held]) -> None:
    kinds = Table("kind", "true dropped", "false caught")
    for kind in sorted({h.line.kind for h in held}):
        cells = []
        for truth in (True, False):
            own = [h for h in held if (h.line.kind, h.line.true) == (kind, truth)]
            cells.append(f"{sum(bool(h.broken) for h in own)}/{len(own)}")
        kinds.add_row(kind, *cells)
    console.print(kinds)


def _share(hits: Sequence[bool]) -> str:
    share = mean([float(hit) for hit in hits])
    return f"{sum(hits)}/{len(hits)} {share.value:.3f} [{share.low:.2f}, {share.high:.2f}]"
