"""Sentences that a language model wrote from passages, and how many of them are dropped, by rule.

They stand outside of the project, in a folder like the other sets to measure with: a line has
`set`, `question`, `cited` (`file` or `heading`, and `text`), `sentence`, `true` and `kind`.
"""

import json
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel, ConfigDict
from rich.console import Console
from rich.table import Table

from bot.checks.claims import contradiction
from bot.checks.exact import exact_fault
from bot.cli.verify import Cited
from bot.evaluate.metrics import mean
from bot.reading.markers import without_markers
from bot.reading.statements import statements

FILE = Path("sentences") / "sentences.jsonl"
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
    """A sentence and the rule that drops it, or ""."""

    line: Line
    rule: str
    detail: str


def hold(line: Line, *, exact: bool) -> Held:
    """Hold a sentence as the product does, without entailment; `exact` leaves the rules out."""
    passages = [cited.chunk(number) for number, cited in enumerate(line.cited, start=1)]
    text = without_markers(line.sentence, "\n".join(p.visible for p in passages))
    fault = exact_fault(text, passages, line.question)
    if fault is None and not exact:
        fault = contradiction(text, [said for p in passages for said in statements(p)])
    return Held(line, *(fault or ("", "")))


def print_natural(console: Console, folder: Path, *, exact: bool, every: bool) -> None:
    """Shares of true sentences dropped and false ones caught, by set and rule and by kind.

    With `every` also each true sentence that is dropped.
    """
    written = (folder / FILE).read_text("utf-8").splitlines()
    held = [hold(Line.model_validate(json.loads(line)), exact=exact) for line in written]
    sets = sorted({h.line.set for h in held})
    rules = sorted({h.rule for h in held} - {""})
    shown = Table(
        "set", f"true dropped (goal {DROPPED_GOAL})", f"false caught ({CAUGHT_GOAL})", *rules
    )
    for name in [*sets, "all"]:
        own = [h for h in held if name in (h.line.set, "all")]
        shares = [
            mean([float(bool(h.rule)) for h in own if h.line.true is t]) for t in (True, False)
        ]
        by_rule = Counter((h.rule, h.line.true) for h in own)
        counts = [f"{by_rule[rule, True]} / {by_rule[rule, False]}" for rule in rules]
        cells = [f"{s.value:.3f} [{s.low:.2f}, {s.high:.2f}]" for s in shares]
        shown.add_row(name, *cells, *counts)
    console.print(shown)
    kinds = Table("kind", "true dropped", "false caught")
    for kind in sorted({h.line.kind for h in held}):
        cells = []
        for truth in (True, False):
            own = [h for h in held if (h.line.kind, h.line.true) == (kind, truth)]
            cells.append(f"{sum(bool(h.rule) for h in own)}/{len(own)}")
        kinds.add_row(kind, *cells)
    console.print(kinds)
    for h in held:
        if every and h.line.true and h.rule:
            console.print(f"{h.rule}: {h.detail}\n  {h.line.sentence}", markup=False)
