"""What became of a cited passage, in words and blocks. Pure."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

from bot.slack.blocks import Block, context, divider, section
from bot.slack.prose import to_mrkdwn, to_plain
from bot.slack.text import clip, escape_mrkdwn
from bot.source import Piece, Resolved, compare
from ingest.ledger import Passage
from ingest.types import SEPARATOR, Chunk

TEXT_BLOCKS = 30  # of each of two passages; a modal takes 100 blocks and 250 KB
RICH_CHARS = 2_500  # of one rich text block
COMPARED_CHARS = 20_000  # of both texts; a comparison takes time with the square of it

STANDS = "It stands so in the documents."
UNCHANGED = "Unchanged since it was cited on {date}."
CHANGED = "This has changed since it was cited: see below."
MOVED = "The same text stands elsewhere now: see below."
REMOVED = "This was removed from the documents: see below."

TOOK_ITS_PLACE = "*This has changed since.* In its place stands now:"
DIFFERENCE = "Words that went are struck through, words that came are bold."
MOVED_TO = "*The same text stands here now:*"
GONE = "*Removed on {date}*, after version {version} of {doc}."
CLOSEST = "The closest that the document says now:"
NOTHING = "Nothing took its place."
TOO_LONG = "The passage goes on: the rest is in the document."


def tell_status(resolved: Resolved, since: datetime | None) -> str:
    """One line for the top: whether the passage still stands. `since`: when it was cited."""
    if resolved.status == "live":
        return UNCHANGED.format(date=day(since)) if since else STANDS
    return {"changed": CHANGED, "moved": MOVED, "removed": REMOVED}[resolved.status]


def build_fate(resolved: Resolved) -> list[Block]:
    """What took the passage's place; nothing for one that lives."""
    current = resolved.current
    if resolved.status == "changed" and current:
        change = _build_change(resolved.cited.chunk, current.chunk)
        return [divider(), section(TOOK_ITS_PLACE), *build_place(current), *change]
    if resolved.status == "moved" and current:
        return [divider(), section(MOVED_TO), *build_place(current)]
    return [divider(), *_build_removal(resolved)] if resolved.status == "removed" else []


def _build_change(old: Chunk, new: Chunk) -> list[Block]:
    """The new text, held word by word against the old one unless that would take too long."""
    if len(old.text) + len(new.text) > COMPARED_CHARS:
        return build_text(to_mrkdwn(new.visible))
    pieces = compare(to_plain(old.text), to_plain(new.text))
    return [*build_difference(pieces), context(DIFFERENCE)]


def _build_removal(resolved: Resolved) -> list[Block]:
    cited, nearest = resolved.cited, resolved.nearest
    gone = GONE.format(
        date=day(cited.retired_at),
        version=cited.version,
        doc=escape_mrkdwn(clip(cited.chunk.doc, 500)),
    )
    if nearest is None:
        return [section(f"{gone}\n{NOTHING}")]
    return [
        section(f"{gone}\n{CLOSEST}"),
        *build_place(nearest),
        *build_text(to_mrkdwn(nearest.chunk.visible)),
    ]


def build_place(passage: Passage) -> list[Block]:
    """Where a passage stands: document, headings, and what one checks it by."""
    return [section(build_heading(passage.chunk)), context(build_facts(passage))]


def build_heading(chunk: Chunk) -> str:
    """The document in bold, the heading path as a breadcrumb below it."""
    crumbs = " › ".join(part.strip() for part in chunk.heading.split(SEPARATOR) if part.strip())
    lines = [f"*{escape_mrkdwn(clip(chunk.doc, 500)).replace('*', '∗')}*"]
    lines += [escape_mrkdwn(clip(crumbs, 450))] if crumbs else []
    return "\n".join(lines)


def build_facts(passage: Passage) -> str:
    """Character range, id, and the version of the document that holds it."""
    chunk, taken = passage.chunk, f"{passage.ingested_at.astimezone(UTC):%Y-%m-%d %H:%M UTC}"
    return (
        f"characters {chunk.start}–{chunk.end} · id `{chunk.id}` · ingested {taken}"
        f" (version {passage.version})"
    )


def build_text(pieces: Sequence[str]) -> list[Block]:
    """A passage's text, a section a piece, in full but for absurd lengths."""
    shown = [section(piece, expand=True) for piece in pieces[:TEXT_BLOCKS]]
    return [*shown, context(TOO_LONG)] if len(pieces) > TEXT_BLOCKS else shown


def build_difference(pieces: Sequence[Piece]) -> list[Block]:
    """A comparison as rich text, in which nothing needs an escape: struck, bold, or as it was."""
    blocks: list[Block] = []
    row: list[Block] = []
    size = 0
    for element, chars in _elements(pieces):
        if row and size + chars > RICH_CHARS:
            blocks.append(_rich(row))
            row, size = [], 0
        row.append(element)
        size += chars
    return [*blocks, _rich(row)][:TEXT_BLOCKS] if row else blocks


def _elements(pieces: Sequence[Piece]) -> Iterator[tuple[Block, int]]:
    styles = {"removed": {"strike": True}, "added": {"bold": True}}
    for piece in pieces:
        for at in range(0, len(piece.text), RICH_CHARS):
            text = piece.text[at : at + RICH_CHARS]
            style = styles.get(piece.kind)
            element: Block = {"type": "text", "text": text}
            yield ({**element, "style": style} if style else element), len(text)


def _rich(row: list[Block]) -> Block:
    return {"type": "rich_text", "elements": [{"type": "rich_text_section", "elements": row}]}


def day(moment: datetime | None) -> str:
    """A date for people."""
    return moment.astimezone(UTC).strftime("%Y-%m-%d") if moment else "an unknown day"
