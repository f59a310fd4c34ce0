"""The record's tables, in the ledger's database."""

from sqlalchemy import (
    Boolean,
    Column,
    ColumnElement,
    Float,
    ForeignKey,
    Index,
    Integer,
    String,
    Table,
    Text,
    or_,
    true,
)

from ingest.schema import metadata

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

# A question that was taken on and is not answered yet, with all that it takes to answer it after
# the process has died. `keys` are its claim's, as a JSON list; a row goes when the claim is done.
owed = Table(
    "owed",
    metadata,
    Column("channel", String, primary_key=True),
    Column("ts", String, primary_key=True),
    Column("thread_ts", String, nullable=False),
    Column("user", String, nullable=False),
    Column("text", Text, nullable=False),
    Column("in_thread", Boolean, nullable=False),
    Column("team", String, nullable=False),
    Column("shared", Boolean, nullable=False),
    Column("private", Boolean, nullable=False, server_default=true()),
    Column("author", String, nullable=False, server_default=""),  # as in answers
    Column("source", String, nullable=False, server_default=""),
    Column("keys", Text, nullable=False),
    Column("taken_at", Float, nullable=False),
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
    Column("generation", Integer, nullable=False),  # of the live passages when it was kept
    Column("reranker", String, nullable=False),
    Column("evidence", Float, nullable=False),
    Column("channel", String, nullable=False),
    Column("thread_ts", String, nullable=False),
    Column("message_ts", String, nullable=False),  # empty until it is shown
    Column("user", String, nullable=False),
    Column("asked_at", Float, nullable=False),
    Index("answers_by_message", "channel", "message_ts"),
    Column("forwarded_at", Float),  # when its asker sent the question to the owners
    # Whether it was asked where not all of the company can read: then lists, digests and exports
    # leave it out, unless it was forwarded.
    Column("private", Boolean, nullable=False, server_default=true()),
    # Where the question's words are not its asker's: who wrote them, and the key of their post.
    Column("author", String, nullable=False, server_default=""),
    Column("source", String, nullable=False, server_default=""),
    Index("answers_by_thread", "channel", "thread_ts"),
    Index("answers_by_user", "user", "asked_at"),
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

# What people think of an answer or abstention, one opinion each.
feedback = Table(
    "feedback",
    metadata,
    Column("answer_id", ForeignKey("answers.id"), primary_key=True),
    Column("user", String, primary_key=True),
    Column("value", String, nullable=False),  # up, down
    Column("reason", String, nullable=False),  # of a thumb down: wrong, outdated, …; or empty
    Column("text", Text, nullable=False),
    Column("at", Float, nullable=False),
)


def is_open() -> ColumnElement[bool]:
    """Whether a question may be told to others: asked in public, or sent by its asker."""
    return or_(~answers.c.private, answers.c.forwarded_at.is_not(None))
