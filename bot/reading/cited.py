"""What a citation points at, with all that it cannot be read without. Pure."""

from collections.abc import Sequence

from bot.reading.fold import plain
from bot.reading.units import Unit, one_line, row_text, units
from bot.types import Quote
from ingest.types import Chunk

QUOTED_CHARS = 1200  # of one passage, shown in the place of a sentence; cut at the far end


def cited_text(chunk: Chunk, quotes: Sequence[Quote]) -> str:
    """A passage's heading, and the blocks that these quotes are of with lead-in and header row.

    Without a quote of the passage's text all of it.
    """
    stretches = units(chunk)
    chosen = _chosen(chunk, quotes, stretches)
    if not chosen:
        return chunk.embedded
    said = [chunk.heading, *(_written(stretches[i]) for i in chosen)]
    return "\n".join(part for part in said if part.strip())


def in_its_words(chunk: Chunk, quotes: Sequence[Quote]) -> str:
    """Those blocks as they are shown: items as items, a row with its header's names.

    Empty for quotes of the heading alone.
    """
    stretches = units(chunk)
    lines: list[tuple[str, str]] = []
    taken = 0
    for i in _chosen(chunk, quotes, stretches):
        unit = stretches[i]
        line = _shown(unit, stretches)
        if not line or (lines and taken + len(line) > QUOTED_CHARS):
            continue
        taken += len(line)
        if lines and unit.kind == lines[-1][0] == "prose":
            lines[-1] = ("prose", f"{lines[-1][1]} {line}")
        else:
            lines.append((unit.kind, line))
    return "\n".join(line for _, line in lines)


def _chosen(chunk: Chunk, quotes: Sequence[Quote], stretches: Sequence[Unit]) -> list[int]:
    """Indexes of the units, in order."""
    own = [q for q in quotes if q.passage_id == chunk.id and q.start < q.end]
    hit = [
        i
        for i, unit in enumerate(stretches)
        if any(unit.start < q.end and q.start < unit.end for q in own)
    ]
    return sorted({*hit, *(lead for i in hit for lead in stretches[i].leads)})


def _written(unit: Unit) -> str:
    """As in the passage; a row with the cells that it leaves blank."""
    return f"| {' | '.join(unit.cells)} |" if unit.kind == "row" else unit.text.strip()


def _shown(unit: Unit, stretches: Sequence[Unit]) -> str:
    if unit.kind in {"header", "heading"}:
        return ""
    if unit.kind == "row":
        headers = [stretches[i] for i in unit.leads if stretches[i].kind == "header"]
        return plain(row_text(headers[-1].cells if headers else (), unit.cells))
    if unit.kind == "item":
        return f"- {one_line(unit.text)}"
    return unit.text if unit.kind == "code" else one_line(unit.text)
