"""A yes or no belongs to the question or label that it stands under. Pure.

"May I smoke?" with "No." under it, "Pets: no", a cell with a tick: what a sentence says of them is
held against the sign of both, in the languages that have their own stop words in the index.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bot.lexicon import alternatives
from bot.reading.asked import question_of, sign_of
from bot.reading.fold import plain
from bot.reading.statements import negations
from bot.reading.tables import tables_of
from bot.reading.units import Unit, units
from ingest.analyze import analyze
from ingest.types import SEPARATOR, Chunk

_YES, _NO = alternatives("yes"), alternatives("no")
_LEAD = re.compile(rf"\A\W*+(?:{_YES}|{_NO})\b\s*[,.:;!-]+\s*", re.IGNORECASE)
_CELL = re.compile(rf"(?:(?P<yes>(?:{_YES})\b|[✓✔✅☑])|(?:{_NO})\b|[✗✘✕❌☒])\W*", re.IGNORECASE)
_LABEL = re.compile(rf"(?P<label>[^:?]{{2,80}}):\s+(?:(?P<yes>{_YES})|{_NO})\b\W*", re.IGNORECASE)
_ASKED = re.compile(rf"^\W*(?:{alternatives('question_marks')})\W{{1,4}}", re.IGNORECASE)
# Of other languages than English, whose are in `statements`.
_DENIES = re.compile(rf"\b(?:{alternatives('denies')})\b", re.IGNORECASE)
COVERED = 2 / 3  # share of a question's content words that a sentence on it has


@dataclass(frozen=True, slots=True)
class Ruling:
    """What is asked or labelled, whether the answer is yes, and what it says beyond that."""

    asked: str
    affirmed: bool
    rest: str
    named: str = ""  # what a sentence on it names in any case


def wrong_sign(text: str, cited: Sequence[Chunk]) -> str | None:
    """The question or label whose answer a sentence turns round, if there is one.

    A sentence that is about the answer's own words ("only staff") is left alone.
    """
    said = _LEAD.sub("", plain(text), count=1) or plain(text)
    words, positive = set(analyze(said)), _is_positive(said)
    for chunk in cited:
        for ruling in _rulings(chunk):
            if ruling.named and not set(analyze(ruling.named)) <= words:
                continue
            asked = set(analyze(ruling.asked))
            own = set(analyze(ruling.rest)) - asked
            missing = asked - words
            close = asked and len(missing) <= (1 - COVERED) * len(asked)
            if not close or words & own:
                continue
            if positive != (ruling.affirmed == _is_positive(ruling.asked)):
                return f"the source says {'yes' if ruling.affirmed else 'no'} to {ruling.asked!r}"
    return None


def _is_positive(text: str) -> bool:
    return (len(negations(text)) + len(_DENIES.findall(text))) % 2 == 0


def _rulings(chunk: Chunk) -> Iterator[Ruling]:
    stretches = units(chunk)
    labels = [chunk.heading.rsplit(SEPARATOR, maxsplit=1)[-1]]
    for at, unit in enumerate(stretches):
        said = plain(unit.text)
        labels.append(said)
        sign = sign_of(said) if unit.kind != "heading" else None
        if sign and (question := question_of(chunk, stretches, at)):
            yield Ruling(_ASKED.sub("", plain(question), count=1), sign.affirmed, sign.rest)
    for text in labels:
        if label := _LABEL.fullmatch(text):
            yield Ruling(label["label"], bool(label["yes"]), "")
    yield from _of_tables(stretches)


def _of_tables(stretches: Sequence[Unit]) -> Iterator[Ruling]:
    for table in tables_of(stretches):
        for row in table.rows:
            for name, cell in zip(table.header[1:], row[1:], strict=False):
                sign = _CELL.fullmatch(cell.strip())
                if sign and name.strip() and analyze(row[0]):
                    asked = f"{plain(row[0])} {plain(name)}"
                    yield Ruling(asked, bool(sign["yes"]), "", plain(row[0]))
