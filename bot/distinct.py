"""Passages that say the same, word for word or nearly: one of them is enough for an answer. Pure.

What differs in a value is no duplicate, however alike: it may be a conflict, or another row.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from bot.fold import plain
from bot.statements import negations
from bot.types import Hit
from ingest.analyze import analyze
from ingest.types import SEPARATOR, Chunk

SHINGLE = 3  # words; as Broder, "On the resemblance and containment of documents", 1997, has it
# Of the shingles of both. On the sample handbook and on a public handbook of 1,800 passages no
# pair lay between .55 and 1 that a reader would take for the same text.
ALIKE = 0.8
SAYS_ENOUGH = 8  # words of weight with which a text stands for itself under another heading

_WORD = re.compile(r"\w+(?:[.,:/@_-]\w+)*[%€£$]?|[€£$]")
_LIMITS = frozenset(
    [
        "all",
        "any",
        "both",
        "each",
        "every",
        "everyone",
        "everybody",
        "only",
        "never",
        "always",
        "none",
        "no",
        "not",
        "most",
        "some",
        "least",
        "except",
        "unless",
        "may",
        "must",
        "cannot",
        "can",
        "should",
    ]
)


@dataclass(frozen=True, slots=True)
class _Said:
    """A passage with its context, as words; `folded` are the words without their capitals."""

    words: tuple[str, ...]
    folded: tuple[str, ...]
    shingles: frozenset[tuple[str, ...]]
    heading: frozenset[str]
    negations: int

    @classmethod
    def of(cls, chunk: Chunk) -> "_Said":
        text = plain("\n".join([*chunk.visible_context, chunk.visible]))
        words = tuple(_WORD.findall(text))
        folded = tuple(word.casefold() for word in words)
        size = min(SHINGLE, len(folded))
        shingles = frozenset(folded[i : i + size] for i in range(len(folded) - size + 1))
        heading = frozenset(analyze(chunk.heading.rsplit(SEPARATOR, 1)[-1]))
        return cls(words, folded, shingles, heading, len(negations(text)))


def duplicates(hits: Sequence[Hit]) -> dict[str, str]:
    """Ids of the passages that say what a better one says, each with the better one's id.

    Args:
        hits: best first.
    """
    kept: list[tuple[str, _Said]] = []
    found: dict[str, str] = {}
    for hit in hits:
        said = _Said.of(hit.chunk)
        twin = next((id_ for id_, other in kept if _same(other, said)), None)
        if twin is None:
            kept.append((hit.chunk.id, said))
        else:
            found[hit.chunk.id] = twin
    return found


def same_text(one: Chunk, other: Chunk) -> bool:
    """Whether two passages say the same."""
    return _same(_Said.of(one), _Said.of(other))


def _same(one: _Said, other: _Said) -> bool:
    if not one.words or not other.words:
        return False
    if one.heading != other.heading and not (_stands_alone(one) and _stands_alone(other)):
        return False
    if _names_another(one, other):
        return False
    if one.folded == other.folded:
        return True
    common = len(one.shingles & other.shingles)
    if common < ALIKE * len(one.shingles | other.shingles) or one.negations != other.negations:
        return False
    return not _differ_in_value(one, other)


def _stands_alone(said: _Said) -> bool:
    return len(set(analyze(" ".join(said.words)))) >= SAYS_ENOUGH


def _names_another(one: _Said, other: _Said) -> bool:
    """Whether both headings have a number or code that the other lacks: ERR_4012, ERR_4013."""
    codes = [{t for t in s.heading if any(c.isdigit() for c in t)} for s in (one, other)]
    return bool(codes[0] - codes[1]) and bool(codes[1] - codes[0])


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
