"""Tables of a passage, pipe tables and HTML alike, with merged and blank cells filled in. Pure."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from bot.reading.units import Unit


@dataclass(frozen=True, slots=True)
class Table:
    """`header` may be empty; each row has as many cells as it was written with."""

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def tables_of(stretches: Sequence[Unit]) -> Iterator[Table]:
    """The tables of a passage that is cut into these units."""
    written = [unit for unit in stretches if unit.cells]
    for _, block in groupby(written, key=lambda unit: unit.leads[-1:] or (-1,)):
        rows = [unit for unit in block if unit.kind == "row"]
        if rows:
            leads = [stretches[i] for i in rows[0].leads if stretches[i].kind == "header"]
            header = leads[-1].cells if leads else ()
            yield Table(header, tuple(unit.cells for unit in rows))
