"""What is told of the documents as a whole, from a real ledger; the embedder is a stand-in."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from ingest.index import Index
from ingest.library import Library, Topic
from tests.indexes import opened, settings
from tests.standin import StandIn

LONG = "Employees get twenty-five days of leave in every year that they work here. " * 40


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "a.md").write_text(f"# Handbook\n\nHello.\n\n## Leave\n\n{LONG}\n\n## Pay\n\nWell.\n")
    (folder / "b.md").write_text("# Travel\n\nFly.\n\n## Trains\n\nGo by train.\n")
    (folder / "c.md").write_bytes(b"\xff\xfe broken")
    return folder


@pytest.fixture
def index(docs: Path) -> Iterator[Index]:
    chosen = settings(docs)
    with opened(chosen, StandIn(chosen)) as found:  # type: ignore[arg-type]
        found.sync()
        yield found


def test_the_overview_counts_and_names_faults_and_the_newest(index: Index) -> None:
    overview = Library(index.ledger).overview(newest=1)
    assert overview.documents == 2
    assert overview.passages == index.ledger.counts()[1]
    assert [fault.doc for fault in overview.faults] == ["c.md"]
    assert len(overview.newest) == 1
    assert overview.last_sync is not None
    assert Library(index.ledger).documents() == 2


def test_passages_are_walked_in_their_order_and_end_at_their_document(index: Index) -> None:
    library = Library(index.ledger)
    chunks = [chunk for chunk in index.ledger.all_live() if chunk.doc == "a.md"]
    ids = [chunk.id for chunk in sorted(chunks, key=lambda chunk: chunk.start)]
    walked = [ids[0]]
    while following := library.beside(walked[-1])[1]:
        walked.append(following)
    assert walked == ids
    assert len(ids) > 3
    assert library.beside(ids[0]) == (None, ids[1])
    assert library.beside(ids[-1]) == (ids[-2], None)
    assert library.beside("ffffffffffff") == (None, None)


def test_topics_are_the_longest_section_of_each_document(index: Index) -> None:
    assert Library(index.ledger).topics(5) == [
        Topic("Handbook", "Leave"),
        Topic("Travel", "Trains"),
    ]
    assert Library(index.ledger).topics(1) == [Topic("Handbook", "Leave")]
