"""`python -m ingest` killed with SIGKILL, again and again, over documents that keep changing."""

import os
import random
import signal
import subprocess
import sys
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from bot.source import Passages
from ingest.chunk import chunk, normalise
from ingest.embed import Embedder
from ingest.index import Index
from ingest.ledger import Ledger
from ingest.parse import parse
from ingest.settings import IngestSettings
from ingest.sync import UNFINISHED
from ingest.types import Sizes
from tests.indexes import opened
from tests.indexes import settings as ingest_settings

KILLS = 3  # one of each kind; `python -m tests.bench.killed` does a hundred
LONGEST_S = 120
FILES = 8

SUBJECTS = ("badges", "invoices", "laptops", "holidays", "servers", "parcels", "visitors")
RULES = (
    "are counted by the front desk before noon, and the list goes to finance every month",
    "may be lent for nine days at most, with the written consent of the team lead",
    "are never left in the hall overnight, whatever the guard at the door may say",
    "are reported within an hour when they are lost, to the number on the back of the card",
)


@dataclass
class Tree:
    """Documents that change under a seeded hand."""

    root: Path
    chance: random.Random
    numbers: int = field(default=0)

    def sentence(self) -> str:
        self.numbers += 1
        subject, rule = self.chance.choice(SUBJECTS), self.chance.choice(RULES)
        return f"Rule {self.numbers}: {subject} {rule}."

    def change(self) -> None:
        """Write, edit, move or delete a document, whole or in place."""
        files = sorted(self.root.glob("*.md"))
        act = self.chance.choice(("write", "edit", "edit", "edit", "move", "delete", "revert"))
        if act == "write" or len(files) < FILES // 2:
            page = "\n\n".join(["# Rules", *(self.sentence() for _ in range(12))])
            (self.root / f"page{self.chance.randrange(FILES)}.md").write_text(page)
            return
        file = self.chance.choice(files)
        parts = file.read_text().split("\n\n")
        at = self.chance.randrange(1, len(parts) + 1)
        if act == "edit":
            parts[at:at] = [self.sentence(), "## Part", self.sentence()]
            file.write_text("\n\n".join(parts))
        elif act == "revert" and len(parts) > 4:
            file.write_text("\n\n".join(parts[: len(parts) // 2]))
        elif act == "move":
            file.rename(self.root / f"page{self.chance.randrange(FILES)}.md")
        elif act == "delete":
            file.unlink()


@dataclass
class Killed:
    """What a run of kills saw. `shown`: every passage that was ever live, by id."""

    shown: dict[str, str] = field(default_factory=dict)
    lost: int = 0
    duplicated: int = 0
    unresolvable: int = 0
    writing: int = 0  # kills of a pass that had begun to write to the indexes
    generation: str | None = None  # when it was last looked at
    committed: int = 0  # of those: that had committed and was not yet done


def run_kills(root: Path, kills: int, seed: int, embedder: Embedder) -> Killed:
    """Kill that many passes, each at a random moment; then let one end, and take stock.

    A third of the moments lies anywhere in a pass, a third after its first write to the indexes, a
    third after its commit.
    """
    docs = root / "docs"
    docs.mkdir(parents=True)
    chance = random.Random(seed)
    tree, seen = Tree(docs, chance), Killed()
    chosen = ingest_settings(docs, max_vanished=1.0)
    for _ in range(FILES):
        tree.change()
    longest = finish(chosen)
    for number in range(kills):
        for _ in range(3):
            tree.change()
        note_shown(chosen, seen)
        with start(chosen) as process:
            if number % 3 == 0:
                changing(tree, chance.uniform(0, longest))
            else:
                note, after = (UNFINISHED, 0.05) if number % 3 == 1 else ("generation", 0.02)
                wait_for(process, chosen, note)
                time.sleep(chance.uniform(0, after))
            if process.poll() is None:
                process.send_signal(signal.SIGKILL)
                process.wait()
                count_kill(chosen, seen)
    note_shown(chosen, seen)
    finish(chosen)
    note_shown(chosen, seen)
    with opened(chosen, embedder) as index:
        take_stock(index, docs, seen)
    return seen


def finish(chosen: IngestSettings) -> float:
    """Let a pass end well; gives how long it took, in seconds."""
    started = time.monotonic()
    with start(chosen) as process:
        assert process.wait(LONGEST_S) == 0
    return time.monotonic() - started


def start(chosen: IngestSettings) -> "subprocess.Popen[str]":
    own = {"FOOTNOTE_DOCS": chosen.docs, "FOOTNOTE_DATA": str(chosen.data), "HF_HUB_OFFLINE": "1"}
    return subprocess.Popen(
        [sys.executable, "-m", "ingest", "--accept-removals"],
        env=os.environ | own,
        cwd=Path(__file__).parents[2],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        text=True,
    )


def wait_for(process: "subprocess.Popen[str]", chosen: IngestSettings, note: str) -> None:
    """Wait until a pass changes that note of the ledger, or ends."""
    ledger = Ledger(chosen.data)
    try:
        before = ledger.read_note(note)
        deadline = time.monotonic() + LONGEST_S
        while process.poll() is None and time.monotonic() < deadline:
            if ledger.read_note(note) != before:
                return
            time.sleep(0.002)
    finally:
        ledger.close()


def count_kill(chosen: IngestSettings, seen: Killed) -> None:
    ledger = Ledger(chosen.data)
    try:
        generation = ledger.read_note("generation")
        unfinished = bool(ledger.read_note(UNFINISHED))
        seen.writing += unfinished
        seen.committed += unfinished and generation != seen.generation
    finally:
        ledger.close()


def changing(tree: Tree, seconds: float) -> None:
    """Keep changing the documents for a while, in the middle of a pass."""
    stop = threading.Event()
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        tree.change()
        stop.wait(0.2)


def note_shown(chosen: IngestSettings, seen: Killed) -> None:
    """Look, as a reader does, at what is live now, and at all that was ever shown."""
    ledger = Ledger(chosen.data)
    try:
        seen.generation = ledger.read_note("generation")
        for passage in ledger.all_live():
            before = seen.shown.setdefault(passage.id, passage.text)
            assert normalise(before) == normalise(passage.text), "an id stands for two texts"
        look = Passages(ledger)
        for id_, text in seen.shown.items():
            found = look.resolve(id_)
            seen.unresolvable += found is None or found.cited.chunk.text != text
    finally:
        ledger.close()


def take_stock(index: Index, docs: Path, seen: Killed) -> None:
    live = {c.id: c for c in index.ledger.all_live()}
    sizes = Sizes(index.settings.target_tokens, index.settings.max_tokens)
    count = index.embedder.token_counter
    fresh = [
        passage
        for file in sorted(docs.glob("*.md"))
        for passage in chunk(
            "docs", file.name, file.name, parse(file.name, file.read_bytes()), count, sizes
        )
    ]
    assert {(c.doc, c.start, c.end, c.text) for c in fresh} == {
        (c.doc, c.start, c.end, c.text) for c in live.values()
    }
    missing, stale = index.compare()
    seen.lost = len({c.id for c in fresh} - live.keys()) + len(missing)
    seen.duplicated = len(live) - len({(c.doc, c.start) for c in live.values()}) + len(stale)
    assert index.vectors.count(index.embedder.recipe) == len(live)


@pytest.mark.timeout(LONGEST_S * 3 * (KILLS + 2))
def test_killed_passes_lose_nothing_double_nothing_and_break_no_id(
    tmp_path: Path, embedder: Embedder
) -> None:
    for seed in range(1, 4):  # a fast machine may be through before the kill comes
        seen = run_kills(tmp_path / str(seed), KILLS, seed, embedder)
        if seen.writing:
            break
    assert (seen.lost, seen.duplicated, seen.unresolvable) == (0, 0, 0)
    assert seen.writing >= 1
    assert len(seen.shown) > 10
