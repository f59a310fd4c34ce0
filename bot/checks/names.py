"""Names that a sentence has and its source has not. Pure, English: a capital tells a name there."""

import re
from collections.abc import Iterator, Sequence

from bot.reading.facts import facts
from bot.reading.statements import Statement, content, negations
from ingest.analyze import analyze

_NAME = re.compile(r"(?<=[a-z,;)] )[A-Z][\w'-]*\w")
_WORD = re.compile(r"[^\W\d_][\w'-]*")
_ENDING, _LEAST = 3, 4  # letters: China, Chinese; of what is left at least


def unknown_names(claim: Statement, source: Sequence[Statement]) -> Iterator[str]:
    """A name inside the sentence that the source lacks, under its heading too.

    Other hyphens, an adjective of it and initials are the name.
    """
    if negations(claim.text):
        return
    text = " ".join(statement.text for statement in source)
    stems, letters = content(text), _letters(text)
    initials = "".join(word[0] for word in _WORD.findall(text) if word[0].isupper())
    valued = set(_WORD.findall(" ".join(fact.words for fact in facts(claim.text))))
    for found in dict.fromkeys(_NAME.findall(claim.text)):
        name = found.removesuffix("'s")
        parts = analyze(" ".join(part for part in name.split("-") if len(part) > 1))
        begins = _letters(name)[: max(_LEAST, len(_letters(name)) - _ENDING)]
        short = name.isupper() and name in initials
        if not (found in valued or set(parts) <= stems or begins in letters or short):
            yield f"the source does not name {name!r}"


def _letters(text: str) -> str:
    return "".join(char for char in text.casefold() if char.isalnum())
