"""The words that reading documents leans on, as data: one file a language, read once."""

import re
import tomllib
from functools import cache
from importlib.resources import files

from ingest.analyze import analyze
from ingest.languages import language_of

# The last one has what is read in every text, of languages without a file of their own.
_FILES = {"english": "en.toml", "german": "de.toml", "": "others.toml"}


@cache
def _lexicon(language: str) -> dict[str, str]:
    lines: dict[str, str] = tomllib.loads(
        files(__name__).joinpath(_FILES[language]).read_text("utf-8")
    )
    return lines


@cache
def listed(kind: str, language: str = "") -> tuple[str, ...]:
    """Words of a kind in their order: of one language, or of all where it has no file.

    Raises:
        KeyError: there are no words of the kind.
    """
    if language and language in _FILES:
        return tuple(_lexicon(language)[kind].split())
    having = [lines for each in _FILES if kind in (lines := _lexicon(each))]
    if not having:
        raise KeyError(kind)
    return tuple(word for lines in having for word in lines[kind].split())


def alternatives(kind: str, language: str = "") -> str:
    """Words of a kind as a pattern, the longest first."""
    return "|".join(sorted(map(re.escape, listed(kind, language)), key=len, reverse=True))


def words(kind: str, text: str) -> frozenset[str]:
    """Words of a kind in the language that a text is in."""
    return _words(kind, language_of(text))


@cache
def _words(kind: str, language: str) -> frozenset[str]:
    return frozenset(listed(kind, language))


@cache
def stems(kind: str) -> frozenset[str]:
    """The words of a kind in all languages, as `analyze` gives them."""
    having = [lines for each in _FILES if kind in (lines := _lexicon(each))]
    return frozenset(stem for lines in having for stem in analyze(lines[kind]))
