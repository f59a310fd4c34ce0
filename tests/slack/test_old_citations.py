"""Old buttons over documents that go on living: real files, ledger and lineage, 400 days later."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from bot.localslack import Json, LocalSlack
from bot.record import Record
from bot.slack.blocks import View
from bot.source import Passages, Resolved
from bot.types import Answer, Outcome, Sentence
from ingest.index import Index
from ingest.library import Library, Overview, Topic
from ingest.types import Chunk
from tests.indexes import opened, settings
from tests.slack.conftest import Office, cite, trace_of
from tests.slack.test_app import text_of, words_of
from tests.slack.test_lifetimes import difference, lines_of
from tests.standin import StandIn

QUOTE = "Employees get 25 days of paid leave in every calendar year."
PAGE = f"""# Handbook

Welcome to the company, which was founded in the year 1998.

## Leave

{QUOTE} Up to five of them may be carried over into the next year, when the team lead agrees.

## Travel

Flights under six hours are booked in the economy class, and longer ones as the budget allows.
"""


class Documents:
    """A folder that is taken in, and what the app asks of it."""

    def __init__(self, index: Index, page: Path) -> None:
        self._index = index
        self._page = page
        self._passages = Passages(index.ledger)
        self._library = Library(index.ledger)

    def write(self, text: str) -> None:
        self._page.write_text(text)
        self._index.sync(accept_removals=True)

    def passage(self, words: str) -> Chunk:
        return next(chunk for chunk in self._index.ledger.all_live() if words in chunk.text)

    def resolve(self, passage_id: str) -> Resolved | None:
        return self._passages.resolve(passage_id)

    def beside(self, passage_id: str) -> tuple[str | None, str | None]:
        return self._library.beside(passage_id)

    def documents(self) -> int:
        return self._library.documents()

    def overview(self, newest: int) -> Overview:
        return self._library.overview(newest)

    def topics(self, limit: int) -> list[Topic]:
        return self._library.topics(limit)


@pytest.fixture
def documents(tmp_path: Path) -> Iterator[Documents]:
    folder = tmp_path / "docs"
    folder.mkdir()
    chosen = settings(folder)
    with opened(chosen, StandIn(chosen)) as index:  # type: ignore[arg-type]
        found = Documents(index, folder / "handbook.md")
        found.write(PAGE)
        yield found


@pytest.fixture
async def archive(office: Office, documents: Documents) -> Office:
    """The office over real documents, with a record in the same database."""
    chunk = documents.passage(QUOTE)

    def outcome(question: str) -> Outcome:
        return Answer((Sentence(QUOTE, (1,)),), (cite(1, chunk, QUOTE),), trace_of(question))

    office.shelf = documents  # type: ignore[assignment]
    office.record = Record(documents._index.ledger.engine)
    office.answers.outcome = outcome
    return office


async def cited_then(office: Office, change: Callable[[], None]) -> tuple[Json, View]:
    """An answer, a change of its document, and its citation opened by another process."""
    async with office.running():
        message = await office.ask("How much leave?")
        await office.slack.settled()
    change()
    office.slack.clock.advance(400 * 24 * 3600)
    office.restart()
    async with office.running():
        await office.slack.click(office.general, message["ts"], "cite:1", office.ana)
        view: Any = await office.slack.wait_for_view(office.ana)
    assert office.slack.refusals == []
    assert LocalSlack.live_marks(view) == []
    assert text_of(view).startswith(f"*{QUOTE}*")
    return message, view


async def test_untouched_it_is_unchanged_since_then(archive: Office, documents: Documents) -> None:
    _, view = await cited_then(
        archive, lambda: documents.write(PAGE.replace("1998", "1999, in a barn"))
    )
    assert any(line.startswith("Unchanged since it was cited on ") for line in lines_of(view))


async def test_reworded_its_words_are_compared(archive: Office, documents: Documents) -> None:
    _, view = await cited_then(archive, lambda: documents.write(PAGE.replace("25", "30")))
    assert "This has changed since it was cited: see below." in lines_of(view)
    assert [piece for piece in difference(view) if piece[1]] == [("25", "strike"), ("30", "bold")]
    assert documents.passage("30 days").id in words_of(view)


async def test_under_another_heading_it_tells_where(archive: Office, documents: Documents) -> None:
    _, view = await cited_then(archive, lambda: documents.write(PAGE.replace("# Leave", "# Time")))
    lines = lines_of(view)
    at = lines.index("*The same text stands here now:*")
    assert lines[at + 1] == "*handbook.md*\nHandbook › Time"


async def test_removed_it_tells_when_and_what_is_left(
    archive: Office, documents: Documents
) -> None:
    head, _, rest = PAGE.partition("## Leave")
    tail = rest[rest.index("## Travel") :]
    _, view = await cited_then(archive, lambda: documents.write(head + tail))
    words = words_of(view)
    assert "after version 1 of handbook.md." in words
    assert ("The closest that the document says now:" in words) != ("Nothing took" in words)


async def test_purged_it_says_who_removed_it_and_when_behind_buttons_and_by_its_id(
    archive: Office, documents: Documents
) -> None:
    passage_id = documents.passage(QUOTE).id
    async with archive.running():
        message = await archive.ask("How much leave?")
        await archive.slack.settled()
    documents._index.purge([passage_id])
    archive.restart()
    async with archive.running():
        await archive.slack.click(archive.general, message["ts"], "cite:1", archive.ana)
        view: Any = await archive.slack.wait_for_view(archive.ana)
    told = f"The passage {passage_id} was removed by an administrator on "
    assert told in words_of(view)
    assert "25 days" not in words_of(view)


async def test_back_again_it_is_live_again(archive: Office, documents: Documents) -> None:
    def there_and_back() -> None:
        documents.write(PAGE.replace("25", "30"))
        documents.write(PAGE)

    _, view = await cited_then(archive, there_and_back)
    assert any(line.startswith("Unchanged since it was cited on ") for line in lines_of(view))
