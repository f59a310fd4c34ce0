"""`python -m bot source ID`: the passage behind a citation."""

from rich.text import Text

from bot.cli.shared import chunk_json, out, print_json
from bot.source import Passages, clean_id
from ingest.errors import FootnoteError
from ingest.ledger import Ledger, Passage
from ingest.settings import IngestSettings


def show_source(settings: IngestSettings, text: str, *, as_json: bool) -> None:
    """Print a passage by its id.

    Raises:
        FootnoteError: the id is malformed or was never given out.
    """
    passage_id = clean_id(text)
    ledger = Ledger(settings.data)
    try:
        passage = Passages(ledger).lookup(passage_id)
    finally:
        ledger.close()
    if passage is None:
        raise FootnoteError(
            f"No passage has the id {passage_id}. Was it copied whole, and from this Footnote"
            f" (FOOTNOTE_DATA={settings.data})?"
        )
    if as_json:
        print_json(_json(passage))
    else:
        _print(passage)


def _json(passage: Passage) -> dict[str, object]:
    retired = passage.retired_at
    return chunk_json(passage.chunk) | {
        "context": [
            {"start": c.start, "end": c.end, "text": c.text} for c in passage.chunk.context
        ],
        "version": passage.version,
        "ingested_at": passage.ingested_at.isoformat(),
        "retired_at": retired.isoformat() if retired else None,
    }


def _print(passage: Passage) -> None:
    chunk = passage.chunk
    out.print(Text(f"{chunk.doc} › {chunk.heading}", style="bold"))
    taken = f"version {passage.version}, taken in {passage.ingested_at:%Y-%m-%d %H:%M} UTC"
    out.print(Text(f"{chunk.id}  chars {chunk.start}-{chunk.end}  {taken}", style="dim"))
    if passage.retired_at:
        gone = f"It stands there no more since {passage.retired_at:%Y-%m-%d %H:%M} UTC."
        out.print(Text(gone, style="yellow"))
    out.print()
    for context in chunk.context:
        out.print(Text(context.text.strip(), style="dim"))
    out.print(Text(chunk.text))
