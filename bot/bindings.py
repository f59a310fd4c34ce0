"""Numbers bound to the wrong thing: turned bounds, other rates, values of another line. Pure."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from bot.dates import Date, same_date
from bot.facts import facts
from bot.quantities import Quantity, quantities
from bot.statements import Statement, negations
from ingest.analyze import analyze

_UPPER = (
    "up to|at most|no more than|not more than|(?:a )?maximum(?: of)?|less than|fewer than|under"
    "|below|within|no later than"
)
_LOWER = (
    "at least|no less than|not less than|no fewer than|(?:a )?minimum(?: of)?|more than|over|above"
)
_BEFORE = re.compile(
    rf"\b(?:(?P<upper>{_UPPER})|(?P<lower>{_LOWER})|(?P<exact>exactly|precisely))\s(?:about\s)?$",
    re.IGNORECASE,
)
_AFTER = re.compile(
    r"\s(?:(?P<upper>or less|or fewer|at most|at the latest)"
    r"|(?P<lower>or more|or longer|at least))\b",
    re.IGNORECASE,
)
_BEYOND = re.compile(
    r"\b(?:above|beyond|over|after|larger|longer|more) (?:that|this|it|ones?)\b", re.IGNORECASE
)
_TOGETHER = re.compile(
    r"\b(?:and|or|both|than|unlike|each|all|every|either|neither|more|most|\w+est)\b", re.IGNORECASE
)
_COUNTABLE = 3  # up to which texts count without a number: twice, a pair, both
_ADJACENT = re.compile(r"\s([a-z]+)", re.IGNORECASE)
_NAME = re.compile(r"(?<=\s)[A-Z][a-z]\w+\b")
_DATED = re.compile(r"[,;:.!?](?=\s|$)|[()]|\s-\s|\b(?:and|but|while|whereas)\b", re.IGNORECASE)
_MARGIN = 2  # content words by which another line must be nearer
_BENEATH = re.compile(
    r"\b(?:smaller|shorter|lower|less|fewer|below|under|otherwise|others?|younger|sooner)\b",
    re.IGNORECASE,
)
_LATEST = re.compile(r"no later than|at the latest|within", re.IGNORECASE)
_AHEAD = re.compile(r"(?:\s[\w-]+)?\s(?:before|ahead|in advance|prior|beforehand)\b", re.IGNORECASE)
_RATES = {
    **dict.fromkeys(("minute", "min"), "minute"),
    **dict.fromkeys(("hour", "hourly", "h"), "hour"),
    **dict.fromkeys(("day", "daily"), "day"),
    "night": "night",
    **dict.fromkeys(("week", "weekly"), "week"),
    **dict.fromkeys(("month", "monthly", "mo"), "month"),
    "quarter": "quarter",
    **dict.fromkeys(("year", "yearly", "annually", "annum"), "year"),
    **dict.fromkeys(("second", "sec", "s"), "second"),
}
_RATE = re.compile(
    r"\s?(?:(?:/|\b(?:per|an?|each|every)\s)\s?(?:\w+ and (?=(?:calendar )?(?:day|week|month|quarter|year)\b))?"
    r"(?:(?:calendar|working|full)\s)?"
    r"|\w*\s)(?P<unit>[a-z]+)",
    re.IGNORECASE,
)
_HEADED = re.compile(r"\bper (?P<unit>[a-z]+): $", re.IGNORECASE)
_PART = re.compile(r"[;:.!?](?=\s|$)|\b(?:if|when|but|while|unless|because)\b", re.IGNORECASE)
_LISTED = re.compile(r"\s?(?:,|-|and|or|to)\s?\d")
_CLAUSE = re.compile(
    r"[,;:.!?](?=\s|$)|[()]|\b(?:if|when|and|but|while|unless|because)\b", re.IGNORECASE
)


def turned_bounds(claim: Statement, source: Sequence[Statement]) -> Iterator[str]:
    """At least 5 for up to 5, exactly 5 for either; what a claim denies is left alone."""
    text = " ".join(statement.text for statement in source)
    its = [(q, bound) for q, bound, _ in _numbers(text)]
    for quantity, bound, _ in _numbers(claim.text):
        found = {b for q, b in its if q.unit == quantity.unit and q.value == quantity.value}
        if not bound or not found or found & {bound, ""} or negations(claim.text):
            continue
        beyond = _BEYOND if bound == "lower" else _BENEATH
        if not beyond.search(text):
            yield f"{bound} for {quantity.bare}, in the source {', '.join(sorted(found))}"


def other_rates(claim: Statement, source: Sequence[Statement]) -> Iterator[str]:
    """The same number per week that the source has per night."""
    its = [(q, rate) for s in source for q, _, rate in _numbers(s.text) if rate]
    for quantity, _, rate in _numbers(claim.text):
        found = {r for q, r in its if q.unit == quantity.unit and q.value == quantity.value}
        if rate and found and rate not in found:
            yield f"{quantity.bare} per {rate!r}, in the source per {', '.join(sorted(found))}"


def _numbers(text: str) -> Iterator[tuple[Quantity, str, str]]:
    """Each number with its bound (upper, lower, exact or empty) and the stem of its rate."""
    for start, end, quantity in quantities(text):
        before, after = text[max(0, start - 24) : start], text[end : end + 24]
        match = _BEFORE.search(before) or _AFTER.match(after)
        bound = next((k for k, v in match.groupdict().items() if v), "") if match else ""
        if match and _LATEST.search(match.group()) and _AHEAD.match(after):
            bound = "lower"  # no later than 15 days before: at least 15
        rate = _RATE.match(after) or _HEADED.search(before)
        yield quantity, bound, _rate(rate) if rate else ""


def _rate(match: re.Match[str]) -> str:
    """The time that a rate is for, or what else it is "per"."""
    unit = match["unit"].lower()
    per = unit if re.search(r"\bper\b|/", match.group(), re.IGNORECASE) else ""
    return _RATES.get(unit) or next(iter(analyze(per)), "")


def other_lines(claim: Statement, source: Sequence[Statement]) -> Iterator[str]:
    """A number taken from another line than the one that says the rest of its clause."""
    for clause in map(Statement, _PART.split(claim.text)):
        for quantity in clause.quantities:
            if _is_year(quantity):
                continue
            holding = [s for s in source if s.holds(quantity)]
            noun = _noun(clause, quantity)
            rivals = [s for s in source if _rivals(s, quantity, noun)]
            if not holding or not rivals:
                continue
            near = max(holding, key=clause.overlap)
            best = max(rivals, key=clause.overlap)
            margin = 1 if best.listed and near.listed else 2
            if clause.overlap(best) - clause.overlap(near) >= margin:
                yield f"{quantity.bare} stands in another line: {near.text[:80]!r}"


def _is_year(quantity: Quantity) -> bool:
    return not quantity.unit and 1000 <= quantity.value <= 2100  # noqa: PLR2004


def _rivals(statement: Statement, quantity: Quantity, noun: str) -> bool:
    """Whether it has another number of the same kind: of the same unit, or of the same things."""
    if quantity.unit:
        same_kind = any(q.unit == quantity.unit for q in statement.quantities)
    else:
        its = [q for q in statement.quantities if not q.unit]
        same_kind = any(statement.row or _noun(statement, q) == noun for q in its)
    return same_kind and not statement.holds(quantity)


def _noun(statement: Statement, quantity: Quantity) -> str:
    """The stem of the word after a number."""
    for _, end, found in quantities(statement.text):
        if found == quantity:
            return next(iter(analyze(statement.text[end : end + 40])), "")
    return ""


def other_neighbours(claim: Statement, source: Sequence[Statement]) -> Iterator[str]:
    """The word after a number has other numbers before it in the source: 4% and 8% exchanged."""
    its = [(s, *pair) for s in source for pair in _neighbours(s.text)]
    for quantity, word in _neighbours(claim.text):
        rivals = [(s, q) for s, q, w in its if w == word and q.unit == quantity.unit]
        near = max((claim.overlap(s) for s in source if s.holds(quantity)), default=0)
        close = max((claim.overlap(s) for s, _ in rivals), default=0) >= near
        if rivals and close and quantity.value not in {q.value for _, q in rivals}:
            yield f"the source has another number before {word!r}"


def _neighbours(text: str) -> Iterator[tuple[Quantity, str]]:
    """Each number and the next content word of its clause; of one without a unit what it counts."""
    word = ""
    for _, end, quantity in reversed(list(quantities(text))):
        following = text[end : end + 40]
        if not _LISTED.match(following):  # else the next number's word is this one's as well
            stems = analyze(_CLAUSE.split(following, maxsplit=1)[0])
            word = stems[0] if stems and not any(c.isdigit() for c in stems[0]) else ""
        counted = _ADJACENT.match(following)
        if word and (
            quantity.unit
            or (quantity.value > _COUNTABLE and counted and analyze(counted[1]) == [word])
        ):
            yield quantity, word


def other_dates(claim: Statement, source: Sequence[Statement]) -> Iterator[str]:
    """A date or year taken from another part than the one that says the rest of its own."""
    parts = [part for s in source for part in s.clauses]
    for mine in map(Statement, _DATED.split(claim.text)):
        moments = list(_moments(mine))
        for kind, value, words in moments if len(moments) == 1 else ():
            held = [mine.overlap(p) for p in parts if (kind, value) in _values(p)]
            rivals = [
                mine.overlap(p)
                for p in parts
                if kind in {k for k, _ in _values(p)} and (kind, value) not in _values(p)
            ]
            if held and rivals and max(rivals) - max(held) >= _MARGIN:
                yield f"{words!r} stands in another part of the source"


def other_moments(claim: Statement, source: Sequence[Statement]) -> Iterator[str]:
    """The word before a date has other dates after it in the source: opened in 1961, not 2019."""
    known = {pair for s in source for pair in _told(s)}
    for kind, value, word in _told(claim):
        found = {v for k, v, w in known if (k, w) == (kind, word)}
        if found and not any(_same(value, other) for other in found):
            yield f"the source has another {kind} after {word!r}"


def _same(mine: Date | Quantity, other: Date | Quantity) -> bool:
    if isinstance(mine, Date) and isinstance(other, Date):
        return same_date(mine, other, set())
    return mine == other


def _told(part: Statement) -> list[tuple[str, Date | Quantity, str]]:
    """Each date or year and the content word right before it in its clause."""
    told = []
    for kind, value, words in _moments(part):
        at = part.text.find(words)
        before = analyze(_CLAUSE.split(part.text[max(0, at - 40) : at])[-1])
        if at >= 0 and before and before[-1].isalpha():
            told.append((kind, value, before[-1]))
    return told


def other_passages(claim: Statement, source: Sequence[Statement]) -> Iterator[str]:
    """A number of one passage told of what only another passage names."""
    passages = {
        id_: Statement(" ".join(s.text for s in source if s.passage == id_))
        for id_ in dict.fromkeys(s.passage for s in source)
    }
    if len(passages) < 2:  # noqa: PLR2004
        return
    for clause in claim.clauses:
        named = re.compile(rf"\b(?:{'|'.join(_NAME.findall(clause.text)) or '(?!)'})\b")
        naming = {id_ for id_, said in passages.items() if named.search(said.text)}
        for quantity in clause.quantities:
            holding = {id_ for id_, said in passages.items() if said.holds(quantity)}
            if naming and holding and not naming & holding:
                yield f"{quantity.bare} does not stand in a passage that names what it is told of"


def _moments(part: Statement) -> Iterator[tuple[str, Date | Quantity, str]]:
    for fact in facts(part.text):
        if isinstance(fact.value, Date):
            yield "date", replace(fact.value, year=0), fact.words
        elif isinstance(fact.value, Quantity) and _is_year(fact.value):
            yield "year", fact.value, fact.words


def _values(part: Statement) -> set[tuple[str, Date | Quantity]]:
    return {(kind, value) for kind, value, _ in _moments(part)}


def mixed_rows(claim: Statement, source: Sequence[Statement]) -> Iterator[str]:
    """One row's cell told of another row: all words stand in the table, in no row together."""
    rows = [s for s in source if s.listed and s.row]
    if not rows or len(claim.clauses) > 1 or negations(claim.text) or _TOGETHER.search(claim.text):
        return
    held = Counter(stem for row in rows for stem in row.stems)
    telling = {stem for stem in claim.stems if 0 < held[stem] < len(rows)}
    outside = frozenset[str]().union(*(s.stems for s in source if not s.row))
    best = max(rows, key=lambda row: len(row.stems & telling))
    if (missing := telling - best.stems - outside) and len(best.stems & telling) > 1:
        yield f"{min(missing)!r} stands in another row than the rest"
