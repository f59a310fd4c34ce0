"""What the record holds of one person, and how it leaves the record."""

import json
from dataclasses import dataclass

from sqlalchemy import (
    ColumnElement,
    Connection,
    Engine,
    FromClause,
    and_,
    delete,
    exists,
    func,
    or_,
    select,
    update,
)

from bot.schema import answers, citations, events, feedback, owed
from ingest.erase import erasing


@dataclass(frozen=True, slots=True)
class Holdings:
    """How much the record holds of a person.

    `questions` go with their answers or abstentions, also those that somebody else asked in the
    person's words (by a mention below them, or by forwarding them), `citations` with these;
    `forwarded` of the questions were sent to the owners. `ratings` are those of these answers,
    whoever gave them, and the person's own of others' answers. `waiting` questions have no answer
    yet. `follow_ups` are other people's later questions in the same threads: they stay, without
    their rewriting.
    """

    questions: int
    forwarded: int
    citations: int
    ratings: int
    waiting: int
    follow_ups: int

    @property
    def anything(self) -> bool:
        """Whether there is anything to remove."""
        return bool(self.questions or self.ratings or self.waiting)


def held_of(engine: Engine, user: str) -> Holdings:
    """Count what `forget` would remove; nothing is changed. Blocks on the file."""
    with engine.connect() as connection:
        return _count(connection, user)


def forget(engine: Engine, user: str) -> Holdings:
    """Remove it all, in one transaction; give what that was. Blocks on the file.

    A post that waited for its answer counts as done, so that no redelivery brings it back. The
    file's free pages and its log are the caller's to scrub.
    """
    a = answers.c
    mine = select(a.id).where(_asked(user))
    with erasing(engine) as connection:
        found = _count(connection, user)
        connection.execute(update(answers).where(_follow_ups(user)).values(standalone=a.question))
        connection.execute(delete(citations).where(citations.c.answer_id.in_(mine)))
        connection.execute(delete(feedback).where(_ratings(user)))
        connection.execute(delete(answers).where(_asked(user)))
        for keys in connection.scalars(select(owed.c["keys"]).where(_waiting(user))).all():
            done = update(events).where(events.c.key.in_(json.loads(keys)))
            connection.execute(done.values(status="done"))
        connection.execute(delete(owed).where(_waiting(user)))
    return found


def _count(connection: Connection, user: str) -> Holdings:
    a = answers.c
    mine = _asked(user)
    cited = citations.c.answer_id.in_(select(a.id).where(mine))
    return Holdings(
        questions=_rows(connection, answers, mine),
        forwarded=_rows(connection, answers, and_(mine, a.forwarded_at.is_not(None))),
        citations=_rows(connection, citations, cited),
        ratings=_rows(connection, feedback, _ratings(user)),
        waiting=_rows(connection, owed, _waiting(user)),
        follow_ups=_rows(connection, answers, _follow_ups(user)),
    )


def _rows(connection: Connection, table: FromClause, which: ColumnElement[bool]) -> int:
    return connection.scalar(select(func.count()).select_from(table).where(which)) or 0


def _asked(user: str) -> ColumnElement[bool]:
    """Questions that the person asked, or whose words are the person's."""
    return or_(answers.c.user == user, answers.c.author == user)


def _waiting(user: str) -> ColumnElement[bool]:
    return or_(owed.c.user == user, owed.c.author == user)


def _ratings(user: str) -> ColumnElement[bool]:
    f = feedback.c
    return or_(f.user == user, f.answer_id.in_(select(answers.c.id).where(_asked(user))))


def _follow_ups(user: str) -> ColumnElement[bool]:
    """Questions of others that may have been rewritten with the words of this person."""
    a, before = answers.c, answers.alias()
    b = before.c
    said = and_(
        or_(b.user == user, b.author == user), b.channel == a.channel, b.thread_ts == a.thread_ts
    )
    earlier = exists().where(said, b.asked_at < a.asked_at)
    return and_(~_asked(user), a.standalone != a.question, earlier)
