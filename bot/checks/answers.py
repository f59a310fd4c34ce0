"""A yes or no belongs to the question or label that it stands under. Pure.

"May I smoke?" with "No." under it, "Pets: no", a cell with a tick: what a sentence says of them is
held against the sign of both. The few words that this needs are below, for the languages that have
their own stop words in the index.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from bot.reading.fold import plain
from bot.reading.statements import negations
from bot.reading.tables import tables_of
from bot.reading.units import Unit, units
from ingest.analyze import analyze
from ingest.types import SEPARATOR, Chunk

_YES = r"yes|yep|ja|jawohl|sí|si|oui|sim|sì|да"
_NO = r"no|nope|none|never|nein|non|não|nee|нет"
_SIGN = re.compile(
    rf"\W*(?:(?:a|antwort|answer|réponse|respuesta)\W{{1,4}})?(?:(?P<yes>{_YES})|(?P<no>{_NO}))\b(?P<rest>.*)",
    re.IGNORECASE | re.DOTALL,
)
_LEAD = re.compile(rf"\A\W*+(?:{_YES}|{_NO})\b\s*[,.:;!-]+\s*", re.IGNORECASE)
_CELL_YES = re.compile(r"(?:yes|ja|oui|sí|[✓✔✅☑])\W*", re.IGNORECASE)
_CELL_NO = re.compile(r"(?:no|nein|non|none|[✗✘✕❌☒])\W*", re.IGNORECASE)
_LABEL = re.compile(
    rf"(?P<label>[^:?]{{2,80}}):\s+(?:(?P<yes>{_YES})|(?P<no>no|nein|non))\W*", re.IGNORECASE
)
_ASKED = re.compile(r"^\W*(?:q(?:uestion)?|frage|f)\W{1,4}", re.IGNORECASE)
# Of other languages than English, whose are in `statements`.
_DENIES = re.compile(
    r"\b(?:nicht|kein(?:e[mnrs]?)?|nie(?:mals)?|ohne|weder|pas|aucune?s?|jamais|sans|tampoco|nunca"
    r"|ningun[ao]?|ningún|sin|não|nem|sem|nunca|niet|geen|nooit|zonder)\b",
    re.IGNORECASE,
)
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
    title = chunk.heading.rsplit(SEPARATOR, maxsplit=1)[-1]
    texts = [(title, "heading"), *((plain(unit.text), unit.kind) for unit in stretches)]
    for (asked, _), (answer, kind) in pairwise(texts):
        sign = _SIGN.fullmatch(answer) if kind != "heading" else None
        if sign and asked.rstrip(" *_").endswith(("?", "？")):
            yield Ruling(_ASKED.sub("", asked, count=1), bool(sign["yes"]), sign["rest"])
    for text, _ in texts:
        if label := _LABEL.fullmatch(text):
            yield Ruling(label["label"], bool(label["yes"]), "")
    yield from _of_tables(stretches)


def _of_tables(stretches: Sequence[Unit]) -> Iterator[Ruling]:
    for table in tables_of(stretches):
        for row in table.rows:
            for name, cell in zip(table.header[1:], row[1:], strict=False):
                yes, no = _CELL_YES.fullmatch(cell.strip()), _CELL_NO.fullmatch(cell.strip())
                if name.strip() and analyze(row[0]) and (yes or no):
                    yield Ruling(f"{plain(row[0])} {plain(name)}", bool(yes), "", plain(row[0]))
