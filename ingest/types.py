"""The nouns of ingestion. Frozen, free of behaviour that needs a model, a file or a database."""

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Span:
    """A half-open range `[start, end)` in characters of a file's text."""

    start: int
    end: int


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
    `hidden` are ranges of the file inside the text that carry no words for a reader (template tags,
    comments). `digest` is the 40 hex digits that `id` is a prefix of.
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
        """The text with its hidden ranges blanked; as long as `text`, so that offsets agree."""
        return blank(self.text, self.start, self.hidden)

    @property
    def embedded(self) -> str:
        """What is embedded and indexed: heading path, context and visible text, a line each."""
        parts = [self.heading, *(c.text for c in self.context), self.visible]
        return "\n".join(part.strip() for part in parts if part.strip())


def blank(text: str, start: int, hidden: tuple[Span, ...]) -> str:
    """Replace the characters of `hidden` that are not line ends by spaces.

    Args:
        text: a slice of a file.
        start: where the slice begins in the file.
        hidden: ranges in characters of the file.
    """
    if not hidden:
        return text
    chars = list(text)
    for span in hidden:
        for i in range(max(span.start - start, 0), min(span.end - start, len(chars))):
            if chars[i] not in "\r\n":
                chars[i] = " "
    return "".join(chars)


@dataclass(frozen=True, slots=True)
class Failure:
    """A document that could not be taken in, and why, in words for its owner."""

    doc: str
    error: str


@dataclass(frozen=True, slots=True)
class Report:
    """What one sync did. `added` to `unchanged` count documents, `embedded` counts passages."""

    documents: int
    chunks: int
    added: int
    changed: int
    removed: int
    unchanged: int
    embedded: int
    failed: tuple[Failure, ...]
    unsupported: int
    seconds: float
