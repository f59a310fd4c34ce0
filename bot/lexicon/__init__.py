"""The words that reading documents leans on, as data: one file a language, read once."""

import re
import tomllib
from collections.abc import Iterable
from functools import cache
from importlib.resources import files

from ingest.analyze import analyze
from ingest.languages import language_of

# The last one has what is read in every text, of languages without a file of their own.
_FILES = {
    "english": "en.toml",
    "german": "de.toml",
    "spanish": "es.toml",
    "french": "fr.toml",
    "": "others.toml",
}


@cache
def _lexicon(language: str) -> dict[str, str]:
    lines: dict[str, str] = tomllib.loads(
        files(__name__).joinpath(_FILES[language]).read_text("utf-8")
    )
    return lines


@cache
def listed(kind: str, language: str = "") -> tuple[str, ...]:
    """Words of a kind in their order: of one language, or of all where it has none.

    Raises:
        KeyError: there are no words of the kind.
    """
    having = [each for each in _FILES if kind in _lexicon(each)]
    if not having:
        raise KeyError(kind)
    chosen = [language] if language and language in having else having
    return tuple(word for each in chosen for word in _lexicon(each)[kind].split())


@cache
def numbered(kind: str, language: str = "", first: int = 1) -> dict[str, int]:
    """Words of a kind by their place, counted from `first` in each language: "may/mai" are one.

    A place that holds "_" has no word.
    """
    having = [each for each in _FILES if language in ("", each) and kind in _lexicon(each)]
    return {
        word: number
        for each in having
        for number, places in enumerate(_lexicon(each)[kind].split(), first)
        for word in places.split("/")
        if word != "_"
    }


def valued(kind: str) -> dict[str, str]:
    """Words of a kind with their values in all languages: `86400:day/days`; "_" is a space."""
    pairs = (entry.rsplit(":", 1) for entry in listed(kind))
    return {word.replace("_", " "): value for value, names in pairs for word in names.split("/")}


def alternatives(kind: str, language: str = "") -> str:
    """Words of a kind as a pattern, the longest first; "_" is a space."""
    return either(word.replace("_", " ") for word in listed(kind, language))


def either(words: Iterable[str]) -> str:
    """A pattern for one of these, the longest first."""
    return "|".join(sorted(map(re.escape, words), key=len, reverse=True))


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
