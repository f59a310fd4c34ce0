"""Bytes to blocks: one file a format."""

import re
from dataclasses import replace

from ingest.errors import DocumentError
from ingest.parse.lines import tidy
from ingest.parse.markdown import parse_markdown
from ingest.parse.names import TEXT, format_of
from ingest.parse.text import parse_text
from ingest.types import Mask, Parsed

__all__ = ["decode", "parse", "supported"]

MAX_RUN = 120  # signs, about the longest line that is drawn; the rest of a run says nothing more
_RUN = re.compile(rf"([^\w\s]|_)\1{{{MAX_RUN},}}")


def supported(path: str) -> bool:
    """Whether a file of this name can be read; its content may still say otherwise."""
    return format_of(path) is not None


def parse(path: str, data: bytes) -> Parsed:
    """Read a document.

    Args:
        path: its path below the source's folder, with `/`.
        data: all its bytes.

    Raises:
        DocumentError: it is of no supported format, or not UTF-8.
    """
    decoded = decode(path, data)
    read = parse_text if format_of(path) == TEXT else parse_markdown
    parsed = read(path, decoded)
    runs = (Mask(run.start() + MAX_RUN, run.end()) for run in _RUN.finditer(parsed.text))
    return replace(parsed, hidden=tidy(parsed.hidden, runs))


def decode(path: str, data: bytes) -> str:
    """The text of a document that can be read; costs little.

    Raises:
        DocumentError: see `parse`.
    """
    if not supported(path):
        raise DocumentError(f"{path}: this kind of file is not supported yet.")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise DocumentError(
            f"{path}: not UTF-8 (byte {error.start}, line {line}); save the file as UTF-8."
        ) from error
