"""What of a passage can be quoted as an answer without a change of meaning."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bot.reading.asked import asks, question_of, sign_of
from bot.reading.statements import key
from bot.reading.units import Unit, one_line, row_text, units
from bot.types import Draft, Quote
from ingest.types import Chunk

MAX_LIST_UNITS = 12

_WORD = re.compile(r"\w")
_SAID = ("prose", "heading")


@dataclass(frozen=True, slots=True)
class Choice:
    """Units of one passage that are quoted together: `leads` first, then `body`, in page order."""

    chunk: Chunk
    leads: tuple[Unit, ...]
    body: tuple[Unit, ...]
    asked: str = ""  # the heading that a yes or no answers

    @property
    def text(self) -> str:
        """How it reads: sentences as they stand, items after their lead-in, a row by its header."""
        return f"{self.asked} {self._said()}".strip()

    def _said(self) -> str:
        if self.body[0].kind == "row":
            header = self.leads[-1].cells if self.leads else ()
            return row_text(header, self.body[0].cells)
        said = " ".join(one_line(unit.text) for unit in self.leads)
        listed = [u for u in self.body if u.kind not in _SAID]
        prose = [one_line(u.text) for u in self.body if u.kind in _SAID]
        said = " ".join([said, *prose]).strip()
        if not listed:
            return said
        if listed[0].kind == "code":
            return _with_code(said, listed)
        if len(listed) == 1:
            return f"{said} {one_line(listed[0].text)}".strip()
        return "\n".join([said, *(f"- {one_line(unit.text)}" for unit in listed)]).strip()

    def draft(self) -> Draft:
        """The sentence, quoting each stretch of the file that it was made of."""
        quotes = [
            Quote(self.chunk.id, unit.text, unit.start, unit.end)
            for unit in (*self.body, *self.leads)
            if _WORD.search(unit.text)
        ]
        return Draft(self.text, tuple(quotes))

    def holds(self, other: "Choice") -> bool:
        """Whether what the other quotes of the same passage is a part of it."""
        mine, its = ({unit.span for unit in (*c.leads, *c.body)} for c in (self, other))
        return its < mine

    def repeats(self, other: "Choice") -> bool:
        """Whether one of the two says what the other says already."""
        mine, its = key(self.text), key(other.text)
        if mine in its or its in mine:
            return True
        same_passage = self.chunk.id == other.chunk.id
        return same_passage and bool({u.span for u in self.body} & {u.span for u in other.body})


def choices(chunk: Chunk) -> Iterator[Choice]:
    """All choices of a passage in the order of the page.

    A question, a table's header and what only stands in the context are no answers. A heading that
    a passage is made of has nothing under it: it is all that the page says.
    """
    all_units = units(chunk)
    for i, unit in enumerate(all_units):
        if unit.in_context or not _WORD.search(unit.text):
            continue
        below = tuple(u for u in all_units if i in u.leads)
        if below and unit.kind in ("prose", "item"):
            if len(below) <= MAX_LIST_UNITS:
                yield Choice(chunk, tuple(all_units[j] for j in unit.leads), (unit, *below))
        elif unit.kind in _SAID:
            yield from _sentence(chunk, all_units, i)
        elif unit.kind in ("item", "row"):
            leads = tuple(all_units[j] for j in unit.leads)
            if not asks(unit.text):
                yield Choice(chunk, leads, (unit,))


def _sentence(chunk: Chunk, all_units: Sequence[Unit], i: int) -> Iterator[Choice]:
    unit = all_units[i]
    if asks(unit.text) or unit.text.rstrip("*_ ").endswith(":"):
        return
    if (sign := sign_of(unit.text)) is not None:
        if question := question_of(chunk, all_units, i):
            yield _under(question, chunk, all_units, i)
            return
        if not _WORD.search(sign.rest):
            return  # nothing is known of what it says yes to
    yield Choice(chunk, (), (unit,))


def _under(question: str, chunk: Chunk, all_units: Sequence[Unit], i: int) -> Choice:
    """A yes or no under the question that it answers, and what follows."""
    unit, after = all_units[i], all_units[i + 1 : i + 2]
    follows = tuple(
        u for u in after if u.block == unit.block and u.kind == "prose" and not asks(u.text)
    )
    if i and all_units[i - 1].kind == "prose":
        return Choice(chunk, (all_units[i - 1],), (unit, *follows))
    return Choice(chunk, (), (unit, *follows), question)


def _with_code(said: str, lines: Sequence[Unit]) -> str:
    if len(lines) == 1:
        return f"{said} `{lines[0].text.strip()}`"
    return "\n".join([said, "```", *(line.text for line in lines), "```"])
