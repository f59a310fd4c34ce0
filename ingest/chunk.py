"""Blocks to passages; pure. Where passages begin is decided in `ingest.divide`."""

import hashlib
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cache

from ingest.divide import GLUED, KEY_BITS, Atom, divide
from ingest.parse.lines import LINE_END
from ingest.pieces import CODE, LISTING, MAX_CHARS, PROSE, Divide, slabs, words
from ingest.pieces import lines as block_lines
from ingest.types import (
    HEADING_BYTES,
    PAD,
    SEPARATOR,
    Block,
    Chunk,
    Context,
    Mask,
    Parsed,
    Section,
    Sizes,
    Span,
    blank,
    shorten_path,
    spoken,
)

CHUNKER = "3"
SPECIAL_TOKENS = 2
ID_DIGITS = 12
CONTEXT_SHARE = 0.3  # of the room under the heading, at most
HEADING_SHARE = 0.5  # of the ceiling, at most
BEGINNING_CHARS = 160  # of a line of code, which its further pieces are read with
CHARS_PER_TOKEN = 12  # one endless word may be one unknown token; prose has about five
FENCES = ("```", "~~~")
TOP, STEP = 1000, 4  # the strength of a block, and how much less that of its parts is
BOUND = frozenset({"list", "table", "fence", "html"})  # as a rule they go on with what is above

_RULE = re.compile(r"[\s*_-]*")


def chunk(  # noqa: PLR0917 - the stages call it in this order
    source: str,
    path: str,
    doc: str,
    parsed: Parsed,
    count_tokens: Callable[[str], int],
    sizes: Sizes,
) -> tuple[Chunk, ...]:
    """The passages of a document, in its order.

    Args:
        source: the source's name.
        path: the document's path below the source; with `source` it enters the ids.
        doc: the document's name for people.
        parsed: the document read.
        count_tokens: tokens of a text by the embedding model, without special tokens.
        sizes: the target and the ceiling.
    """
    maker = _Maker(doc, parsed, count_tokens, sizes)
    seen: Counter[str] = Counter()
    chunks: list[Chunk] = []
    for section in parsed.sections:
        for draft in maker.passages(section):
            heading = SEPARATOR.join(section.heading)
            key = "\0".join((source, path, heading, normalise(draft.text)))
            digest = hashlib.sha1(f"{key}\0{seen[key]}".encode(), usedforsecurity=False).hexdigest()
            seen[key] += 1
            chunks.append(replace(draft, id=digest[:ID_DIGITS], digest=digest))
    return tuple(chunks)


def normalise(text: str) -> str:
    """A text as ids see it: one kind of line end, no white space at line ends or around it."""
    return "\n".join(line.rstrip() for line in LINE_END.split(text)).strip()


def _strength(block: Block, level: int) -> int:
    if block.glued:
        return GLUED
    return TOP - STEP * level + 2 * block.opens - (block.kind in BOUND)


def _short(atoms: Sequence[Atom], first: int, end: int) -> Iterator[tuple[int, int]]:
    """Divide where what lies between the atoms, which costs nothing, makes a passage too long."""
    for i in range(first + 1, end):
        if atoms[i].end - atoms[first].start > MAX_CHARS:
            yield first, i
            first = i
    yield first, end


def _is_long_line(atoms: Sequence[Atom], room: int) -> bool:
    """Whether it is a line of code over the ceiling: one command, so it is one passage."""
    return len(atoms) == 1 and atoms[0].tokens > room - atoms[0].context_tokens


class _Maker:
    """The passages of one document; counts each piece of text once."""

    def __init__(
        self, doc: str, parsed: Parsed, count_tokens: Callable[[str], int], sizes: Sizes
    ) -> None:
        self._doc = doc
        self._parsed = parsed
        self._sizes = sizes
        self._seen = blank(parsed.text, 0, parsed.hidden).replace(PAD, " ")
        self._hidden_ends = [span.end for span in parsed.hidden]
        self._count = cache(count_tokens)
        self._context = cache(self._find_context)  # all rows of a table have the same

    def passages(self, section: Section) -> list[Chunk]:
        """The passages of a section, still without ids."""
        heading = self._heading(section)
        limit = self._sizes.ceiling - SPECIAL_TOKENS
        room = limit - self._count(shorten_path(heading))
        while True:
            atoms = [atom for block in section.blocks for atom in self._atoms(block, room, 0)]
            parts = [
                atoms[first:end]
                for a, b in divide(atoms, self._sizes.target, room)
                for first, end in _short(atoms, a, b)
            ]
            drafts = [self._draft(heading, part) for part in parts]
            # Tokens of pieces add up for tokenizers that split at white space; others may be off.
            excess = max(
                (
                    self._excess(draft, limit)
                    for draft, part in zip(drafts, parts, strict=True)
                    if not _is_long_line(part, room)
                ),
                default=0,
            )
            if excess <= 0 or room <= 1:
                return [draft for draft in drafts if not _RULE.fullmatch(spoken(draft.visible))]
            room = max(room - excess, 1)

    def _heading(self, section: Section) -> str:
        """The whole path, unless its embedded end leaves no room in a small window."""
        heading = SEPARATOR.join(section.heading)
        size = HEADING_BYTES
        while self._count(shorten_path(heading, size)) > self._sizes.ceiling * HEADING_SHARE:
            size //= 2
        return heading if size == HEADING_BYTES else shorten_path(heading, size)

    def _excess(self, draft: Chunk, limit: int) -> int:
        return self._count(draft.embedded) - limit

    def _cost(self, start: int, end: int) -> int:
        if end - start > MAX_CHARS:  # too much for any passage, so it need not be counted
            return self._sizes.ceiling + end - start
        text = self._seen[start:end]
        return max(self._count(text), len("".join(text.split())) // CHARS_PER_TOKEN)

    def _atoms(self, block: Block, room: int, level: int, strength: int = -1) -> Iterator[Atom]:
        if strength < 0:
            strength = _strength(block, level)
        context, context_tokens = self._context(block.context, int(room * CONTEXT_SHARE))
        tokens = self._cost(block.start, block.end)
        if tokens <= room - context_tokens:
            key = self._key(block.start, block.end)
            yield Atom(block.start, block.end, tokens, context, context_tokens, strength, key)
        elif block.parts:
            for part in block.parts:
                yield from self._atoms(part, room, level + 1, strength)
                strength = -1
        else:
            ways = CODE if block.kind == "fence" else LISTING if block.kind == "html" else PROSE
            span = self._without_fence(block)
            whole = Atom(span.start, span.end, tokens, context, context_tokens, strength, 0)
            yield from self._divided(whole, ways, room, TOP - STEP * (level + 1))

    def _without_fence(self, block: Block) -> Span:
        """The lines between the fences: the closing one alone would open another listing."""
        lines = block_lines(self._seen, block.start, block.end) if block.kind == "fence" else []
        inner = [line for line in lines if not self._seen.startswith(FENCES, line.start)]
        return Span(inner[0].start, inner[-1].end) if inner else Span(block.start, block.end)

    def _divided(
        self, whole: Atom, ways: tuple[Divide, ...], room: int, strength: int
    ) -> Iterator[Atom]:
        first = whole.strength
        led = self._led(whole) if ways[0] is slabs else whole
        for span in ways[0](self._seen, whole.start, whole.end):
            atom = replace(
                whole if span.start == whole.start else led,
                start=span.start,
                end=span.end,
                tokens=self._cost(span.start, span.end),
                strength=first,
                key=self._key(span.start, span.end),
            )
            if atom.tokens <= room - whole.context_tokens or len(ways) == 1:
                yield atom
            else:
                yield from self._divided(atom, ways[1:], room, strength - STEP)
            first = strength

    def _led(self, line: Atom) -> Atom:
        """What a later piece of a line is read with: the line's beginning."""
        end = line.start
        for word in words(self._seen, line.start, min(line.end, line.start + BEGINNING_CHARS)):
            end = word.end if word.end - line.start < BEGINNING_CHARS else end
        if end == line.start:
            return line
        tokens = line.context_tokens + self._cost(line.start, end)
        return replace(line, context=(*line.context, Span(line.start, end)), context_tokens=tokens)

    def _key(self, start: int, end: int) -> int:
        spoken = " ".join(self._seen[start:end].split()).encode()
        return int.from_bytes(hashlib.blake2b(spoken, digest_size=KEY_BITS // 8).digest())

    def _find_context(self, spans: tuple[Span, ...], room: int) -> tuple[tuple[Span, ...], int]:
        """The innermost context first; what does not fit is left out, the innermost is cut."""
        kept: list[Span] = []
        taken = 0
        for span in reversed(spans):
            tokens = self._cost(span.start, span.end)
            if taken + tokens > room:
                return (tuple(kept), taken) if kept else self._cut(span, room)
            kept.insert(0, span)
            taken += tokens
        return tuple(kept), taken

    def _cut(self, span: Span, room: int) -> tuple[tuple[Span, ...], int]:
        end, taken = span.start, 0
        for word in words(self._seen, span.start, min(span.end, span.start + MAX_CHARS)):
            tokens = self._cost(word.start, word.end)
            if taken + tokens > room:
                break
            end, taken = word.end, taken + tokens
        return ((Span(span.start, end),) if taken else ()), taken

    def _draft(self, heading: str, atoms: list[Atom]) -> Chunk:
        start, end = atoms[0].start, atoms[-1].end
        text = self._parsed.text
        context = tuple(Context(s.start, s.end, text[s.start : s.end]) for s in atoms[0].context)
        ranges = [*atoms[0].context, Span(start, end)]
        hidden = tuple(span for part in ranges for span in self._hidden(part))
        return Chunk("", self._doc, heading, start, end, text[start:end], context, hidden)

    def _hidden(self, part: Span) -> Iterator[Mask]:
        at = bisect_right(self._hidden_ends, part.start)
        for i in range(at, len(self._parsed.hidden)):
            span = self._parsed.hidden[i]
            if span.start >= part.end:
                return
            start = max(span.start, part.start)
            shown = span.shown if start == span.start else ""
            yield Mask(start, min(span.end, part.end), shown)
