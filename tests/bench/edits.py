"""Documents under realistic edits, every character of them followed from one sync to the next."""

import random
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

NEW = -1

_BLOCK = re.compile(r"(?:^|(?<=\n\n))(?!\n)(.+?)(?=\n\s*\n|\n*\Z)", re.DOTALL)
_HEADING = re.compile(r"^(#{1,6}) +(.+)$", re.MULTILINE)
_PROSE = re.compile(r"[A-Za-z*_\[`]")


@dataclass
class Page:
    """A text and, for each of its characters, which one of the last sync's it stands for.

    `origin` numbers the characters of all pages of the last sync; `exact` is false where the
    character only stands in the place of a reworded one.
    """

    text: str
    origin: NDArray[np.int64]
    exact: NDArray[np.bool_]

    def cut(self, start: int, end: int) -> "Page":
        return Page(self.text[start:end], self.origin[start:end], self.exact[start:end])

    def __add__(self, other: "Page") -> "Page":
        return Page(
            self.text + other.text,
            np.concatenate([self.origin, other.origin]),
            np.concatenate([self.exact, other.exact]),
        )


def written(text: str) -> Page:
    return Page(text, np.full(len(text), NEW), np.zeros(len(text), np.bool_))


def reworded(old: Page, text: str) -> Page:
    """A text in the place of another: each character stands for the one as far along."""
    at = np.minimum(np.arange(len(text)) * len(old.text) // max(len(text), 1), len(old.text) - 1)
    return Page(text, old.origin[at], np.zeros(len(text), np.bool_))


@dataclass
class Folder:
    """Pages on the disk and in memory, changed by a seeded hand."""

    root: Path
    chance: random.Random
    pages: dict[str, Page] = field(default_factory=dict)
    base: dict[str, int] = field(default_factory=dict)
    words: list[str] = field(default_factory=list)
    sentences: list[str] = field(default_factory=list)
    edited: set[str] = field(default_factory=set)
    renamed: int = 0

    def __post_init__(self) -> None:
        for file in sorted(self.root.rglob("*.md*")):
            text = file.read_bytes().decode()
            self.pages[file.relative_to(self.root).as_posix()] = written(text)
        prose = [
            page.text[start:end] for page in self.pages.values() for start, end in prose_of(page)
        ]
        self.sentences = [s for text in prose for s in re.split(r"(?<=[.!?])\s+", text)]
        self.words = [word for text in prose for word in text.split()]
        self.settle()

    def settle(self) -> None:
        """A sync was made: from here on characters are followed anew."""
        at = 0
        self.edited = set()
        for path, page in self.pages.items():
            self.base[path] = at
            size = len(page.text)
            page.origin = np.arange(at, at + size)
            page.exact = np.ones(size, np.bool_)
            at += size
        self.base = {path: self.base[path] for path in self.pages}

    @property
    def size(self) -> int:
        return sum(len(page.text) for page in self.pages.values())

    def edit(self) -> str:
        """Make one edit; gives its name."""
        kinds: dict[str, Callable[[], bool]] = {
            "insert": self._insert,
            "delete": self._delete,
            "reword": self._reword,
            "reorder": self._reorder,
            "rename heading": self._rename_heading,
            "rename file": self._rename_file,
            "move": self._move_section,
        }
        while True:
            kind = self.chance.choices(list(kinds), weights=(25, 20, 30, 8, 8, 4, 5))[0]
            if kinds[kind]():
                return kind

    def _insert(self) -> bool:
        path, (start, _) = self._prose()
        count = self.chance.randint(1, 4)
        text = " ".join(self.chance.choice(self.sentences) for _ in range(count)) + "\n\n"
        self._replace(path, start, start, written(text))
        return True

    def _delete(self) -> bool:
        path, (start, end) = self._prose()
        page = self.pages[path]
        end += len(page.text[end:]) - len(page.text[end:].lstrip("\n"))
        self._replace(path, start, end, written(""))
        return True

    def _reword(self) -> bool:
        path, (start, end) = self._prose()
        page = self.pages[path]
        share = self.chance.uniform(0.03, 0.4)
        made = written("")
        for match in re.finditer(r"\S+\s*|\s+", page.text[start:end]):
            old = page.cut(start + match.start(), start + match.end())
            chance = self.chance.random()
            if chance < share * 0.7:
                gap = match[0][len(match[0].rstrip()) :]
                made += reworded(old, self.chance.choice(self.words) + gap)
            elif chance > share:
                made += old
        if not made.text.strip():
            return False
        self._replace(path, start, end, made)
        return True

    def _reorder(self) -> bool:
        path, sections = self._sections()
        if len(sections) < 2:
            return False
        i = self.chance.randrange(len(sections) - 1)
        (start, middle), (_, end) = sections[i], sections[i + 1]
        page = self.pages[path]
        second = page.cut(middle, end)
        if not second.text.endswith("\n"):
            second += written("\n\n")
        self._replace(path, start, end, second + page.cut(start, middle))
        return True

    def _rename_heading(self) -> bool:
        path = self._path()
        found = list(headings_of(self.pages[path].text))
        if not found:
            return False
        match = self.chance.choice(found)
        self._replace(path, match.start(2), match.end(2), written(self._title()))
        return True

    def _rename_file(self) -> bool:
        path = self._path()
        self.renamed += 1
        parts = Path(path)
        name = parts.name.split(".", 1)
        new = (parts.parent / f"{name[0]}-{self.renamed}.{name[1]}").as_posix()
        self.pages[new] = self.pages.pop(path)
        (self.root / path).rename(self.root / new)
        return True

    def _move_section(self) -> bool:
        path, sections = self._sections()
        to = self._path()
        if not sections or to == path:
            return False
        start, end = self.chance.choice(sections)
        page, other = self.pages[path], self.pages[to]
        moved = written("\n\n") + page.cut(start, end)
        self._replace(path, start, end, written(""))
        self._replace(to, len(other.text), len(other.text), moved)
        return True

    def _replace(self, path: str, start: int, end: int, by: Page) -> None:
        page = self.pages[path]
        made = page.cut(0, start) + by + page.cut(end, len(page.text))
        self.pages[path] = made
        self.edited.add(path)
        (self.root / path).write_bytes(made.text.encode())

    def _path(self) -> str:
        return self.chance.choice(list(self.pages))

    def _prose(self) -> tuple[str, tuple[int, int]]:
        while True:
            path = self._path()
            if blocks := list(prose_of(self.pages[path])):
                return path, self.chance.choice(blocks)

    def _sections(self) -> tuple[str, list[tuple[int, int]]]:
        """Ranges of the sections at level two of a page."""
        path = self._path()
        text = self.pages[path].text
        found = list(headings_of(text))
        ranges = []
        for i, match in enumerate(found):
            if len(match[1]) == 2:
                ends = [m.start() for m in found[i + 1 :] if len(m[1]) <= 2]
                ranges.append((match.start(), ends[0] if ends else len(text)))
        return path, ranges

    def _title(self) -> str:
        words = [re.sub(r"\W", "", self.chance.choice(self.words)) for _ in range(3)]
        return " ".join(word for word in words if word).capitalize() or "Other"


def fenced(text: str) -> list[tuple[int, int]]:
    """Ranges where nothing is prose: fences and front matter."""
    pattern = r"\A---\n.*?\n---\n|^[ \t]*(```|~~~).*?^[ \t]*\1"
    return [m.span() for m in re.finditer(pattern, text, re.DOTALL | re.MULTILINE)]


def headings_of(text: str) -> Iterator["re.Match[str]"]:
    closed = fenced(text)
    for match in _HEADING.finditer(text):
        if not any(start <= match.start() < end for start, end in closed):
            yield match


def prose_of(page: Page) -> Iterator[tuple[int, int]]:
    """Ranges of paragraphs of running text."""
    closed = fenced(page.text)
    for match in _BLOCK.finditer(page.text):
        start, end = match.span(1)
        if _PROSE.match(match[1]) and not any(a < end and start < b for a, b in closed):
            yield start, end
