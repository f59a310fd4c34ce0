"""Passages to modals. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from bot.slack.blocks import (
    Block,
    View,
    actions,
    button,
    context,
    divider,
    modal,
    section,
)
from bot.slack.lifetimes import build_facts, build_fate, build_heading, build_text, tell_status
from bot.slack.prose import to_mrkdwn
from bot.slack.text import clip, escape_mrkdwn
from bot.source import Resolved
from bot.stored import StoredCitation
from bot.types import Quote
from ingest.types import Chunk

BESIDE = "beside"
OPEN_DOC = "open_doc"

CITED_IN_BOLD = "What this answer cites is marked."
HEADING_CITED = "This answer cites the heading."
CONTEXT_SHOWN = "Shown below the lines of its page that it continues."
LOADING = "Opening the passage…"
AGAIN = "To open it again: `/rag-source {id}`"


@dataclass(frozen=True, slots=True)
class Opened:
    """A passage on its way into a modal.

    Args:
        resolved: what the id stands for.
        cited: the citation that was clicked; its quoted sentences are highlighted.
        since: when it was cited.
        beside: the passages before and after the one that stands for it now.
        address: of its document on the web.
        origin: what the modal remembers of where it was opened.
    """

    resolved: Resolved
    cited: StoredCitation | None = None
    since: datetime | None = None
    beside: tuple[str | None, str | None] = (None, None)
    address: str = ""
    origin: str = ""


def build_passage_view(opened: Opened, title: str = "Passage") -> View:
    """The passage as it was cited, in full, and what became of it. The title is cut to fit."""
    cited, passage = opened.cited, opened.resolved.cited
    chunk = _as_cited(passage.chunk, cited) if cited else passage.chunk
    passage = replace(passage, chunk=chunk)
    quotes = find_quotes(chunk, cited) if cited else []
    notes = [tell_status(opened.resolved, opened.since)]
    notes += [CITED_IN_BOLD] if quotes else []
    notes += [HEADING_CITED] if cited and not any(q.text for q in cited.quotes) else []
    notes += [CONTEXT_SHOWN] if chunk.context else []
    blocks = [
        section(build_heading(chunk)),
        context(build_facts(passage)),
        *[context(escape_mrkdwn(note)) for note in notes],
        divider(),
        *build_text(to_mrkdwn(_lead(chunk) + chunk.visible, quotes)),
        *build_fate(opened.resolved),
        divider(),
        *_steps(opened),
        context(AGAIN.format(id=chunk.id)),
    ]
    return modal(title, blocks, private_metadata=opened.origin)


def build_message_view(text: str, title: str = "Passage") -> View:
    """A modal that says one thing: that the passage is being opened, or why it cannot be."""
    return modal(title, [section(escape_mrkdwn(clip(text, 1_000)))])


def _as_cited(chunk: Chunk, cited: StoredCitation) -> Chunk:
    """The slice that was cited, where white space around the same words has changed since."""
    if chunk.text == cited.text:
        return chunk
    return replace(chunk, start=cited.start, end=cited.end, text=cited.text, hidden=())


def _steps(opened: Opened) -> list[Block]:
    """Buttons to the passages before and after, and to the document."""
    before, after = opened.beside
    buttons = [button(f"{BESIDE}:before", "‹ Previous passage", before)] if before else []
    buttons += [button(f"{BESIDE}:after", "Next passage ›", after)] if after else []
    address = opened.address
    buttons += [button(OPEN_DOC, "Open the document", url=address)] if address else []
    return actions(*buttons)


def find_quotes(chunk: Chunk, cited: StoredCitation) -> Sequence[tuple[int, int]]:
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
