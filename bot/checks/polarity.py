"""Yes for no: what a sentence affirms against a negation or an exception of its source. Pure.

Rules over words, for English. They see what is said with the source's own words.
"""

import re
from collections.abc import Iterator, Sequence

from bot.reading.statements import Statement, nearest, negations
from ingest.analyze import analyze

_SCOPE_END = re.compile(
    r"[,;:.!?](?=\s|$)|[()]|\s-\s|\b(?:but|and|because|if|unless|while|when|although|so|except|until)\b",
    re.IGNORECASE,
)
_OR = re.compile(r"\b(?:or|nor)\b", re.IGNORECASE)
_BUT = re.compile(
    r",?\s*but\s+(?:at|after|before|on|in|by|for|with|to|only|rather|instead|when|if|from|as|every"
    r"|each|once|always|an?|the)\b",
    re.IGNORECASE,
)
_LIMITED = re.compile(r"\b(?:only|except|unless|some|most|certain)\b", re.IGNORECASE)
# Words that deny without a negation.
_EXCLUDES = re.compile(
    r"\b(?:avoid|exclud|exempt|except|forbid|forbad|prohibit|refus|reject|den(?:y|ie)|fail|lack"
    r"|rather than|instead|unable|unless|stop|miss|free of|far from|turned down|short of|without)",
    re.IGNORECASE,
)
_SUPPOSES = re.compile(r"\b(?:if|unless|when|whether)\b(?:\s\w+){0,4}\s?$", re.IGNORECASE)
_ABSOLUTE = re.compile(
    r"\b(?:never|always|under no circumstances|without (?:any )?(?:exceptions?|agreement|approval"
    r"|strings|reason)|in (?:all|every|any) cases?|no exceptions?|regardless)\b",
    re.IGNORECASE,
)
_EVERY = re.compile(r"\b(?:all|every|everybody|everyone|everything)\b", re.IGNORECASE)
_EXCEPTS = re.compile(
    r"\b(?:unless|exempt\w*|except(?:ion)?s?|only (?:if|when|where|for|as|with)|apart from"
    r"|all but|provided|other than|on condition)\b",
    re.IGNORECASE,
)
_NOBODY = frozenset(analyze("nobody nothing none never nowhere without cannot no one"))
# Share of a sentence's words in a statement that speaks of the same thing. Left out (civicactions,
# govuk_dev): 1 of 206 true sentences dropped, 14 of 223 false ones caught.
_CLOSE = 0.5


def denied(claim: Statement, source: Sequence[Statement]) -> Iterator[str]:
    """The claim affirms what the source negates."""
    said = " ".join(s.text for s in source).casefold()
    if any(word.casefold() not in said for word in _EXCLUDES.findall(claim.text)):
        return
    its_negated = _negated(claim.text)
    denying = [part.stems for part in claim.clauses if negations(part.text)]
    affirmed = claim.stems - its_negated - frozenset().union(*denying)
    its_affirmed = {stem for s in source for stem in s.stems - _negated(s.text)}
    most = max((claim.overlap(statement) for statement in source), default=0)
    tied = sum(claim.overlap(statement) == most for statement in source if statement.listed) > 1
    for statement in source:
        if claim.overlap(statement) < _CLOSE * len(claim.stems):
            continue
        own_line = statement.listed and claim.overlap(statement) == most and not tied
        elsewhere = set() if own_line else its_affirmed  # another row may well affirm it
        for at, scope in _scopes(statement.text, contrasts=False):
            if _SUPPOSES.search(_before(statement.text, at)):
                continue
            head, others = scope[0], statement.stems - set(scope) - _NOBODY
            whole = len(scope) > 1 and set(scope) <= affirmed and not _said(scope, source)
            alone = head in affirmed - elsewhere and (affirmed & others or not others)
            limited = its_negated & set(scope) or _LIMITED.search(statement.text)
            if (whole or alone) and not limited:
                yield f"the source negates {head!r}"


def exceptions(claim: Statement, source: Sequence[Statement]) -> Iterator[str]:
    """Never, always, without exception: where the nearest statement makes an exception."""
    match = _ABSOLUTE.search(claim.text) or _EVERY.search(claim.text)
    if not match or _EXCEPTS.search(claim.text.replace(match[0], "")):
        return
    for statement in nearest(claim, source):
        close = claim.overlap(statement) >= _CLOSE * len(claim.stems)
        if close and (other := _EXCEPTS.search(statement.text)):
            yield f"{match.group()!r}, in the source {other.group()!r}"


def _scopes(text: str, *, contrasts: bool = True) -> Iterator[tuple[int, tuple[str, ...]]]:
    """For each negation its place and the stems of the words that it negates, the nearest first.

    Without `contrasts` a negation that "but" goes on from is left out ("not yearly, but at once").
    """
    for at in negations(text):
        rest = text[at:]
        end = _SCOPE_END.search(rest)
        if not contrasts and end and _BUT.match(rest, end.start()):
            continue
        for words in _OR.split(rest[: end.start()] if end else rest):
            if stems := tuple(analyze(words)):
                yield at, stems


def _negated(text: str) -> set[str]:
    """Stems that a negation of the text reaches."""
    return {stem for _, scope in _scopes(text) for stem in scope}


def _said(scope: Sequence[str], source: Sequence[Statement]) -> bool:
    """Whether some statement affirms all of what another negates: for others, in other cases."""
    return any(s.stems >= set(scope) and not _negated(s.text) & set(scope) for s in source)


def _before(text: str, at: int) -> str:
    """What stands before the negation that ends there."""
    return re.sub(r"(?<!\S)\S+$", "", text[:at])
