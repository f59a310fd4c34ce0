"""Passages that say the same, word for word or nearly: one of them is enough for an answer. Pure.

What differs in a value is no duplicate, however alike: it may be a conflict, or another row.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from bot.reading.fold import plain
from bot.reading.statements import negations
from bot.types import Hit
from ingest.analyze import analyze
from ingest.caches import cached
from ingest.types import SEPARATOR, Chunk

SHINGLE = 3  # words; as Broder, "On the resemblance and containment of documents", 1997, has it
# Of the shingles of both. In the sample handbook and gds_way (1,039 passages) the pairs that a
# reader takes for one text lie at .91 and above, those that are merely alike at .67 and below.
ALIKE = 0.8
LOOKED_AT = 30  # hits from the first; what repeats itself below is no answer's
SOME = 2  # shingles in a row: four words
SAYS_ENOUGH = 8  # words of weight with which a text stands for itself under another heading

_WORD = re.compile(r"\w+(?:[.,:/@_-]\w+)*[%€£$]?|[€£$]")
_LIMIT_WORDS = """
all any both each every everyone everybody only never always none no not most some least except
unless may must cannot can should
"""
_LIMITS = frozenset(_LIMIT_WORDS.split())


@dataclass(frozen=True, slots=True)
class _Said:
    """A passage with its context, as words; `folded` are the words without their capitals."""

    words: tuple[str, ...]
    folded: tuple[str, ...]
    shingles: frozenset[tuple[str, ...]]
    heading: frozenset[str]
    codes: frozenset[str]
    negations: int


@cached(chars=1_000_000)
def _said(chunk: Chunk) -> _Said:
    text = plain("\n".join([*chunk.visible_context, chunk.visible]))
    words = tuple(_WORD.findall(text))
    folded = tuple(word.casefold() for word in words)
    title, *below = chunk.heading.split(SEPARATOR)
    heading = frozenset(analyze(below[-1] if below else title))
    codes = frozenset(t for t in heading if below and any(c.isdigit() for c in t))
    return _Said(words, folded, _shingles(folded), heading, codes, len(negations(text)))


def _shingles(words: tuple[str, ...]) -> frozenset[tuple[str, ...]]:
    size = min(SHINGLE, len(words))
    return frozenset(words[i : i + size] for i in range(len(words) - size + 1))


@cached(chars=1_000_000)
def _masked(chunk: Chunk) -> frozenset[tuple[str, ...]]:
    folded = _said(chunk).folded
    return _shingles(tuple(w if w.isalpha() else "#" for w in folded))


def duplicates(hits: Sequence[Hit]) -> dict[str, str]:
    """Ids of the passages that say what a better one says, each with the better one's id.

    Args:
        hits: best first.
    """
    kept: list[tuple[str, _Said]] = []
    found: dict[str, str] = {}
    for hit in hits[:LOOKED_AT]:
        said = _said(hit.chunk)
        twin = next((id_ for id_, other in kept if _same(other, said)), None)
        if twin is None:
            kept.append((hit.chunk.id, said))
        else:
            found[hit.chunk.id] = twin
    return found


def same_text(one: Chunk, other: Chunk) -> bool:
    """Whether two passages say the same."""
    return _same(_said(one), _said(other))


def share_wording(one: Chunk, other: Chunk) -> bool:
    """Whether two passages have some words in a row in common, whatever their numbers."""
    return len(_masked(one) & _masked(other)) >= SOME


def said_by(one: Chunk, other: Chunk) -> float:
    """How much of the other passage's wording the one has, whatever their numbers: 0 to 1."""
    theirs = _masked(other)
    return len(_masked(one) & theirs) / len(theirs) if theirs else 0.0


def _same(one: _Said, other: _Said) -> bool:
    common = len(one.shingles & other.shingles)
    if not common or common < ALIKE * len(one.shingles | other.shingles):
        return False
    if one.heading != other.heading and not (_stands_alone(one) and _stands_alone(other)):
        return False
    if _names_another(one, other) or one.negations != other.negations:
        return False
    return one.folded == other.folded or not _differ_in_value(one, other)


def _stands_alone(said: _Said) -> bool:
    return len(set(analyze(" ".join(said.words)))) >= SAYS_ENOUGH


def _names_another(one: _Said, other: _Said) -> bool:
    """Whether both headings have a number or code that the other lacks: ERR_4012, ERR_4013.

    The number in a page's title tells editions apart, and those may well say the same.
    """
    return bool(one.codes - other.codes) and bool(other.codes - one.codes)


def _differ_in_value(one: _Said, other: _Said) -> bool:
    """Whether what one has and the other has not is more than a word put in or left out."""
    matcher = SequenceMatcher(None, one.folded, other.folded, autojunk=False)
    for tag, a1, a2, b1, b2 in matcher.get_opcodes():
        if tag == "equal":
            continue
        ours, theirs = one.words[a1:a2], other.words[b1:b2]
        if any(map(_weighs, (*ours, *theirs))):
            return True
        exchanged = set(analyze(" ".join(ours))), set(analyze(" ".join(theirs)))
        if all(exchanged) and exchanged[0] != exchanged[1]:
            return True
    return False


def _weighs(word: str) -> bool:
    """Whether a word may be what a sentence is about: a number, a name, a limit, a negation."""
    return not word.isalpha() or not word.islower() or word in _LIMITS
