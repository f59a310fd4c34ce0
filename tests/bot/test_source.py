import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest
from rich.console import Console

from bot.cli import source as command
from bot.source import BadIdError, Passages, Resolved, clean_id, compare
from ingest.embed import Embedder
from ingest.errors import FootnoteError, LedgerError, SourceError
from ingest.index import Index
from ingest.types import Chunk
from tests.indexes import opened
from tests.indexes import settings as ingest_settings
from tests.standin import StandIn
from tests.trees import write

LEAVE = "Employees get 25 days of paid leave a year. Unused days expire at the end of March."
LEAVE_28 = LEAVE.replace("25", "28")
LEAVE_30 = LEAVE.replace("25", "30")
BADGE = "Ask the front desk for a visitor badge; it opens the doors of the ground floor only."
LAPTOP = "A stolen laptop is reported to security within an hour, day or night."
PAGE = f"# People\n\n## Leave\n\n{LEAVE}\n\n## Badges\n\n{BADGE}\n"


class Folder:
    """A folder of documents, its index, and what a reader finds behind an id."""

    def __init__(self, docs: Path, index: Index) -> None:
        self.docs = docs
        self.index = index

    def sync(self, **files: str | bytes | None) -> None:
        """Write documents (`None` deletes), named without their ending, then take them in."""
        for name, text in files.items():
            if text is None:
                (self.docs / f"{name}.md").unlink()
            else:
                write(self.docs, {f"{name}.md": text})
        self.index.sync(accept_removals=True)

    def id_of(self, text: str, doc: str | None = None) -> str:
        """The id under which a text is live."""
        found = [
            c.id
            for c in self.index.ledger.all_live()
            if c.text.strip() == text and doc in {None, c.doc}
        ]
        assert len(found) == 1
        return found[0]

    def open(self, id_: str) -> Resolved:
        found = Passages(self.index.ledger).resolve(id_)
        assert found is not None
        return found

    def said(self, id_: str) -> tuple[str, str, str | None]:
        """Status, the text as cited, and the text that stands for it now."""
        found = self.open(id_)
        now = found.current.chunk.text if found.current else None
        return found.status, found.cited.chunk.text, now


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Folder]:
    """Its embedder is a stand-in: what becomes of an id does not depend on vectors."""
    docs = tmp_path / "docs"
    docs.mkdir()
    chosen = ingest_settings(docs)
    with opened(chosen, cast("Embedder", StandIn(chosen))) as index:
        yield Folder(docs, index)


@pytest.fixture
def embedded_folder(tmp_path: Path, embedder: Embedder) -> Iterator[Folder]:
    docs = tmp_path / "docs"
    docs.mkdir()
    with opened(ingest_settings(docs), embedder) as index:
        yield Folder(docs, index)


def test_a_chain_of_edits_leads_to_the_newest_wording(folder: Folder) -> None:
    folder.sync(people=PAGE)
    first = folder.id_of(LEAVE)
    assert folder.said(first) == ("live", LEAVE, LEAVE)
    folder.sync(people=PAGE.replace("25", "28"))
    second = folder.id_of(LEAVE_28)
    folder.sync(people=PAGE.replace("25", "30"))
    assert folder.said(first) == ("changed", LEAVE, LEAVE_30)
    assert folder.said(second) == ("changed", LEAVE_28, LEAVE_30)
    assert (folder.open(first).cited.version, folder.open(second).cited.version) == (1, 2)


def test_a_text_that_comes_back_makes_its_old_id_live_again(folder: Folder) -> None:
    folder.sync(people=PAGE)
    first = folder.id_of(LEAVE)
    folder.sync(people=PAGE.replace("25", "28"))
    second = folder.id_of(LEAVE_28)
    folder.sync(people=PAGE)
    assert folder.id_of(LEAVE) == first
    assert folder.said(first) == ("live", LEAVE, LEAVE)
    assert folder.said(second) == ("changed", LEAVE_28, LEAVE)
    assert folder.open(first).cited.version == 3


def test_an_edit_leaves_the_other_passages_ids_alone(folder: Folder) -> None:
    folder.sync(people=PAGE)
    badge = folder.id_of(BADGE)
    folder.sync(people=f"---\nowner: hr\n---\n# People\n\n{LAPTOP}\n\n## Leave\n\nSee below.\n"
                f"\n## Badges\n\n{BADGE}  \n")  # fmt: skip
    assert folder.id_of(BADGE) == badge
    found = folder.open(badge)
    chunk = found.cited.chunk
    assert found.status == "live"
    assert (folder.docs / "people.md").read_text()[chunk.start : chunk.end] == chunk.text


def test_a_renamed_heading_is_a_move(folder: Folder) -> None:
    folder.sync(people=PAGE)
    first = folder.id_of(LEAVE)
    folder.sync(people=PAGE.replace("## Leave", "## Time off"))
    assert folder.said(first) == ("moved", LEAVE, LEAVE)
    found = folder.open(first)
    assert found.cited.chunk.heading == "People > Leave"
    assert found.current is not None
    assert found.current.chunk.heading == "People > Time off"


def test_a_renamed_file_is_a_move_and_a_rewording_there_a_change(folder: Folder) -> None:
    folder.sync(people=PAGE)
    leave, badge = folder.id_of(LEAVE), folder.id_of(BADGE)
    (folder.docs / "people.md").rename(folder.docs / "staff.md")
    folder.sync(staff=PAGE.replace("25", "28"))
    assert folder.said(leave) == ("changed", LEAVE, LEAVE_28)
    assert folder.said(badge) == ("moved", BADGE, BADGE)
    current = folder.open(badge).current
    assert current is not None
    assert current.chunk.doc == "staff.md"


def test_a_passage_that_left_before_it_arrived_elsewhere_is_a_move(folder: Folder) -> None:
    folder.sync(people=PAGE, it=f"# IT\n\n{LAPTOP}\n")
    first = folder.id_of(LEAVE)
    folder.sync(people=PAGE.replace(LEAVE, ""))
    assert folder.said(first) == ("removed", LEAVE, None)
    folder.sync(it=f"# IT\n\n{LAPTOP}\n\n## Leave\n\n{LEAVE}\n")
    assert folder.said(first) == ("moved", LEAVE, LEAVE)
    folder.sync(it=f"# IT\n\n{LAPTOP}\n\n## Leave\n\n{LEAVE_28}\n")
    assert folder.said(first) == ("changed", LEAVE, LEAVE_28)


def test_a_passage_that_arrived_elsewhere_before_it_left_is_a_move(folder: Folder) -> None:
    folder.sync(people=PAGE)
    first = folder.id_of(LEAVE)
    folder.sync(it=f"# IT\n\n{LEAVE}\n")
    assert folder.said(first) == ("live", LEAVE, LEAVE)
    folder.sync(people=PAGE.replace(LEAVE, ""))
    assert folder.said(first) == ("moved", LEAVE, LEAVE)


def test_a_rewording_that_was_dropped_gives_way_to_the_old_text_elsewhere(folder: Folder) -> None:
    folder.sync(people=PAGE)
    first = folder.id_of(LEAVE)
    folder.sync(people=PAGE.replace("25", "28"))
    folder.sync(people=PAGE.replace(LEAVE, ""))
    assert folder.said(first) == ("removed", LEAVE, None)
    folder.sync(old=f"# Old rules\n\n{LEAVE}\n")
    assert folder.said(first) == ("moved", LEAVE, LEAVE)


def test_the_second_of_two_equal_passages_follows_the_first(folder: Folder) -> None:
    twice = f"# People\n\n## Leave\n\n{LEAVE}\n\n## Badges\n\n{BADGE}\n\n## Leave\n\n{LEAVE}\n"
    folder.sync(people=twice)
    twins = [c for c in folder.index.ledger.all_live() if c.text.strip() == LEAVE]
    assert len({c.id for c in twins}) == 2
    folder.sync(people=PAGE)
    assert sorted(folder.said(c.id) for c in twins) == [
        ("live", LEAVE, LEAVE),
        ("moved", LEAVE, LEAVE),
    ]


def test_what_was_merged_into_a_passage_is_shown_there(folder: Folder) -> None:
    folder.sync(people=PAGE)
    leave, badge = folder.id_of(LEAVE), folder.id_of(BADGE)
    folder.sync(people=f"# People\n\n## All\n\n{LEAVE}\n\n{BADGE}\n")
    whole = f"{LEAVE}\n\n{BADGE}"
    assert folder.said(leave) == ("changed", LEAVE, whole)
    assert folder.said(badge) == ("changed", BADGE, whole)
    folder.sync(people=PAGE)
    assert folder.said(leave) == ("live", LEAVE, LEAVE)


def test_a_removed_passage_offers_only_what_is_really_close(
    embedded_folder: Folder,
) -> None:
    folder = embedded_folder
    again = "## Expiry\n\nPaid leave of employees: 25 days a year; unused days expire in March."
    folder.sync(people=f"{PAGE}\n{again}\n")
    first = folder.id_of(LEAVE)
    other = folder.id_of(BADGE)
    folder.sync(people=f"# People\n\n{again}\n")
    assert folder.open(first).status == "removed"
    nearest = folder.open(first).nearest
    assert nearest is not None
    assert nearest.chunk.text.startswith("Paid leave of employees")
    assert folder.open(other) == Resolved("removed", folder.open(other).cited, None, None)


def test_a_removed_document_keeps_its_passages_with_when_they_went(folder: Folder) -> None:
    folder.sync(people=PAGE, it=f"# IT\n\n{LAPTOP}\n")
    first = folder.id_of(LEAVE)
    folder.sync(people=None)
    found = folder.open(first)
    assert (found.status, found.cited.chunk.text, found.nearest) == ("removed", LEAVE, None)
    assert found.cited.retired_at is not None
    assert found.cited.retired_at >= found.cited.ingested_at


def test_converted_line_ends_change_no_id_and_the_slice_is_exact(folder: Folder) -> None:
    page = f"{PAGE}\n## Both\n\n{LEAVE}\n{BADGE}\n"
    folder.sync(people=page)
    ids = {c.id for c in folder.index.ledger.all_live()}
    both = folder.id_of(f"{LEAVE}\n{BADGE}")
    folder.sync(people=page.replace("\n", "\r\n").encode())
    assert {c.id for c in folder.index.ledger.all_live()} == ids
    assert folder.open(both).status == "live"
    chunk = folder.open(both).cited.chunk
    text = (folder.docs / "people.md").read_bytes().decode()
    assert text[chunk.start : chunk.end] == chunk.text == f"{LEAVE}\r\n{BADGE}"


def test_a_document_that_cannot_be_read_any_more_keeps_its_passages_live(folder: Folder) -> None:
    folder.sync(people=PAGE)
    first = folder.id_of(LEAVE)
    folder.sync(people=b"\xff\xfe\xfa")
    assert folder.said(first) == ("live", LEAVE, LEAVE)
    assert [failure.doc for failure in folder.index.ledger.failed()] == ["people.md"]


def test_when_most_documents_vanish_every_id_stays_live(folder: Folder) -> None:
    folder.sync(people=PAGE, it=f"# IT\n\n{LAPTOP}\n", more=f"# More\n\n{LEAVE_28}\n")
    first = folder.id_of(LEAVE)
    for file in folder.docs.glob("*.md"):
        file.unlink()
    with pytest.raises(SourceError, match=r"3 of 3 documents of 'docs' vanished at once"):
        folder.index.sync()
    assert folder.said(first) == ("live", LEAVE, LEAVE)
    folder.index.sync(accept_removals=True)
    assert folder.said(first) == ("removed", LEAVE, None)


def test_a_document_that_changes_while_it_is_read_is_held_back(
    folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder.sync(people=PAGE)
    first = folder.id_of(LEAVE)
    write(folder.docs, {"people.md": PAGE.replace("25", "28")})
    real = os.fstat

    def written_meanwhile(fd: int) -> os.stat_result:
        write(folder.docs, {"people.md": PAGE.replace("25", "29 or 30")})
        return real(fd)

    with monkeypatch.context() as patch:
        patch.setattr(os, "fstat", written_meanwhile)
        report = folder.index.sync()
    assert [failure.doc for failure in report.failed] == ["people.md"]
    assert folder.said(first) == ("live", LEAVE, LEAVE)
    folder.sync()
    assert folder.said(first) == ("changed", LEAVE, LEAVE.replace("25", "29 or 30"))


def test_two_texts_that_share_twelve_digits_get_ids_of_their_own(
    folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ingest.ledger.ID_CHARS", 1)
    texts = [f"## Rule {n}\n\n{LEAVE} This is rule number {n}." for n in range(40)]
    folder.sync(people="# Rules\n\n" + "\n\n".join(texts))
    live = {c.id: c for c in folder.index.ledger.all_live()}
    assert len(live) == 40
    assert min(len(id_) for id_ in live) == 1
    assert max(len(id_) for id_ in live) > 1
    assert all(c.digest.startswith(id_) for id_, c in live.items())
    folder.sync(people="# Rules\n\n" + "\n\n".join(reversed(texts)))
    assert {c.id: c.text for c in folder.index.ledger.all_live()} == {
        id_: c.text for id_, c in live.items()
    }
    folder.sync(people="# Rules\n\n" + "\n\n".join(texts[:20]), more=texts[20])
    for id_, chunk in live.items():
        assert folder.open(id_).cited.chunk.text == chunk.text


def test_the_ledger_refuses_an_id_for_a_second_text(
    folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder.sync(people=PAGE)
    first = folder.id_of(LEAVE)

    def same_for_all(chunks: Sequence[Chunk]) -> list[Chunk]:
        return [replace(c, id=first) for c in chunks]

    monkeypatch.setattr(folder.index.ledger, "assign_ids", same_for_all)
    with pytest.raises(LedgerError, match=rf"The id {first} would stand for two texts"):
        folder.sync(people=f"# People\n\n{LAPTOP}\n")
    assert folder.said(first) == ("live", LEAVE, LEAVE)


def test_an_id_is_read_as_people_paste_it() -> None:
    for pasted in ("3f9a1c2b7d10", " `3F9A1C2B7D10` ", "[3f9a 1c2b 7d10].", "<3f9a1c2b7d10>"):
        assert clean_id(pasted) == "3f9a1c2b7d10"
    with pytest.raises(BadIdError, match="'handbook' is no citation id"):
        clean_id("handbook")
    with pytest.raises(BadIdError, match="Give the id of a citation"):
        clean_id(" [] ")


def test_a_comparison_marks_words_and_joins_up_to_both_texts() -> None:
    old, new = "You get £195 a night.\nAsk first.", "You get £205 a night, in London. Ask first."
    pieces = [(p.kind, p.text) for p in compare(old, new)]
    assert ("removed", "195") in pieces
    assert ("added", "205") in pieces
    assert "".join(text for kind, text in pieces if kind != "added") == old
    assert "".join(text for kind, text in pieces if kind != "removed") == new


def test_a_change_is_marked_without_colour_too(
    folder: Folder, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder.sync(people=PAGE)
    first = folder.id_of(LEAVE)
    folder.sync(people=PAGE.replace("25", "28"))
    monkeypatch.setattr(command, "out", Console(highlight=False, soft_wrap=True))
    command.show_source(folder.index.settings, first, as_json=False, check=False)
    shown = capsys.readouterr().out
    assert "This has changed since it was taken in. In its place stands now:" in shown
    assert "Employees get [-25-]{+28+} days of paid leave a year." in shown


def test_the_check_reads_the_file_again(folder: Folder, capsys: pytest.CaptureFixture[str]) -> None:
    folder.sync(people=PAGE)
    first = folder.id_of(LEAVE)
    command.show_source(folder.index.settings, first, as_json=True, check=True)
    assert '"check": true' in capsys.readouterr().out
    write(folder.docs, {"people.md": PAGE.replace("25", "28")})
    command.show_source(folder.index.settings, first, as_json=True, check=True)
    assert '"check": false' in capsys.readouterr().out


def test_the_check_of_a_removed_passage_says_whether_the_removal_was_taken_in(
    folder: Folder, capsys: pytest.CaptureFixture[str]
) -> None:
    def check(*, as_json: bool = False) -> str:
        command.show_source(folder.index.settings, first, as_json=as_json, check=True)
        return capsys.readouterr().out

    folder.sync(people=PAGE, more=f"# More\n\n{LAPTOP}\n")
    first = folder.id_of(LEAVE)
    folder.sync(people=f"# People\n\n## Badges\n\n{BADGE}\n")
    assert "is as it was last taken in, without this passage." in check()
    assert '"check": false' in check(as_json=True)
    write(folder.docs, {"people.md": PAGE})
    with pytest.raises(FootnoteError, match="is not as it was last taken in: `python -m ingest`"):
        check()
    folder.sync(people=None)
    assert "The file is still gone, looked for just now." in check()
    write(folder.docs, {"people.md": PAGE})
    with pytest.raises(FootnoteError, match="is not as it was last taken in"):
        check()
