"""Random lives of a folder of documents, with every write failing at times: nothing is ever lost.

The ledger, Chroma, BM25, the parser and the chunker are the real ones; the embedder is a stand-in.
"""

import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, cast
from unittest import mock

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from sqlalchemy import event

from bot.source import Passages
from ingest.chunk import chunk, normalise
from ingest.embed import Embedder, Vectors
from ingest.index import Index
from ingest.lexical import LexicalIndex
from ingest.parse import parse
from ingest.types import Chunk, Sizes
from tests.indexes import opened
from tests.indexes import settings as ingest_settings
from tests.standin import StandIn

EXAMPLES, STEPS = 15, 40  # about 40 s; `python -m tests.bench.lifetimes` goes deeper

THINGS = ("badge", "invoice", "laptop", "holiday", "server", "parcel", "visitor", "contract")
SENTENCES = (
    "Ask the front desk for a new {} before noon on a working day.",
    "Every {} is counted twice a year, and the list goes to finance by the end of June.",
    "A lost {} is reported within {} hours; after that the team lead has to agree in writing.",
    "- keep the {} dry\n- never lend it for more than {} days\n- return it to the cupboard",
    "| {} | days |\n|---|---|\n| first | {} |\n| second | 12 |",
    "**Exceptions.** The {} of a guest needs no approval when the stay is under {} days.",
    "Nobody may take the {} home without asking, says rule {} of the house.",
)
PATHS = ("a.md", "b.md", "guide/c.md", "guide/d.md", "e.txt")
HEADINGS = ("Start", "Rules", "Questions", "Costs")
NOT_UTF8 = b"\xff\xfe\xfa broken \x80"

paragraphs = st.builds(
    lambda sentence, thing, number: sentence.format(thing, number, number),
    st.sampled_from(SENTENCES),
    st.sampled_from(THINGS),
    st.integers(1, 5),
)
sections = st.tuples(st.sampled_from(HEADINGS), st.lists(paragraphs, min_size=1, max_size=4))
pages = st.lists(sections, min_size=1, max_size=3)
places = st.integers(0, 99)
paths = st.sampled_from(PATHS)

Page = list[tuple[str, list[str]]]


def render(page: Page) -> str:
    parts = ["# Handbook"]
    for heading, texts in page:
        parts += [f"## {heading}", *texts]
    return "\n\n".join(parts) + "\n"


def as_near_as_halves(held: Any, wanted: Vectors) -> bool:
    """Whether they differ by no more than rounding to half precision."""
    return np.allclose(held, wanted, rtol=2**-11, atol=2**-25)


class InjectedError(OSError):
    pass


class Lifetimes(RuleBasedStateMachine):
    """`shown` is every passage that was ever live: its id and its text when it was last live."""

    def __init__(self) -> None:
        super().__init__()
        self.root = Path(tempfile.mkdtemp(prefix="lifetimes-"))
        self.patch = mock.patch("ingest.index.Embedder", StandIn)
        self.patch.start()
        self.files: dict[str, Page | bytes] = {}
        self.past: list[dict[str, Page | bytes]] = []
        self.line_end = "\n"
        self.shown: dict[str, str] = {}
        self.options: dict[str, object] = {"embedder": "model"}
        self.options |= {"target_tokens": 40, "max_tokens": 64}
        self.folders = ["docs"]
        for name, text in (("docs", ""), ("more", "# More\n\nOne page from another place.\n")):
            (self.root / name).mkdir()
            if text:
                (self.root / name / "a.md").write_text(text)
        self.open()

    def open(self, *, answering: bool = True) -> None:
        """Start a process: one that answers holds BM25 in memory, `python -m ingest` does not."""
        folders = [self.root / name for name in self.folders]
        self.settings = ingest_settings(*folders, max_vanished=1, **self.options)
        self.index = Index(self.settings).__enter__()
        self.answering = answering
        if answering:
            self.index.load_lexical()

    def teardown(self) -> None:
        self.index.__exit__(None, None, None)
        self.patch.stop()
        shutil.rmtree(self.root)

    # Edits

    @initialize(first=pages, second=pages)
    def begin(self, first: Page, second: Page) -> None:
        self.files = {"a.md": first, "b.md": second}
        self.sync()

    @rule(path=paths, page=pages)
    def create(self, path: str, page: Page) -> None:
        self.put(path, page)

    @rule(path=paths, at=places, text=paragraphs)
    def insert(self, path: str, at: int, text: str) -> None:
        self.edit(path, at, lambda texts, i: texts.insert(i, text))

    @rule(path=paths, at=places, word=st.sampled_from(THINGS))
    def reword(self, path: str, at: int, word: str) -> None:
        def replace(texts: list[str], i: int) -> None:
            texts[i] = texts[i].replace("the", f"the {word}", 1)

        self.edit(path, at, replace)

    @rule(path=paths, at=places)
    def delete(self, path: str, at: int) -> None:
        self.edit(path, at, lambda texts, i: texts.pop(i))

    @rule(path=paths, at=places)
    def reorder(self, path: str, at: int) -> None:
        page = self.files.get(path)
        if isinstance(page, list):
            self.put(path, [*page[at % len(page) :], *page[: at % len(page)]])
            self.edit(path, at, lambda texts, _: texts.reverse())

    @rule(path=paths, at=places, heading=st.sampled_from(HEADINGS))
    def rename_heading(self, path: str, at: int, heading: str) -> None:
        page = self.files.get(path)
        if isinstance(page, list):
            i = at % len(page)
            self.put(path, [*page[:i], (heading, page[i][1]), *page[i + 1 :]])

    @rule(path=paths, to=paths)
    def rename(self, path: str, to: str) -> None:
        if path in self.files:
            page = self.files[path]
            self.remove(path)
            self.put(to, page)

    @rule(path=paths, to=paths, at=places)
    def move_a_section(self, path: str, to: str, at: int) -> None:
        page, other = self.files.get(path), self.files.get(to)
        if isinstance(page, list) and isinstance(other, list) and path != to and len(page) > 1:
            i = at % len(page)
            self.put(path, page[:i] + page[i + 1 :])
            self.put(to, [*other, page[i]])

    @rule(path=paths)
    def remove(self, path: str) -> None:
        self.put(path, None)

    @rule(at=places)
    def revert(self, at: int) -> None:
        if self.past:
            then = self.past[at % len(self.past)]
            for path in {*self.files, *then}:
                self.put(path, then.get(path))

    @rule()
    def convert_line_ends(self) -> None:
        self.line_end = "\r\n" if self.line_end == "\n" else "\n"
        for path, page in list(self.files.items()):
            self.put(path, page)

    @rule(path=paths)
    def break_a_file(self, path: str) -> None:
        self.put(path, NOT_UTF8)

    # Settings

    @rule(sizes=st.sampled_from([(40, 64), (24, 48), (90, 120)]))
    def change_sizes(self, sizes: tuple[int, int]) -> None:
        self.options |= {"target_tokens": sizes[0], "max_tokens": sizes[1]}
        self.restart()

    @rule(name=st.sampled_from(["model", "a-larger-one"]))
    def change_model(self, name: str) -> None:
        self.options |= {"embedder": name}
        self.restart()

    @rule()
    def name_another_folder(self) -> None:
        self.folders = ["docs", "more"] if len(self.folders) == 1 else ["docs"]
        self.restart()

    # The life of the process

    @rule(answering=st.booleans())
    def restart(self, *, answering: bool = True) -> None:
        self.index.__exit__(None, None, None)
        self.open(answering=answering)

    @rule()
    def sync(self) -> None:
        before = self.live()
        report = self.index.sync()
        self.past.append(dict(self.files))
        self.note_shown()
        broken = {self.doc(p) for p, page in self.files.items() if isinstance(page, bytes)}
        assert {failure.doc for failure in report.failed} == broken
        fresh = self.fresh() | {i: c.text for i, c in before.items() if c.doc in broken}
        assert {i: c.text for i, c in self.live().items()} == fresh
        self.both_indexes_hold_exactly_what_is_live()

    @rule(nth=st.integers(1, 12), after=st.booleans(), where=st.integers(0, 6))
    def sync_while_a_write_fails(self, nth: int, where: int, *, after: bool) -> None:
        index = self.index
        doors: list[tuple[Any, str]] = [
            (index.ledger, "commit"),
            (index.vectors, "put"),
            (index.vectors, "delete"),
            (index.vectors, "drop_others"),
            (index.ledger, "keep_vectors"),
            (index.ledger, "write_note"),
            (index.ledger, "counts"),
        ]
        owner, name = doors[where]
        with failing(owner, name, nth if name == "write_note" else 1, after=after):
            self.try_to_sync()

    @rule(nth=st.integers(1, 60))
    def sync_while_a_statement_fails(self, nth: int) -> None:
        with failing_statement(self.index.ledger.engine, nth):
            self.try_to_sync()

    @precondition(lambda self: self.shown)
    @rule()
    def lose_the_dense_index(self) -> None:
        self.index.__exit__(None, None, None)
        shutil.rmtree(self.root / "data" / "chroma", ignore_errors=True)
        self.open()

    # What must always hold

    @invariant()
    def every_id_ever_shown_opens_to_its_text(self) -> None:
        live = self.live()
        texts = {normalise(c.text) for c in live.values()}
        look = Passages(self.index.ledger)
        for id_, text in self.shown.items():
            found = look.resolve(id_)
            assert found is not None
            assert found.cited.chunk.text == text
            assert (found.status == "live") == (id_ in live)
            assert (found.status == "removed") == (found.current is None)
            if found.current is None:
                assert normalise(text) not in texts
            else:
                assert found.current.chunk.id in live
                same = normalise(found.current.chunk.text) == normalise(text)
                assert same == (found.status in {"live", "moved"})

    # The model

    def doc(self, path: str) -> str:
        return path if len(self.folders) == 1 else f"docs/{path}"

    def put(self, path: str, page: Page | bytes | None) -> None:
        file = self.root / "docs" / path
        if page is None:
            self.files.pop(path, None)
            file.unlink(missing_ok=True)
            return
        self.files[path] = page
        file.parent.mkdir(exist_ok=True)
        file.write_bytes(self.bytes_of(page))

    def bytes_of(self, page: Page | bytes) -> bytes:
        if isinstance(page, bytes):
            return page
        return render(page).replace("\n", self.line_end).encode()

    def edit(self, path: str, at: int, change: Callable[[list[str], int], object]) -> None:
        page = self.files.get(path)
        if isinstance(page, list):
            copy = [(heading, list(texts)) for heading, texts in page]
            texts = copy[at % len(copy)][1]
            if texts:
                change(texts, at // len(copy) % len(texts))
                self.put(path, copy)

    def fresh(self) -> dict[str, str]:
        """What a first ingest of the tree as it is would make live."""
        sizes = Sizes(self.settings.target_tokens, self.settings.max_tokens)
        found: dict[str, str] = {}
        for name in self.folders:
            for file in sorted((self.root / name).rglob("*.*")):
                path, data = file.relative_to(self.root / name).as_posix(), file.read_bytes()
                if data != NOT_UTF8:
                    count = self.index.embedder.token_counter
                    made = chunk(name, path, path, parse(path, data), count, sizes)
                    found |= {c.id: c.text for c in made}
        return found

    def live(self) -> dict[str, Chunk]:
        return {c.id: c for c in self.index.ledger.all_live()}

    def note_shown(self) -> None:
        for id_, passage in self.live().items():
            assert normalise(self.shown.get(id_, passage.text)) == normalise(passage.text)
            self.shown[id_] = passage.text

    def try_to_sync(self) -> None:
        with suppress(InjectedError):
            self.index.sync()
        self.note_shown()

    def both_indexes_hold_exactly_what_is_live(self) -> None:
        live, index = self.live(), self.index
        recipe = index.serving.recipe
        assert recipe == index.embedder.recipe
        held: Any = index.vectors._collection(recipe).get(include=["embeddings"])
        assert set(held["ids"]) == live.keys()
        if live:
            wanted = index.embedder.embed_passages([live[id_].embedded for id_ in held["ids"]])
            assert as_near_as_halves(held["embeddings"], wanted)
        assert [c.metadata["recipe"] for c in index.vectors._opened.list_collections()] in (
            [recipe],
            [],
        )
        if not self.answering:
            return
        assert index.lexical.ids() == live.keys()
        anew = LexicalIndex()
        anew.update(list(live.values()))
        question = " ".join(THINGS)
        expected = anew.scores(question, live)
        found = index.lexical.scores(question, live)
        assert np.allclose([found[id_] for id_ in live], [expected[id_] for id_ in live], rtol=1e-4)


@contextmanager
def failing(owner: object, name: str, nth: int, *, after: bool) -> Iterator[None]:
    """The nth call fails: before it does anything, or when all is done."""
    real, calls = getattr(owner, name), 0

    def call(*args: Any, **kwargs: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls == nth and not after:
            raise InjectedError(28, "No space left on device")
        result = real(*args, **kwargs)
        if calls == nth:
            raise InjectedError(5, "Input/output error")
        return result

    with mock.patch.object(owner, name, call):
        yield


@contextmanager
def failing_statement(engine: Any, nth: int) -> Iterator[None]:
    """The nth statement that writes to the ledger fails."""
    writes = 0

    def before(*args: Any) -> None:
        nonlocal writes
        writes += not args[2].lstrip().upper().startswith(("SELECT", "PRAGMA"))
        if writes == nth:
            writes += 1
            raise InjectedError(28, "No space left on device")

    event.listen(engine, "before_cursor_execute", before)
    try:
        yield
    finally:
        event.remove(engine, "before_cursor_execute", before)


TestLifetimes = Lifetimes.TestCase
TestLifetimes.settings = settings(
    max_examples=EXAMPLES,
    stateful_step_count=STEPS,
    deadline=None,
    database=None,
    phases=(Phase.explicit, Phase.generate),  # shrinking takes longer than reading the life
    suppress_health_check=list(HealthCheck),
)


def test_a_vector_that_was_put_for_an_edit_that_failed_and_was_taken_back_is_put_right(
    tmp_path: Path,
) -> None:
    """The edit changes the header of a divided table: its later rows keep their ids and text."""
    rows = "\n".join(f"| desk {n} | room {n * 7} on the left | team {n * 3} |" for n in range(12))
    table = f"# Desks\n\n| desk | room | team |\n|---|---|---|\n{rows}\n"
    file = tmp_path / "docs" / "a.md"
    file.parent.mkdir()
    file.write_text(table)
    chosen = ingest_settings(file.parent, target_tokens=40, max_tokens=64)
    with opened(chosen, cast("Embedder", StandIn(chosen))) as index:
        index.sync()
        live = {c.id: c for c in index.ledger.all_live()}
        assert any(c.context for c in live.values())
        file.write_text(table.replace("| room | team |", "| place | people |"))
        with failing(index.ledger, "commit", 1, after=False), pytest.raises(InjectedError):
            index.sync()
        file.write_text(table)
        index.sync()
        held: Any = index.vectors._collection(index.embedder.recipe).get(include=["embeddings"])
        wanted = index.embedder.embed_passages([live[id_].embedded for id_ in held["ids"]])
        assert held["ids"]
        assert as_near_as_halves(held["embeddings"], wanted)


def test_a_process_without_bm25_tidies_a_removal_that_chroma_did_not_follow(
    tmp_path: Path,
) -> None:
    docs = tmp_path / "docs"
    docs.mkdir()
    for name in ("a.md", "b.md"):
        (docs / name).write_text(f"# {name}\n\nAll about {name}.\n")
    chosen = ingest_settings(docs)
    with opened(chosen, cast("Embedder", StandIn(chosen))) as index:
        index.sync()
        (docs / "b.md").unlink()
        with failing(index.vectors, "delete", 1, after=False), pytest.raises(InjectedError):
            index.sync()
        index.sync()
        (live,) = index.ledger.all_live()
        assert index.vectors.ids(index.embedder.recipe) == {live.id}
