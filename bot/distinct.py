"""Passages that say the same, word for word or nearly: one of them is enough for an answer. Pure.

What differs in a value is no duplicate, however alike: it may be a conflict, or another row.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from bot import lexicon
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
SAYS_ENOUGH = 8  # words of weight with which a text stands for itself under another heading

_WORD = re.compile(r"\w+(?:[.,:/@_-]\w+)*[%€£$]?|[€£$]")


@dataclass(frozen=True, slots=True)
class _Said:
    """A passage with its context, as words.

    `weighty` are the words that a sentence may be about, in their order: numbers, names, limits.
    `masked` are the shingles up to numbers, `codes` the numbers and codes of the last heading.
    """

    folded: tuple[str, ...]
    shingles: frozenset[tuple[str, ...]]
    masked: frozenset[tuple[str, ...]]
    weighty: tuple[str, ...]
    stems: frozenset[str]
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
    limits = lexicon.words("limits", text)
    return _Said(
        folded=folded,
        shingles=_shingles(folded),
        masked=_shingles(tuple(w if w.isalpha() else "#" for w in folded)),
        weighty=tuple(w for w in words if not (w.isalpha() and w.islower()) or w in limits),
        stems=frozenset(analyze(text)),
        heading=heading,
        codes=frozenset(t for t in heading if below and any(c.isdigit() for c in t)),
        negations=len(negations(text)),
    )


def _shingles(words: tuple[str, ...]) -> frozenset[tuple[str, ...]]:
    size = min(SHINGLE, len(words))
    return frozenset(words[i : i + size] for i in range(len(words) - size + 1))


def duplicates(hits: Sequence[Hit]) -> dict[str, str]:
    """Ids of the passages that say what a better one says, each with the better one's id.

    Args:
        hits: best first.
    """
    kept: list[Chunk] = []
    found: dict[str, str] = {}
    for chunk in (hit.chunk for hit in hits[:LOOKED_AT]):
        twin = next((better.id for better in kept if same_text(better, chunk)), None)
        if twin is None:
            kept.append(chunk)
        else:
            found[chunk.id] = twin
    return found


def said_by(one: Chunk, other: Chunk) -> float:
    """How much of the other passage's wording the one has, whatever their numbers: 0 to 1."""
    theirs = _said(other).masked
    return len(_said(one).masked & theirs) / len(theirs) if theirs else 0.0


def same_text(one: Chunk, other: Chunk) -> bool:
    """Whether two passages say the same.

    A short text says another thing under another heading. Two codes in the headings (ERR_4012,
    ERR_4013) keep texts apart; the number in a page's title does not: it tells editions apart.
    """
    ours, its = _said(one), _said(other)
    common = len(ours.shingles & its.shingles)
    if not common or common < ALIKE * len(ours.shingles | its.shingles):
        return False
    if ours.heading != its.heading and min(len(ours.stems), len(its.stems)) < SAYS_ENOUGH:
        return False
    if ours.codes - its.codes and its.codes - ours.codes:
        return False
    if ours.folded == its.folded:
        return True
    exchanged = ours.stems - its.stems and its.stems - ours.stems
    return not exchanged and (ours.weighty, ours.negations) == (its.weighty, its.negations)
