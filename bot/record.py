"""What was asked and answered, with what it cited, and which events were taken on.

It shares the ledger's database. Every method is synchronous and opens its own transaction: callers
keep it off the event loop, and may call it from several threads.
"""

import json
import secrets
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any, Literal

from sqlalchemy import (
    Connection,
    Engine,
    Row,
    Select,
    and_,
    delete,
    exists,
    func,
    insert,
    or_,
    select,
    update,
)
from sqlalchemy.dialects.sqlite import insert as insert_or

from bot.schema import answers, citations, events, feedback, owed
from bot.stored import (
    Asked,
    Owed,
    Said,
    StoredAnswer,
    StoredCitation,
    answer_row,
    citation_rows,
    owed_of,
    stored_of,
)
from bot.types import Outcome
from ingest.schema import meta

DAY_S = 24 * 60 * 60
EVENTS_KEPT_S = 24 * 60 * 60  # an event is delivered again for minutes, not for days

Thumb = Literal["up", "down"]


class Record:
    """The record over one database. `clock` gives seconds since 1970."""

    def __init__(self, engine: Engine, *, clock: Callable[[], float] = time.time) -> None:
        self._engine = engine
        self._clock = clock
        self._run = secrets.token_hex(8)
        # SQLite lets waiting writers sleep up to 100 ms between tries; a lock wakes them at once.
        self._writing = threading.Lock()

    def claim(self, keys: Sequence[str], question: Owed | None = None) -> bool:
        """Take on a post that is known by any of these keys; False: it is or was in hand already.

        A claim that an earlier run left unfinished can be taken over. With the `question`, it is
        owed from now on, whatever becomes of this process, until its keys are finished.
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
            if question is not None:
                row = asdict(question) | {"keys": json.dumps(question.keys), "taken_at": now}
                connection.execute(insert_or(owed).values(row).on_conflict_do_nothing())
            connection.commit()
        return True

    @staticmethod
    def _held(connection: Connection, keys: Sequence[str]) -> Sequence[Row[str, str]]:
        query = select(events.c.status, events.c.run).where(events.c.key.in_(keys))
        return connection.execute(query).all()

    def take_over(self, max_age_s: float) -> tuple[list[Owed], list[Owed]]:
        """Take on what earlier runs owe; what is older than that is given up.

        Returns both, the oldest first: what this run owes now, and what nobody answers any more.
        """
        now = self._clock()
        young: list[Owed] = []
        old: list[Owed] = []
        with self._writing, self._engine.begin() as connection:
            for row in connection.execute(select(owed).order_by(owed.c.taken_at)).all():
                question = owed_of(row)
                claim = update(events).where(events.c.key.in_(question.keys))
                if now - row.taken_at < max_age_s:
                    young.append(question)
                    connection.execute(claim.values(run=self._run))
                else:
                    old.append(question)
                    _finish(connection, question.keys)
        return young, old

    def was_saved(self, question: Owed) -> bool:
        """Whether an answer to it was kept: it may have been shown."""
        with self._engine.connect() as connection:
            return connection.scalar(_unplaced(question)) is not None

    def settle(self, question: Owed, message_ts: str) -> None:
        """Its answer was shown in this message before its run could put that on record."""
        with self._writing, self._engine.begin() as connection:
            answer_id = connection.scalar(_unplaced(question))
            placed = update(answers).where(answers.c.id == answer_id)
            connection.execute(placed.values(message_ts=message_ts))
            _finish(connection, question.keys)

    def finish(self, keys: Sequence[str]) -> None:
        """Nothing more is owed for the post of these keys."""
        with self._writing, self._engine.begin() as connection:
            _finish(connection, keys)

    def save(self, outcome: Outcome, asked: Asked) -> int:
        """Keep an answer or abstention with what it cites, before it is shown. Returns its id."""
        with self._writing, self._engine.begin() as connection:
            row = answer_row(outcome, asked) | {"generation": _generation(connection)}
            result = connection.execute(insert(answers).values(row))
            answer_id: int = result.inserted_primary_key[0]  # type: ignore[index]
            rows = citation_rows(outcome, answer_id)
            if rows:
                connection.execute(insert(citations), rows)
        return answer_id

    def place(self, answer_id: int, message_ts: str, keys: Sequence[str]) -> None:
        """The answer is shown in this message; the post of these keys is done."""
        placed = update(answers).where(answers.c.id == answer_id).values(message_ts=message_ts)
        with self._writing, self._engine.begin() as connection:
            connection.execute(placed)
            _finish(connection, keys)

    def prune(self, days: int) -> int:
        """Forget answers older than that, with what they cite; gives how many.

        Passages are not touched: every id that was shown still opens.
        """
        old = select(answers.c.id).where(answers.c.asked_at < self._clock() - days * DAY_S)
        with self._writing, self._engine.begin() as connection:
            for table in (citations, feedback):
                connection.execute(delete(table).where(table.c.answer_id.in_(old)))
            return connection.execute(delete(answers).where(answers.c.id.in_(old))).rowcount

    def withdraw(self, channel: str, ts: str, text: str | None) -> None:
        """Forget the words of a post that was changed to `text`, or deleted (None).

        They go as well where somebody else asked with them. Answers stay, without their question;
        a follow-up keeps its own words alone. For a post that was deleted nothing is owed.
        """
        a, o, key = answers.c, owed.c, f"{channel}:{ts}"
        said = or_(and_(a.channel == channel, a.asked_at == float(ts)), a.source == key)
        told = or_(and_(o.channel == channel, o.ts == ts), o.source == key)
        with self._writing, self._engine.begin() as connection:
            for row in connection.execute(select(answers).where(said)).all():
                thread = (a.channel == row.channel) & (a.thread_ts == row.thread_ts)
                after = update(answers).where(thread, a.asked_at > row.asked_at)
                connection.execute(after.values(standalone=a.question))
            connection.execute(update(answers).where(said).values(question="", standalone=""))
            if text is None:
                waiting = connection.scalars(select(o.channel + ":" + o.ts).where(told)).all()
                _finish(connection, [key, *waiting])
            else:
                connection.execute(update(owed).where(told).values(text=text))

    def answer_at(self, channel: str, message_ts: str) -> StoredAnswer | None:
        """The answer that stands in this message."""
        query = select(answers).where(
            answers.c.channel == channel, answers.c.message_ts == message_ts
        )
        with self._engine.connect() as connection:
            row = connection.execute(query).first()
            return _with_citations(connection, row) if row else None

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

    def said_in(self, channel: str, thread_ts: str) -> Sequence[Said]:
        """Each answer and abstention in a thread, with its full text."""
        a = answers.c
        query = select(a.message_ts, a.user, a.asked_at, a.text).where(
            a.channel == channel, a.thread_ts == thread_ts
        )
        with self._engine.connect() as connection:
            return [Said(*row) for row in connection.execute(query)]

    def last_cited(self, user: str) -> Sequence[StoredCitation]:
        """What the last answer to this person cites; empty when there was none."""
        a = answers.c
        query = select(answers).where(a.user == user, a.kind == "answer", a.message_ts != "")
        with self._engine.connect() as connection:
            row = connection.execute(query.order_by(a.asked_at.desc()).limit(1)).first()
            return _with_citations(connection, row).citations if row else ()

    def rate(self, channel: str, message_ts: str, user: str, value: Thumb) -> bool | None:
        """Keep a person's thumb; the same thumb up again takes it back.

        Returns whether it stands now; None when there is no answer in that message.
        """
        f = feedback.c
        with self._writing, self._engine.begin() as connection:
            answer_id = _answer_in(connection, channel, message_ts)
            if answer_id is None:
                return None
            mine = (f.answer_id == answer_id) & (f.user == user)
            before = connection.scalar(select(f.value).where(mine))
            if before == value == "up":
                connection.execute(delete(feedback).where(mine))
                return False
            if before != value:
                row = {"value": value, "reason": "", "text": "", "at": self._clock()}
                _put_feedback(connection, answer_id, user, row)
        return True

    def explain(self, channel: str, message_ts: str, user: str, reason: str, text: str) -> None:
        """Keep why a person's thumb is down."""
        with self._writing, self._engine.begin() as connection:
            answer_id = _answer_in(connection, channel, message_ts)
            if answer_id is not None:
                row = {"value": "down", "reason": reason, "text": text, "at": self._clock()}
                _put_feedback(connection, answer_id, user, row)

    def forward(self, channel: str, message_ts: str) -> bool:
        """Take it on to send this message's question to the owners; False: that was done before."""
        mine = (answers.c.channel == channel) & (answers.c.message_ts == message_ts)
        taken = update(answers).where(mine, answers.c.forwarded_at.is_(None))
        with self._writing, self._engine.begin() as connection:
            return connection.execute(taken.values(forwarded_at=self._clock())).rowcount > 0

    def take_back(self, channel: str, message_ts: str) -> None:
        """It could not be sent; it may be tried again."""
        mine = (answers.c.channel == channel) & (answers.c.message_ts == message_ts)
        with self._writing, self._engine.begin() as connection:
            connection.execute(update(answers).where(mine).values(forwarded_at=None))


def _finish(connection: Connection, keys: Sequence[str]) -> None:
    connection.execute(update(events).where(events.c.key.in_(keys)).values(status="done"))
    connection.execute(delete(owed).where((owed.c.channel + ":" + owed.c.ts).in_(keys)))


def _unplaced(question: Owed) -> Select[int]:
    """The newest answer to it of which it is not known where it was shown."""
    a = answers.c
    return select(func.max(a.id)).where(
        a.channel == question.channel,
        a.user == question.user,
        a.asked_at == float(question.ts),
        a.message_ts == "",
    )


def _answer_in(connection: Connection, channel: str, message_ts: str) -> int | None:
    query = select(answers.c.id).where(
        answers.c.channel == channel, answers.c.message_ts == message_ts
    )
    found: int | None = connection.scalar(query)
    return found


def _put_feedback(
    connection: Connection, answer_id: int, user: str, row: Mapping[str, object]
) -> None:
    put = insert_or(feedback).values(answer_id=answer_id, user=user, **row)
    connection.execute(put.on_conflict_do_update(index_elements=["answer_id", "user"], set_=row))


def _generation(connection: Connection) -> int:
    return int(connection.scalar(select(meta.c.value).where(meta.c.key == "generation")) or 0)


def _with_citations(connection: Connection, row: Row[*tuple[Any, ...]]) -> StoredAnswer:
    query = select(citations).where(citations.c.answer_id == row.id).order_by(citations.c.n)
    return stored_of(row, connection.execute(query).all())
