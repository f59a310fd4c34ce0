"""What a question's abbreviations may stand for in the documents, and the other way round.

A definition ("Paid Time Off (PTO)") is found as in Schwartz and Hearst, "A simple algorithm for
identifying abbreviation definitions", PSB 2003; words that nothing defines, by their initials.
"""

import asyncio
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from itertools import groupby
from typing import Protocol

from bot.types import Reading
from ingest.analyze import analyze
from ingest.initials import Phrase, phrases
from ingest.languages import ENGLISH, STOP_WORDS
from ingest.types import Chunk

READINGS = 3  # of one question: each is a search of its own
LOOKED_AT = 50  # passages, for a definition or for words with the initials
RARE = 2  # passages that hold a word in capitals which may be spelt out in the others
SHORTEST, LONGEST = 3, 5  # letters; two of them are the initials of something everywhere

_WORD = re.compile(r"(?<![\w&./@#-])[^\W\d_]+(?![\w&@/-]|\.\w)")


class Lexical(Protocol):
    """The words of the passages."""

    def search(self, query: str, k: int) -> list[tuple[str, float]]:
        """Up to `k` ids with their score, best first."""

    def with_initials(self, letters: str, k: int) -> list[str]:
        """Up to `k` ids of passages with a run of words that begin with these letters."""


class Passages(Protocol):
    """What is live, by the ledger."""

    def live(self, ids: Collection[str]) -> dict[str, Chunk]:
        """The passages of those ids that are live; the others are left out."""


class Abbreviations:
    """Reads abbreviations by what the documents hold now; all its work runs in the pool."""

    def __init__(self, lexical: Lexical, passages: Passages, pool: Executor) -> None:
        self._lexical = lexical
        self._passages = passages
        self._pool = pool

    async def readings(self, question: str) -> tuple[Reading, ...]:
        """At most `READINGS` other ways to read it, the likeliest first; mostly none."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._pool, self._read, question)

    def _read(self, question: str) -> tuple[Reading, ...]:
        found = [*self._spelt_out(question), *self._shortened(question)]
        return tuple(dict.fromkeys(found))[:READINGS]

    def _spelt_out(self, question: str) -> Iterator[Reading]:
        for match in _WORD.finditer(question):
            word = match.group()
            if not SHORTEST <= len(word) <= LONGEST or not analyze(word):
                continue
            meant, defined = self._meant(word, question)
            for words in meant:
                text = f"{question[: match.start()]}{words}{question[match.end() :]}"
                yield Reading(text, word, words, defined)

    def _meant(self, word: str, question: str) -> tuple[list[str], bool]:
        """What a word may stand for, and whether that is defined."""
        holding = self._holding(word, LOOKED_AT)
        if holding:
            if not word.isupper():
                return [], False
            counted = Counter(w for c in holding.values() for w in definitions(word, c.embedded))
            if counted:
                return [words for words, _ in counted.most_common(READINGS)], True
            if len(holding) > RARE:
                return [], False
        return self._by_initials(word, question), False

    def _by_initials(self, word: str, question: str) -> list[str]:
        """Headings first, then words of passages that share another word with the question."""
        letters = word.casefold()
        rest = set(analyze(question)) - set(analyze(word))
        ids = self._lexical.with_initials(letters, LOOKED_AT)
        weights: Counter[str] = Counter()
        for chunk in self._passages.live(ids).values():
            of_heading = {p.text.casefold() for p in phrases(chunk.heading, letters) if p.bounded}
            for phrase in phrases(chunk.embedded, letters):
                words = phrase.text.casefold()
                related = rest & (set(analyze(chunk.embedded)) - set(analyze(words)))
                if words in of_heading:
                    weights[words.replace("-", " ")] += LOOKED_AT
                elif phrase.bounded and related:
                    weights[words.replace("-", " ")] += 1
        enough = (
            1 if word.isupper() else LOOKED_AT
        )  # in small letters it may be a word like another
        return [words for words, n in weights.most_common(READINGS) if n >= enough]

    def _shortened(self, question: str) -> Iterator[Reading]:
        """Words of the question that the documents have as initials alone.

        The initials stand in a heading, or in a passage with another word of the question.
        """
        for phrase in _runs(question):
            letters = phrase.letters.upper()
            holding = self._holding(letters, LOOKED_AT)
            as_capitals = re.compile(rf"\b{letters}\b")
            rest = set(analyze(question)) - set(analyze(phrase.text))
            if not any(
                as_capitals.search(chunk.heading)
                or (as_capitals.search(chunk.text) and rest & set(analyze(chunk.embedded)))
                for chunk in holding.values()
            ):
                continue
            otherwise = any(definitions(letters, c.embedded) for c in holding.values())
            if not otherwise and not self._says(phrase):
                text = question.replace(phrase.text, letters, 1)
                yield Reading(text, phrase.text, letters, defined=False)

    def _says(self, phrase: Phrase) -> bool:
        ids = self._lexical.with_initials(phrase.letters, LOOKED_AT)
        wanted = phrase.text.casefold()
        return any(
            own.text.casefold() == wanted
            for chunk in self._passages.live(ids).values()
            for own in phrases(chunk.embedded, phrase.letters)
        )

    def _holding(self, word: str, k: int) -> Mapping[str, Chunk]:
        return self._passages.live([i for i, _ in self._lexical.search(word, k)])


def definitions(short: str, text: str) -> list[str]:
    """The words that a text puts before or into the brackets of an abbreviation's definition."""
    found = []
    for match in re.finditer(rf"\(\s?{re.escape(short)}\s?\)", text):
        before = re.findall(r"[^\W\d_][\w'’-]*", text[max(match.start() - 120, 0) : match.start()])
        if (words := _matching(short.casefold(), before[-2 * len(short) :])) is not None:
            found.append(words)
    for match in re.finditer(rf"\b{re.escape(short)}\s\(([^()\n]{{3,120}})\)", text):
        inside = re.findall(r"[^\W\d_][\w'’-]*", match.group(1))
        words = _matching(short.casefold(), inside)
        if words is not None and words == " ".join(inside).casefold():
            found.append(words)
    return found


def _matching(letters: str, words: Sequence[str]) -> str | None:
    """The shortest run at the end of the words that has the letters, each beginning with a word's.

    The first letter begins the first word; a function word may go without one.
    """
    folded = [word.casefold() for word in words]
    for start in range(len(folded) - 1, -1, -1):
        run = folded[start:]
        initials = "".join(word[0] for word in run)
        content = "".join(word[0] for word in run if word not in STOP_WORDS[ENGLISH])
        if letters in {initials, content} and run[0] not in STOP_WORDS[ENGLISH]:
            return " ".join(run)
    return None


def _runs(question: str) -> Iterator[Phrase]:
    """Runs of the question's words that are a term of their own, longer ones first."""
    words = list(_WORD.finditer(question))
    for size in range(LONGEST, SHORTEST - 1, -1):
        for first in range(len(words) - size + 1):
            run = words[first : first + size]
            start, end = run[0].start(), run[-1].end()
            letters = "".join(match.group()[0] for match in run).casefold()
            content = sum(1 for match in run if analyze(match.group()))
            found = [p for p in phrases(question, letters) if p.text == question[start:end]]
            if any(phrase.bounded for phrase in found) and 2 * content > size:
                yield found[0]


def in_words(readings: Sequence[Reading], used: Reading) -> str:
    """How a word was read, where the documents do not define it; empty where they do.

    Args:
        readings: all of the question.
        used: the one that the reply rests on.
    """
    if used.defined and len({r.meant for r in readings if r.said == used.said}) == 1:
        return ""
    others = [r.meant for r in readings if r.said == used.said and r.meant != used.meant]
    told = f"“{used.said}” was read as “{used.meant}”"
    also = " or ".join(f"“{meant}”" for meant, _ in groupby(others))
    return f"{told}; it may also stand for {also}." if also else f"{told}."
