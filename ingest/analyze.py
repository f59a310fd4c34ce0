"""Text to the tokens of the lexical index; the same for passages and questions."""

import re
import unicodedata
from collections.abc import Iterator
from functools import cache, lru_cache
from typing import Any

from ingest.languages import ENGLISH, STOP_WORDS, UNKNOWN, is_unspaced, language_of

# A run of word characters, with the signs that hold an identifier together inside (ERR_4013,
# v2.3.1, foo::bar, a/b.py, dry-run, user@host). `#` before a number belongs to it.
_RUN = re.compile(r"#(?=\d)[\w]+|\w+(?:(?:[-./@:+]|::|->)\w+)*", re.UNICODE)
_IDENTIFIER = re.compile(
    r"^#\d|^[^\W\d_]\w*\d|[^\W_]_[^\W_]|::|->|[a-z]{2}\.[a-z_]+$"
    r"|^[A-Z]{1,10}-\d{2}|^[a-z]-\d{3}|^\d+\.\d+\.\d{1,3}$"
)
# Names of people and channels, addresses of pages and of mail: they say where, not what.
_ADDRESS = re.compile(
    r"(?<![\w`])(?:(?:https?://|www\.)[^\s`]{1,2000}|@[^\W\d][\w.-]{0,80}|#[^\W\d][^\W\d-]{0,80}(?!\w))"
    r"|(?<![\w.+@`-])[\w.+-]{1,64}@[\w-]{1,64}\.\w[\w.-]{0,200}"
)
_VERSION = re.compile(r"^v?(\d+(?:\.\d+)+)$", re.IGNORECASE)
_PATCH = re.compile(r"^(\d+\.\d+)\.\d{1,3}$")
_VERSION_ASKED = re.compile(  # of two parts: by its looks it could be any number
    r"\b(?:versions?|releases?|upgrad\w+ to|new in|changed in|fixed in|removed in|added in)\s+v?"
    r"(\d+\.\d+)(?![\d.])",
    re.IGNORECASE,
)
_PART = re.compile(r"[^\W_]+")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|(?<=[^\W\d_])(?=\d)")
_APOSTROPHE = re.compile(r"(?<=\w)['’](s|t|d|m|ll|re|ve)?\b", re.IGNORECASE)
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_MAX_TOKEN_CHARS = 64
_KEPT_RUN_CHARS = 64  # longer ones are not words that come again


def analyze(text: str) -> list[str]:
    """Tokens in the order of the text, duplicates kept.

    Words are compatibility-normalised (NFKC), case-folded, stemmed in the text's language, and
    left out when they are its function words. An identifier is a token as a whole and in its parts.
    Scripts without spaces give overlapping pairs of characters.
    """
    text = normal(text)
    language = language_of(text)
    return [token for run in _RUN.findall(text) for token in _tokens(run, language)]


def normal(text: str) -> str:
    """The text as `words` reads it: compatibility-normalised, without 's and thousands' commas."""
    return _THOUSANDS.sub("", _APOSTROPHE.sub("", unicodedata.normalize("NFKC", text)))


def identifiers(text: str) -> list[str]:
    """The identifiers of a text as whole tokens: ERR_4013, E-1001, #4821, 2.3.1, foo_bar.

    They name one thing: a passage about ERR_4014 does not speak of ERR_4013. Hyphenated words,
    numbers, quantities (24h), names with a capital inside (GitHub) and addresses (@ana_l, #hr_team,
    https://…, a mail's) are none, unless they are code in backticks.
    """
    text = _ADDRESS.sub(" ", normal(text))
    runs = map(str, _RUN.findall(text))
    named = [run.casefold()[:_MAX_TOKEN_CHARS] for run in runs if _IDENTIFIER.search(run)]
    return [_VERSION.sub(r"\1", code) for code in named] + _VERSION_ASKED.findall(text)


def words(text: str) -> list[tuple[int, int, tuple[str, ...]]]:
    """Start, end and tokens of each word of a `normal` text; no tokens for a function word."""
    language = language_of(text)
    return [(m.start(), m.end(), _tokens(m.group(), language)) for m in _RUN.finditer(text)]


def _tokens(run: str, language: str) -> tuple[str, ...]:
    return (_kept if len(run) <= _KEPT_RUN_CHARS else _made)(run, language)


@lru_cache(maxsize=200_000)
def _kept(run: str, language: str) -> tuple[str, ...]:
    return _made(run, language)


def _made(run: str, language: str) -> tuple[str, ...]:
    return tuple(_pairs(run) if any(map(is_unspaced, run)) else _words(run, language))


def _words(run: str, language: str) -> Iterator[str]:
    parts = [part for piece in _PART.findall(run) for part in _CAMEL.split(piece)]
    if len(parts) > 1 or run.startswith("#"):
        whole = _VERSION.sub(r"\1", run.casefold()[:_MAX_TOKEN_CHARS])
        yield whole
        if minor := _PATCH.match(whole):
            yield minor.group(1)
        parts = [part for part in parts if len(part) > 1]
    for part in parts:
        if token := stem(part.casefold()[:_MAX_TOKEN_CHARS], language):
            yield token


def _pairs(run: str) -> Iterator[str]:
    """Overlapping pairs within a script without spaces; other words in between as they are."""
    for piece in re.findall(r"[a-z0-9]+|[^\Wa-z0-9_]+", run.casefold()):
        if piece.isascii() or len(piece) == 1:
            yield piece
        else:
            yield from (piece[i : i + 2] for i in range(len(piece) - 1))


def stem(word: str, language: str = ENGLISH) -> str:
    """The stem of a case-folded word; empty for a function word of its language."""
    if language == UNKNOWN:
        return word
    if word in STOP_WORDS[language]:
        return ""
    if not word.isalpha():
        return word
    return str(_stemmer(language).stemWord(word))


@cache
def _stemmer(language: str) -> Any:  # noqa: ANN401 - snowballstemmer has no types
    import snowballstemmer

    return snowballstemmer.stemmer(language)
