"""What stands in one row, list item or section told of another. Pure, any language.

Nothing here knows words: a row is named by its cells, an item by its label, a section by its
heading.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, groupby, islice

from bot.reading.facts import Fact, facts
from bot.reading.fold import plain
from bot.reading.quantities import Quantity
from bot.reading.statements import negations
from bot.reading.tables import tables_of
from bot.reading.units import Unit, units
from ingest.analyze import analyze
from ingest.types import Chunk

Rows = frozenset[int]

MAX_ROWS = 400
MAX_VALUES = 40  # of a sentence; the others are not looked for in rows
MAX_CELL_CHARS = 200
NAME_WORDS = 8  # a cell of more words names nothing
_WORD = re.compile(r"\w+")
_LABELLED = re.compile(r"(.{1,80}?)(?:: +| [-=] )(.+)", re.DOTALL)
_VALUES = ("number", "date", "time", "identifier", "code", "version", "address", "weekday")


@dataclass(frozen=True)
class Said:
    """A sentence or question: its words in order and its values, each with its place."""

    text: str

    @cached_property
    def words(self) -> tuple[str, ...]:
        """Stems in order."""
        return tuple(analyze(plain(self.text)))

    @cached_property
    def values(self) -> tuple[Fact, ...]:
        """What it states that is compared by value; "one" and "two" as words are none."""
        found = (f for f in facts(self.text) if f.kind in _VALUES and not _is_small(f))
        return tuple(islice(found, MAX_VALUES))

    @cached_property
    def _bare(self) -> str:
        """Its words as written, whatever its language makes of their ends."""
        return f" {' '.join(_WORD.findall(plain(self.text).casefold()))} "

    def place(self, words: Iterable[str], name: str = "") -> int:
        """Where these stems are all said, or a name is as it is written; -1 if neither is."""
        at = [self.words.index(word) if word in self.words else -1 for word in words]
        if min(at, default=-1) >= 0:
            return min(at)
        bare = " ".join(_WORD.findall(plain(name).casefold()))
        found = self._bare.find(f" {bare} ") if bare else -1
        return self._bare.count(" ", 0, found) if found >= 0 else -1


def _is_small(fact: Fact) -> bool:
    return isinstance(fact.value, Quantity) and fact.value.spelled and fact.value.value <= 2  # noqa: PLR2004


def same_value(one: Fact, other: Fact) -> bool:
    """Whether two values are one; a unit that only one of them names is no difference."""
    if isinstance(one.value, Quantity) and isinstance(other.value, Quantity):
        if one.value.unit and other.value.unit:
            return (one.value.unit, one.value.value) == (other.value.unit, other.value.value)
        return one.value.bare == other.value.bare
    return one.value == other.value


def same_kind(one: Fact, other: Fact) -> bool:
    """Whether one value may stand in the place of another."""
    if isinstance(one.value, Quantity) and isinstance(other.value, Quantity):
        return one.value.unit == other.value.unit
    return one.kind == other.kind


@dataclass(frozen=True, slots=True)
class _Mention:
    """Something of a column that a sentence says: in which rows it stands, and where it is said."""

    column: int
    rows: Rows
    place: int
    words: str
    value: Fact | None = None


def misplaced(text: str, cited: Sequence[Chunk], question: str) -> str | None:
    """What a sentence says of a row or part in which it does not stand, if anything."""
    if negations(text):
        return None
    claim, asked = Said(text), Said(question)
    cut = [(chunk, units(chunk)) for chunk in cited]
    tables = [_Grid(table.header, table.rows) for c, u in cut for table in tables_of(u)]
    labelled = [_Grid((), rows, labels=True) for _, u in cut for rows in _labelled(u)]
    sections = _Grid((), tuple(part for c, u in cut for part in _sections(c, u)), labels=True)
    for grid in (*tables, *labelled, sections):
        if (found := _misplaced_in(grid, claim, asked)) is not None:
            return found
    return None


@dataclass(frozen=True)
class _Grid:
    """Rows of cells. With `labels` the first cell names what the second says of it."""

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    labels: bool = False

    def mentions(self, said: Said) -> Iterator[_Mention]:
        """What a text says of the cells, as far as it tells the rows apart."""
        valued = list(self._valued(said))
        yield from valued
        for mention in self._named(said):
            if not any((m.column, m.rows) == (mention.column, mention.rows) for m in valued):
                yield mention

    @cached_property
    def _words(self) -> dict[tuple[int, tuple[str, ...], str], set[int]]:
        """In which rows a column has a cell of these words; of labels those that tell."""
        found: dict[tuple[int, tuple[str, ...], str], set[int]] = {}
        labels = [set(analyze(plain(row[0]))) for row in self.rows] if self.labels else []
        shared = set.intersection(*labels) if labels else set(analyze(" ".join(self.header)))
        for number, row in enumerate(self.rows[:MAX_ROWS]):
            for column, cell in enumerate(row):
                words = tuple(analyze(plain(cell[:MAX_CELL_CHARS])))
                name = "" if self.labels else cell[:MAX_CELL_CHARS]
                if not self.labels and set(words) <= shared:
                    continue
                if self.labels and not column:
                    words = tuple(word for word in words if word not in shared)
                least = 2 if self.labels and column else 1  # one word of a text names nothing
                if least <= len(words) <= NAME_WORDS and any(not word.isdigit() for word in words):
                    found.setdefault((column, words, name), set()).add(number)
        return found

    def _named(self, said: Said) -> Iterator[_Mention]:
        for (column, words, name), rows in self._words.items():
            place = said.place(words, name)
            elsewhere = any(c != column and w == words for c, w, _ in self._words)
            if place >= 0 and len(rows) < len(self.rows) and not elsewhere:
                yield _Mention(column, frozenset(rows), place, " ".join(words))

    @cached_property
    def _values(self) -> list[list[tuple[Fact, ...]]]:
        """By row and column."""
        return [[facts(cell) for cell in row] for row in self.rows[:MAX_ROWS]]

    def _valued(self, said: Said) -> Iterator[_Mention]:
        for value in said.values:
            columns: dict[int, set[int]] = {}
            for number, row in enumerate(self._values):
                for column, held in enumerate(row):
                    if any(same_value(value, other) for other in held):
                        columns.setdefault(column, set()).add(number)
            for column, rows in columns.items():
                if len(columns) == 1 and len(rows) < len(self.rows):
                    place = said.place(analyze(value.words)[:1])
                    yield _Mention(column, frozenset(rows), place, value.words, value)

    def rivals(self, rows: Rows, mention: _Mention) -> bool:
        """Whether these rows have a value of the same kind in its column."""
        if mention.value is None:
            return True
        return any(
            same_kind(mention.value, other)
            for row in rows
            if mention.column < len(self._values[row])
            for other in self._values[row][mention.column]
        )


def _labelled(stretches: Sequence[Unit]) -> Iterator[tuple[tuple[str, ...], ...]]:
    """Lists whose items have a label: `Pro: 100 GB`."""
    items = [unit for unit in stretches if unit.kind == "item"]
    for _, block in groupby(items, key=lambda unit: unit.block):
        pairs = [m.groups() for unit in block if (m := _LABELLED.match(plain(unit.text)))]
        if len(pairs) > 1:
            yield tuple(pairs)


def _sections(chunk: Chunk, stretches: Sequence[Unit]) -> Iterator[tuple[str, str]]:
    """The parts under the headings of a passage, with all that these say."""
    heading, parts = chunk.heading, list[str]()
    for unit in stretches:
        if unit.kind == "heading":
            if parts:
                yield heading, "\n".join(parts)
            heading, parts = f"{chunk.heading} {unit.text}", []
        else:
            parts.append(unit.text)
    if parts:
        yield heading, "\n".join(parts)


def _misplaced_in(grid: _Grid, claim: Said, asked: Said) -> str | None:
    mentions = list(grid.mentions(claim))
    by_column: dict[int, list[_Mention]] = {}
    for mention in mentions:
        by_column.setdefault(mention.column, []).append(mention)
    keys = {column: _union(said) for column, said in by_column.items()}
    for mention in mentions:
        before = {column: rows for column, rows in keys.items() if column < mention.column}
        if not before:
            wanted = [m for m in grid.mentions(asked) if m.column < mention.column]
            before = {m.column: _union(n for n in wanted if n.column == m.column) for m in wanted}
        named = frozenset(range(len(grid.rows))).intersection(*before.values())
        if before and named and not mention.rows & named and grid.rivals(named, mention):
            return f"{mention.words!r} stands in another row or part than the rest"
    return _exchanged(by_column)


def _union(mentions: Iterable[_Mention]) -> Rows:
    return frozenset[int]().union(*(mention.rows for mention in mentions))


def _exchanged(by_column: Mapping[int, Sequence[_Mention]]) -> str | None:
    """As many names as values, in an order in which none belongs to the other."""
    for (_, names), (_, values) in combinations(sorted(by_column.items()), 2):
        if len(names) == len(values) > 1:
            pairs = zip(
                sorted(names, key=lambda m: m.place),
                sorted(values, key=lambda m: m.place),
                strict=True,
            )
            if apart := [value for name, value in pairs if not name.rows & value.rows]:
                return f"{apart[0].words!r} stands in another row than what is said with it"
    return None
