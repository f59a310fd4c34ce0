"""May for must, will for may: how firmly a sentence says what its source says. Pure, English."""

import re
from collections.abc import Iterator, Sequence

from bot.reading.statements import Statement, negations
from ingest.analyze import analyze

MAY, MUST, WILL = "may", "must", "will"

_FORCES = {
    MAY: r"may|might|could|can|possibly|perhaps|likely to|expected to|hopes? to|hoping to|free to"
    r"|allowed to|suggested that|optional(?:ly)?|permitted to",
    MUST: r"must|have to|has to|had to|need to|needs to|required to|obliged to|shall",
    WILL: r"will|going to|definitely|certainly|always",
}
_MODAL = re.compile(
    "|".join(rf"(?P<{force}>\b(?:{words})\b)" for force, words in _FORCES.items()), re.IGNORECASE
)
_LINKS = re.compile(
    r"(?:\s+(?:be|been|being|have|has|had|to|also|only|then|asked|able|not|possibly|perhaps|soon"
    r"|themselves|yourself))*\s+(?P<verb>[a-z][a-z'-]+)(?:\s+(?P<next>[a-z][a-z'-]+))?",
    re.IGNORECASE,
)
# What a sentence may not make of its source's word: a wish or a permit is no duty and no fact.
_STRONGER = {(MUST, MAY), (WILL, MAY)}
_WEAKER = {(MAY, MUST)}
_CHOICE = re.compile(
    r"\b(?:may|optional(?:ly)?|if you (?:like|want|wish)|free to)\b", re.IGNORECASE
)


def other_modals(claim: Statement, source: Sequence[Statement]) -> Iterator[str]:
    """A verb with must or will that its source has with may only, or the other way round."""
    if negations(claim.text):
        return
    its = [(force, verb) for s in source for force, _, verb in _modals(s.text)]
    for force, word, verb in _modals(claim.text):
        found = {f for f, v in its if v == verb}
        if not found or force in found:
            continue
        stronger = any((force, f) in _STRONGER for f in found)
        weaker = any((force, f) in _WEAKER for f in found) and _CHOICE.search(word)
        if stronger or weaker:
            yield f"{word!r} before {verb!r}, in the source {min(found)!r}"


def _modals(text: str) -> Iterator[tuple[str, str, str]]:
    """Each modal's force, its words and the stem of the verb that it goes with.

    Of two in a row ("may be required to") the first tells.
    """
    reached = 0
    for match in _MODAL.finditer(text):
        if match.start() < reached:
            continue
        end = match.end()
        while (more := _MODAL.search(text, end)) and len(text[end : more.start()].split()) <= 1:
            end = more.end()
        if linked := _LINKS.match(text, end):
            stems = analyze(linked["verb"]) or analyze(linked["next"] or "")
            if stems:
                yield str(match.lastgroup), match.group().lower(), stems[0]
        reached = end
