"""What people think of the answers, as cases to measure with."""

from dataclasses import dataclass

from sqlalchemy import ColumnElement, Connection, Engine, Row, func, select

from bot.evaluate.cases import Answerable
from bot.schema import answers, citations, feedback, is_open
from bot.types import Turn


@dataclass(frozen=True, slots=True)
class RatedCase:
    """A question whose answer somebody rated. `gold` are ids of passages, where they are known."""

    q: str
    history: tuple[Turn, ...]
    standalone: str
    gold: tuple[str, ...]
    answerable: Answerable
    note: str


def rated_cases(engine: Engine) -> list[RatedCase]:
    """One case for each rated answer that may be told of, the oldest first. Blocks on the file.

    Thumbs up say that the passages cited do answer, or that an abstention was right. With a thumb
    down among them nobody knows what would be right: its reasons stand in the note.
    """
    query = select(answers).where(_is_rated(), is_open())
    query = query.order_by(answers.c.asked_at, answers.c.id)
    with engine.connect() as connection:
        return [_case(connection, row) for row in connection.execute(query).all()]


def count_private_cases(engine: Engine) -> int:
    """How many more there are, of which no more than that may be told. Blocks on the file."""
    query = select(func.count()).select_from(answers).where(_is_rated(), ~is_open())
    with engine.connect() as connection:
        return int(connection.scalar(query) or 0)


def _is_rated() -> ColumnElement[bool]:
    return answers.c.id.in_(select(feedback.c.answer_id)) & (answers.c.question != "")


def _case(connection: Connection, row: Row[*tuple[object, ...]]) -> RatedCase:
    notes = _reasons(connection, row.id)
    gold: tuple[str, ...] = ()
    answerable: Answerable = None
    if not notes:
        answerable = row.kind == "answer"
        gold = _cited(connection, row.id)
    history = _history(connection, row)
    return RatedCase(
        q=row.question,
        history=history,
        standalone=row.standalone if history else "",
        gold=gold,
        answerable=answerable,
        note="; ".join(notes) or "thumbs up",
    )


def _reasons(connection: Connection, answer_id: int) -> list[str]:
    """What those say whose thumbs are down: `wrong: it is 30 days now`."""
    f = feedback.c
    down = select(f.reason, f.text).where(f.answer_id == answer_id, f.value == "down")
    rows = connection.execute(down.order_by(f.at)).all()
    return [
        ": ".join(part for part in (reason, text) if part) or "thumbs down" for reason, text in rows
    ]


def _cited(connection: Connection, answer_id: int) -> tuple[str, ...]:
    c = citations.c
    query = select(c.passage_id).where(c.answer_id == answer_id).order_by(c.n)
    return tuple(dict.fromkeys(connection.scalars(query)))


def _history(connection: Connection, row: Row[*tuple[object, ...]]) -> tuple[Turn, ...]:
    """What the same person asked and was told before, in the same thread."""
    a = answers.c
    before = select(a.question, a.text).where(
        a.channel == row.channel,
        a.thread_ts == row.thread_ts,
        a.user == row.user,
        a.asked_at < row.asked_at,
        a.message_ts != "",
        a.question != "",
        is_open(),
    )
    rows = connection.execute(before.order_by(a.asked_at, a.id)).all()
    return tuple(
        turn
        for question, text in rows
        for turn in (Turn("user", question), Turn("assistant", text))
    )
