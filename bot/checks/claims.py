"""What a sentence may not turn round: negations, universals, modal verbs, names, counts.

Rules over words, for English, seen with the source's own words. A rule stands here only while it
drops at most 1 % of the true ones of the public sets and catches what the exact checks do not
(`python -m tests.quality --sentences --eval FOLDER`).
"""

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import islice

from bot.checks.bindings import other_moments, other_neighbours
from bot.checks.modality import other_modals
from bot.checks.names import unknown_names
from bot.checks.polarity import denied, exceptions
from bot.reading.fold import plain
from bot.reading.statements import Statement, nearest, negations, reworded
from ingest.analyze import analyze
from ingest.languages import ENGLISH, UNKNOWN, language_of

NEGATION = "negation"
QUANTIFIERS = "quantifiers"
MODALITY = "modality"
SUBJECT = "subject"
JOINED = "joined"

_CLAIMS_ALL = re.compile(
    r"\b(?:(?<!of )(?<!at )(?<!above )(?<!after )(?<!in )all"
    r"|every(?! (?:other )?(?:\d|day|night|week|month|quarter|year|hour|minute|time)\b)"
    r"|everybody|everyone|everything|always|any(?:body|one)?(?! (?:who|that|with))"
    r"|regardless)\b",
    re.IGNORECASE,
)
_ALL = re.compile(
    r"\b(?:all|every|everybody|everyone|everything|always|any|anybody|anyone|regardless|whatever"
    r"|each|both|whichever|entire|whole|nobody|nothing|none|never)\b",
    re.IGNORECASE,
)
_PARTLY = re.compile(
    r"\b(?:usually|mostly|most|often|generally|typically|normally)\b", re.IGNORECASE
)
_ALL_BUT = re.compile(r"\ball but\b", re.IGNORECASE)


def contradiction(text: str, source: Sequence[Statement]) -> tuple[str, str] | None:
    """The rule that a sentence breaks against its source, and what was seen; None if it holds."""
    return next(contradictions(text, source), None)


def contradictions(text: str, source: Sequence[Statement]) -> Iterator[tuple[str, str]]:
    """Each rule that it breaks, with what was seen; of a text in another language none."""
    claim = Statement(plain(reworded(text, source)))
    if language_of(claim.text) not in (ENGLISH, UNKNOWN):
        return
    for rule, check in _RULES:
        for seen in islice(check(claim, source), 1):
            yield rule, seen


def universals(claim: Statement, source: Sequence[Statement]) -> Iterator[str]:
    """All, every, always: where nothing near says so."""
    if (match := _CLAIMS_ALL.search(claim.text)) and not negations(claim.text):
        named = [w for w in analyze(claim.text[match.end() :]) if w.isalpha()][:1]
        near = [s for s in source if s.stems & set(named)] or nearest(claim, source)
        if not any(_ALL.search(_ALL_BUT.sub("", s.text)) and not _partly(s) for s in near):
            yield f"{match.group()!r} has no counterpart in the source"


def _partly(statement: Statement) -> bool:
    """Whether it speaks of most, not of all."""
    return bool(_PARTLY.search(statement.text)) and not _CLAIMS_ALL.search(statement.text)


Check = Callable[[Statement, Sequence[Statement]], Iterator[str]]

_RULES: tuple[tuple[str, Check], ...] = (
    (NEGATION, denied),
    (NEGATION, exceptions),
    (QUANTIFIERS, universals),
    (MODALITY, other_modals),
    (SUBJECT, unknown_names),
    (JOINED, other_neighbours),
    (JOINED, other_moments),
)
