"""`python -m bot search`: what retrieval finds, before anything is answered."""

import json
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ValidationError
from rich.text import Text

from bot.cli.shared import hit_json, out, print_json, readable
from bot.found import Found
from bot.types import Hit, Turn
from bot.wiring import Parts
from ingest.errors import FootnoteError
from ingest.types import spoken

SHOWN_CHARS = 300


class _Turn(BaseModel):
    role: Literal["user", "assistant"]
    text: str


class _Case(BaseModel):
    q: str
    history: list[_Turn] = []


async def search(parts: Parts, question: str, k: int, *, as_json: bool) -> None:
    """Search for one question."""
    found = await parts.pipeline.search(readable(question), show=k)
    if as_json:
        print_json(found_json(found))
    else:
        _print(found, k)


async def search_batch(parts: Parts, file: Path, k: int) -> None:
    """Search for each line of a file; print a line of data for each.

    Raises:
        FootnoteError: the file cannot be read, or a line of it is no question.
    """
    for case in read_cases(file):
        history = [Turn(turn.role, turn.text) for turn in case.history]
        print_json(found_json(await parts.pipeline.search(case.q, history, show=k)))


def read_cases(file: Path) -> list[_Case]:
    """Read `{"q", "history": [{"role", "text"}]}` lines; other keys are passed over."""
    try:
        lines = file.read_text(encoding="utf-8-sig").split("\n")  # text may hold other line ends
    except (OSError, UnicodeDecodeError) as error:
        raise FootnoteError(f"{file} cannot be read as UTF-8 text ({error}).") from error
    cases = []
    for number, line in enumerate(lines, start=1):
        if line.strip():
            try:
                cases.append(_Case.model_validate(json.loads(line)))
            except (ValidationError, json.JSONDecodeError) as error:
                raise FootnoteError(
                    f'{file}, line {number}: expected {{"q": "…", "history": [{{"role": "user",'
                    ' "text": "…"}]}.'
                ) from error
    return cases


def found_json(found: Found) -> dict[str, object]:
    """Give what was found as `search --json` prints it."""
    return {
        "hits": [
            hit_json(shown.hit)
            | {"shown_start": shown.start, "shown_end": shown.end}
            | _passed_over(found, shown.hit)
            for shown in found.shown
        ],
        "zone": found.verdict.zone,
        "abstained": found.verdict.zone == "refused",
        "evidence": round(found.verdict.evidence, 6),
        "standalone": found.standalone,
    }


def _passed_over(found: Found, hit: Hit) -> dict[str, object]:
    twin = found.twins.get(hit.chunk.id)
    edition = found.other_editions.get(hit.chunk.id)
    marks = {"duplicate_of": twin, "other_edition_of": edition}
    return {name: id_ for name, id_ in marks.items() if id_}


def _print(found: Found, k: int) -> None:
    verdict = found.verdict
    why = f": {verdict.reason}" if verdict.reason else ""
    out.print(Text(f"evidence {verdict.evidence:.2f}, {verdict.zone}{why}", style="dim"))
    for rank, hit in enumerate(found.hits[:k], start=1):
        c, chunk = hit.candidate, hit.chunk
        by = [] if c is None else [("dense", c.dense_rank), ("BM25", c.lexical_rank)]
        found_by = ", ".join(f"{name} {n}" for name, n in by if n)
        out.print(Text(f"\n{rank}. {hit.score:.3f}  {chunk.doc} › {chunk.heading}", style="bold"))
        marks = _passed_over(found, hit)
        told = "".join(f", {name.replace('_', ' ')} {id_}" for name, id_ in marks.items())
        out.print(Text(f"   {chunk.id}  found by {found_by}{told}", style="dim"))
        out.print(Text("   " + " ".join(spoken(chunk.visible).split())[:SHOWN_CHARS]))
