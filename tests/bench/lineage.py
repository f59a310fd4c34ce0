"""Ids and lineage over realistic edits: `python -m tests.bench.lineage [DOCS] [EDITS] [A_SYNC]`.

Default: the sample handbook, 500 edits, each taken in by a sync of its own. The parser, the
chunker, the ledger and Chroma are the real ones, tokens are the model's; vectors are a stand-in's.
"""

import random
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import cast

import numpy as np

from bot.source import Passages
from ingest import lineage
from ingest.chunk import normalise
from ingest.embed import Embedder
from ingest.index import Index
from ingest.parse import parse
from ingest.settings import IngestSettings
from ingest.types import SEPARATOR, Chunk
from tests.bench.edits import NEW, Folder
from tests.indexes import opened, settings
from tests.standin import StandIn

HANDBOOK = Path(__file__).parents[2] / "bot" / "demo" / "handbook"
EDITS = 500
LEFT = 0.3  # of a passage's characters must stand for something, else nothing took its place
AS_GOOD = 0.7  # a part that holds this much of what the best one holds is as right (a split)
NEIGHBOURS = 2


@dataclass
class Case:
    """What one sync retired and added, and which successors are right (None: none is)."""

    retired: list[Chunk]
    added: list[Chunk]
    standing: list[Chunk]
    right: dict[str, set[str | None]]


@dataclass
class Figures:
    kept: Counter[str] = field(default_factory=Counter)
    untouched: Counter[str] = field(default_factory=Counter)
    kept_apart: Counter[str] = field(default_factory=Counter)
    apart: Counter[str] = field(default_factory=Counter)
    everywhere: Counter[bool] = field(default_factory=Counter)
    embedded: Counter[str] = field(default_factory=Counter)
    touched: Counter[str] = field(default_factory=Counter)
    edits: Counter[str] = field(default_factory=Counter)
    beyond: list[int] = field(default_factory=list)
    cases: list[Case] = field(default_factory=list)
    kinds: list[str] = field(default_factory=list)


@dataclass
class Old:
    """The folder at the last sync: where each page begins in the text of all, and what was live."""

    base: dict[str, int]
    text: str
    live: dict[str, Chunk]

    def __post_init__(self) -> None:
        ends = [*sorted(self.base.values()), len(self.text)]
        after = dict(pairwise(ends))
        self.sizes = {doc: after[at] - at for doc, at in self.base.items()}


class Counting(StandIn):
    """Vectors of the stand-in, tokens of the model."""

    def __init__(self, chosen: IngestSettings) -> None:
        super().__init__(chosen)
        self.token_counter = Embedder(chosen).token_counter


def live(index: Index) -> dict[str, Chunk]:
    return {c.id: c for c in index.ledger.all_live()}


def measure(folder: Folder, index: Index, embedder: StandIn, edits: int, a_sync: int) -> Figures:
    figures = Figures()
    index.sync()
    shown = live(index)
    for _ in range(edits // a_sync):
        before, embedded = live(index), embedder.embedded
        touched = figures.touched.total()
        old = Old(dict(folder.base), "".join(page.text for page in folder.pages.values()), before)
        kinds = [folder.edit() for _ in range(a_sync)]
        index.sync(accept_removals=True)
        after = live(index)
        shown |= after
        kind = kinds[0] if a_sync == 1 else "several"
        take_figures(figures, kind, folder, old, after)
        count = embedder.embedded - embedded
        figures.beyond.append(count - (figures.touched.total() - touched))
        figures.embedded[kind] += count
        figures.edits[kind] += 1
        folder.settle()
    look = Passages(index.ledger)
    opens = [found for id_ in shown if (found := look.resolve(id_))]
    right = sum(shown[f.cited.chunk.id].text == f.cited.chunk.text for f in opens)
    print(f"ids ever shown that open to their text: {right} of {len(shown)}")
    return figures


def take_figures(
    figures: Figures, kind: str, folder: Folder, old: Old, after: dict[str, Chunk]
) -> None:
    owner = np.full(len(old.text), -1)  # the new passage in which each old character stands
    passages = list(after.values())
    for row, chunk in enumerate(passages):
        origin = folder.pages[chunk.doc].origin[chunk.start : chunk.end]
        owner[origin[origin != NEW]] = row
    right: dict[str, set[str | None]] = {}
    for id_, chunk in old.live.items():
        at = old.base[chunk.doc] + chunk.start, old.base[chunk.doc] + chunk.end
        if id_ not in after:
            right[id_] = successors(owner[slice(*at)], passages)
        state = untouched(chunk, at, folder, old)
        figures.touched[kind] += state == "touched"
        if state != "touched":
            figures.everywhere[id_ in after] += 1
        if state != "touched" and chunk.doc in folder.edited:
            figures.untouched[kind] += 1
            figures.kept[kind] += id_ in after
            figures.apart[kind] += state == "apart"
            figures.kept_apart[kind] += state == "apart" and id_ in after
    retired = [old.live[id_] for id_ in right]
    texts = {normalise(c.text) for c in retired}
    figures.kinds.append(kind)
    figures.cases.append(
        Case(
            retired=retired,
            added=[c for i, c in after.items() if i not in old.live],
            standing=[c for i, c in after.items() if i in old.live and normalise(c.text) in texts],
            right=right,
        )
    )


def untouched(chunk: Chunk, at: tuple[int, int], folder: Folder, old: Old) -> str:
    """`apart` from every edit, `beside` one (what stood next to it went or came), or `touched`.

    It is touched when its characters do not stand together as they were, in its file, under its
    heading.
    """
    page = folder.pages.get(chunk.doc)
    if page is None:
        return "touched"
    found = np.flatnonzero(page.origin == at[0])
    start = int(found[0]) if len(found) else 0
    end = start + len(chunk.text)
    if not (np.array_equal(page.origin[start:end], np.arange(*at)) and page.exact[start:end].all()):
        return "touched"
    if chunk.doc in folder.edited and heading_at(chunk.doc, page.text, start) != chunk.heading:
        return "touched"
    for text, edge, step in ((old.text, at, 1), (old.text, at, -1)):
        was = beside(text, edge, step)
        now = beside(page.text, (start, end), step)
        inside = old.base[chunk.doc] <= was < old.base[chunk.doc] + old.sizes[chunk.doc]
        stands = int(page.origin[now]) if 0 <= now < len(page.text) else NEW
        if stands != (was if inside else NEW):
            return "beside"
    return "apart"


def beside(text: str, edge: tuple[int, int], step: int) -> int:
    """Where the first character that is no white space stands, before a range or after it."""
    at = edge[1] if step > 0 else edge[0] - 1
    while 0 <= at < len(text) and text[at].isspace():
        at += step
    return at


def heading_at(doc: str, text: str, at: int) -> str | None:
    for section in parse(doc, text.encode()).sections:
        if any(block.start <= at < block.end for block in section.blocks):
            return SEPARATOR.join(section.heading)
    return None


def successors(
    owner: "np.ndarray[tuple[int], np.dtype[np.int64]]", passages: Sequence[Chunk]
) -> set[str | None]:
    held = Counter(int(row) for row in owner if row >= 0)
    if sum(held.values()) < LEFT * len(owner):
        return {None}
    most = max(held.values())
    return {passages[row].id for row, count in held.items() if count >= AS_GOOD * most}


def right_share(cases: Sequence[Case]) -> tuple[int, int]:
    """How many retired passages are linked to what the edits made of them, and of how many."""
    right = total = 0
    for case in cases:
        links = lineage.link(case.retired, case.added, case.standing)
        texts = {normalise(c.text) for c in [*case.added, *case.standing]}
        for chunk in case.retired:
            wanted = case.right[chunk.id]
            if None in wanted and normalise(chunk.text) in texts:
                continue  # it went, and the same text stands elsewhere: either is right
            total += 1
            right += links.get(chunk.id) in wanted
    return right, total


def curve(name: str, cases: Sequence[Case]) -> None:
    """Print the share of right successors by threshold."""
    standard = getattr(lineage, name)
    print(f"{name} (now {standard}):", end=" ")
    for value in (0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9):
        setattr(lineage, name, value)
        right, total = right_share(cases)
        print(f"{value}: {right / total:.4f}", end="  ", flush=True)
    setattr(lineage, name, standard)
    print()


def show(figures: Figures) -> None:
    print("Passages of the edited documents that the edit left alone, and those of them that keep")
    print("their id; the same without those that stood right beside it; touched and embedded ones")
    print("an edit:")
    for kind in (*sorted(figures.edits), ""):
        pick: Callable[[Counter[str]], int] = lambda c, k=kind: c[k] if k else c.total()  # noqa: E731
        many, alone, apart = (pick(c) for c in (figures.edits, figures.untouched, figures.apart))
        print(f"{kind or 'all':16}{many:5} edits{alone:7}", end="")
        print(f"{pick(figures.kept) / max(alone, 1):8.4f}{apart:7}", end="")
        print(f"{pick(figures.kept_apart) / max(apart, 1):8.4f}", end="")
        print(f"{pick(figures.touched) / many:8.2f}{pick(figures.embedded) / many:8.2f}")
    share = figures.everywhere[True] / figures.everywhere.total()
    print(f"untouched passages of all documents that keep their id: {share:.5f}")
    print(f"most embeddings beyond the touched passages: {max(figures.beyond)}")
    for kind in (*sorted(figures.edits), ""):
        some = [c for c, k in zip(figures.cases, figures.kinds, strict=True) if kind in {"", k}]
        right, total = right_share(some)
        share = right / max(total, 1)
        print(f"right successors, {kind or 'all'}: {share:.4f} of {total} retired passages")


def main() -> None:
    docs = Path(sys.argv[1]) if len(sys.argv) > 1 else HANDBOOK
    edits = int(sys.argv[2]) if len(sys.argv) > 2 else EDITS
    a_sync = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    with tempfile.TemporaryDirectory() as root:
        copy = Path(root) / "docs"
        shutil.copytree(docs, copy, ignore=lambda _, names: [n for n in names if n[0] == "."])
        for file in [f for f in copy.rglob("*") if f.is_file() and ".md" not in f.name]:
            file.unlink()
        chosen = settings(copy, max_vanished=1)
        embedder = Counting(chosen)
        with opened(chosen, cast("Embedder", embedder)) as index:
            folder = Folder(copy, random.Random(1))
            figures = measure(folder, index, embedder, edits, a_sync)
    show(figures)
    for name in ("SAME_PLACE", "ELSEWHERE"):
        curve(name, figures.cases)


if __name__ == "__main__":
    main()
