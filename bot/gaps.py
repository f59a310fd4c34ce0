"""Questions that the documents could not answer, those that ask the same thing together."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TypeVarTuple

import numpy as np
from sqlalchemy import Engine, Select, func, select

from bot.schema import answers, is_open
from ingest.commit import note
from ingest.embed import Vectors
from ingest.schema import meta

# Reasons that speak of the documents, not of the question.
REASONS = ("weak_evidence", "not_in_sources", "unverified", "no_passages")
# Cosine of the packaged model. Of 24 pairs of wordings of one question 13 were as alike as that, of
# 24 pairs of questions on neighbouring things ("… my dog", "… my child") 3; at .6 it was 17 and 8.
# One gap listed twice does less harm than two taken for one.
SAME = 0.7

DIGEST = "digest"  # in the ledger's `meta`: for when it was posted last, in seconds since 1970

T = TypeVarTuple("T")
Embed = Callable[[Sequence[str]], Vectors]


@dataclass(frozen=True, slots=True)
class Unanswered:
    """A question as it was understood, and when it was asked."""

    question: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Gap:
    """One thing that was asked: `question` is its newest wording, `wordings` all, newest first."""

    question: str
    count: int
    newest: datetime
    wordings: tuple[str, ...]


def read_unanswered(
    engine: Engine, since: datetime | None = None, until: datetime | None = None
) -> list[Unanswered]:
    """The abstentions that were shown and may be told of, the newest first. Blocks on the file.

    A question that its author took back is not among them.
    """
    a = answers.c
    query = _shown(select(a.standalone, a.asked_at)).where(is_open())
    if since is not None:
        query = query.where(a.asked_at >= since.timestamp())
    if until is not None:
        query = query.where(a.asked_at < until.timestamp())
    with engine.connect() as connection:
        rows = connection.execute(query.order_by(a.asked_at.desc())).all()
    return [Unanswered(text, datetime.fromtimestamp(at, UTC)) for text, at in rows]


def digest_done(engine: Engine, due: datetime) -> bool:
    """Whether the digest of that time, or a later one, was posted."""
    with engine.connect() as connection:
        done = connection.scalar(select(meta.c.value).where(meta.c.key == DIGEST))
    return done is not None and float(done) >= due.timestamp()


def note_digest(engine: Engine, due: datetime) -> None:
    """Keep that the digest of that time was posted."""
    with engine.begin() as connection:
        note(connection, DIGEST, str(due.timestamp()))


def count_private(engine: Engine) -> int:
    """How many more there are, of which no more than that may be told. Blocks on the file."""
    query = _shown(select(func.count()).select_from(answers)).where(~is_open())
    with engine.connect() as connection:
        return int(connection.scalar(query) or 0)


def _shown(query: Select[*T]) -> Select[*T]:
    a = answers.c
    return query.where(
        a.kind == "abstention", a.reason.in_(REASONS), a.message_ts != "", a.standalone != ""
    )


def find_gaps(unanswered: Sequence[Unanswered], embed: Embed, same: float = SAME) -> list[Gap]:
    """Group questions; the most asked first, then the newest.

    Each joins the group that is most like it, from a cosine of `same` on, else it begins one. A
    group is where the mean of its questions points.

    Args:
        unanswered: the newest first.
        embed: texts to unit vectors, one row each.
        same: the least cosine of a question and its group.
    """
    texts = list(dict.fromkeys(_fold(each.question) for each in unanswered))
    if not texts:
        return []
    row_of = dict(zip(texts, embed(texts), strict=True))
    groups: list[_Group] = []
    for each in unanswered:
        row = row_of[_fold(each.question)]
        likeness = [float(group.sum @ row / np.linalg.norm(group.sum)) for group in groups]
        best = int(np.argmax(likeness)) if likeness else -1
        if best >= 0 and likeness[best] >= same:
            groups[best].add(each, row)
        else:
            groups.append(_Group(row.astype(np.float64), [each]))
    gaps = [group.gap() for group in groups]
    return sorted(gaps, key=lambda gap: (gap.count, gap.newest), reverse=True)


@dataclass(slots=True)
class _Group:
    sum: Vectors
    members: list[Unanswered] = field(default_factory=list)

    def add(self, member: Unanswered, row: Vectors) -> None:
        self.sum = self.sum + row
        self.members.append(member)

    def gap(self) -> Gap:
        wordings = tuple(dict.fromkeys(member.question for member in self.members))
        return Gap(wordings[0], len(self.members), self.members[0].at, wordings)


def _fold(question: str) -> str:
    return " ".join(question.casefold().split())
