"""`python -m bot source ID`: the passage behind a citation, and what became of it."""

import hashlib
from datetime import datetime
from typing import Literal

from rich.text import Text

from bot.cli.shared import chunk_json, out, print_json
from bot.record import Record
from bot.source import Passages, Piece, Resolved, clean_id, compare, tell_erasure
from ingest.commit import Known
from ingest.errors import FootnoteError
from ingest.ledger import Ledger, Passage
from ingest.settings import IngestSettings
from ingest.sources.folder import open_sources

STYLES = {"same": "", "removed": "red strike", "added": "green bold"}
Check = Literal["said", "otherwise", "removed", "no_file", "changed"]
TOLD: dict[Check | None, str] = {
    "said": "The file says so, read just now.",
    "removed": "The file, read just now, is as it was last taken in, without this passage.",
    "no_file": "The file is still gone, looked for just now.",
}
DIFFERS: dict[Check | None, str] = {
    "otherwise": "says something else there, or is gone",
    "changed": "is not as it was last taken in",
}
MARKS = {"same": ("", ""), "removed": ("[-", "-]"), "added": ("{+", "+}")}  # for want of colour


def show_source(settings: IngestSettings, text: str, *, as_json: bool, check: bool) -> None:
    """Print what an id stands for.

    Raises:
        FootnoteError: the id is malformed or was never given out, or `check` found a difference.
    """
    passage_id = clean_id(text)
    ledger = Ledger.existing(settings.data)
    try:
        found = Passages(ledger).resolve(passage_id)
        if found is None:
            raise FootnoteError(
                f"No passage has the id {passage_id}. Was it copied whole, and from this Footnote"
                f" (FOOTNOTE_DATA={settings.data})?"
            )
        cited_at = Record(ledger.engine).first_cited(passage_id)
        checked = _check(settings, ledger, found) if check and not found.cited.erased else None
    finally:
        ledger.close()
    if as_json:
        print_json(_json(found, cited_at) | ({"check": checked == "said"} if checked else {}))
    else:
        print_resolved(found, cited_at)
        if checked in TOLD:
            out.print(Text(TOLD[checked], style="green"))
    if checked in DIFFERS and not as_json:
        raise FootnoteError(
            f"But the file, read just now, {DIFFERS[checked]}: `python -m ingest` takes the change"
            " in."
        )


def _check(settings: IngestSettings, ledger: Ledger, found: Resolved) -> Check:
    """Read the file again: hold its slice against the text, or all of it where none is left."""
    passage = found.current or found.cited
    row = ledger.known().get(passage.chunk.doc)
    data = _read(settings, row) if row else None
    if found.current:
        text = (data or b"").decode("utf-8", "replace")
        same = text[passage.chunk.start : passage.chunk.end] == passage.chunk.text
        return "said" if same else "otherwise"
    if row is None or row.removed:
        return "no_file" if data is None else "changed"
    same = data is not None and hashlib.sha256(data).hexdigest() == row.content_hash
    return "removed" if same else "changed"


def _read(settings: IngestSettings, row: Known) -> bytes | None:
    """A document's bytes as they are now; None when it is gone."""
    for source in open_sources(settings):
        if source.name == row.source:
            for entry in source.scan([source.root / row.path]).entries:
                return source.read(entry)
    return None


def _json(found: Resolved, cited_at: datetime | None) -> dict[str, object]:
    return {
        "id": found.cited.chunk.id,
        "status": found.status,
        "cited_at": cited_at.isoformat() if cited_at else None,
        "told": tell_erasure(found.cited),
        "cited": None if found.cited.erased else _passage_json(found.cited),
        "current": _passage_json(found.current) if found.current else None,
        "nearest": _passage_json(found.nearest) if found.nearest else None,
    }


def _passage_json(passage: Passage) -> dict[str, object]:
    chunk, retired = passage.chunk, passage.retired_at
    return chunk_json(chunk) | {
        "context": [{"start": c.start, "end": c.end, "text": c.text} for c in chunk.context],
        "version": passage.version,
        "ingested_at": passage.ingested_at.isoformat(),
        "retired_at": retired.isoformat() if retired else None,
    }


def print_resolved(found: Resolved, cited_at: datetime | None) -> None:
    """The passage as it was cited, and what became of it."""
    if told := tell_erasure(found.cited):
        out.print(Text(told, style="yellow"))
        return
    _print_passage(found.cited)
    since = f"since it was cited on {cited_at:%Y-%m-%d}" if cited_at else "since it was taken in"
    current, gone = found.current, found.cited.retired_at
    if found.status == "live":
        out.print(Text(f"\nUnchanged {since}.", style="green"))
    elif found.status == "moved" and current:
        out.print(Text("\nThe same text stands elsewhere now:", style="yellow"))
        _print_place(current)
    elif found.status == "changed" and current:
        out.print(Text(f"\nThis has changed {since}. In its place stands now:", style="yellow"))
        _print_place(current)
        pieces = compare(found.cited.chunk.text, current.chunk.text)
        out.print(Text.assemble(*(_marked(piece) for piece in pieces)))
    elif gone:
        last = f"{gone:%Y-%m-%d}, after version {found.cited.version} of {found.cited.chunk.doc}"
        out.print(Text(f"\nIt was removed on {last}.", style="yellow"))
        if found.nearest:
            out.print(Text("The closest that the document says now:", style="yellow"))
            _print_passage(found.nearest)
        else:
            out.print(Text("Nothing took its place.", style="yellow"))


def _marked(piece: Piece) -> tuple[str, str]:
    opening, closing = MARKS[piece.kind]
    return f"{opening}{piece.text}{closing}", STYLES[piece.kind]


def _print_place(passage: Passage) -> None:
    chunk = passage.chunk
    taken = f"version {passage.version}, taken in {passage.ingested_at:%Y-%m-%d %H:%M} UTC"
    out.print(Text(f"{chunk.doc} › {chunk.heading}", style="bold"))
    out.print(Text(f"{chunk.id}  chars {chunk.start}-{chunk.end}  {taken}\n", style="dim"))


def _print_passage(passage: Passage) -> None:
    _print_place(passage)
    for context in passage.chunk.context:
        out.print(Text(context.text.strip(), style="dim"))
    out.print(Text(passage.chunk.text))
