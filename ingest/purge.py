"""`--purge`: passages and documents taken back by an administrator, and what holds their text."""

import json
import time
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import Connection, Engine, Row, and_, delete, func, or_, select
from sqlalchemy.dialects.sqlite import insert

from ingest.blocked import LEFT_OUT, run_keys, scoped_key
from ingest.chunk import normalise
from ingest.commit import bump_generation, is_live, note
from ingest.erase import answers, citations, erase, erasing, keeps_answers
from ingest.errors import SettingsError
from ingest.rows import chunk_of, portions, row_of
from ingest.schema import blocked, documents, erasures, failures, front_matter, meta, passages
from ingest.types import SEPARATOR, Chunk

ANSWER_GONE = "This answer was removed: it cited a passage that an administrator purged."


@dataclass(frozen=True, slots=True)
class Plan:
    """What a purge takes.

    `docs` were named themselves, `answers` are those that cite one of the passages. `alike` are
    passages that stay, though they have a run of words in common with what goes.
    """

    passages: tuple[Chunk, ...]
    docs: tuple[str, ...]
    answers: int
    alike: tuple[Chunk, ...]


def plan(engine: Engine, targets: Sequence[str]) -> Plan:
    """Find what the ids and documents stand for; nothing is changed.

    Raises:
        SettingsError: a target is neither an id nor a document that was ever known here.
    """
    with engine.connect() as connection:
        ids, docs = _named(connection, targets)
        rows = _rows(connection, ids, docs)
        going = tuple(chunk_of(row) for row in rows)
        runs = {key for chunk in going for key, _ in run_keys(chunk.text)}
        lengths = frozenset(n for chunk in going for _, n in run_keys(chunk.text))
        alike = tuple(
            chunk
            for chunk in _staying(connection, {chunk.id for chunk in going})
            if lengths and any(key in runs for key, _ in run_keys(chunk.text, lengths))
        )
        return Plan(going, tuple(sorted(docs)), _count_answers(connection, going), alike)


def carry_out(engine: Engine, planned: Plan, unfinished: str) -> None:
    """Take it all, in one transaction, and keep the hashes of what must not come back.

    Args:
        engine: of the ledger.
        planned: by `plan`, of the same state of the ledger.
        unfinished: the ledger's note of passages that need new vectors.
    """
    now = time.time()
    ids = {chunk.id for chunk in planned.passages}
    with erasing(engine) as connection:
        _block(connection, planned)
        changed = _erase_echoes(connection, planned)
        if keeps_answers(connection):
            _erase_answers(connection, ids)
        erase(connection, ids, "purged", now)
        _erase_documents(connection, planned)
        before = connection.scalar(select(meta.c.value).where(meta.c.key == unfinished))
        note(connection, unfinished, json.dumps(sorted({*changed, *json.loads(before or "[]")})))
        bump_generation(connection)


def _named(connection: Connection, targets: Sequence[str]) -> tuple[set[str], set[str]]:
    ids: set[str] = set()
    docs: set[str] = set()
    for target in targets:
        id_ = target.strip(" []`").lower()
        if connection.scalar(select(documents.c.doc).where(documents.c.doc == target)):
            docs.add(target)
        elif connection.scalar(select(passages.c.id).where(passages.c.id == id_)):
            ids.add(id_)
        else:
            raise SettingsError(
                f"{target!r} is neither the id of a passage nor a document that was ever taken in,"
                " so nothing was purged. `python -m ingest --list` shows both."
            )
    return ids, docs


def _rows(
    connection: Connection, ids: Collection[str], docs: Collection[str]
) -> Sequence[Row[Any]]:
    """The passages named, with their texts elsewhere: what is live elsewhere stays for a DOC."""
    p = passages.c
    named = [*connection.execute(select(passages).where(p.id.in_(ids)))]
    whole = [*connection.execute(select(passages).where(p.doc.in_(docs)))]
    found = {row.id: row for row in (*named, *whole)}
    for rows, which in ((named, None), (whole, p.retired_at.is_not(None))):
        for some in portions({row.text_hash for row in rows} - {""}):
            query = select(passages).where(p.text_hash.in_(some))
            query = query if which is None else query.where(which)
            found.update((row.id, row) for row in connection.execute(query))
    return [found[id_] for id_ in sorted(found)]


def _staying(connection: Connection, ids: Collection[str]) -> Iterator[Chunk]:
    """Every passage with a text, live or retired, that is not one of these."""
    query = select(passages).where(passages.c.id.not_in(select(erasures.c.id)))
    for row in connection.execution_options(yield_per=1000).execute(query.order_by(passages.c.id)):
        if row.id not in ids:
            yield chunk_of(row)


def _count_answers(connection: Connection, going: Sequence[Chunk]) -> int:
    if not keeps_answers(connection):
        return 0
    cited = citations.c.passage_id
    count = select(func.count(citations.c.answer_id.distinct()))
    every = (connection.scalar(count.where(cited.in_(s))) for s in portions({c.id for c in going}))
    return sum(found or 0 for found in every)


def _block(connection: Connection, planned: Plan) -> None:
    """Keep hashes: of the texts, and of runs of words that no live passage that stays has."""
    ids = {chunk.id for chunk in planned.passages}
    p = passages.c
    rows: dict[str, int] = {}
    for some in portions(ids):
        query = select(p.text_hash).where(p.id.in_(some), p.text_hash != "")
        rows |= dict.fromkeys(connection.scalars(query), 0)
    runs = dict(pair for chunk in planned.passages for pair in run_keys(chunk.text))
    lengths = frozenset(runs.values())
    live = set(connection.scalars(select(p.id).where(is_live())))
    for chunk in planned.alike:
        if chunk.id in live:
            for key, _ in run_keys(chunk.text, lengths):
                runs.pop(key, None)
    for doc in planned.docs:
        rows |= dict.fromkeys(_said_by(connection, doc), 0)
    _keep_keys(connection, rows | runs)


def _said_by(connection: Connection, doc: str) -> Iterator[str]:
    """Keys of a document's title, and of its front matter that no other document has as well."""
    title = connection.scalar(select(documents.c.title).where(documents.c.doc == doc))
    values: dict[bool, set[str]] = {True: set(), False: set()}
    for other, content in connection.execute(select(front_matter)):
        values[other == doc].update(json.loads(content).values())
    for text in {title if title != doc else "", *(values[True] - values[False])}:
        if text and text.strip():
            yield scoped_key(doc, text)


def _keep_keys(connection: Connection, keys: dict[str, int]) -> None:
    if keys:
        values = [{"key": key, "words": words} for key, words in keys.items()]
        connection.execute(insert(blocked).on_conflict_do_nothing(), values)


def _erase_echoes(connection: Connection, planned: Plan) -> set[str]:
    """Take what other passages of the same documents show of the text: context and headings.

    Gives the ids of those that changed.
    """
    texts: dict[str, list[str]] = {}
    for chunk in planned.passages:
        if text := normalise(chunk.text):
            texts.setdefault(chunk.doc, []).append(text)
    ids = {chunk.id for chunk in planned.passages}
    changed: set[str] = set()
    for doc, gone in texts.items():
        for row in connection.execute(select(passages).where(passages.c.doc == doc)).all():
            if row.id in ids:
                continue
            old = chunk_of(row)
            new, keys = _without(old, gone)
            if new != old:
                changed.add(old.id)
                _keep_keys(connection, keys)
                update = passages.update().where(passages.c.id == old.id)
                connection.execute(update.values(row_of(new)))
    return changed


def _without(chunk: Chunk, gone: Sequence[str]) -> tuple[Chunk, dict[str, int]]:
    """A passage without what its context and heading say of the texts; keys of that context."""
    lost = [c for c in chunk.context if _shares(normalise(c.text), gone)]
    heads = chunk.heading.split(SEPARATOR)
    heads = [LEFT_OUT if any(text in head for text in gone) else head for head in heads]
    kept = tuple(c for c in chunk.context if c not in lost)
    keys = {scoped_key(chunk.doc, c.text): 0 for c in lost}
    return replace(chunk, context=kept, heading=SEPARATOR.join(heads)), keys


def _shares(text: str, gone: Sequence[str]) -> bool:
    return bool(text) and any(text in other or other in text for other in gone)


def _erase_documents(connection: Connection, planned: Plan) -> None:
    """Take titles, front matter and what was said of failures; have the files read again.

    A document of which nothing is left was named, or is one that was named, under an earlier name.
    """
    texts = [text for chunk in planned.passages if (text := normalise(chunk.text))]
    p = passages.c
    for doc in {*(chunk.doc for chunk in planned.passages), *planned.docs}:
        mine = documents.c.doc == doc
        title = connection.scalar(select(documents.c.title).where(mine)) or ""
        f = front_matter.c
        said = connection.scalar(select(f.content).where(f.doc == doc)) or "{}"
        values = json.loads(said).values()
        left = connection.scalar(select(p.id).where(p.doc == doc, p.text_hash != "").limit(1))
        named = doc in planned.docs or left is None
        if named or any(text in value for value in values for text in texts):
            connection.execute(delete(front_matter).where(f.doc == doc))
        if named or any(text in title for text in texts):
            connection.execute(documents.update().where(mine).values(title=doc))
        connection.execute(documents.update().where(mine).values(chunking="", warning=""))
        connection.execute(delete(failures).where(failures.c.doc == doc))


def _erase_answers(connection: Connection, ids: Collection[str]) -> None:
    """Take the text of answers that cite it; questions of their threads stay as they were asked.

    A follow-up was rewritten with the help of the answers before it.
    """
    a = answers.c
    for some in portions(ids):
        cites = select(citations.c.answer_id).where(citations.c.passage_id.in_(some))
        where = select(a.channel, a.thread_ts).where(a.id.in_(cites)).distinct()
        for channel, thread in connection.execute(where).all():
            same = and_(a.channel == channel, a.thread_ts == thread)
            changed = or_(a.id.in_(cites), same)
            connection.execute(answers.update().where(changed).values(standalone=a.question))
        connection.execute(answers.update().where(a.id.in_(cites)).values(text=ANSWER_GONE))
