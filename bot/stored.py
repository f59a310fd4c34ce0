"""What the record keeps, as values and as rows of its tables. Pure."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from sqlalchemy import Row

from bot.types import Answer, Outcome, Quote


@dataclass(frozen=True, slots=True)
class Asked:
    """Who asked, when (seconds since 1970), and in which thread the answer belongs.

    `private`: it was asked where not all of the company can read, or that is not known. `author`
    and `source` are set where the question's words are not the asker's own: who wrote them, and in
    which post (`channel:ts`).
    """

    channel: str
    thread_ts: str
    user: str
    asked_at: float
    private: bool = True
    author: str = ""
    source: str = ""


@dataclass(frozen=True, slots=True)
class Owed:
    """A question that was taken on: what it takes to answer it. `keys` are those of its claim.

    `author` and `source` as in `Asked`.
    """

    channel: str
    ts: str
    thread_ts: str
    user: str
    text: str
    in_thread: bool
    team: str
    shared: bool
    keys: tuple[str, ...]
    private: bool = True
    author: str = ""
    source: str = ""


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


@dataclass(frozen=True, slots=True)
class Said:
    """An answer in its thread: `user` asked, at `asked_at` (seconds), what `text` answers."""

    message_ts: str
    user: str
    asked_at: float
    text: str


def plain_text(outcome: Outcome) -> str:
    """An outcome's words without markers: an answer's sentences, or why there is none."""
    if isinstance(outcome, Answer):
        return " ".join(sentence.text.strip() for sentence in outcome.sentences)
    return outcome.message


def owed_of(row: Row[*tuple[Any, ...]]) -> Owed:
    """A question that was taken on, out of its row."""
    return Owed(
        channel=row.channel,
        ts=row.ts,
        thread_ts=row.thread_ts,
        user=row.user,
        text=row.text,
        in_thread=row.in_thread,
        team=row.team,
        shared=row.shared,
        private=row.private,
        author=row.author,
        source=row.source,
        keys=tuple(json.loads(row.keys)),
    )


def answer_row(outcome: Outcome, asked: Asked) -> dict[str, object]:
    """The row of an answer or abstention that is not shown yet."""
    trace = outcome.trace
    return {
        "kind": "answer" if isinstance(outcome, Answer) else "abstention",
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
        "private": asked.private,
        "author": asked.author,
        "source": asked.source,
    }


def citation_rows(outcome: Outcome, answer_id: int) -> list[dict[str, object]]:
    """A row for each passage that an answer cites."""
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


def stored_of(row: Row[*tuple[Any, ...]], cited: Sequence[Row[*tuple[Any, ...]]]) -> StoredAnswer:
    """An answer with what it cites, out of their rows."""
    return StoredAnswer(
        id=row.id,
        kind=row.kind,
        question=row.question,
        standalone=row.standalone,
        text=row.text,
        reason=row.reason,
        user=row.user,
        asked_at=row.asked_at,
        citations=tuple(map(_citation_of, cited)),
    )


def _citation_of(row: Row[*tuple[Any, ...]]) -> StoredCitation:
    return StoredCitation(
        n=row.n,
        passage_id=row.passage_id,
        doc=row.doc,
        heading=row.heading,
        start=row.start,
        end=row.end,
        text=row.text,
        quotes=tuple(
            Quote(row.passage_id, text, start, end) for start, end, text in json.loads(row.quotes)
        ),
    )
