"""Passages that disagree on one thing: the same statement up to its value, or denied. Pure.

A false alarm under every answer would be worse than a conflict that is missed. So each side has to
say, in its statement or above it, every word that the other says, and those of the question; and
the pages may not be about two things. `python -m tests.quality --conflicts` counts both.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bot import lexicon
from bot.reading.dates import Date, Time
from bot.reading.facts import Fact, facts
from bot.reading.fold import plain
from bot.reading.quantities import Quantity
from bot.reading.statements import content, negations
from bot.reading.units import Unit, units
from bot.types import Citation, Sentence
from ingest.analyze import analyze
from ingest.caches import cached
from ingest.types import SEPARATOR, Chunk

Value = tuple[str, str, str]  # kind, unit, and the value as comparable text

# Words that both statements have: two are enough, of an address three, as every page says where
# its own questions go. With five a statement says by itself what it is of, whatever its page.
FEW, FEW_OF_ADDRESSES, ENOUGH = 2, 3, 5
MAX_STATEMENTS = 200  # of a passage: four times as many as its tokens make in prose
_YEARS = range(1900, 2200)
_NUMBER = re.compile(r"\d+(?:\.\d+)*")
_NAME = re.compile(r"(?<=[a-z,;:)] )[A-Z][\w'-]*\w")
_NO, _YES = (
    re.compile(r"(?:none|no|n/a|nein|-+|✗|✘|x)?", re.IGNORECASE),
    re.compile("(?i)yes|ja|✓|✔"),
)


@dataclass(frozen=True, slots=True)
class Stated:
    """A statement of a passage with what it leans on.

    `words` are its stems without values and words of permission, `values` are in its order, `keys`
    are the codes, versions and years that tell which thing it is of.
    """

    chunk: Chunk
    unit: Unit
    text: str
    words: frozenset[str]
    values: tuple[Value, ...]
    keys: frozenset[str]
    denied: bool


def conflicts_of(
    question: str,
    sentences: Sequence[Sentence],
    citations: Sequence[Citation],
    passages: Sequence[Chunk],
) -> Iterator[tuple[Stated, Stated]]:
    """What an answer states, with what another document says against it: each pair of texts once.

    Args:
        question: as it was asked, or completed.
        sentences: the answer's.
        citations: what they cite.
        passages: those that the answer is made from, best first.
    """
    told: set[frozenset[str]] = set()
    for stated in _repeated(sentences, citations):
        for other in (s for chunk in passages for s in statements_of(chunk)):
            pair = frozenset({stated.text, other.text})
            if pair not in told and disagree(question, stated, other):
                told.add(pair)
                yield stated, other
                break


def disagree(question: str, one: Stated, other: Stated) -> bool:
    """Whether two statements of different documents say different values of one thing, or deny it.

    Two that deny each other have equal values; a condition on one side is no denial.
    """
    if one.chunk.doc == other.chunk.doc or one.keys != other.keys:
        return False
    differ = one.values != other.values
    if differ and ([v[:2] for v in one.values] != [v[:2] for v in other.values] or _elsewhen(one)):
        return False
    if differ == (one.denied != other.denied) or not (differ or _deny(one, other)):
        return False
    return _one_thing(question, one, other)


def _repeated(sentences: Sequence[Sentence], citations: Sequence[Citation]) -> Iterator[Stated]:
    """The statements that an answer repeats: quoted, and with a value of theirs in its sentence."""
    for sentence in sentences:
        values = {v for fact in facts(sentence.text) if (v := _value(fact))}
        stems = frozenset(analyze(sentence.text))
        for citation in (c for c in citations if c.n in sentence.citations):
            for stated in statements_of(citation.chunk):
                unit = stated.unit
                quoted = any(q.start < unit.end and unit.start < q.end for q in citation.quotes)
                said = values & set(stated.values) if stated.values else stated.words <= stems
                if quoted and said:
                    yield stated


def _one_thing(question: str, one: Stated, other: Stated) -> bool:
    shared = one.words & other.words
    ours, its = one.words | _above(one.chunk), other.words | _above(other.chunk)
    address = any(kind == "address" for kind, *_ in one.values)
    if len(shared) < (FEW_OF_ADDRESSES if address else FEW):
        return False
    asked = frozenset(analyze(question))
    if one.words - its or other.words - ours or 2 * len(asked & (ours ^ its)) > len(asked & shared):
        return False
    headings = [_NUMBER.sub("", stated.chunk.heading) for stated in (one, other)]
    if headings[0] == headings[1] and one.chunk.heading != other.chunk.heading:
        return False
    ways = _both_ways(one.chunk, other.chunk)
    related = bool(_subject(one.chunk) & _subject(other.chunk))
    if related and any(_names(a) - _all_words(b) for a, b in ways):
        return False
    apart = all(_subject(a) - _all_words(b) for a, b in ways)
    return not apart or (len(shared) >= ENOUGH and not related)


def _both_ways(one: Chunk, other: Chunk) -> tuple[tuple[Chunk, Chunk], tuple[Chunk, Chunk]]:
    return (one, other), (other, one)


def _deny(one: Stated, other: Stated) -> bool:
    """Whether the one denies the other: "need not" denies "must", and not "may"."""
    said = [set(re.findall(r"\w+", s.text.casefold())) for s in (one, other)]
    if said[0] & lexicon.words("conditions", one.text):
        return False
    if said[1] & lexicon.words("conditions", other.text):
        return False
    owed = [bool(words & lexicon.words("duties", one.text)) for words in said]
    return owed[0] == owed[1] and one.words == other.words


def _elsewhen(stated: Stated) -> bool:
    """Whether its date is of the document itself: "Last updated: 3 May 2026"."""
    dated = any(kind == "date" for kind, *_ in stated.values)
    return dated and bool(stated.words & lexicon.stems("dated"))


@cached(chars=1_000_000)
def statements_of(chunk: Chunk) -> tuple[Stated, ...]:
    """The statements of a passage: its sentences, items and rows, without questions."""
    stretches = units(chunk)
    said = [
        (unit, _in_words(unit, stretches))
        for unit in stretches
        if not unit.in_context and unit.kind in ("prose", "item", "row")
        if not unit.text.rstrip().endswith("?")
    ]
    return tuple(_stated(chunk, unit, text) for unit, text in said[:MAX_STATEMENTS])


def _in_words(unit: Unit, stretches: Sequence[Unit]) -> str:
    """What a unit says with what it leans on; a cell that denies as "no x"."""
    leads = [stretches[i] for i in unit.leads]
    if unit.kind != "row" or not leads or leads[-1].kind != "header":
        return " ".join(plain(part.text) for part in (*leads, unit))
    cells = [(plain(n), plain(c)) for n, c in zip(leads[-1].cells, unit.cells, strict=False)]
    words = {cell: f"no {name}" for name, cell in cells if _NO.fullmatch(cell)}
    return ", ".join(
        f"no {name}" if cell in words else name if _YES.fullmatch(cell) else f"{name}: {cell}"
        for name, cell in cells
    )


def _stated(chunk: Chunk, unit: Unit, text: str) -> Stated:
    rest, keys = text, set[str]()
    places: list[tuple[int, Value]] = []
    for fact in facts(text):
        value, at = _value(fact), rest.find(fact.words)
        if value is None:
            keys.add(str(fact.value).casefold())
        elif at >= 0:
            places.append((at, value))
            rest = rest[:at] + " " * len(fact.words) + rest[at + len(fact.words) :]
    words = set(re.findall(r"\w+", text.casefold()))
    turned = len(negations(text)) + len(words & lexicon.words("bans", text))
    permission = (lexicon.stems(kind) for kind in ("bans", "duties", "permissions"))
    return Stated(
        chunk=chunk,
        unit=unit,
        text=text,
        words=content(rest).difference(*permission),
        values=tuple(value for _, value in sorted(places)),
        keys=frozenset(keys),
        denied=turned % 2 == 1,
    )


def _value(fact: Fact) -> Value | None:
    """A fact as what a statement may be at odds about; None for one that says of which thing."""
    match fact.value:
        case Quantity() as number:
            whole = number.value == int(number.value) and int(number.value) in _YEARS
            if not number.unit and (number.digits or whole):
                return None
            return ("number", f"{number.unit} {number.qualifier}".strip(), f"{number.value:f}")
        case Date() as day:
            return ("date", str(day.year or ""), str(sorted(day.readings())))
        case Time() as time:
            return ("time", "", str(time.minutes))
    return ("address", "", fact.value) if fact.kind == "address" else None


@cached(chars=1_000_000)
def _above(chunk: Chunk) -> frozenset[str]:
    """The words of what a passage stands under."""
    return frozenset(analyze(" ".join([chunk.heading, *re.findall(r"[^\W_]+", chunk.doc)])))


@cached(chars=1_000_000)
def _all_words(chunk: Chunk) -> frozenset[str]:
    return _above(chunk) | frozenset(analyze(chunk.embedded))


def _subject(chunk: Chunk) -> frozenset[str]:
    """What a page and its section are about."""
    title, *below = chunk.heading.split(SEPARATOR)
    return content(" ".join([title, *below[-1:]])) - lexicon.stems("genres")


def _names(chunk: Chunk) -> frozenset[str]:
    """The names in the headings: "in Germany", "the Gold plan"."""
    return frozenset(analyze(" ".join(_NAME.findall(chunk.heading)))) - lexicon.stems("genres")
