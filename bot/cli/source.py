"""`python -m bot source ID`: the passage behind a citation, and what became of it."""

from datetime import datetime

from rich.text import Text

from bot.cli.shared import chunk_json, out, print_json
from bot.record import Record
from bot.source import Passages, Piece, Resolved, clean_id, compare
from ingest.errors import FootnoteError
from ingest.ledger import Ledger, Passage
from ingest.settings import IngestSettings
from ingest.sources.folder import open_sources

STYLES = {"same": "", "removed": "red strike", "added": "green bold"}
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
        checked = _check(settings, ledger, found) if check else None
    finally:
        ledger.close()
    if as_json:
        print_json(_json(found, cited_at) | ({} if checked is None else {"check": checked}))
    else:
        print_resolved(found, cited_at)
        if checked:
            out.print(Text("The file says so, read just now.", style="green"))
    if checked is False and not as_json:
        raise FootnoteError(
            "But the file, read just now, says something else there, or is gone:"
            " `python -m ingest` takes the change in."
        )


def _check(settings: IngestSettings, ledger: Ledger, found: Resolved) -> bool:
    """Read the file again and hold its slice against the text."""
    passage = found.current or found.cited
    row = ledger.known().get(passage.chunk.doc)
    for source in open_sources(settings):
        if row is not None and source.name == row.source:
            for entry in source.scan([source.root / row.path]).entries:
                text = source.read(entry).decode("utf-8", "replace")
                return text[passage.chunk.start : passage.chunk.end] == passage.chunk.text
    return False


def _json(found: Resolved, cited_at: datetime | None) -> dict[str, object]:
    return {
        "id": found.cited.chunk.id,
        "status": found.status,
        "cited_at": cited_at.isoformat() if cited_at else None,
        "cited": _passage_json(found.cited),
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
