"""What was asked and answered, with what it cited, and which events were taken on.

It shares the ledger's database. Every method is synchronous and opens its own transaction: callers
keep it off the event loop, and may call it from several threads.
"""

import json
import secrets
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal

from sqlalchemy import (
    Boolean,
    Column,
    Connection,
    Engine,
    Float,
    ForeignKey,
    Index,
    Integer,
    Row,
    String,
    Table,
    Text,
    delete,
    exists,
    func,
    insert,
    select,
    update,
)
from sqlalchemy.dialects.sqlite import insert as insert_or

from bot.types import Answer, Outcome, Quote
from ingest.schema import metadata

EVENTS_KEPT_S = 24 * 60 * 60  # an event is delivered again for minutes, not for days

# A post that was taken on, under each of its names. `run` is the process that took it: a claim of
# an earlier run that is not done was cut off by that run's end.
events = Table(
    "events",
    metadata,
    Column("key", String, primary_key=True),
    Column("status", String, nullable=False),  # claimed, done
    Column("run", String, nullable=False),
    Column("claimed_at", Float, nullable=False),
    Index("events_by_age", "claimed_at"),
)

answers = Table(
    "answers",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("kind", String, nullable=False),  # answer, abstention
    Column("question", Text, nullable=False),
    Column("standalone", Text, nullable=False),
    Column("text", Text, nullable=False),
    Column("reason", String),  # of an abstention
    Column("quoting", Boolean, nullable=False),
    Column("incomplete", Boolean, nullable=False),
    Column("generator", String, nullable=False),
    Column("reranker", String, nullable=False),
    Column("evidence", Float, nullable=False),
    Column("channel", String, nullable=False),
    Column("thread_ts", String, nullable=False),
    Column("message_ts", String, nullable=False),  # empty until it is shown
    Column("user", String, nullable=False),
    Column("asked_at", Float, nullable=False),
    Index("answers_by_message", "channel", "message_ts"),
    Index("answers_by_thread", "channel", "thread_ts"),
)

# A cited passage as it stood when it was cited.
citations = Table(
    "citations",
    metadata,
    Column("answer_id", ForeignKey("answers.id"), primary_key=True),
    Column("n", Integer, primary_key=True),
    Column("passage_id", String, nullable=False),
    Column("doc", String, nullable=False),
    Column("heading", Text, nullable=False),
    Column("start", Integer, nullable=False),
    Column("end", Integer, nullable=False),
    Column("text", Text, nullable=False),
    Column("quotes", Text, nullable=False),  # JSON: [[start, end, text], …]
    Index("citations_by_passage", "passage_id"),
)


@dataclass(frozen=True, slots=True)
class Asked:
    """Who asked, when (seconds since 1970), and in which thread the answer belongs."""

    channel: str
    thread_ts: str
    user: str
    asked_at: float


@dataclass(frozen=True, slots=True)
class StoredCitation:
    """A passage as it was cited; ranges in characters of the file as it was then."""

    n: int
    passage_id: str
    doc: str
    heading: str
    start: int
    end: int
    text: str
    quotes: tuple[Quote, ...]


@dataclass(frozen=True, slots=True)
class StoredAnswer:
    """What was answered; `text` is free of markers. `reason` is set for an abstention."""

    id: int
    kind: Literal["answer", "abstention"]
    question: str
    standalone: str
    text: str
    reason: str | None
    user: str
    asked_at: float
    citations: tuple[StoredCitation, ...]


class Record:
    """The record over one database. `clock` gives seconds since 1970."""

    def __init__(self, engine: Engine, *, clock: Callable[[], float] = time.time) -> None:
        self._engine = engine
        self._clock = clock
        self._run = secrets.token_hex(8)
        # SQLite lets waiting writers sleep up to 100 ms between tries; a lock wakes them at once.
        self._writing = threading.Lock()

    def claim(self, keys: Sequence[str]) -> bool:
        """Take on a post that is known by any of these keys; False: it is or was in hand already.

        A claim that an earlier run left unfinished can be taken over.
        """
        now = self._clock()
        rows = [
            {"key": key, "status": "claimed", "run": self._run, "claimed_at": now} for key in keys
        ]
        with self._writing, self._engine.connect() as connection:
            connection.execute(delete(events).where(events.c.claimed_at < now - EVENTS_KEPT_S))
            known = self._held(connection, keys)
            if any(row.status == "done" or row.run == self._run for row in known):
                return False  # the transaction rolls back: a refused claim leaves nothing behind
            taken = insert_or(events).values(rows)
            connection.execute(
                taken.on_conflict_do_update(
                    index_elements=[events.c.key],
                    set_={"run": self._run, "claimed_at": now},
                )
            )
            connection.commit()
        return True

    @staticmethod
    def _held(connection: Connection, keys: Sequence[str]) -> Sequence[Row[str, str]]:
        query = select(events.c.status, events.c.run).where(events.c.key.in_(keys))
        return connection.execute(query).all()

    def finish(self, keys: Sequence[str]) -> None:
        """Nothing more is owed for the post of these keys."""
        with self._writing, self._engine.begin() as connection:
            _finish(connection, keys)

    def save(self, outcome: Outcome, asked: Asked) -> int:
        """Keep an answer or abstention with what it cites, before it is shown. Returns its id."""
        with self._writing, self._engine.begin() as connection:
            result = connection.execute(insert(answers).values(_answer_row(outcome, asked)))
            answer_id: int = result.inserted_primary_key[0]  # type: ignore[index]
            rows = _citation_rows(outcome, answer_id)
            if rows:
                connection.execute(insert(citations), rows)
        return answer_id

    def place(self, answer_id: int, message_ts: str, keys: Sequence[str]) -> None:
        """The answer is shown in this message; the post of these keys is done."""
        placed = update(answers).where(answers.c.id == answer_id).values(message_ts=message_ts)
        with self._writing, self._engine.begin() as connection:
            connection.execute(placed)
            _finish(connection, keys)

    def answer_at(self, channel: str, message_ts: str) -> StoredAnswer | None:
        """The answer that stands in this message."""
        query = select(answers).where(
            answers.c.channel == channel, answers.c.message_ts == message_ts
        )
        with self._engine.connect() as connection:
            row = connection.execute(query).first()
            return _stored(connection, row) if row else None

    def first_cited(self, passage_id: str) -> datetime | None:
        """When an answer cited a passage for the first time."""
        query = select(func.min(answers.c.asked_at)).where(
            answers.c.id == citations.c.answer_id, citations.c.passage_id == passage_id
        )
        with self._engine.connect() as connection:
            when = connection.scalar(query)
        return None if when is None else datetime.fromtimestamp(when, UTC)

    def has_answered(self, channel: str, thread_ts: str) -> bool:
        """Whether an answer or abstention was written for this thread."""
        there = exists().where(answers.c.channel == channel, answers.c.thread_ts == thread_ts)
        with self._engine.connect() as connection:
            return bool(connection.execute(select(there)).scalar_one())

    def texts_in(self, channel: str, thread_ts: str) -> Mapping[str, str]:
        """The full text of each answer and abstention in a thread, by the ts of its message."""
        query = select(answers.c.message_ts, answers.c.text).where(
            answers.c.channel == channel, answers.c.thread_ts == thread_ts
        )
        with self._engine.connect() as connection:
            return {row.message_ts: row.text for row in connection.execute(query)}


def plain_text(outcome: Outcome) -> str:
    """An outcome's words without markers: an answer's sentences, or why there is none."""
    if isinstance(outcome, Answer):
        return " ".join(sentence.text.strip() for sentence in outcome.sentences)
    return outcome.message


def _finish(connection: Connection, keys: Sequence[str]) -> None:
    connection.execute(update(events).where(events.c.key.in_(keys)).values(status="done"))


def _answer_row(outcome: Outcome, asked: Asked) -> dict[str, object]:
    answered = isinstance(outcome, Answer)
    trace = outcome.trace
    return {
        "kind": "answer" if answered else "abstention",
        "question": trace.question,
        "standalone": trace.standalone,
        "text": plain_text(outcome),
        "reason": None if isinstance(outcome, Answer) else outcome.reason,
        "quoting": isinstance(outcome, Answer) and outcome.quoting,
        "incomplete": isinstance(outcome, Answer) and outcome.incomplete,
        "generator": trace.generator,
        "reranker": trace.reranker,
        "evidence": trace.evidence,
        "channel": asked.channel,
        "thread_ts": asked.thread_ts,
        "message_ts": "",
        "user": asked.user,
        "asked_at": asked.asked_at,
    }


def _citation_rows(outcome: Outcome, answer_id: int) -> list[dict[str, object]]:
    if not isinstance(outcome, Answer):
        return []
    return [
        {
            "answer_id": answer_id,
            "n": citation.n,
            "passage_id": citation.chunk.id,
            "doc": citation.chunk.doc,
            "heading": citation.chunk.heading,
            "start": citation.chunk.start,
            "end": citation.chunk.end,
            "text": citation.chunk.text,
            "quotes": json.dumps([[q.start, q.end, q.text] for q in citation.quotes]),
        }
        for citation in outcome.citations
    ]


def _stored(connection: Connection, row: Row[*tuple[Any, ...]]) -> StoredAnswer:
    query = select(citations).where(citations.c.answer_id == row.id).order_by(citations.c.n)
    return StoredAnswer(
        id=row.id,
        kind=row.kind,
        question=row.question,
        standalone=row.standalone,
        text=row.text,
        reason=row.reason,
        user=row.user,
        asked_at=row.asked_at,
        citations=tuple(
            StoredCitation(
                n=cited.n,
                passage_id=cited.passage_id,
                doc=cited.doc,
                heading=cited.heading,
                start=cited.start,
                end=cited.end,
                text=cited.text,
                quotes=tuple(
                    Quote(cited.passage_id, text, start, end)
                    for start, end, text in json.loads(cited.quotes)
                ),
            )
            for cited in connection.execute(query)
        ),
    )
