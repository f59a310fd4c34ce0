"""Outcomes to Slack messages. Pure.

One message a question. Its sources are laid out first; the answer gets the room that is left and is
cut at the end of a sentence where it needs more.
"""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass

from bot.slack.blocks import LABEL_CHARS, Block, actions, button, note, section
from bot.slack.text import clip, close_fence, escape_mrkdwn, tame_markdown
from bot.types import Abstention, Answer, Citation, Outcome, Sentence
from ingest.types import Chunk

MESSAGE_CHARS = 10_000  # of all blocks as JSON; Slack has refused a message of 11,341
ROW_BUTTONS = 5  # Slack takes 25 in an actions block; more than a few in a row are hard to read
SOURCES_SHOWN = 25
PLACES_SHOWN = 5
FALLBACK_CHARS = 150

CITE = "cite"
PLACE = "place"

QUOTING = "Quoted from the documents:"
CUT = "The answer was longer than a message can be: it is cut here. Its sources are complete."
INCOMPLETE = "The answer is incomplete: the model stopped before its end."
NEAREST = "The nearest places, which do not answer it:"

_BLOCK_START = re.compile(r"\s*(?:[-*+] |\d{1,9}[.)] |#{1,6} |\||`{3}|~{3}|> )")
_HALF_ESCAPE = re.compile(r"&[a-z]{0,3}$")


@dataclass(frozen=True, slots=True)
class Message:
    """A message's blocks, and the short text for notifications and screen readers."""

    text: str
    blocks: list[Block]


def build_message(outcome: Outcome) -> Message:
    """The message for an answer or an abstention."""
    return build_answer(outcome) if isinstance(outcome, Answer) else build_abstention(outcome)


def build_answer(answer: Answer) -> Message:
    """The sentences with their markers, then a button for each passage cited."""
    cited = answer.citations[:SOURCES_SHOWN]
    head = [note(QUOTING)] if answer.quoting else []
    tail = [note(INCOMPLETE)] if answer.incomplete else []
    sources = _source_rows(cited)
    room = MESSAGE_CHARS - _size([*head, *tail, *sources, note(CUT), _markdown("")])
    shown = {citation.n for citation in cited}
    text, whole = _fit(answer, shown, room)
    cut = [] if whole else [note(CUT)]
    blocks = [*head, _markdown(text), *cut, *tail, *sources]
    first = answer.sentences[0].text if answer.sentences else ""
    return Message(escape_mrkdwn(clip(first, FALLBACK_CHARS)), blocks)


def build_abstention(abstention: Abstention) -> Message:
    """That there is no answer, and the nearest places: each to be opened, none a source."""
    blocks: list[Block] = [section(escape_mrkdwn(clip(abstention.message, 2_000)))]
    places = abstention.nearest[:PLACES_SHOWN]
    if places:
        blocks.append(note(NEAREST))
    blocks += [_place(n, hit.chunk) for n, hit in enumerate(places, start=1)]
    return Message(escape_mrkdwn(clip(abstention.message, FALLBACK_CHARS)), blocks)


def label_source(citation: Citation) -> str:
    """A button's label: `1 · handbook.md › Benefits`, within Slack's limit."""
    return f"{citation.n} · {_where(citation.chunk, LABEL_CHARS - len(f'{citation.n} · '))}"


def join_sentences(sentences: Sequence[Sentence], *, quoting: bool = False) -> str:
    """Sentences with their markers as Markdown: list items, rows and fences on their own lines.

    Quotations of different passages are paragraphs of their own.
    """
    text = ""
    before = Sentence("", ())
    for sentence in sentences:
        apart = quoting and sentence.citations != before.citations
        gap = "\n\n" if apart else _gap(before.text, sentence.text)
        text += (gap if text else "") + _mark(sentence)
        before = sentence
    return text


def _fit(answer: Answer, shown: set[int], room: int) -> tuple[str, bool]:
    """The longest run of sentences from the first that fits, and whether it is all of them."""
    text = ""
    for count, sentence in enumerate(answer.sentences, start=1):
        longer = join_sentences(answer.sentences[:count], quoting=answer.quoting)
        if _cost(longer) > room or not shown.issuperset(sentence.citations):
            return (text or _cut(longer, room)), False
        text = longer
    return text, True


def _cut(text: str, room: int) -> str:
    """One sentence too long for a message, cut at a line's or word's end."""
    while _cost(text) > room - len("\n~~~…"):
        keep = min(len(text) - 1, room)
        ends = max(text.rfind("\n", 0, keep), text.rfind(" ", 0, keep))
        text = text[: ends if ends > keep // 2 else keep]
        text = _HALF_ESCAPE.sub("", text)
        room -= 1
    return close_fence(text + "…")


def _cost(text: str) -> int:
    return len(json.dumps(text, ensure_ascii=False))


def _size(blocks: Sequence[Block]) -> int:
    return len(json.dumps(blocks, ensure_ascii=False))


def _mark(sentence: Sentence) -> str:
    """The sentence with `[1] [2]` behind it: inside a table's last cell, below a fence."""
    text = tame_markdown(close_fence(sentence.text)).strip("\n").rstrip()
    marks = " ".join(f"[{n}]" for n in sentence.citations)
    last = text.rsplit("\n", 1)[-1].strip()
    if not marks:
        return text
    if last.startswith("|") and last.endswith("|") and len(last) > 1:
        return f"{text[:-1].rstrip()} {marks} |"
    if last.startswith(("```", "~~~")):
        return f"{text}\n{marks}"
    return f"{text} {marks}"


def _gap(before: str, following: str) -> str:
    """What stands between two sentences: a paragraph's end that is theirs, or what they are."""
    if before.endswith("\n\n") or following.startswith("\n\n"):
        return "\n\n"
    ended, begins = _kind(before.strip().rsplit("\n", 1)[-1]), _kind(following.strip())
    if not ended and not begins:
        return " "
    return "\n" if ended == begins and ended in "-1|" else "\n\n"


def _kind(text: str) -> str:
    """The sign of the block that the text's first line begins: `-`, `1`, `#`, `|`, a fence's."""
    found = _BLOCK_START.match(text)
    if not found:
        return ""
    sign = found[0].strip()[0]
    return "1" if sign.isdigit() else "-" if sign in "*+" else sign


def _where(chunk: Chunk, limit: int) -> str:
    """`handbook.md › Benefits`: the file's name and the last heading, within `limit` characters."""
    name = chunk.doc.rsplit("/", 1)[-1]
    heading = chunk.heading.rsplit(" > ", 1)[-1].strip()
    return clip(f"{clip(name, limit // 2)} › {heading}" if heading else name, limit)


def _source_rows(cited: Sequence[Citation]) -> list[Block]:
    rows = [cited[at : at + ROW_BUTTONS] for at in range(0, len(cited), ROW_BUTTONS)]
    return [
        block
        for row in rows
        for block in actions(*[button(f"{CITE}:{c.n}", label_source(c), c.chunk.id) for c in row])
    ]


def _place(n: int, chunk: Chunk) -> Block:
    path = " › ".join([chunk.doc, *(part.strip() for part in chunk.heading.split(" > ") if part)])
    line = section(f"• {escape_mrkdwn(clip(path, 500))}")
    return {**line, "accessory": button(f"{PLACE}:{n}", "Look there", chunk.id)}


def _markdown(text: str) -> Block:
    return {"type": "markdown", "text": text}
