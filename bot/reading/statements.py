"""What passages say, cut into statements that a sentence can be compared with."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from bot.reading.facts import facts
from bot.reading.fold import plain
from bot.reading.quantities import Quantity
from bot.reading.sentences import sentence_spans
from bot.reading.units import Unit, row_text, units
from ingest.analyze import analyze
from ingest.caches import cached
from ingest.types import Chunk

_NEGATOR = re.compile(
    r"\b(?:no one|no longer(?! than)|not|no|never|none|nothing|nobody|nowhere"
    r"|neither|nor|without|cannot)\b|n't\b",
    re.IGNORECASE,
)
_NO_NEGATION = re.compile(
    r"\b(?:no|not) (?:more|less|later|earlier|fewer|longer) than\b|\bnot only\b|\bno matter\b"
    r"|\bwhether or not\b|\bor not\b|\bnever (?:since|before)\b|\bnot until\b",
    re.IGNORECASE,
)
_CLAUSE = re.compile(
    r"[,;:.!?](?=\s|$)|[()]|\s-\s|\b(?:but|while|whereas|although|though|because)\b", re.IGNORECASE
)
_NO_VALUE = re.compile(
    r"\b((?:\w++ ){0,2}\w++)[\"']?: [\"']?(?:no|none|false)\b[\"']?(?=[.,;}]|$)", re.IGNORECASE
)
_NEXT_NAME = re.compile(r"(?<=[.,;]) (?=[a-z\"'][\w \"']{0,30}: )", re.IGNORECASE)
_FEW_VALUES = 2  # in prose
_NOTHING = re.compile(r"(?:none|no|n/a|not available|-+|✗|✘|x)?", re.IGNORECASE)


@dataclass(frozen=True)
class Statement:
    """A sentence, item or row, folded, with what it leans on; `listed` for the latter two."""

    text: str
    listed: bool = False
    row: bool = False  # of a table
    verbatim: frozenset[str] = frozenset()  # keys of what repeats it word for word

    @cached_property
    def stems(self) -> frozenset[str]:
        """Its content words, without numbers."""
        return content(self.text)

    @cached_property
    def clauses(self) -> tuple["Statement", ...]:
        """Its parts between commas, colons and the conjunctions that set one thing off another."""
        parts = (part.strip() for part in _CLAUSE.split(self.text))
        return tuple(Statement(part, self.listed) for part in parts if part)

    @cached_property
    def quantities(self) -> tuple[Quantity, ...]:
        """Its numbers; those of dates, times and identifiers are none."""
        found = (fact.value for fact in facts(self.text))
        return tuple(value for value in found if isinstance(value, Quantity))

    def holds(self, quantity: Quantity) -> bool:
        """Whether it has this number, with the same unit or without one."""
        return any(
            q.value == quantity.value if q.unit == quantity.unit else q.bare == quantity.bare
            for q in self.quantities
            if q.unit in (quantity.unit, "")
        )

    def overlap(self, other: "Statement") -> int:
        """How many content words the two share."""
        return len(self.stems & other.stems)


def content(text: str) -> frozenset[str]:
    """Stems of the content words of a text, without numbers."""
    return frozenset(t for t in analyze(text) if not any(c.isdigit() for c in t))


@cached(chars=200_000)
def statements(chunk: Chunk) -> tuple[Statement, ...]:
    """What a passage says: one statement a unit, in order; its heading stands for itself."""
    stretches = units(chunk)
    said = (part for unit in stretches for part in _values(_statement(unit, stretches)))
    return (Statement(plain(chunk.heading)), *said)


def _values(statement: Statement) -> Iterator[Statement]:
    """A run of names and values ("wifi: no. parking: free.") as statements of their own."""
    parts = [statement.text] if statement.row else _NEXT_NAME.split(statement.text)
    for part in parts if len(parts) > _FEW_VALUES else [statement.text]:
        yield replace(statement, text=_NO_VALUE.sub(r"no \1", part))


def _statement(unit: Unit, stretches: Sequence[Unit]) -> Statement:
    leads = [stretches[i] for i in unit.leads]
    parts = [plain(part.text) for part in (*leads, unit)]
    said = " ".join(parts)
    repeats = {key(said), key(parts[-1])}
    repeats |= {key(parts[-1][start:end]) for start, end in sentence_spans(parts[-1])}
    if unit.kind == "row" and leads and leads[-1].kind == "header":
        said = _row(leads[-1].cells, unit.cells)
        repeats.add(key(row_text(leads[-1].cells, unit.cells)))
    listed, row = unit.kind in ("item", "row"), unit.kind == "row"
    return Statement(said, listed, row, verbatim=frozenset(repeats))


def negations(text: str) -> list[int]:
    """Where the words end that negate what follows them; "no more than" is none."""
    masked = _NO_NEGATION.sub(lambda match: "_" * len(match.group()), text)
    return [match.end() for match in _NEGATOR.finditer(masked)]


def key(text: str) -> str:
    """The words of a text alone: two texts with one key say the same, word for word."""
    return re.sub(r"[^\w%$€£¥₹+-]+", " ", plain(text).casefold()).strip()


def reworded(text: str, source: Sequence[Statement]) -> str:
    """What is left of a text without the lines and sentences that repeat a statement."""
    repeated = frozenset[str]().union(*(statement.verbatim for statement in source))
    if key(text) in repeated:
        return ""
    left = [
        line[start:end]
        for line in text.split("\n")
        for start, end in sentence_spans(line)
        if key(line) not in repeated and key(line[start:end]) not in repeated
    ]
    return " ".join(left)


def _row(header: Sequence[str], cells: Sequence[str]) -> str:
    """A row in words; a cell that says "none" denies what its column is about."""
    pairs = [(plain(name), plain(cell)) for name, cell in zip(header, cells, strict=False)]
    return ", ".join(
        f"no {name}" if _NOTHING.fullmatch(cell) else f"{name}: {cell}" for name, cell in pairs
    )


def nearest(claim: Statement, source: Sequence[Statement]) -> list[Statement]:
    """The statements that share most content words with a claim, up to one word less."""
    most = max((claim.overlap(statement) for statement in source), default=0)
    return [s for s in source if claim.overlap(s) >= max(most - 1, 1)]
