"""Numbers bound to the wrong thing: turned bounds, other rates, values of another line. Pure."""

import re
from collections.abc import Iterator, Sequence

from bot.reading.derived import unwritten
from bot.reading.quantities import Quantity, quantities
from bot.reading.statements import Statement, negations
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
_COUNTABLE = 3  # up to which texts count without a number: twice, a pair, both
_ADJACENT = re.compile(r"\s([a-z]+)", re.IGNORECASE)
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
    r"\s?(?:(?:/|\b(?:per|an?|each|every)\s)\s?"
    r"(?:\w+ and (?=(?:calendar )?(?:day|week|month|quarter|year)\b))?"
    r"(?:(?:calendar|working|full)\s)?"
    r"|\w*\s)(?P<unit>[a-z]+)",
    re.IGNORECASE,
)
_HEADED = re.compile(r"\bper (?P<unit>[a-z]+): $", re.IGNORECASE)
_PART = re.compile(r"[;:.!?](?=\s|$)|\b(?:if|when|but|while|unless|because)\b", re.IGNORECASE)
_LISTED = re.compile(r"\s?(?:,|-|and|or|to)\s?\d")
CLAUSE = re.compile(
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
            if is_year(quantity):
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


def is_year(quantity: Quantity) -> bool:
    """Whether a number may be a year."""
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
        said = {q.value for _, q in rivals} | {
            q.value for s, _ in rivals for q in unwritten(s.text)
        }
        if rivals and close and quantity.value not in said:
            yield f"the source has another number before {word!r}"


def _neighbours(text: str) -> Iterator[tuple[Quantity, str]]:
    """Each number and the next content word of its clause; of one without a unit what it counts."""
    word = ""
    for _, end, quantity in reversed(quantities(text)):
        following = text[end : end + 40]
        if not _LISTED.match(following):  # else the next number's word is this one's as well
            stems = analyze(CLAUSE.split(following, maxsplit=1)[0])
            word = stems[0] if stems and not any(c.isdigit() for c in stems[0]) else ""
        counted = _ADJACENT.match(following)
        if word and (
            quantity.unit
            or (quantity.value > _COUNTABLE and counted and analyze(counted[1]) == [word])
        ):
            yield quantity, word
