"""Cases proposed from the documents themselves, for a person to accept, edit or drop."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from bot.reading.sentences import sentence_spans
from ingest.types import SEPARATOR, Chunk

MIN_WORDS = 4  # of a sentence that can answer anything
MAX_TERM_WORDS = 6
KINDS = ("definition", "table", "heading")  # those that ask for something exact come first

_DEFINITION = re.compile(
    r"^(?P<article>(?:An?|The)\s+)?(?P<term>[^\W\d_][^,;:.()|\n]{1,60}?)"
    r"\s+(?P<verb>is|are|means|stands for)\s+(?:an?|the|any|our|one)\s",
)
_MARKS = re.compile(r"\*\*|__|[*`]|\[(?=[^\]]{0,300}\])|\](?:\([^)]{0,300}\)|\[[^\]]{0,300}\])?")
_LEAD = re.compile(r"^\s*(?:(?:[-*+>]|\d+[.)])\s+)+")
_RULE = re.compile(r"^[\s|:-]+$")
_PRONOUN = re.compile(
    r"^(?:it|this|that|these|those|they|we|you|he|she|there|here|what|which|who|one|if|when|as|for|in"
    r"|on|to|at|by|your|our|their|its|while|although|because|typically|usually)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class DraftCase:
    """A question that `span`, which stands in `file`, ought to answer; `kind`: made from what."""

    q: str
    file: str
    span: str
    kind: str


def propose(chunks: Iterable[Chunk], count: int) -> list[DraftCase]:
    """Propose at most `count` cases, in turn from each document, each question once.

    Args:
        chunks: the live passages, by document and place.
        count: how many.
    """
    by_doc: dict[str, list[DraftCase]] = {}
    headings: set[tuple[str, str]] = set()
    for chunk in chunks:
        drafts = by_doc.setdefault(chunk.doc, [])
        drafts += [*_of_definitions(chunk), *_of_rows(chunk)]
        if (chunk.doc, chunk.heading) not in headings:
            headings.add((chunk.doc, chunk.heading))
            drafts += _of_heading(chunk)
    mixed = [draft for drafts in by_doc.values() for draft in [_mixed(drafts)]]
    unique = {draft.q.casefold(): draft for turn in zip_longest(*mixed) for draft in turn if draft}
    return list(unique.values())[:count]


def _mixed(drafts: Sequence[DraftCase]) -> list[DraftCase]:
    """The kinds of one document in turn, so that a long table does not fill the list."""
    turns = zip_longest(*([d for d in drafts if d.kind == kind] for kind in KINDS))
    return [draft for turn in turns for draft in turn if draft]


def _of_heading(chunk: Chunk) -> Iterator[DraftCase]:
    """What does a page say under a heading? A heading that asks is the question itself."""
    path = chunk.heading.split(SEPARATOR)
    span = _first_sentence(chunk)
    if span is None:
        return
    if path[-1].endswith("?"):
        yield DraftCase(path[-1], chunk.doc, span, "heading")
    elif len(path) > 1:
        yield DraftCase(f"{path[0]}: {path[-1]}?", chunk.doc, span, "heading")


def _of_definitions(chunk: Chunk) -> Iterator[DraftCase]:
    """`A release train is a …` answers `What is a release train?`."""
    for sentence in _sentences(chunk):
        found = _DEFINITION.match(_MARKS.sub("", sentence))
        if found is None or _PRONOUN.match(found["term"]):
            continue
        term = found["term"]
        if len(term.split()) > MAX_TERM_WORDS:
            continue
        name = (found["article"] or "").lower() + term
        verb = found["verb"]
        asked = f"What {verb} {name}?"
        if verb in {"means", "stands for"}:
            asked = f"What does {name} {verb.replace('means', 'mean').replace('stands', 'stand')}?"
        yield DraftCase(asked, chunk.doc, sentence, "definition")


def _of_rows(chunk: Chunk) -> Iterator[DraftCase]:
    """A row answers what one of its columns says of its first cell."""
    header: list[str] | None = None
    lines = [line for c in chunk.context for line in c.text.splitlines()]
    for line in [*lines, *chunk.text.splitlines()]:
        cells = _cells(line)
        if cells is None:
            header = None
        elif _RULE.match(line):
            continue
        elif header is None:
            header = cells
        elif len(cells) == len(header) > 1 and all((cells[0], cells[1], header[1])):
            about = chunk.heading.split(SEPARATOR)[-1]
            asked = f"{about}: {header[1].lower()} for {cells[0].lstrip('#')}?"
            if line in chunk.text:
                yield DraftCase(asked, chunk.doc, line.strip(), "table")


def _cells(line: str) -> list[str] | None:
    stripped = line.strip()
    if not stripped.startswith("|"):
        return None
    return [_MARKS.sub("", cell).strip() for cell in stripped.strip("|").split("|")]


def _first_sentence(chunk: Chunk) -> str | None:
    return next(iter(_sentences(chunk)), None)


def _sentences(chunk: Chunk) -> Iterator[str]:
    """The passage's sentences as they stand in the file, without marks of lists and tables."""
    for start, end in sentence_spans(chunk.visible):
        sentence = _LEAD.sub("", chunk.text[start:end]).strip()
        whole = sentence[-1:] in {".", "!"} and "|" not in sentence and "\n\n" not in sentence
        if whole and len(sentence.split()) >= MIN_WORDS:
            yield sentence
