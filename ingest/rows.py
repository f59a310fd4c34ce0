"""Passages to rows of the ledger and back."""

import hashlib
import json
from collections.abc import Collection, Iterator
from typing import Any

from sqlalchemy import Row

from ingest.chunk import normalise
from ingest.types import Chunk, Context, Mask, Span

PORTION = 5000  # variables in one statement; SQLite takes 32,766


def row_of(chunk: Chunk) -> dict[str, object]:
    """Give the columns that a passage's own content fills."""
    return {
        "id": chunk.id,
        "digest": chunk.digest,
        "doc": chunk.doc,
        "heading": chunk.heading,
        "start": chunk.start,
        "end": chunk.end,
        "text": chunk.text,
        "context": json.dumps([[c.start, c.end, c.text] for c in chunk.context]),
        "hidden": json.dumps([_mask_row(span) for span in chunk.hidden]),
        "text_hash": text_hash(chunk),
        "embed_hash": sha256(chunk.embedded),
    }


def chunk_of(row: Row[Any]) -> Chunk:
    """Make the passage of a row."""
    return Chunk(
        id=row.id,
        doc=row.doc,
        heading=row.heading,
        start=row.start,
        end=row.end,
        text=row.text,
        context=tuple(Context(*item) for item in json.loads(row.context)),
        hidden=tuple(_mask_of(item) for item in json.loads(row.hidden)),
        digest=row.digest,
    )


def _mask_row(span: Span) -> list[int | str]:
    return [span.start, span.end, *([span.shown] if isinstance(span, Mask) else [])]


def _mask_of(item: list[Any]) -> Span:
    """Passages of older versions have ranges that are blanked."""
    return Mask(*item) if len(item) > 2 else Span(*item)  # noqa: PLR2004


def text_hash(chunk: Chunk) -> str:
    """Name a passage's text as ids see it, wherever it stands."""
    return sha256(normalise(chunk.text))


def sha256(text: str) -> str:
    """Hash a text, as 64 hex digits."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def portions(values: Collection[str]) -> Iterator[list[str]]:
    """Divide values, in order, into as many as one statement takes."""
    every = sorted(values)
    for start in range(0, len(every), PORTION):
        yield every[start : start + PORTION]
