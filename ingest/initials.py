"""The initials of a text's words, so that an abbreviation finds the words that it stands for."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from ingest.languages import ENGLISH, STOP_WORDS

_WORD = re.compile(r"[^\W\d_][\w'’/&]*")
_BETWEEN = re.compile(r"[ \t-]{1,3}")  # two words of one phrase


@dataclass(frozen=True, slots=True)
class Phrase:
    """Words whose initials are `letters`.

    `bounded`: no further word of content stands directly before or behind them, so that they are a
    term of their own and not a part of a longer run.
    """

    text: str
    letters: str
    bounded: bool


def initials(text: str) -> tuple[str, str]:
    """The first letters of all words of a text, and of those that are no function words."""
    words = [word.casefold() for word in _WORD.findall(text)]
    content = [word for word in words if word not in STOP_WORDS[ENGLISH]]
    return "".join(word[0] for word in words), "".join(word[0] for word in content)


def phrases(text: str, letters: str) -> Iterator[Phrase]:
    """The runs of words with these initials; function words inside may go without a letter.

    A run begins and ends with a word of content and holds no punctuation; one that has a line to
    itself may end with a function word ("Paid time off").
    """
    words = list(_WORD.finditer(text))
    for first, word in enumerate(words):
        if word.group()[0].casefold() == letters[0] and not _is_function(word.group()):
            last = _last(text, words, first, letters)
            if last is not None:
                before = first > 0 and _goes_on(text, words, first - 1)
                behind = last + 1 < len(words) and _goes_on(text, words, last, back=True)
                run = " ".join(text[word.start() : words[last].end()].split())
                yield Phrase(run, letters, bounded=not before and not behind)


def _last(text: str, words: list[re.Match[str]], first: int, letters: str) -> int | None:
    """The index of the word that the last letter begins."""
    at = first
    for letter in letters[1:]:
        at += 1
        while at < len(words) and _joined(text, words, at - 1):
            word = words[at].group()
            if word[0].casefold() == letter:
                break
            if not _is_function(word):
                return None
            at += 1
        else:
            return None
    alone = not (first and _joined(text, words, first - 1)) and not (
        at + 1 < len(words) and _joined(text, words, at)
    )
    return at if alone or not _is_function(words[at].group()) else None


def _goes_on(text: str, words: list[re.Match[str]], at: int, *, back: bool = False) -> bool:
    """Whether a word of content is joined to the run: the one at `at`, or the one behind it."""
    other = words[at + 1] if back else words[at]
    return _joined(text, words, at) and not _is_function(other.group())


def _joined(text: str, words: list[re.Match[str]], at: int) -> bool:
    between = text[words[at].end() : words[at + 1].start()]
    return _BETWEEN.fullmatch(between) is not None


def _is_function(word: str) -> bool:
    return word.casefold() in STOP_WORDS[ENGLISH]
