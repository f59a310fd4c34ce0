"""What the record holds, for people who browse it: figures, neighbours, what is new, topics."""

from dataclasses import dataclass
from datetime import UTC, datetime

from sqlalchemy import func, select

from ingest.commit import is_live
from ingest.ledger import Ledger
from ingest.schema import documents, passages
from ingest.types import SEPARATOR, Failure


@dataclass(frozen=True, slots=True)
class Changed:
    """A document and when its newest version was taken in."""

    doc: str
    title: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Overview:
    """The state of the record. `faults` are of the last sync, `newest` the newest first."""

    documents: int
    passages: int
    last_sync: datetime | None
    faults: tuple[Failure, ...]
    newest: tuple[Changed, ...]


@dataclass(frozen=True, slots=True)
class Topic:
    """A section of a document: the page's title and the section's own heading."""

    title: str
    heading: str


class Library:
    """Reads the ledger. Methods block on its file."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger

    def documents(self) -> int:
        """How many documents are live."""
        with self._ledger.engine.connect() as connection:
            query = select(func.count()).where(documents.c.removed_at.is_(None))
            return connection.scalar(query) or 0

    def overview(self, newest: int) -> Overview:
        """Figures, the last sync with its faults, and that many of the newest documents."""
        counts = self._ledger.counts()
        note = self._ledger.read_note("last_sync")
        d = documents.c
        query = select(d.doc, d.title, d.ingested_at).where(d.removed_at.is_(None))
        query = query.order_by(d.ingested_at.desc(), d.doc).limit(newest)
        with self._ledger.engine.connect() as connection:
            rows = connection.execute(query).all()
        return Overview(
            *counts,
            last_sync=datetime.fromtimestamp(float(note), UTC) if note else None,
            faults=(*self._ledger.failed(), *self._ledger.warnings()),
            newest=tuple(Changed(r.doc, r.title, _when(r.ingested_at)) for r in rows),
        )

    def beside(self, passage_id: str) -> tuple[str | None, str | None]:
        """The live passages before and after a live one in its document; None at an end."""
        p = passages.c
        with self._ledger.engine.connect() as connection:
            here = connection.execute(
                select(p.doc, p.start).where(p.id == passage_id, is_live())
            ).first()
            if here is None:
                return None, None
            same = select(p.id).where(p.doc == here.doc, is_live()).limit(1)
            before = same.where(p.start < here.start).order_by(p.start.desc())
            after = same.where(p.start > here.start).order_by(p.start)
            return connection.scalar(before), connection.scalar(after)

    def topics(self, limit: int) -> list[Topic]:
        """The longest section of each of the documents that say most, at most `limit`."""
        p, d = passages.c, documents.c
        size = func.sum(func.length(p.text))
        largest = (
            select(p.doc).where(is_live()).group_by(p.doc).order_by(func.count().desc(), p.doc)
        ).limit(limit)
        sections = (
            select(p.doc, d.title, p.heading)
            .join(documents, d.doc == p.doc)
            .where(is_live(), p.doc.in_(largest), p.heading.contains(SEPARATOR))
            .group_by(p.doc, p.heading)
            .order_by(size.desc(), p.heading)
        )
        found: dict[str, Topic] = {}
        with self._ledger.engine.connect() as connection:
            for row in connection.execute(sections):
                heading = row.heading.rsplit(SEPARATOR, 1)[-1].strip()
                found.setdefault(row.doc, Topic(row.title, heading))
        return list(found.values())


def _when(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)
