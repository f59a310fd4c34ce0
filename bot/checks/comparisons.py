"""Up for down, more for less, A than B for B than A. Pure, English."""

import re
from collections.abc import Iterator, Sequence

from bot.reading.statements import Statement, negations
from ingest.analyze import analyze

UP, DOWN = "up", "down"

_UP = """rise rises rose risen rising increase increases increased increasing grow grows grew grown
climb climbs climbed gain gained raise raises raised exceed exceeds exceeded beat beats higher more
above over larger bigger longer louder faster better heavier warmer dearer farther further ahead up
double doubled twice improved stronger"""
_DOWN = """fall falls fell fallen falling decrease decreases decreased decreasing drop drops dropped
decline declines declined shrink shrank cut lower lowered less fewer below under smaller shorter
quieter slower worse lighter colder cheaper closer nearer behind down halve halved half reduced
reduce reduces worsened weaker short"""
_DIRECTIONS = dict.fromkeys(_UP.split(), UP) | dict.fromkeys(_DOWN.split(), DOWN)
_WORD = re.compile(r"[^\W\d_][\w'-]*")
_BOUND = re.compile(
    r"\b(?:no|not) (?:more|less|fewer|later|earlier|longer) than\b|\bup to\b|\bmore or less\b"
    r"|\b(?:or|and) (?:more|less|fewer|over|under|above|below|longer|older|later)\b|\bno longer\b"
    r"|\b(?:once|any|some|no) more\b|\bmore and more\b"
    r"|\b(?:more|less|fewer|over|under|above|below) (?:than )?(?:[$€£]|\d|\w+ (?:days|hours))"
    r"|\bfirst half\b|\bhalf (?:an?|of|past|the)\b|\b(?:set|made|make|bring|brought|end|sign|put"
    r"|pick|tak\w+|turn\w*|back\w*|start\w*|open\w*|follow\w*) up\b|\bmore (?:about|information)\b",
    re.IGNORECASE,
)
_NEXT = re.compile(r"\b([a-z]+) (?=([a-z'-]+))", re.IGNORECASE)
_CLOSE = 2 / 3  # share of a clause's words in a statement's part that speaks of the same thing
_THAN = re.compile(r"\bthan\b", re.IGNORECASE)


def _directions(text: str) -> set[str]:
    bare = _BOUND.sub(" ", text)
    return {_DIRECTIONS[word] for w in _WORD.findall(bare) if (word := w.casefold()) in _DIRECTIONS}


def _topic(part: Statement) -> frozenset[str]:
    """What a part is about: its content words without those of direction."""
    words = " ".join(w for w in part.text.split() if w.casefold().strip(",.") not in _DIRECTIONS)
    return frozenset(analyze(words))


def other_directions(claim: Statement, source: Sequence[Statement]) -> Iterator[str]:
    """A part that goes up where the nearest part of the source goes down only, or the reverse."""
    if negations(claim.text):
        return
    for clause in claim.clauses:
        said = _directions(clause.text)
        topic = _topic(clause)
        if len(said) != 1 or not topic:
            continue
        parts = [p for s in source for p in (*s.clauses, s)]
        most = max((len(topic & _topic(p)) for p in parts), default=0)
        near = [p for p in parts if len(topic & _topic(p)) == most]
        its = [_directions(p.text) for p in near]
        if most >= _CLOSE * len(topic) and any(its) and not any(said <= found for found in its):
            yield f"{min(said)} in {clause.text[:60]!r}, in the source {min(set().union(*its))}"


def other_amounts(claim: Statement, source: Sequence[Statement]) -> Iterator[str]:
    """More of what the source has fewer of."""
    its = {pair for s in source for pair in _amounts(s.text)}
    for way, stem in _amounts(claim.text):
        other = DOWN if way == UP else UP
        if (other, stem) in its and (way, stem) not in its and not negations(claim.text):
            yield f"{way} before {stem!r}, in the source {other}"


def _amounts(text: str) -> Iterator[tuple[str, str]]:
    """Each word of direction and the stem of the word right after it."""
    bare = _BOUND.sub(" - ", text)
    for match in _NEXT.finditer(bare):
        way, stems = _DIRECTIONS.get(match[1].casefold()), analyze(match[2])
        if way and stems and not stems[0].isdigit():
            yield way, stems[0]


def exchanged(claim: Statement, source: Sequence[Statement]) -> Iterator[str]:
    """More in A than in B, where the source has more in B than in A."""
    for mine, after in _sides(claim.text):
        for statement in source:
            for its_before, its_after in _sides(statement.text):
                a, b = mine - after, after - mine
                ia, ib = its_before - its_after, its_after - its_before
                way = _directions(claim.text) == _directions(statement.text)
                if way and a & ib and b & ia:
                    yield f"the source has {min(a & ib)!r} on the other side of 'than'"


def _sides(text: str) -> Iterator[tuple[frozenset[str], frozenset[str]]]:
    for match in _THAN.finditer(text):
        after = re.split(r"[,;.]", text[match.end() :], maxsplit=1)[0]
        yield frozenset(analyze(text[: match.start()])), frozenset(analyze(after))
