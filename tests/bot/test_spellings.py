from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from bot.spellings import Spellings
from ingest.embed import Embedder
from ingest.index import Index
from tests.indexes import opened, settings
from tests.trees import write

TREE = {
    "travel.md": "# Travel\n\nAccommodation is paid within 9 days. A handle costs 5.\n",
    "desk.md": "# Onboarding\n\nThe mascot is called Brunhilda. ERR40 is accommodation.\n",
}


@pytest.fixture
def index(tmp_path: Path, embedder: Embedder) -> Iterator[Index]:
    write(tmp_path / "docs", TREE)
    with opened(settings(tmp_path / "docs"), embedder) as index:
        index.sync()
        index.load_lexical()
        yield index


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("When is acommodation paid?", [("acommodation", "accommodation")]),
        ("accomodatoin paid when", [("accomodatoin", "accommodation")]),
        ("Is Brunhlida the mascto?", [("Brunhlida mascto", "brunhilda mascot")]),
        ("When is accommodation paid?", []),
        ("What does a candle cost?", []),  # a word of its own, though near to "handle"
        ("What is a bramble?", []),  # near nothing
        ("Who is ERR41?", []),
    ],
)
async def test_a_misspelt_word_is_read_as_the_documents_write_it(
    index: Index, question: str, expected: list[tuple[str, str]]
) -> None:
    def pieces(word: str) -> int:
        return len(index.serving.token_spans(word))

    with ThreadPoolExecutor(1) as pool:
        found = await Spellings(index.lexical, index, pieces, pool).readings(question)
    assert [(reading.said, reading.meant) for reading in found] == expected


def test_a_word_that_no_live_passage_holds_any_more_is_no_spelling(index: Index) -> None:
    assert index.lexical.near("mascto", 1) == ["mascot"]
    desk = [c.id for c in index.ledger.all_live() if c.doc == "desk.md"]
    index.lexical.update((), desk)
    assert index.lexical.near("mascto", 1) == []
