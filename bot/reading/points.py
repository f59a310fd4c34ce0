"""What a passage states, clause by clause: what of, and which values. Pure.

The unit of comparing two documents: the words of a clause without its values are what it is about.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import accumulate
from operator import or_

from bot.reading.dates import Date, Time
from bot.reading.facts import Fact, facts
from bot.reading.fold import plain
from bot.reading.quantities import Quantity
from bot.reading.statements import content, negations
from bot.reading.units import Unit, units
from ingest.analyze import analyze
from ingest.caches import cached
from ingest.types import Chunk

Value = tuple[str, str, str]  # kind, unit, and the value as comparable text

_CUT = re.compile(r"[,;.!?](?=\s|$)|[()]|\b(?:and|but|or|while|whereas)\b", re.IGNORECASE)
_NUMBER_BEFORE = re.compile(r"\d[^\s\d]*+\s(?:[a-z]+\s)?$", re.IGNORECASE)
_NEAR_CHARS = 100  # a number and its unit are no longer
_NUMBER_AFTER = re.compile(r"\s*[$€£]?\d")
_CONDITION = re.compile(
    r"\b(?:if|when|whenever|where|during|unless|except|until|till|after|before|since|once|from|for"
    r"|without|besides|apart|instead|as long as|as soon as)\b",
    re.IGNORECASE,
)
_UPPER = re.compile(
    r"\b(?:up to|at most|no more than|not more than|less than|fewer than|under|below|within"
    r"|max(?:imum)?|or less|or fewer|no later than|at the latest)\b",
    re.IGNORECASE,
)
_LOWER = re.compile(
    r"\b(?:at least|no less than|not less than|more than|over|above|min(?:imum)?|or more"
    r"|or longer|from)\b",
    re.IGNORECASE,
)
_NAME = re.compile(r"(?<=[a-z,;:)] )[A-Z][\w'-]*\w")
_LABEL = re.compile(
    r"\b(?:step|section|level|tier|stage|phase|chapter|room|floor|line|grade|band|class|type"
    r"|option|appendix|table|figure|page|part|rule|case|no|week|day|month|year|quarter|port"
    r"|priority|severity)\W{1,2}$",
    re.IGNORECASE,
)
_MAY_HOLD = re.compile(
    r"[\d@`]|::|\w[.=/_]\w|(?-i:[a-z][A-Z])|\b(?:zero|one|two|three|four|five|six|seven|eight|nine|ten"
    r"|eleven|twelve|\w+teen|\w+ty|noon|midday|midnight|\w+ary|march|april|may|june|july|august"
    r"|\w+ber)\b",
    re.IGNORECASE,
)
_DENIES = re.compile(r"(?:none|no|n/a|not available|-+|✗|✘|x)?", re.IGNORECASE)
_AFFIRMS = re.compile(r"yes|[✓✔]", re.IGNORECASE)
_YEARS = range(1900, 2200)
_BE = r"(?:am|are|be|been|being|is|remains?|was|were)"
_BANNED = r"(?:\w+ly\s+)?(?:banned|disallowed|forbidden|prohibited)\b"
_BAN = re.compile(rf"(\b{_BE}|:)\s+{_BANNED}", re.IGNORECASE)
_NO_BAN = re.compile(rf"\b({_BE})(?:n't|\s+(?:not|never|no longer))\s+{_BANNED}", re.IGNORECASE)
_PERMITTED = re.compile(r"\bpermitted\b", re.IGNORECASE)
_WAIVES = re.compile(
    r"\b(?:need(?: not|n't)|(?:do|does)(?: not|n't) (?:have|need) to"
    rf"|{_BE}(?: not|n't) (?:\w+ly )?(?:obliged|required) to)\b",
    re.IGNORECASE,
)
_DEMANDS = re.compile(
    rf"\b(?:must|shall|(?:has|have|needs?) to|{_BE} (?:\w+ly )?(?:obliged|required) to)\b",
    re.IGNORECASE,
)
# Words that say how a value is stated, not what it is of.
_LIGHT_WORDS = """
may can could must should will shall would be is are claim claims claimed claimable spend pay pays
paid payable cost costs reimburse reimburses reimbursed refund refunded get gets receive receives
give gives given grant granted allow allows allowed permit permits permitted entitle entitled limit
limits limited maximum max minimum min least most up exactly set currently now about around
approximately total amount amounts rate rates value values allowance number have has take takes
last lasts offer offers offered provide provides provided yes per each every also currently apply
applies applied run runs stay stays keep kept cannot don doesn didn isn aren won wasn shouldn mustn
"""


@dataclass(frozen=True, slots=True)
class Point:
    """A clause of a passage that has values, or that may be denied.

    `about` are the stems of the clause without its values, `full` with those that say how a value
    is stated, `said` those of its whole statement, `bound` of the clauses that restrict it. A row's
    clauses are about what its first cell names too. `names` and `keys` are the names, and the
    codes, versions and years, of the whole statement; `limit` is upper, lower or empty. `duty` is
    "must" where the clause demands, "need not" where it waives, else empty. A ban is a permission
    denied.
    """

    chunk: Chunk
    unit: Unit
    text: str
    about: frozenset[str]
    full: frozenset[str]
    said: frozenset[str]
    bound: frozenset[str]
    names: frozenset[str]
    keys: frozenset[str]
    values: tuple[Value, ...]
    limit: str
    duty: str
    negated: bool
    listed: bool


@cached(chars=200_000)
def points(chunk: Chunk) -> tuple[Point, ...]:
    """All points of a passage in the order of the page.

    Context, headings, code and questions have none.
    """
    stretches = units(chunk)
    return tuple(
        point
        for unit in stretches
        if not unit.in_context and unit.kind in ("prose", "item", "row")
        if not unit.text.rstrip().endswith("?")
        for point in _points(chunk, unit, _text(unit, stretches))
    )


def _text(unit: Unit, stretches: Sequence[Unit]) -> str:
    """What a unit says with what it leans on; a row in words, "no x" for a cell that denies."""
    leads = [stretches[i] for i in unit.leads]
    if not (unit.kind == "row" and leads and leads[-1].kind == "header"):
        return " ".join(plain(part.text) for part in (*leads, unit))
    pairs = [(plain(n), plain(c)) for n, c in zip(leads[-1].cells, unit.cells, strict=False)]
    return ", ".join(_cell(name, cell) for name, cell in pairs)


def _cell(name: str, cell: str) -> str:
    if _DENIES.fullmatch(cell):
        return f"no {name}"
    return name if _AFFIRMS.fullmatch(cell) else f"{name}: {cell}"


def values_of(text: str) -> frozenset[Value]:
    """The values that a text states."""
    return frozenset(v for fact in facts(text) if (v := _value(fact)) is not None)


def _points(chunk: Chunk, unit: Unit, text: str) -> Iterator[Point]:
    found = facts(text) if _MAY_HOLD.search(text) else []
    said = content(_in_one_wording(text)) - _light()
    names = frozenset(w.casefold() for w in _NAME.findall(text))
    keys = frozenset(str(f.value).casefold() for f in found if _is_key(f, text))
    cut = list(_clauses(text))
    listed = unit.kind == "row"
    worded = [_in_one_wording(clause) for clause in cut]
    bounds = _bounds(worded) if not listed else [frozenset[str]()] * len(worded)
    for i, clause in enumerate(worded):
        values, rest = _taken(clause) if found else ((), clause)
        full = content(f"{worded[0]} {rest}" if listed else rest)
        yield Point(
            chunk=chunk,
            unit=unit,
            text=text,
            about=full if listed else full - _light(),
            full=full,
            said=said,
            bound=bounds[i] - _light(),
            names=names,
            keys=keys,
            values=values,
            limit=_limit(clause),
            duty=_duty(cut[i]),
            negated=bool(negations(clause)),
            listed=listed,
        )


def _bounds(clauses: Sequence[str]) -> list[frozenset[str]]:
    """For each clause the words of those before it, and of the conditions after it."""
    words = [content(clause) for clause in clauses]
    none = frozenset[str]()
    before = accumulate(words[:-1], or_, initial=none)
    conditions = [w if _CONDITION.search(c) else none for w, c in zip(words, clauses, strict=True)]
    after = list(accumulate(conditions[:0:-1], or_, initial=none))[::-1]
    return [one | other for one, other in zip(before, after, strict=True)]


def _in_one_wording(text: str) -> str:
    """A text with its bans as permissions denied, and its duties all as "must".

    A ban that another word denies ("nothing is forbidden") stays what it is.
    """
    text = _PERMITTED.sub("allowed", _NO_BAN.sub(r"\1 allowed", text))
    text = _DEMANDS.sub("must", _WAIVES.sub("must not", text))
    return text if negations(text) else _BAN.sub(r"\1 not allowed", text)


def _duty(clause: str) -> str:
    if _WAIVES.search(clause):
        return "need not"
    return "must" if _DEMANDS.search(clause) else ""


def _clauses(text: str) -> Iterator[str]:
    start = 0
    for match in _CUT.finditer(text):
        between_numbers = match.group().isalpha() and (
            _NUMBER_BEFORE.search(text[max(0, match.start() - _NEAR_CHARS) : match.start()])
            and _NUMBER_AFTER.match(text, match.end())
        )
        if not between_numbers:
            yield text[start : match.start()].strip()
            start = match.end()
    yield text[start:].strip()


def _taken(clause: str) -> tuple[tuple[Value, ...], str]:
    """The values of a clause in its order, and what is left of it."""
    places: list[tuple[int, Value]] = []
    rest = clause
    for fact in facts(clause):
        at = rest.find(fact.words)
        value = None if _is_key(fact, clause) else _value(fact)
        if at < 0 or value is None:
            continue
        rest = rest[:at] + " " * len(fact.words) + rest[at + len(fact.words) :]
        places.append((at, value))
    return tuple(value for _, value in sorted(places)), rest


def _value(fact: Fact) -> Value | None:
    match fact.value:
        case Quantity():
            number = fact.value
            return ("number", f"{number.unit} {number.qualifier}".strip(), f"{number.value:f}")
        case Date():
            return ("date", "", f"{fact.value.year}-{sorted(fact.value.readings())}")
        case Time():
            return ("time", "", str(fact.value.minutes))
    return ("address", "", fact.value) if fact.kind == "address" else None


def _is_key(fact: Fact, text: str) -> bool:
    """Whether a fact tells which thing is spoken of: a code, a version, a year, "step 3"."""
    if isinstance(fact.value, Quantity):
        number = fact.value
        if number.unit:
            return False
        year = number.value == int(number.value) and int(number.value) in _YEARS
        at = text.find(fact.words)
        return bool(number.digits or year or (at > 0 and _LABEL.search(text[:at])))
    return fact.kind in ("identifier", "version", "code")


def _limit(clause: str) -> str:
    if _UPPER.search(clause):
        return "upper"
    return "lower" if _LOWER.search(clause) else ""


@cache
def _light() -> frozenset[str]:
    return frozenset(analyze(_LIGHT_WORDS))
