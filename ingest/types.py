"""The nouns of ingestion. Frozen, free of behaviour that needs a model, a file or a database."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

HEADING_BYTES = 200  # of the heading path that are embedded: about 45 tokens of English
SEPARATOR = " > "
PAD = "\u2060"  # of no width: stands for the rest of a range that is shown as something shorter

Kind = Literal[
    "paragraph",
    "list",
    "item",
    "table",
    "row",
    "cell",
    "fence",
    "quote",
    "html",
    "rule",
    "heading",
]


@dataclass(frozen=True, slots=True)
class Span:
    """A half-open range `[start, end)` in characters of a file's text."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Mask(Span):
    """A range that is shown as `shown` and `PAD` up to its own length."""

    shown: str = ""


@dataclass(frozen=True, slots=True)
class Block:
    """A block of a document, or a part of one, in characters of the file.

    `parts` are the places where a block may be divided: items, rows, the blocks of a quote. They
    are in order and do not overlap; what lies between two of them belongs to the earlier one.
    `context` is what the block cannot be read without when a passage begins with it. `opens` marks
    a good beginning (a lead-in, a bold lead), `glued` a block that belongs to the one before it.
    """

    kind: Kind
    start: int
    end: int
    context: tuple[Span, ...] = ()
    parts: tuple["Block", ...] = ()
    opens: bool = False
    glued: bool = False


@dataclass(frozen=True, slots=True)
class Section:
    """What stands between two headings; `heading` is the path above it, the page's title first.

    A heading that nothing stands under is a block of the section above it.
    """

    heading: tuple[str, ...]
    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class Parsed:
    """A document read.

    `text` is the file decoded as UTF-8, line ends left alone, a BOM kept as its first character.
    `metadata` is the front matter, scalars and lists of scalars as written. `hidden` are ranges
    that are shown as something else than they are typed, or not at all, in order. `warning` is a
    sentence for the document's owner when it could be read in part only, else empty.
    """

    text: str
    title: str
    metadata: Mapping[str, str]
    sections: tuple[Section, ...]
    hidden: tuple[Mask, ...] = ()
    warning: str = ""


@dataclass(frozen=True, slots=True)
class Sizes:
    """Tokens of the embedding model.

    `target`: of a passage's text, up to which blocks are grouped. `ceiling`: of all that is
    embedded, special tokens included; exceeded by a line of code alone, of which a model then reads
    the beginning.
    """

    target: int
    ceiling: int


@dataclass(frozen=True, slots=True)
class Context:
    """Text that a passage cannot be read without: a table's header row, a list's lead-in.

    `text` is exactly `file_text[start:end]`.
    """

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Chunk:
    """A passage: `text` is exactly `file_text[start:end]`, in characters of the file.

    `file_text` is the file decoded as UTF-8 with line ends left alone (`newline=""`), a BOM kept as
    its first character. `heading` is the whole path, the page's title first, joined with " > ".
    `hidden` are ranges of the file, inside the text or the context, that are not shown as they are
    typed (template tags, comments, HTML's tags and entities). `digest` is the 40 hex digits that
    `id` is a prefix of.
    """

    id: str
    doc: str
    heading: str
    start: int
    end: int
    text: str
    context: tuple[Context, ...] = ()
    hidden: tuple[Span, ...] = ()
    digest: str = field(default="", repr=False)

    @property
    def visible(self) -> str:
        """The text as a reader sees it, as long as `text`, so that offsets agree; see `spoken`."""
        return blank(self.text, self.start, self.hidden)

    @property
    def visible_context(self) -> tuple[str, ...]:
        """The texts of the context as a reader sees them, in order."""
        return tuple(blank(c.text, c.start, self.hidden) for c in self.context)

    @property
    def embedded(self) -> str:
        """What is embedded and indexed: heading path, context and visible text, a line each.

        The heading path is cut from the left to `HEADING_BYTES`, so that it leaves room for text.
        """
        parts = [shorten_path(self.heading), *self.visible_context, self.visible]
        return spoken("\n".join(part.strip() for part in parts if part.strip()))


def spoken(text: str) -> str:
    """A visible text without what keeps its offsets."""
    return text.replace(PAD, "")


def shorten_path(heading: str, limit: int = HEADING_BYTES) -> str:
    """The end of a heading path that takes at most `limit` bytes of UTF-8, cut between words.

    Bytes bound the tokens of any model; characters do not.
    """
    if len(heading.encode()) <= limit:
        return heading
    kept = heading.encode()[-limit:].decode(errors="ignore")
    for mark in (SEPARATOR, " "):
        if mark in kept:
            return kept.split(mark, 1)[1].strip()
    return kept


def blank(text: str, start: int, hidden: Sequence[Span]) -> str:
    """Replace the characters of `hidden` that are not line ends: a mask's by what it shows.

    Args:
        text: a slice of a file.
        start: where the slice begins in the file.
        hidden: ranges in characters of the file; those of a plain span become spaces.
    """
    if not hidden:
        return text
    chars = list(text)
    for span in hidden:
        shown = iter(span.shown if isinstance(span, Mask) else "")
        fill = PAD if isinstance(span, Mask) else " "
        for i in range(max(span.start - start, 0), min(span.end - start, len(chars))):
            if chars[i] not in "\r\n":
                chars[i] = next(shown, fill)
    return "".join(chars)


@dataclass(frozen=True, slots=True)
class Imprint:
    """What tells of when a live document is, and whether it still holds.

    `front_matter` is as written, `opening` the visible text of its first passage. `modified` is the
    file's time in seconds since 1970, 0 where it is not known.
    """

    doc: str
    title: str
    front_matter: Mapping[str, str] = field(default_factory=dict)
    opening: str = ""
    modified: float = 0.0


@dataclass(frozen=True, slots=True)
class Failure:
    """A document that could not be taken in, and why, in words for its owner."""

    doc: str
    error: str


@dataclass(frozen=True, slots=True)
class Report:
    """What one sync did. `added` to `unchanged` count documents, `embedded` counts passages.

    `warnings` are of documents that were taken in, though not all of them could be read;
    `unsupported` names the files of kinds that cannot be read.
    """

    documents: int
    chunks: int
    added: int
    changed: int
    removed: int
    unchanged: int
    embedded: int
    failed: tuple[Failure, ...]
    warnings: tuple[Failure, ...]
    unsupported: tuple[str, ...]
    seconds: float
