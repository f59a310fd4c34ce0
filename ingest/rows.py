"""Passages to rows of the ledger and back."""

import hashlib
import json
from typing import Any

from sqlalchemy import Row

from ingest.types import Chunk, Context, Span


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
        "hidden": json.dumps([[h.start, h.end] for h in chunk.hidden]),
        "text_hash": sha256(normalised(chunk.text)),
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
        hidden=tuple(Span(*item) for item in json.loads(row.hidden)),
        digest=row.digest,
    )


def normalised(text: str) -> str:
    """Text with every line end as a newline and without outer white space."""
    return text.replace("\r\n", "\n").replace("\r", "\n").strip()


def sha256(text: str) -> str:
    """Hash a text, as 64 hex digits."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
