"""Outcomes to Slack messages. Pure.

One message a question. Its sources are laid out first; the answer gets the room that is left and is
cut at the end of a sentence where it needs more.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from bot.disputes import MAX_CONFLICTS, SIDE_CHARS, TITLE_CHARS, in_words
from bot.perhaps import whole_text
from bot.slack.blocks import LABEL_CHARS, Block, actions, button, context, note, plain, section
from bot.slack.body import (
    before_table,
    build_body,
    cost_of,
    cut,
    join_sentences,
    markdown,
    size_of,
)
from bot.slack.prose import to_mrkdwn
from bot.slack.text import clip, escape_mrkdwn
from bot.stored import StoredCitation
from bot.types import (
    Abstention,
    Answer,
    Citation,
    Outcome,
    Sentence,
    checked_in_words,
    not_said,
    searched_for,
)
from ingest.types import SEPARATOR, Chunk

MESSAGE_CHARS = 10_000  # of all blocks as JSON; Slack has refused a message of 11,341
ROW_BUTTONS = 5  # Slack takes 25 in an actions block; more than a few in a row are hard to read
SOURCES_SHOWN = 25
PLACES_SHOWN = 5
PERHAPS_PIECES = 2  # of a passage, each of at most 3,000 characters
FALLBACK_CHARS = 150
UNANSWERED_CHARS = 300
SEARCHED_CHARS = 300  # of the line that says how a follow-up was read
CHECKED_CHARS = 300  # of the line that says what was checked
CONFLICT_CHARS = 2 * (SIDE_CHARS + TITLE_CHARS + 40) + 40  # of one in words, at most

CITE = "cite"
PLACE = "place"
SHOWN = "shown"
OWNERS = "owners"
FEEDBACK = "feedback"

CUT = "The answer was longer than a message can be: it is cut here. Its sources are complete."
INCOMPLETE = "The answer is incomplete: the model stopped before its end."
ASK_OWNERS = "Ask the owners"
UNRECORDED = (
    "This answer is not on record: the bot could not write to its disk. Its passages open as they"
    " are now; it cannot be rated or sent on."
)
LAST_SHOWN = "The citations that you saw last:"
GAPS = frozenset({"weak_evidence", "not_in_sources", "unverified", "no_passages"})
QUOTING = "Quoted from the documents; what decides is bold."
LONGER = "The passage goes on: “Look there” opens it whole."
NEAREST = "The nearest places, which do not answer it:"


@dataclass(frozen=True, slots=True)
class Message:
    """A message's blocks, and the short text for notifications and screen readers."""

    text: str
    blocks: list[Block]

    @property
    def lead(self) -> str:
        """The Markdown that the message begins with, empty if it begins otherwise."""
        first = self.blocks[0]
        return str(first["text"]) if first["type"] == "markdown" else ""


def build_message(outcome: Outcome, *, owners: bool = False) -> Message:
    """The message for an answer or an abstention; `owners` can be asked for what is missing."""
    if isinstance(outcome, Answer):
        return build_answer(outcome)
    return build_abstention(outcome, owners=owners and outcome.reason in GAPS)


def build_answer(answer: Answer) -> Message:
    """The sentences with their markers, a button for each passage cited, and thumbs."""
    cited = answer.citations[:SOURCES_SHOWN]
    tail = [note(clip(not_said(answer.unanswered), UNANSWERED_CHARS))] if answer.unanswered else []
    tail += [note(in_words(conflict)) for conflict in answer.conflicts]
    tail += [note(INCOMPLETE)] if answer.incomplete else []
    tail += [*_source_rows(cited), *_searched(answer)]
    tail += [note(clip(checked_in_words(answer), CHECKED_CHARS)), _thumbs()]
    room = MESSAGE_CHARS - size_of([*tail, note(CUT)])
    fit = _fit_passages if answer.quoting else _fit
    body, whole = fit(answer, {c.n for c in cited}, room)
    short = [] if whole else [note(CUT)]
    first = answer.sentences[0].text if answer.sentences else ""
    return Message(escape_mrkdwn(clip(first, FALLBACK_CHARS)), [*body, *short, *tail])


def unrecorded(message: Message) -> Message:
    """The message of an answer that could not be kept: without the buttons that need the record."""
    needing = {OWNERS, FEEDBACK}
    blocks = [block for block in message.blocks if not needing & _actions_of(block)]
    return Message(message.text, [*blocks, note(UNRECORDED)])


def _actions_of(block: Block) -> set[str]:
    elements = block.get("elements")
    return {str(e.get("action_id")) for e in elements} if isinstance(elements, list) else set()


def lead_of(
    sentences: Sequence[Sentence],
    citations: Sequence[Citation],
    *,
    sources: int,
) -> str:
    """What may be shown of an answer in the making, so that its message will begin with it.

    It ends before the first table, which becomes a block, and where the message would be full.
    `sources` is how many passages the whole answer may cite.
    """
    most = min(sources + MAX_CONFLICTS, SOURCES_SHOWN)
    blank = _source_rows([_blank_source(n) for n in range(1, most + 1)])
    blank += [note("\\" * CONFLICT_CHARS)] * MAX_CONFLICTS + [note("\\" * UNANSWERED_CHARS)]
    blank.append(note("\\" * SEARCHED_CHARS))
    room = MESSAGE_CHARS - size_of(
        [*blank, note(CUT), note(INCOMPLETE), note("x" * CHECKED_CHARS), _thumbs()]
    )
    for count in range(len(sentences), 0, -1):
        text = join_sentences(sentences[:count], citations)
        if cost_of(text) <= room - size_of([markdown("")]):
            return before_table(text)
    return ""


def _blank_source(n: int) -> Citation:
    """A citation whose button is as large as one can be."""
    wide = "\\" * LABEL_CHARS
    return Citation(n, Chunk("0" * 12, wide, wide, 0, 0, ""), ())


def build_abstention(abstention: Abstention, *, owners: bool = False) -> Message:
    """That there is no answer, and the nearest places: each to be opened, none a source."""
    blocks: list[Block] = [section(escape_mrkdwn(clip(abstention.message, 2_000)))]
    places = abstention.further[:PLACES_SHOWN]
    if abstention.perhaps:
        blocks += [_place(0, abstention.perhaps.chunk), *_whole(abstention.perhaps)]
    if places:
        blocks.append(note(NEAREST))
    blocks += [_place(n, hit.chunk) for n, hit in enumerate(places, start=1)]
    blocks += [*_searched(abstention), *(actions(button(OWNERS, ASK_OWNERS)) if owners else [])]
    blocks.append(_thumbs())
    return Message(escape_mrkdwn(clip(abstention.message, FALLBACK_CHARS)), blocks)


def _searched(outcome: Outcome) -> list[Block]:
    read = searched_for(outcome.trace)
    return [note(clip(read, SEARCHED_CHARS))] if read else []


def build_last_shown(cited: Sequence[StoredCitation], how: str) -> Message:
    """The citations that somebody saw last, each to be opened, and how to open others."""
    rows = [_shown(citation) for citation in cited[:SOURCES_SHOWN]]
    listed = [section(LAST_SHOWN), *rows] if rows else []
    return Message(how, [*listed, context(how)])


def _shown(citation: StoredCitation) -> Block:
    path = " › ".join([citation.doc, *filter(None, citation.heading.split(SEPARATOR))])
    line = section(f"`{citation.passage_id}` {escape_mrkdwn(clip(path, 500))}")
    opening = button(f"{SHOWN}:{citation.n}", "Open", citation.passage_id)
    return {**line, "accessory": opening}


def label_source(citation: Citation) -> str:
    """A button's label: `1 · handbook.md › Benefits`, within Slack's limit."""
    return f"{citation.n} · {_where(citation.chunk, LABEL_CHARS - len(f'{citation.n} · '))}"


def _fit(answer: Answer, shown: set[int], room: int) -> tuple[list[Block], bool]:
    """The longest run of sentences from the first that fits, and whether it is all of them."""
    body: list[Block] = []
    for count, sentence in enumerate(answer.sentences, start=1):
        run = answer.sentences[:count]
        text = join_sentences(run, answer.citations)
        longer = build_body(text)
        if size_of(longer) > room or not shown.issuperset(sentence.citations):
            return (body or [markdown(cut(text, room - size_of([markdown("")])))]), False
        body = longer
    return body, True


def _fit_passages(answer: Answer, shown: set[int], room: int) -> tuple[list[Block], bool]:
    """The passages that are quoted, whole, as far as they fit, and whether they all do."""
    body: list[Block] = [note(QUOTING)]
    cited = {n for sentence in answer.sentences for n in sentence.citations}
    for citation in (c for c in answer.citations if c.n in cited):
        head = section(f"*[{citation.n}]* {_path(citation.chunk)}")
        passage = [head, *_whole(citation)]
        if citation.n not in shown:
            return body, False
        if size_of([*body, *passage]) > room:
            first = len(body) == 1
            while first and size_of([*body, *passage]) > room:
                passage.pop()
            return [*body, *passage] if first else body, False
        body += passage
    return body, True


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
    line = section(f"• {_path(chunk)}")
    return {**line, "accessory": button(f"{PLACE}:{n}", "Look there", chunk.id)}


def _path(chunk: Chunk) -> str:
    """The file and all its headings, escaped."""
    path = " › ".join([chunk.doc, *(part.strip() for part in chunk.heading.split(" > ") if part)])
    return escape_mrkdwn(clip(path, 500))


def _whole(cited: Citation) -> list[Block]:
    """A passage's text, what decides marked, cut where one message has no room for more."""
    pieces = to_mrkdwn(*whole_text(cited))
    blocks = [section(piece, expand=True) for piece in pieces[:PERHAPS_PIECES]]
    return [*blocks, note(LONGER)] if len(pieces) > PERHAPS_PIECES else blocks


def _thumbs() -> Block:
    """Two buttons; Slack keeps the pressed one pressed."""

    def thumb(label: str, value: str) -> Block:
        return {"text": plain(label), "value": value, "accessibility_label": label}

    return {
        "type": "context_actions",
        "elements": [
            {
                "type": "feedback_buttons",
                "action_id": FEEDBACK,
                "positive_button": thumb("Helpful", "up"),
                "negative_button": thumb("Not helpful", "down"),
            }
        ],
    }
