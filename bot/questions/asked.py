"""What a question asks for, and of whom; whether a text holds that. Pure.

Similarity does not see it: "how many days" is near every sentence about days.
"""

import re
from collections.abc import Collection
from dataclasses import dataclass
from functools import cache
from typing import Literal

from bot.reading.facts import facts
from ingest.analyze import analyze
from ingest.languages import ENGLISH, language_of

Kind = Literal["count", "amount", "duration", "time", "person", "place", "open"]

_KINDS: tuple[tuple[Kind, str], ...] = (
    ("count", r"\bhow many\b"),
    (
        "amount",
        r"\bhow long (?:must|should|can|may|is)\b.{0,400}\b(?:passwords?|passphrase|names?) be\b",
    ),
    (
        "duration",
        r"\bhow (?:long|often|soon|quick(?:ly)?|fast|late|early|far ahead)\b|\bduration\b",
    ),
    ("time", r"\bwhen(?:['’]?s)?\b|\bdeadline\b|\bwhat (?:time|date|day)\b|\bwhich (?:date|day)\b"),
    ("amount", r"\bhow (?:much|big|large|high|old|far)\b|\b(?:costs?|price|fees?|rates?)\b"),
    ("amount", r"\b(?:max(?:imum)?|min(?:imum)?|limit|largest|most)\b"),
    ("person", r"\bwho(?:m|se)?\b"),
    ("place", r"\bwhere\b"),
)
_ASKS = tuple((kind, re.compile(pattern, re.IGNORECASE)) for kind, pattern in _KINDS)
_COUNTED = re.compile(r"\bhow many\s+((?:[\w-]+\s*){1,3})", re.IGNORECASE)
_NUMBER = (
    r"(?:\d[\d.,]{0,30}|one|two|three|four|five|six|seven|eight|nine|ten|twelve|no|every|each)"
)
_SPAN = re.compile(
    rf"\b{_NUMBER}[\s-](?:[\w-]{1, 40}\s)?(?:seconds?|minutes?|mins?|hours?|days?|nights?|weeks?"
    r"|months?|quarters?|years?)\b|\b(?:daily|weekly|monthly|quarterly|yearly|annually|forever)\b",
    re.IGNORECASE,
)
_MOMENT = re.compile(
    r"\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b|\b(?:january|february|march|april|may|june"
    r"|july|august|september|october|november|december)\b|\b(?:before|after|until|within|as soon as"
    r"|immediately|by the end|on the \d+)\b|\b(?:19|20)\d\d\b",
    re.IGNORECASE,
)
_SOMEBODY = re.compile(
    r"@|(?:manager|lead|director|owner|admin|officer|team|desk|staff|agent|engineer"
    r"|support|colleague|employee|contractor|member|head|board|council|committee|president|founder"
    r"|author|everyone|everybody|anyone|nobody|people|person)s?\b",
    re.IGNORECASE,
)
_CALLED = re.compile(r"(?<=[a-z] )[A-Z][A-Za-z]+")
_NAMED = re.compile(r"(?<=[a-z,;)] )[A-Z][\w-]*\w")
_GROUPS = "intern contractor freelancer student trainee apprentice guest visitor volunteer supplier"
_PEOPLE = (
    "intern contractor employee manager director freelancer student trainee apprentice guest"
    " visitor customer admin owner member volunteer supplier partner agent engineer developer"
)


@dataclass(frozen=True, slots=True)
class Asked:
    """`counted` are the stems of what "how many" counts."""

    kind: Kind
    counted: frozenset[str] = frozenset()

    def held(self, text: str) -> float:
        """1 when the text holds a thing of this kind, 0 when it does not, between when perhaps."""
        if self.kind == "count":
            return _counted(text, self.counted)
        if self.kind == "amount":
            return float(_has(text, "number"))
        if self.kind == "duration":
            return 1.0 if _SPAN.search(text) else 0.0
        if self.kind == "time":
            timely = _MOMENT.search(text) or _SPAN.search(text) or _has(text, "date", "time")
            return float(bool(timely))
        if self.kind == "person":
            return float(bool(_SOMEBODY.search(text) or _CALLED.search(text)))
        return 1.0


def asked(question: str) -> Asked:
    """What a question asks for; the first kind that its words tell."""
    for kind, pattern in _ASKS:
        if pattern.search(question):
            counted = _COUNTED.search(question) if kind == "count" else None
            return Asked(kind, frozenset(analyze(counted.group(1))) if counted else frozenset())
    return Asked("open")


def speaks_of_others(question: str, passage: Collection[str]) -> bool:
    """Whether a passage is about other people than the question: employees instead of interns.

    Args:
        question: as it was asked.
        passage: its tokens as `analyze` gives them, heading included.
    """
    meant = _people() & set(analyze(question))
    return bool(meant) and not meant <= set(passage) and bool(_people() & set(passage))


def unsaid(question: str, passages: Collection[str]) -> str | None:
    """A name or a group of people that a question is about and that no passage speaks of.

    Answering for Silver with the row of Team, or for interns with the rule for employees, is worse
    than no answer. Groups that a reader may belong to unsaid ("you") are none, nor are words in
    capitals, which passages spell out.

    Args:
        question: as it was asked.
        passages: their tokens as `analyze` gives them, headings included.
    """
    if language_of(question) != ENGLISH:
        return None  # German writes every noun with a capital
    for name in names_in(question):
        if not set(analyze(name)) & set(passages):
            return name
    return next(iter(sorted(unsaid_groups(question, passages))), None)


def names_in(question: str) -> list[str]:
    """The words with a capital within a question; those all in capitals are none."""
    words = (match.group() for match in _NAMED.finditer(question))
    return [word for word in words if not word.isupper() and analyze(word)]


def unsaid_groups(question: str, passages: Collection[str]) -> frozenset[str]:
    """The groups of people of `unsaid` alone, as stems."""
    return groups_in(question).difference(passages)


def groups_in(question: str) -> frozenset[str]:
    """The groups of people that a question names, as stems."""
    return frozenset(analyze(_GROUPS)).intersection(analyze(question))


@cache
def _people() -> frozenset[str]:
    return frozenset(analyze(_PEOPLE))


def _counted(text: str, things: frozenset[str]) -> float:
    """1 for a number with what is counted close behind it, half for any number."""
    for match in re.finditer(rf"\b{_NUMBER}\b((?:[\s:(-]+[\w-]+){{1,4}})", text, re.IGNORECASE):
        if things & set(analyze(match.group(1))):
            return 1.0
    return 0.5 if _has(text, "number") else 0.0


def _has(text: str, *kinds: str) -> bool:
    return any(fact.kind in kinds for fact in facts(text))
