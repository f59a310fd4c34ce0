"""What a sentence may not turn round: negations, bounds, quantifiers, subjects, pairs of things.

Rules over words, for English; each finds one kind of contradiction and names what it saw. Most see
only what is said with the source's own words; the last drops what has too few of them.
"""

import re
from collections.abc import Callable, Iterator, Sequence

from bot.checks.bindings import other_lines, other_neighbours, other_rates, turned_bounds
from bot.checks.comparisons import exchanged, other_amounts, other_directions
from bot.checks.coverage import made_causes, unsupported
from bot.checks.doers import exchanged_roles, other_agents, other_doers
from bot.checks.mixtures import mixed_rows, other_dates, other_moments, other_passages
from bot.checks.modality import other_modals, plans_done
from bot.checks.polarity import affirmed, denied, exceptions, opposites, restrictions
from bot.reading.facts import facts
from bot.reading.fold import plain
from bot.reading.statements import Statement, content, nearest, negations, reworded
from ingest.analyze import analyze
from ingest.languages import ENGLISH, UNKNOWN, language_of

NEGATION = "negation"
BOUNDS = "bounds"
QUANTIFIERS = "quantifiers"
SUBJECT = "subject"
MODALITY = "modality"
COMPARISON = "comparison"
CAUSE = "cause"
UNSUPPORTED = "unsupported"
JOINED = "joined"
RATES = "rates"

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
_CLAIMS_ONLY = re.compile(
    r"\b(?:only(?! (?:an?|the (?:first|last|\w+est))\b)|solely|exclusively)\b", re.IGNORECASE
)
_ONLY = re.compile(
    r"\b(?:only|solely|exclusively|just|alone|nobody else|no other|except|unless|must"
    r"|nothing else|requires?)\b",
    re.IGNORECASE,
)

# Whom a rule is for. A passage that speaks to "you" speaks to employees and users.
_AUDIENCES = {
    word: group
    for group, words in {
        "employees": "employee employees staff worker workers colleague colleagues",
        "contractors": "contractor contractors freelancer freelancers consultant consultants",
        "interns": "intern interns trainee trainees apprentice apprentices",
        "managers": "manager managers supervisor supervisors",
        "directors": "director directors",
        "admins": "admin admins administrator administrators",
        "owners": "owner owners",
        "members": "member members",
        "guests": "guest guests visitor visitors",
        "users": "user users customer customers client clients",
        "agents": "agent agents",
        "students": "student students",
    }.items()
    for word in words.split()
}
_ANYBODY = frozenset({"employees", "users", "guests", "members", "owners"})
_ADDRESSED = re.compile(r"\b(?:you|your|yours|we|our|people|everyone|everybody)\b", re.IGNORECASE)
_ENDING = 3  # letters in which a name and its adjective may differ
_NAME = re.compile(r"(?<=[a-z,;)] )[A-Z][\w'-]*\w")
_WORD = re.compile(r"[^\W\d_][\w'-]*")


def contradiction(text: str, source: Sequence[Statement]) -> tuple[str, str] | None:
    """The rule that a sentence breaks against its source, and what was seen; None if it holds."""
    claim = Statement(plain(reworded(text, source)))
    if language_of(claim.text) not in (ENGLISH, UNKNOWN):
        return None
    for rule, check in _RULES:
        if (seen := next(check(claim, source), None)) is not None:
            return rule, seen
    return None


def _quantifiers(claim: Statement, source: Sequence[Statement]) -> Iterator[str]:
    if (match := _CLAIMS_ALL.search(claim.text)) and not negations(claim.text):
        named = [w for w in analyze(claim.text[match.end() :]) if w.isalpha()][:1]
        near = [s for s in source if s.stems & set(named)] or nearest(claim, source)
        if not any(_ALL.search(_ALL_BUT.sub("", s.text)) and not _partly(s) for s in near):
            yield f"{match.group()!r} has no counterpart in the source"
    if match := _CLAIMS_ONLY.search(claim.text):
        listed = all(s.listed for s in nearest(claim, source))  # what a row leaves out is not so
        if not listed and not any(_ONLY.search(s.text) for s in source):
            yield f"{match.group()!r} has no counterpart in the source"


def _partly(statement: Statement) -> bool:
    """Whether it speaks of most, not of all."""
    return bool(_PARTLY.search(statement.text)) and not _CLAIMS_ALL.search(statement.text)


def _subject(claim: Statement, source: Sequence[Statement]) -> Iterator[str]:
    text = " ".join(s.text for s in source)
    stems = content(text)
    groups: frozenset[str] | set[str] = _audiences(text)
    if _ADDRESSED.search(text):
        groups = groups | {"employees", "users"} if groups else _ANYBODY
    for missing in sorted(_audiences(claim.text) - groups) if groups else ():
        yield f"the source does not speak of {missing}"
    initials = "".join(word[0] for word in _WORD.findall(text) if word[0].isupper())
    understood = " ".join(fact.words for fact in facts(claim.text))
    for name in set(_NAME.findall(claim.text)) - set(_WORD.findall(understood)):
        parts = [part for part in name.split("-") if len(part) > 1]  # U-shaped
        known = set(analyze(" ".join(parts))) <= stems or _has(text, name)
        if not known and not (name.isupper() and name in initials):
            yield f"the source does not name {name!r}"


def _has(text: str, name: str) -> bool:
    """Whether a text has a name, with other hyphens or as its adjective too: China, Chinese."""
    bare = name.replace("-", "").casefold()
    inflects = len(bare) > 2 * _ENDING and name[1:].islower()
    begins = bare[:-_ENDING] if inflects else bare
    words = [word.replace("-", "").casefold() for word in _WORD.findall(text)]
    return any(
        word == bare or (inflects and word.startswith(begins) and len(word) < len(bare) + _ENDING)
        for word in words
    )


def _audiences(text: str) -> set[str]:
    words = (word.casefold() for word in _WORD.findall(text))
    return {_AUDIENCES[word] for word in words if word in _AUDIENCES}


Check = Callable[[Statement, Sequence[Statement]], Iterator[str]]

_RULES: tuple[tuple[str, Check], ...] = (
    (NEGATION, denied),
    (NEGATION, affirmed),
    (NEGATION, opposites),
    (NEGATION, exceptions),
    (NEGATION, restrictions),
    (BOUNDS, turned_bounds),
    (RATES, other_rates),
    (QUANTIFIERS, _quantifiers),
    (MODALITY, other_modals),
    (MODALITY, plans_done),
    (COMPARISON, other_directions),
    (COMPARISON, other_amounts),
    (COMPARISON, exchanged),
    (SUBJECT, _subject),
    (SUBJECT, other_doers),
    (SUBJECT, exchanged_roles),
    (SUBJECT, other_agents),
    (JOINED, other_lines),
    (JOINED, other_neighbours),
    (JOINED, other_dates),
    (JOINED, other_moments),
    (JOINED, other_passages),
    (JOINED, mixed_rows),
    (CAUSE, made_causes),
    (UNSUPPORTED, unsupported),
)
