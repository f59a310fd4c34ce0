"""Passages that disagree on the same thing: the same statement up to its value. Pure.

A false alarm under every answer would be worse than a conflict that is missed. So two clauses must
say the same in the same words, of the same names and people, in documents that are not about
different things; two rows, plans, countries or years are no conflict.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from functools import cache
from itertools import islice

from bot.questions.asked import speaks_of_others
from bot.reading.points import Point, Value, points, values_of
from bot.types import Citation, Sentence
from ingest.analyze import analyze
from ingest.caches import cached
from ingest.languages import ENGLISH, UNKNOWN, language_of
from ingest.types import SEPARATOR, Chunk

ENOUGH_SHARED = 2  # words of weight that the two clauses share; one is enough under one heading
ENOUGH_OF_ADDRESSES = 3  # every page says where its own questions go
SAID_ALIKE = 0.3  # of the words of both statements; of a row's .6: its first cell says whose it is
ROW_ALIKE = 0.6
MAX_POINTS = 200  # of a passage: four times as many as its tokens make in prose

_COMPARED = tuple(f.name for f in fields(Point) if f.name not in ("chunk", "unit"))
_NUMBER = re.compile(r"\d+(?:\.\d+)*")
_HOUSEKEEPING = frozenset(analyze("owner updated changed revised reviewed version published"))
_LIMITED = re.compile(
    r"\b(?:only|except|unless|until|without|otherwise|some|if|whether)\b", re.IGNORECASE
)
_QUESTION = re.compile(
    r"\?\s*$|^\W*(?:how|what|when|where|which|who|whom|whose|why|can|may|must|do|does|am|are|is)\s+"
    r"(?!to\b)\w+",
    re.IGNORECASE,
)
# Words of titles that say what kind of page it is, not what it is about.
_GENRES_WORDS = """
policy policies guide guideline guidelines handbook faq faqs question questions answer answers rule
rules page note notes manual overview summary wiki info information general introduction about
document documentation doc docs index readme copy draft final old new archive archived deprecated
superseded obsolete legacy current latest previous version limits limit rates rate
"""
# Words that ask for a value, and name nothing.
_MANNERS_WORDS = "long much many often far fast soon early late old big high time get need happen"
# Where one side names one of these and the other does not, they speak of different things.
_SCOPE_WORDS = """
germany france spain italy ireland england scotland wales britain kingdom uk usa us america states
canada mexico brazil india china japan singapore australia netherlands belgium luxembourg austria
switzerland poland portugal sweden norway denmark finland greece turkey israel europe eu eea emea
apac latam asia africa london berlin paris dublin amsterdam madrid munich zurich vienna york
starter basic free standard plus pro premium team business enterprise ultimate trial
windows macos mac linux ios android web desktop mobile
production staging development sandbox
"""


@dataclass(frozen=True, slots=True)
class Disagreement:
    """Two points that cannot both hold; `stated` is what the answer says."""

    stated: Point
    other: Point


def disagreements(
    sentences: Sequence[Sentence], citations: Sequence[Citation], passages: Sequence[Chunk]
) -> list[Disagreement]:
    """What passages say against an answer's sentences, each at most once, in the answer's order.

    Args:
        sentences: the answer's.
        citations: what they cite.
        passages: what else was found, best first; those of a cited document are passed over.
    """
    found: list[Disagreement] = []
    told: set[frozenset[str]] = set()
    for stated in _stated(sentences, citations):
        for other in _others(passages, stated):
            pair = frozenset({stated.text, other.text})
            if pair not in told and disagree(stated, other):
                told.add(pair)
                found.append(Disagreement(stated, other))
                break
    return found


def at_odds(one: Chunk, other: Chunk) -> bool:
    """Whether two passages of different documents disagree on anything."""
    if one.doc == other.doc:
        return False
    return any(disagree(a, b) for a in _distinct(one) for b in _distinct(other))


@cached(chars=1_000_000)
def _distinct(chunk: Chunk) -> tuple[Point, ...]:
    """The points of a passage, each once, of a passage of more than any prose the first ones.

    Each is compared with each of another passage.
    """
    once: dict[tuple[object, ...], Point] = {}
    for point in points(chunk):
        once.setdefault(tuple(getattr(point, name) for name in _COMPARED), point)
    return tuple(islice(once.values(), MAX_POINTS))


def disagree(one: Point, other: Point) -> bool:
    """Whether two points of different documents say different values, or yes and no."""
    if one.chunk.doc == other.chunk.doc or not _same_thing(one, other):
        return False
    if one.negated != other.negated:
        return _denies(one, other)
    return _differ(one, other)


def _stated(sentences: Sequence[Sentence], citations: Sequence[Citation]) -> Iterator[Point]:
    """The points that the answer repeats: quoted, and with their value in the sentence."""
    for sentence in sentences:
        values, stems = values_of(sentence.text), frozenset(analyze(sentence.text))
        for citation in citations:
            if citation.n not in sentence.citations:
                continue
            for point in points(citation.chunk):
                quoted = any(
                    q.start < point.unit.end and point.unit.start < q.end for q in citation.quotes
                )
                states = values & set(point.values) if point.values else point.about <= stems
                if quoted and states:
                    yield point


def _others(passages: Sequence[Chunk], stated: Point) -> Iterator[Point]:
    """Those of other documents that speak of as much as it does: to cut a passage up takes time."""
    for chunk in passages:
        if chunk.doc != stated.chunk.doc and stated.about <= _all_words(chunk):
            yield from _distinct(chunk)


def _same_thing(one: Point, other: Point) -> bool:
    shared = one.about & other.about
    if not shared or not _covers(one, other) or not _covers(other, one):
        return False
    enough = 1 if _last_heading(one.chunk) == _last_heading(other.chunk) else ENOUGH_SHARED
    if one.negated != other.negated:  # what is denied is told apart by its verb as well
        shared = one.full & other.full
    if len(shared) < enough or (one.about | other.about) & _HOUSEKEEPING:
        return False
    alike = len(one.said & other.said) / len(one.said | other.said)
    if alike < (ROW_ALIKE if one.listed or other.listed else SAID_ALIKE):
        return False
    if language_of(one.text) not in (ENGLISH, UNKNOWN):
        return False
    return not _apart(one, other) and not _other_pages(one.chunk, other.chunk)


def _covers(one: Point, other: Point) -> bool:
    """Whether one says, or stands under, all that the other is about and restricted to."""
    return (other.about | other.bound) <= one.about | one.said | _page_words(one.chunk)


def _apart(one: Point, other: Point) -> bool:
    """Whether the two are about other names, codes, years or people."""
    for a, b in ((one, other), (other, one)):
        words = _words(b.chunk.heading) | _words(b.text)
        if a.names - words or a.keys - words:
            return True
        known = {*analyze(b.text), *_page_words(b.chunk), *analyze("employee")}
        if speaks_of_others(f"{a.text} {a.chunk.heading}", known):
            return True
    return False


@cached(chars=1_000_000)
def _words(text: str) -> frozenset[str]:
    return frozenset(word.strip(".,;:()").casefold() for word in text.split())


@cached(chars=1_000_000)
def _page_words(chunk: Chunk) -> frozenset[str]:
    return frozenset(analyze(f"{chunk.heading} {' '.join(_path(chunk.doc))}"))


@cached(chars=1_000_000)
def _all_words(chunk: Chunk) -> frozenset[str]:
    return _page_words(chunk) | frozenset(analyze(chunk.embedded))


def _path(doc: str) -> list[str]:
    return re.findall(r"[^\W_]+", doc)


def _last_heading(chunk: Chunk) -> frozenset[str]:
    return frozenset(analyze(chunk.heading.rsplit(SEPARATOR, 1)[-1])) - _genres()


def _other_pages(one: Chunk, other: Chunk) -> bool:
    """Whether the pages are about different things: other scopes, subjects, titles, numbers."""
    ours, theirs = _page_words(one), _page_words(other)
    texts = {*analyze(one.visible)}, {*analyze(other.visible)}
    if (ours - theirs - texts[1] | theirs - ours - texts[0]) & _scopes():
        return True
    subjects = [frozenset(analyze(_titles(chunk)[0])) - _genres() for chunk in (one, other)]
    if all(subjects) and not (subjects[0] & (theirs | texts[1]) or subjects[1] & (ours | texts[0])):
        return True
    for a, b in zip(_titles(one), _titles(other), strict=True):
        mine, its = frozenset(analyze(a)) - _genres(), frozenset(analyze(b)) - _genres()
        if a != b and _NUMBER.sub("", a) == _NUMBER.sub("", b):
            return True
        words = {w for w in mine ^ its if not any(c.isdigit() for c in w)}
        words -= _asking(a, theirs.union(texts[1])) | _asking(b, ours.union(texts[0]))
        if mine & its and words & mine and words & its:
            return True
    return False


def _asking(heading: str, others: frozenset[str]) -> frozenset[str]:
    """The words with which a heading only asks for what the other page speaks of."""
    if not _QUESTION.search(heading):
        return frozenset()
    return frozenset(analyze(heading)) & others | _manners()


def _titles(chunk: Chunk) -> tuple[str, str]:
    """The page's title and the last heading."""
    path = chunk.heading.split(SEPARATOR)
    return path[0], path[-1]


@cache
def _genres() -> frozenset[str]:
    return frozenset(analyze(_GENRES_WORDS))


@cache
def _manners() -> frozenset[str]:
    return frozenset(analyze(_MANNERS_WORDS))


@cache
def _scopes() -> frozenset[str]:
    return frozenset(analyze(_SCOPE_WORDS))


def _denies(one: Point, other: Point) -> bool:
    same = one.about == other.about and len(one.full & other.full) >= ENOUGH_SHARED
    limited = _LIMITED.search(one.text) or _LIMITED.search(other.text)
    duties = {one.duty, other.duty}
    if "need not" in duties and "must" not in duties:  # who may need not
        return False
    return same and one.values == other.values and not limited


def _differ(one: Point, other: Point) -> bool:
    """Whether they have values of the same kinds, and not the same ones."""
    if not one.values or {one.limit, other.limit} == {"upper", "lower"}:
        return False
    if [v[:2] for v in one.values] != [v[:2] for v in other.values]:
        return False
    pairs = [(a, b) for a, b in zip(one.values, other.values, strict=True) if a != b]
    kinds = {a[0] for a, _ in pairs}
    if "date" in kinds and (len(pairs) > 1 or _years(pairs[0])):
        return False
    few = "address" in kinds and len(one.about & other.about) < ENOUGH_OF_ADDRESSES
    return bool(pairs) and not few


def _years(pair: tuple[Value, Value]) -> bool:
    """Whether two dates are of different years, or only one of them has a year."""
    return pair[0][2].split("-")[0] != pair[1][2].split("-")[0]
