"""One pass over the sources, top to bottom: discover, diff, parse, chunk, embed, commit."""

import hashlib
import json
import math
import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

import numpy as np

from ingest.blocked import Blocked
from ingest.chunk import CHUNKER
from ingest.commit import Changes, Committed, Known, Taken
from ingest.embed import Embedder
from ingest.errors import DocumentError, SettingsError, SourceError
from ingest.ledger import Ledger
from ingest.messages import Job
from ingest.parse import decode
from ingest.reader import Reader
from ingest.rows import sha256
from ingest.settings import IngestSettings
from ingest.sources import Entry, Source
from ingest.types import Chunk, Failure, Report, Sizes
from ingest.vectors import VectorIndex

WINDOW = 256  # texts embedded between two signs of progress; the model sorts them by length
RACY_NS = 2_000_000_000  # a file written this shortly before may change again within its times
# Content can change under the same size and times (a restored image, a clock set back): each pass
# reads a share of the unchanged files again, so that all are read within this time, a day less a
# margin for passes that come late.
REREAD_WITHIN_S = 20 * 60 * 60
NO_PASSAGE = "It holds no text, so there is nothing in it to cite."
# The ledger's note of a pass that wrote to Chroma and did not end: a JSON list of the live passages
# that it gave new vectors; the note is empty when none is under way.
UNFINISHED = "unfinished"
REREAD = "reread_at"  # the note of when a pass over everything last read its share, seconds

Progress = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class Parts:
    """What a pass works with. `progress` gets a stage, how much of it is done, and of how much."""

    settings: IngestSettings
    sources: Sequence[Source]
    ledger: Ledger
    vectors: VectorIndex
    embedder: Embedder
    reader: Reader
    progress: Progress = lambda *_: None


@dataclass(slots=True)
class _Plan:
    """What a pass found so far."""

    work: list[tuple[Source, Entry, str]] = field(default_factory=list)
    same: list[tuple[Source, Entry, str]] = field(default_factory=list)
    touched: list[Known] = field(default_factory=list)
    removed: list[Known] = field(default_factory=list)
    failed: list[Failure] = field(default_factory=list)
    unchanged: int = 0
    unsupported: list[str] = field(default_factory=list)


def sync(
    parts: Parts,
    below: Sequence[Path] | None = None,
    *,
    accept_removals: bool = False,
    reread: bool = False,
) -> tuple[Report, Committed]:
    """Take in what changed, or only what is at or below the given paths.

    What changed is known by a file's size, times and inode, and by its content where `reread` says
    so or it is that file's turn.

    Safe to kill at any point: until the one transaction near the end everybody sees the old state,
    and vectors computed before are kept for the next pass. The caller makes the indexes follow what
    was committed, and clears the note `UNFINISHED`.

    Raises:
        SourceError: no source can be listed, or so much vanished from one that a person must say so
            with `accept_removals`.
        SettingsError: a path is not below any source, or nothing is or was there.
    """
    started = time.monotonic()
    known = parts.ledger.known()
    plan = _discover(parts, known, below)
    share = 1.0 if reread else _share_due(parts.ledger) if below is None else 0.0
    _read_again(plan, known, share)
    taken = _read(parts, plan, known)
    if not accept_removals:
        _guard_removals(parts, plan, known, taken)
    embedded = _embed(parts, _to_index(parts, plan, taken))
    notes = {"recipe": parts.embedder.recipe, "embedder": parts.embedder.description}
    if below is None:
        notes[REREAD] = str(time.time())
    if taken or plan.removed or parts.ledger.read_note("recipe") != notes["recipe"]:
        notes[UNFINISHED] = parts.ledger.read_note(UNFINISHED) or "[]"
    changes = Changes(
        taken=tuple(taken),
        touched=tuple(plan.touched),
        removed=tuple(row.doc for row in plan.removed),
        failed=(*plan.failed, *_failed_elsewhere(parts, below)),
        notes=notes,
    )
    committed = parts.ledger.commit(changes)
    fresh = [t for t in taken if t.doc not in known or known[t.doc].removed]
    documents, passages = parts.ledger.counts()
    report = Report(
        documents=documents,
        chunks=passages,
        added=len(fresh),
        changed=len(taken) - len(fresh),
        removed=len(plan.removed),
        unchanged=plan.unchanged,
        embedded=embedded,
        failed=tuple(plan.failed),
        warnings=tuple(Failure(t.doc, t.warning) for t in taken if t.warning),
        unsupported=tuple(plan.unsupported),
        seconds=round(time.monotonic() - started, 3),
    )
    return report, committed


def chunking_of(settings: IngestSettings) -> str:
    """Name all that a document's passages depend on besides its text."""
    prompt = f"|{settings.passage_prompt}" if settings.passage_prompt else ""
    return f"{CHUNKER}|{settings.target_tokens}|{settings.max_tokens}|{settings.embedder}{prompt}"


def _discover(parts: Parts, known: dict[str, Known], below: Sequence[Path] | None) -> _Plan:
    """List the sources and tell what is new or changed from what is as it was."""
    plan = _Plan()
    problems: list[SourceError] = []
    several = len(parts.sources) > 1
    chunking = chunking_of(parts.settings)
    for path in below or ():
        _require_sense(path, parts.sources, known)
    for source in parts.sources:
        prefix = f"{source.name}/" if several else ""
        try:
            listing = source.scan(below)
        except SourceError as error:
            problems.append(error)
            plan.failed.append(Failure(source.name, str(error)))
            continue
        plan.unsupported += [prefix + path for path in listing.unsupported]
        plan.failed += [Failure(prefix + f.doc, f.error) for f in listing.failures]
        unseen = {
            row.doc: row
            for row in known.values()
            if not row.removed
            and row.source == source.name
            and (below is None or source.covers(row.path, below))
            and not any(_at_or_below(row.path, f.doc) for f in listing.failures)
        }
        for entry in listing.entries:
            doc = prefix + entry.path
            unseen.pop(doc, None)
            row = known.get(doc)
            stat = (entry.size, entry.mtime_ns, entry.ctime_ns, entry.inode)
            if row and not row.removed and row.chunking == chunking and _stat(row) == stat:
                plan.same.append((source, entry, doc))
            else:
                plan.work.append((source, entry, doc))
        plan.removed += unseen.values()
    if below is None:
        _drop_unnamed_sources(parts.sources, known, plan)
    if len(problems) == len(parts.sources):
        raise problems[0]
    return plan


def _drop_unnamed_sources(sources: Sequence[Source], known: dict[str, Known], plan: _Plan) -> None:
    """Retire documents of sources that the settings name no more, or under another prefix."""
    names = {source.name for source in sources}
    plan.removed += [row for row in known.values() if not row.removed and row.source not in names]


def _require_sense(path: Path, sources: Sequence[Source], known: dict[str, Known]) -> None:
    concerned = {source.name: source for source in sources if source.concerns(path)}
    if not concerned:
        raise SettingsError(f"{path} is not below any folder in FOOTNOTE_DOCS.")
    if not os.path.lexists(path) and not any(
        row.source in concerned and concerned[row.source].covers(row.path, [path])
        for row in known.values()
    ):
        raise SettingsError(f"{path} does not exist, and no document was known there.")


def _failed_elsewhere(parts: Parts, below: Sequence[Path] | None) -> list[Failure]:
    """What an earlier pass could not take in and this one does not look at."""
    if below is None:
        return []
    several = len(parts.sources) > 1
    looked = [(f"{source.name}/" if several else "", source) for source in parts.sources]
    return [
        failure
        for failure in parts.ledger.failed()
        if not any(
            failure.doc.startswith(prefix)
            and source.covers(failure.doc.removeprefix(prefix), below)
            for prefix, source in looked
        )
    ]


def _stat(row: Known) -> tuple[int, int, int, int]:
    return row.size, row.mtime_ns, row.ctime_ns, row.inode


def _share_due(ledger: Ledger) -> float:
    """The share of the unchanged documents whose turn it is to be read again, 0 to 1."""
    since_s = time.time() - float(ledger.read_note(REREAD) or 0)
    return min(max(since_s / REREAD_WITHIN_S, 0.0), 1.0)


def _read_again(plan: _Plan, known: dict[str, Known], share: float) -> None:
    """Put a share of the unchanged documents to the work, those read longest ago first."""
    plan.same.sort(key=lambda found: (known[found[2]].read_at, found[2]))
    count = math.ceil(len(plan.same) * share)
    plan.work += plan.same[:count]
    plan.unchanged += len(plan.same) - count


def _at_or_below(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder + "/")


def _read(parts: Parts, plan: _Plan, known: dict[str, Known]) -> list[Taken]:
    """Read, parse and chunk; a document that fails keeps its last good version live."""
    taken: list[Taken] = []
    blocked = parts.ledger.blocked() if plan.work else Blocked()
    for done, (source, entry, doc) in enumerate(plan.work):
        parts.progress("reading", done, len(plan.work))
        try:
            beat = partial(parts.progress, "reading", done, len(plan.work))
            result = _read_one(parts, source, entry, doc, known.get(doc), beat)
        except DocumentError as error:
            plan.failed.append(Failure(doc, _without_path(str(error), entry)))
            continue
        if isinstance(result, Known):
            plan.unchanged += 1
            plan.touched.append(result)
        else:
            taken.append(blocked.clean(result))
    parts.progress("reading", len(plan.work), len(plan.work))
    chunks = parts.ledger.assign_ids([c for document in taken for c in document.chunks])
    return _with_chunks(taken, chunks)


def _with_chunks(taken: list[Taken], chunks: list[Chunk]) -> list[Taken]:
    by_doc: dict[str, list[Chunk]] = {document.doc: [] for document in taken}
    for c in chunks:
        by_doc[c.doc].append(c)
    return [replace(document, chunks=tuple(by_doc[document.doc])) for document in taken]


def _read_one(  # noqa: PLR0917 - the loop above calls it in this order
    parts: Parts,
    source: Source,
    entry: Entry,
    doc: str,
    row: Known | None,
    beat: Callable[[], None],
) -> Taken | Known:
    """Read a document; give what the ledger knows, with a new stat, when nothing else is new."""
    data = source.read(entry)
    content_hash = hashlib.sha256(data).hexdigest()
    chunking = chunking_of(parts.settings)
    now_ns = time.time_ns()
    mtime_ns = entry.mtime_ns if now_ns - entry.mtime_ns > RACY_NS else 0
    ctime_ns = entry.ctime_ns if now_ns - entry.ctime_ns > RACY_NS else 0
    if row and not row.removed and (row.content_hash, row.chunking) == (content_hash, chunking):
        return replace(
            row,
            size=entry.size,
            mtime_ns=mtime_ns,
            ctime_ns=ctime_ns,
            inode=entry.inode,
            read_at=now_ns / 1e9,
        )
    name = entry.read_as or entry.path
    decode(name, data)  # what cannot be read at all needs neither the model nor a process
    sizes = Sizes(
        target=parts.settings.target_tokens,
        ceiling=min(parts.settings.max_tokens, parts.embedder.max_tokens),
    )
    job = Job(source.name, entry.path, doc, name, data, sizes)
    reading = parts.reader.read(job, parts.embedder.token_counter, beat)
    return Taken(
        doc=doc,
        source=source.name,
        path=entry.path,
        title=reading.title,
        size=entry.size,
        mtime_ns=mtime_ns,
        ctime_ns=ctime_ns,
        inode=entry.inode,
        read_at=now_ns / 1e9,
        content_hash=content_hash,
        chunking=chunking,
        chunks=reading.chunks,
        warning=_without_path(reading.warning, entry) or ("" if reading.chunks else NO_PASSAGE),
        front_matter=reading.front_matter,
    )


def _without_path(text: str, entry: Entry) -> str:
    """A message without the document's name, which the report names itself."""
    return text.removeprefix(f"{entry.path}: ")


def _guard_removals(parts: Parts, plan: _Plan, known: dict[str, Known], taken: list[Taken]) -> None:
    """Stop when a source lost more than its share of documents: a share may be unmounted."""
    moved = {document.content_hash for document in taken}
    for source in parts.sources:
        had = [row for row in known.values() if row.source == source.name and not row.removed]
        gone = [row for row in plan.removed if row.source == source.name]
        lost = sum(row.content_hash not in moved for row in gone)
        if had and lost / len(had) > parts.settings.max_vanished:
            raise SourceError(
                f"{lost} of {len(had)} documents of {source.name!r} vanished at once, so nothing"
                " was changed. If that is right, run `python -m ingest --accept-removals`; if not,"
                " look whether the folder is mounted (limit: FOOTNOTE_MAX_VANISHED)."
            )


def _to_index(parts: Parts, plan: _Plan, taken: list[Taken]) -> list[Chunk]:
    """Give the passages whose vectors must be in the dense index before the commit.

    Under a new model these are all that will be live, those of untouched documents included.
    """
    chunks = [c for document in taken for c in document.chunks]
    if parts.ledger.read_note("recipe") not in {None, parts.embedder.recipe}:
        replaced = {document.doc for document in taken} | {row.doc for row in plan.removed}
        chunks += [c for c in parts.ledger.all_live() if c.doc not in replaced]
    return chunks


def _embed(parts: Parts, chunks: Sequence[Chunk]) -> int:
    """Put the vectors of all passages into the dense index; embed only texts that are new."""
    recipe = parts.embedder.recipe
    same_model = parts.ledger.read_note("recipe") == recipe
    live = parts.ledger.live_hashes([c.id for c in chunks]) if same_model else {}
    hashed = [(c, sha256(c.embedded)) for c in chunks]
    put = [(c, key) for c, key in hashed if live.get(c.id) != key]
    texts = {key: c.embedded for c, key in put}
    have = parts.ledger.vectors(recipe, texts)
    missing = [key for key in texts if key not in have]
    for start in range(0, len(missing), WINDOW):
        keys = missing[start : start + WINDOW]
        parts.progress("embedding", start, len(missing))
        rows = parts.embedder.embed_passages([texts[key] for key in keys])
        parts.ledger.keep_vectors(recipe, keys, rows)
        have.update(zip(keys, rows, strict=True))
    if missing:
        parts.progress("embedding", len(missing), len(missing))
    if put:
        parts.ledger.write_note(UNFINISHED, json.dumps([c.id for c, _ in put if c.id in live]))
        rows = np.stack([have[key] for _, key in put])
        parts.vectors.put(recipe, [c.id for c, _ in put], rows)
    wanted = set(missing)
    return sum(key in wanted for _, key in put)
