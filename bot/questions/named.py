"""The names and groups of people in a question that an answer must be about. Pure."""

import re
from collections.abc import Mapping, Sequence

from bot.questions.asked import groups_in
from bot.reading.units import units
from ingest.analyze import analyze, identifiers
from ingest.types import Chunk

_NAME = re.compile(r"(?<=[a-z,;] )[A-Z][a-z]+\w*")
_WORD = re.compile(r"\b[a-z]\w+")


def about_the_named(
    question: str, passages: Sequence[Chunk], tokens: Mapping[str, frozenset[str]]
) -> list[Chunk]:
    """The passages that speak of the question's names, codes and groups of people.

    The per diem of Germany does not answer for London, nor the notice of employees for interns, nor
    the notes of 4.1.0 for 4.2.0. Of several names or codes one is enough, of groups it takes all.
    A name is a word with a capital within a sentence, or the first cell of a row, that is nowhere
    written small: so it is known however the question was typed.

    Args:
        question: as it was asked.
        passages: what an answer may be made from.
        tokens: theirs by id as `analyze` gives them, headings included.
    """
    names = frozenset(analyze(question)) & _names_in(passages)
    codes = frozenset(identifiers(question))
    groups = groups_in(question)

    def is_about(own: frozenset[str]) -> bool:
        return groups <= own and all(not wanted or wanted & own for wanted in (names, codes))

    return [chunk for chunk in passages if is_about(tokens[chunk.id])]


def _names_in(passages: Sequence[Chunk]) -> set[str]:
    names: set[str] = set()
    common: set[str] = set()
    for chunk in passages:
        names.update(analyze(" ".join(_NAME.findall(chunk.text))))
        common.update(analyze(" ".join(_WORD.findall(chunk.text))))
        for unit in units(chunk):
            if unit.kind == "row" and unit.cells:
                names.update(analyze(unit.cells[0]))
    return names - common
