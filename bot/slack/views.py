"""Passages to modals. Pure."""

from collections.abc import Sequence
from datetime import UTC, datetime

from bot.record import StoredCitation
from bot.slack.ports import Sourced
from bot.slack.prose import to_mrkdwn
from bot.slack.render import Block
from bot.slack.text import clip, escape_mrkdwn
from bot.types import Quote
from ingest.types import Chunk

View = dict[str, object]

TITLE_CHARS = 24
TEXT_BLOCKS = 60  # a modal takes 100 blocks and 250 KB

CITED_IN_BOLD = "What this answer cites is marked."
HEADING_CITED = "This answer cites the heading."
CONTEXT_SHOWN = "Shown below the lines of its page that it continues."
TOO_LONG = "The passage goes on: the rest is in the document."
LOADING = "Opening the passage…"


def build_passage_view(
    passage: Sourced, cited: StoredCitation | None = None, title: str = "Passage"
) -> View:
    """The passage in full: where it stands, when it was taken in, and what of it is cited.

    Args:
        passage: what the id stands for.
        cited: the citation that was clicked; its quoted sentences are highlighted.
        title: of the modal, cut to Slack's limit.
    """
    chunk = passage.chunk
    quotes = find_quotes(chunk, cited) if cited else []
    pieces = to_mrkdwn(_lead(chunk) + chunk.visible, quotes)
    notes = [CITED_IN_BOLD] if quotes else []
    notes += [HEADING_CITED] if cited and not any(q.text for q in cited.quotes) else []
    notes += [CONTEXT_SHOWN] if chunk.context else []
    return _modal(
        title,
        [
            *_heading(chunk.doc, chunk.heading),
            _context(_facts(passage)),
            *[_context(escape_mrkdwn(note)) for note in notes],
            {"type": "divider"},
            *[_section(piece) for piece in pieces[:TEXT_BLOCKS]],
            *([_context(TOO_LONG)] if len(pieces) > TEXT_BLOCKS else []),
        ],
    )


def build_message_view(text: str, title: str = "Passage") -> View:
    """A modal that says one thing: that the passage is being opened, or why it cannot be."""
    return _modal(title, [_section(escape_mrkdwn(clip(text, 1_000)))])


def find_quotes(chunk: Chunk, cited: StoredCitation) -> list[tuple[int, int]]:
    """Where the quoted sentences stand in what is shown of the passage, those that do."""
    found = (_find_quote(chunk, cited, quote) for quote in cited.quotes)
    return [where for where in found if where]


def _find_quote(chunk: Chunk, cited: StoredCitation, quote: Quote) -> tuple[int, int] | None:
    """The passage may have moved in its file since, so the place within the passage counts.

    A sentence may also stand in the context.
    """
    at = len(_lead(chunk))
    start, end = quote.start - cited.start, quote.end - cited.start
    if 0 <= start < end and chunk.text[start:end] == cited.text[start:end]:
        return at + start, at + end
    if not quote.text:
        return None
    found = (_lead(chunk) + chunk.text).find(quote.text)
    return (found, found + len(quote.text)) if found >= 0 else None


def _lead(chunk: Chunk) -> str:
    """The table header or lead-in that the passage cannot be read without, a line each."""
    return "".join(part.text.rstrip("\r\n") + "\n" for part in chunk.context)


def _heading(doc: str, heading: str) -> list[Block]:
    crumbs = " › ".join(part.strip() for part in heading.split(" > ") if part.strip())
    lines = [f"*{escape_mrkdwn(clip(doc, 500)).replace('*', '∗')}*"]
    lines += [escape_mrkdwn(clip(crumbs, 2_000))] if crumbs else []
    return [_section("\n".join(lines)[:3_000])]


def _facts(passage: Sourced) -> str:
    chunk = passage.chunk
    facts = [
        f"characters {chunk.start}–{chunk.end}",
        f"id `{chunk.id}`",
        f"ingested {_date(passage.ingested_at)} (version {passage.version})",
    ]
    if passage.retired_at:
        facts.append(f"no longer in the documents since {_date(passage.retired_at)}")
    return " · ".join(facts)


def _date(moment: datetime) -> str:
    return moment.astimezone(UTC).strftime("%Y-%m-%d %H:%M UTC")


def _modal(title: str, blocks: Sequence[Block]) -> View:
    return {
        "type": "modal",
        "title": {"type": "plain_text", "text": clip(title, TITLE_CHARS), "emoji": False},
        "close": {"type": "plain_text", "text": "Close", "emoji": False},
        "blocks": list(blocks),
    }


def _section(mrkdwn: str) -> Block:
    text = {"type": "mrkdwn", "text": mrkdwn, "verbatim": True}
    return {"type": "section", "text": text, "expand": True}


def _context(mrkdwn: str) -> Block:
    return {
        "type": "context",
        "elements": [{"type": "mrkdwn", "text": mrkdwn, "verbatim": True}],
    }
