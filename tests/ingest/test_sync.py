import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from ingest.embed import Embedder
from ingest.errors import LedgerError, SettingsError, SourceError
from ingest.index import Index
from ingest.ledger import Ledger
from ingest.schema import documents
from ingest.sources import Entry
from ingest.types import Chunk, Failure
from tests.commands import run
from tests.indexes import Watched, counts, opened, settings, sync
from tests.trees import write

TREE = {
    "leave.md": "# Leave\n\nStaff get 25 days of leave.\n\n## Contractors\n\nThey get 10 days.\n",
    "it/keys.md": "# Keys\n\nKeys are rotated every 90 days.\n",
    "notes.txt": "OPENING HOURS\n\nThe office opens at eight.\n",
    "logo.png": "no text",
}


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    write(tmp_path / "docs", TREE)
    return tmp_path / "docs"


@pytest.fixture
def watched(embedder: Embedder) -> Watched:
    return Watched(embedder)


def live(docs: Path) -> list[Chunk]:
    ledger = Ledger(docs.parent / "data")
    try:
        return list(ledger.all_live())
    finally:
        ledger.close()


def ids(docs: Path) -> dict[str, str]:
    return {c.id: c.text.strip() for c in live(docs)}


def assert_in_all_indexes(index: Index) -> None:
    """The ledger, Chroma and BM25 hold the same passages."""
    of_record = {c.id for c in index.ledger.all_live()}
    assert index.vectors.ids(index.embedder.recipe) == of_record
    assert index.lexical.ids() == of_record


@contextmanager
def files_opened(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """The names of the documents that are opened meanwhile."""
    names: list[str] = []
    real = os.open

    def watch(path: str, flags: int, *how: int, dir_fd: int | None = None) -> int:
        if Path(path).name in {Path(name).name for name in TREE}:
            names.append(Path(path).name)
        return real(path, flags, *how, dir_fd=dir_fd)

    with monkeypatch.context() as patch:
        patch.setattr(os, "open", watch)
        yield names


def test_a_first_pass_takes_everything_in_and_a_second_one_nothing(
    docs: Path, embedder: Embedder
) -> None:
    first = sync(settings(docs), embedder)
    assert counts(first) == (3, 0, 0, 0)
    assert (first.documents, first.chunks, first.embedded, first.unsupported) == (
        3,
        4,
        4,
        ("logo.png",),
    )
    assert first.failed == ()
    second = sync(settings(docs), embedder)
    assert counts(second) == (0, 0, 0, 3)
    assert (second.documents, second.chunks, second.embedded) == (3, 4, 0)


def test_every_passage_is_the_slice_of_its_file(docs: Path, embedder: Embedder) -> None:
    write(docs, {"crlf.md": b"\xef\xbb\xbf# Top\r\n\r\nOne line.\r\n\r\n* a\r\n* b\r\n"})
    sync(settings(docs), embedder)
    passages = live(docs)
    assert {c.doc for c in passages} == {"leave.md", "it/keys.md", "notes.txt", "crlf.md"}
    for c in passages:
        with (docs / c.doc).open(encoding="utf-8", newline="") as file:
            assert file.read()[c.start : c.end] == c.text


def test_an_unchanged_tree_needs_neither_the_model_nor_chroma(
    docs: Path, embedder: Embedder
) -> None:
    write(docs, {"bad.md": b"\xff"})
    sync(settings(docs), embedder)
    for _ in range(2):  # the first looks into files that were written moments ago
        with Index(settings(docs)) as index:
            assert counts(index.sync()) == (0, 0, 0, 3)
            assert "_loaded" not in vars(index.embedder)
            assert index.vectors._client is None


def test_an_unchanged_tree_is_told_without_importing_a_heavy_library(
    docs: Path, embedder: Embedder
) -> None:
    sync(settings(docs), embedder)
    code = (
        "import sys; from ingest.__main__ import app\n"
        "app(['--json'], standalone_mode=False)\n"
        "print(sorted({'torch', 'chromadb', 'sentence_transformers'} & set(sys.modules)))"
    )
    done = run({"FOOTNOTE_DOCS": str(docs), "FOOTNOTE_DATA": str(docs.parent / "data")}, "-c", code)
    assert done.stdout.splitlines()[-1] == "[]", done.stderr
    assert '"unchanged": 3' in done.stdout


def test_of_unchanged_files_each_pass_reads_a_share_those_read_longest_ago_first(
    docs: Path, embedder: Embedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ingest.sync.RACY_NS", 0)
    sync(settings(docs), embedder)
    passes: list[list[str]] = []
    for _ in range(4):
        with files_opened(monkeypatch) as names:
            assert counts(sync(settings(docs), embedder)) == (0, 0, 0, 3)
        passes.append(names)
    assert [len(names) for names in passes] == [1, 1, 1, 1]
    assert sorted(name for names in passes[:3] for name in names) == [
        "keys.md",
        "leave.md",
        "notes.txt",
    ]
    assert passes[3] == passes[0]


def test_a_pass_after_a_day_and_one_that_is_told_to_read_every_unchanged_file(
    docs: Path, embedder: Embedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ingest.sync.RACY_NS", 0)
    sync(settings(docs), embedder)
    with files_opened(monkeypatch) as names:
        assert counts(sync(settings(docs), embedder, reread=True)) == (0, 0, 0, 3)
    assert len(names) == 3
    now = time.time()
    monkeypatch.setattr("ingest.sync.time.time", lambda: now + 24 * 60 * 60)
    with files_opened(monkeypatch) as names:
        assert counts(sync(settings(docs), embedder)) == (0, 0, 0, 3)
    assert len(names) == 3


def test_a_pass_below_a_path_puts_off_no_files_turn(
    docs: Path, embedder: Embedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ingest.sync.RACY_NS", 0)
    sync(settings(docs), embedder)
    now = time.time()
    monkeypatch.setattr("ingest.sync.time.time", lambda: now + 24 * 60 * 60)
    sync(settings(docs), embedder, below=[docs / "it"])
    with files_opened(monkeypatch) as names:
        assert counts(sync(settings(docs), embedder)) == (0, 0, 0, 3)
    assert len(names) == 3


def test_other_content_under_the_same_size_times_and_inode_is_found_within_the_files_turn(
    docs: Path, embedder: Embedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ingest.sync.RACY_NS", 0)
    sync(settings(docs), embedder)
    stat = (docs / "leave.md").stat()
    write(docs, {"leave.md": TREE["leave.md"].replace("25", "31")})
    real = "ingest.sources.folder._entry_of"

    def as_before(path: str, info: os.stat_result) -> Entry:
        shown = stat if path == "leave.md" else info
        return Entry(path, shown.st_size, shown.st_mtime_ns, shown.st_ctime_ns, shown.st_ino)

    monkeypatch.setattr(real, as_before)
    reports = [counts(sync(settings(docs), embedder)) for _ in range(3)]
    assert sorted(reports) == [(0, 0, 0, 3), (0, 0, 0, 3), (0, 1, 0, 2)]


def test_a_file_put_in_anothers_place_with_its_size_and_time_is_taken_in(
    docs: Path, embedder: Embedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ingest.sync.RACY_NS", 0)
    monkeypatch.setattr("ingest.sync._share_due", lambda _: 0.0)
    sync(settings(docs), embedder)
    before = (docs / "leave.md").stat()
    write(docs, {"new.md": TREE["leave.md"].replace("25", "30")})
    os.utime(docs / "new.md", ns=(before.st_atime_ns, before.st_mtime_ns))
    (docs / "new.md").rename(docs / "leave.md")
    assert counts(sync(settings(docs), embedder)) == (0, 1, 0, 2)


def test_a_touched_file_with_the_same_content_is_unchanged(docs: Path, embedder: Embedder) -> None:
    sync(settings(docs), embedder)
    os.utime(docs / "leave.md", (1_700_000_000, 1_700_000_000))
    assert counts(sync(settings(docs), embedder)) == (0, 0, 0, 3)


def test_a_file_changed_within_its_time_stamp_and_size_is_seen(
    docs: Path, embedder: Embedder
) -> None:
    sync(settings(docs), embedder)
    before = (docs / "leave.md").stat()
    write(docs, {"leave.md": TREE["leave.md"].replace("25", "30")})
    os.utime(docs / "leave.md", ns=(before.st_atime_ns, before.st_mtime_ns))
    assert counts(sync(settings(docs), embedder)) == (0, 1, 0, 2)


def test_of_a_changed_file_only_the_new_passage_is_embedded_and_the_others_keep_their_ids(
    docs: Path, watched: Watched
) -> None:
    sync(settings(docs), watched)
    before, watched.texts = ids(docs), []
    write(docs, {"leave.md": "Read this.\n\n" + TREE["leave.md"].replace("10 days", "12 days")})
    report = sync(settings(docs), watched)
    assert counts(report) == (0, 1, 0, 2)
    assert report.embedded == 2
    assert [text.split("\n")[-1] for text in watched.texts] == ["Read this.", "They get 12 days."]
    after = ids(docs)
    gone = {text for id_, text in before.items() if id_ not in after}
    assert gone == {"They get 10 days."}
    assert {c.text.strip(): c.start for c in live(docs)}["Staff get 25 days of leave."] == 21


def test_a_removed_file_leaves_both_indexes_at_once(docs: Path, embedder: Embedder) -> None:
    with opened(settings(docs), embedder) as index:
        index.load_lexical()
        index.sync()
        gone = [c.id for c in index.ledger.all_live() if c.doc == "it/keys.md"]
        vector = embedder.embed_query("How often are keys rotated?")
        assert index.query(vector, 1)[0][0] == gone[0]
        assert index.lexical.search("rotated keys", 1)[0][0] == gone[0]
        (docs / "it" / "keys.md").unlink()
        report = index.sync()
        assert counts(report) == (0, 0, 1, 2)
        assert gone[0] not in dict(index.query(vector, 10))
        assert index.lexical.search("rotated keys", 10) == []
        assert_in_all_indexes(index)
        passage = index.ledger.find(gone[0])
        assert passage is not None
        assert passage.chunk.text.strip() == "Keys are rotated every 90 days."
        assert passage.retired_at is not None


def test_a_renamed_file_is_one_removed_and_one_added_and_embeds_nothing(
    docs: Path, watched: Watched
) -> None:
    sync(settings(docs), watched)
    watched.texts = []
    (docs / "leave.md").rename(docs / "holidays.md")
    report = sync(settings(docs), watched)
    assert counts(report) == (1, 0, 1, 2)
    assert (report.embedded, watched.texts) == (0, [])
    assert {c.doc for c in live(docs)} == {"holidays.md", "it/keys.md", "notes.txt"}


def test_a_file_that_comes_back_has_its_old_ids(docs: Path, embedder: Embedder) -> None:
    sync(settings(docs), embedder)
    before = ids(docs)
    (docs / "leave.md").unlink()
    sync(settings(docs), embedder)
    assert len(ids(docs)) == 2
    write(docs, {"leave.md": TREE["leave.md"]})
    report = sync(settings(docs), embedder)
    assert counts(report) == (1, 0, 0, 2)
    assert report.embedded == 0
    assert ids(docs) == before


def test_duplicate_files_are_passages_of_their_own_and_one_text_to_embed(
    docs: Path, watched: Watched
) -> None:
    write(
        docs, {"a/copy.md": "# Same\n\nThe same text.\n", "b/copy.md": "# Same\n\nThe same text.\n"}
    )
    report = sync(settings(docs), watched)
    assert (report.documents, report.chunks, report.embedded) == (5, 6, 6)
    assert len([t for t in watched.texts if "The same text." in t]) == 1
    assert len({c.id for c in live(docs)}) == 6


def test_a_pass_below_a_path_looks_at_nothing_else_and_retires_nothing_elsewhere(
    docs: Path, embedder: Embedder
) -> None:
    sync(settings(docs), embedder)
    (docs / "leave.md").unlink()
    write(docs, {"notes.txt": "Changed.", "it/new.md": "# New\n\nNew text.\n"})
    (docs / "it" / "keys.md").unlink()
    with opened(settings(docs), embedder) as index:
        report = index.sync([docs / "it"])
    assert counts(report) == (1, 0, 1, 0)
    assert {c.doc for c in live(docs)} == {"leave.md", "notes.txt", "it/new.md"}
    assert "The office opens at eight." in {c.text.strip() for c in live(docs)}


def test_a_pass_below_a_path_that_is_gone_retires_what_was_there(
    docs: Path, embedder: Embedder
) -> None:
    sync(settings(docs), embedder)
    (docs / "it" / "keys.md").unlink()
    with opened(settings(docs), embedder) as index:
        assert counts(index.sync([docs / "it" / "keys.md"])) == (0, 0, 1, 0)


def test_a_path_outside_the_sources_or_one_that_never_was_is_an_error(
    docs: Path, embedder: Embedder
) -> None:
    with opened(settings(docs), embedder) as index:
        with pytest.raises(SettingsError, match="elsewhere is not below any folder in FOOTNOTE_"):
            index.sync([docs.parent / "elsewhere"])
        with pytest.raises(SettingsError, match=r"typo\.md does not exist, and no document"):
            index.sync([docs / "typo.md"])
        assert index.ledger.read_note("sync_error") is None


def test_a_pass_below_a_path_keeps_what_failed_elsewhere_on_record(
    docs: Path, embedder: Embedder
) -> None:
    write(docs, {"bad.md": b"\xff", "it/bad.md": b"\xff"})
    with opened(settings(docs), embedder) as index:
        index.sync()
        assert [f.doc for f in index.ledger.failed()] == ["bad.md", "it/bad.md"]
        write(docs, {"it/bad.md": "# Good\n\nText.\n"})
        index.sync([docs / "it"])
        assert [f.doc for f in index.ledger.failed()] == ["bad.md"]


def test_several_sources_give_documents_their_names_as_prefix(
    tmp_path: Path, embedder: Embedder
) -> None:
    write(tmp_path, {"hr/a.md": "# A\n\nOne.\n", "it/a.md": "# A\n\nTwo.\n"})
    report = sync(settings(tmp_path / "hr", tmp_path / "it"), embedder)
    assert counts(report) == (2, 0, 0, 0)
    assert [(c.doc, c.text.strip()) for c in live(tmp_path / "hr")] == [
        ("hr/a.md", "One."),
        ("it/a.md", "Two."),
    ]


def test_ids_outlive_going_from_one_source_to_two_and_back(docs: Path, watched: Watched) -> None:
    sync(settings(docs), watched)
    before, watched.texts = ids(docs), []
    write(docs.parent, {"more/extra.md": "# Extra\n\nExtra text.\n"})
    report = sync(settings(docs, docs.parent / "more"), watched)
    assert report.documents == 4
    assert before.items() <= ids(docs).items()
    assert {c.doc for c in live(docs)} == {
        "docs/leave.md",
        "docs/it/keys.md",
        "docs/notes.txt",
        "more/extra.md",
    }
    assert len(watched.texts) == 1
    sync(settings(docs), watched)
    assert ids(docs) == before
    assert {c.doc for c in live(docs)} == {"leave.md", "it/keys.md", "notes.txt"}


def test_a_missing_folder_among_several_is_reported_and_retires_nothing(
    docs: Path, embedder: Embedder
) -> None:
    write(docs.parent, {"more/extra.md": "# Extra\n\nExtra text.\n"})
    both = settings(docs, docs.parent / "more")
    sync(both, embedder)
    (docs.parent / "more").rename(docs.parent / "unmounted")
    report = sync(both, embedder)
    assert counts(report) == (0, 0, 0, 3)
    assert [f.doc for f in report.failed] == ["more"]
    assert "does not exist" in report.failed[0].error
    assert report.documents == 4


def test_without_any_folder_the_pass_is_an_error_and_what_was_known_stays(
    docs: Path, embedder: Embedder
) -> None:
    sync(settings(docs), embedder)
    docs.rename(docs.parent / "unmounted")
    with pytest.raises(SourceError, match=r"docs does not exist: name existing folders"):
        sync(settings(docs), embedder)
    assert len(live(docs)) == 4


def test_an_empty_folder_holds_nothing_and_is_no_error(tmp_path: Path, embedder: Embedder) -> None:
    (tmp_path / "docs").mkdir()
    report = sync(settings(tmp_path / "docs"), embedder)
    assert (report.documents, report.chunks, report.failed) == (0, 0, ())


def test_when_most_documents_vanish_the_pass_stops_until_a_person_agrees(
    docs: Path, embedder: Embedder
) -> None:
    sync(settings(docs), embedder)
    (docs / "leave.md").unlink()
    (docs / "it" / "keys.md").unlink()
    with opened(settings(docs), embedder) as index:
        with pytest.raises(SourceError, match=r"2 of 3 documents of 'docs' vanished at once"):
            index.sync()
        assert index.ledger.counts() == (3, 4)
        assert "--accept-removals" in (index.ledger.read_note("sync_error") or "")
        assert counts(index.sync(accept_removals=True)) == (0, 0, 2, 1)
        assert index.ledger.read_note("sync_error") == ""


def test_an_emptied_folder_stops_the_pass_and_moved_files_do_not(
    docs: Path, embedder: Embedder
) -> None:
    sync(settings(docs), embedder)
    (docs / "all").mkdir()
    for name in ("leave.md", "it", "notes.txt"):
        (docs / name).rename(docs / "all" / name)
    assert counts(sync(settings(docs), embedder)) == (3, 0, 3, 0)
    (docs / "all").rename(docs.parent / "all")
    with pytest.raises(SourceError, match="3 of 3 documents"):
        sync(settings(docs), embedder)


def test_bad_documents_are_reported_and_the_rest_is_taken_in(
    docs: Path, embedder: Embedder
) -> None:
    write(
        docs,
        {
            "latin.md": "# Caf\xe9\n".encode("latin-1"),
            "large.txt": "word " * 5000,
            "empty.md": "",
            "headings.md": "# One\n\n## Two\n",
            "front.md": "---\ntitle: [open\n---\n\nText under broken front matter.\n",
        },
    )
    report = sync(settings(docs, max_file_mb=0.02), embedder)
    assert report.failed == (
        Failure(
            "large.txt",
            "It has 0.0 MB, over the limit of 0.02 MB: split it, or raise FOOTNOTE_MAX_FILE_MB.",
        ),
        Failure("latin.md", "not UTF-8 (byte 5, line 1); save the file as UTF-8."),
    )
    assert report.documents == 6
    warned = {w.doc: w.error for w in report.warnings}
    assert warned.keys() == {"empty.md", "front.md"}
    assert warned["empty.md"] == "It holds no text, so there is nothing in it to cite."
    assert warned["front.md"].startswith("front matter, line 2: ")
    texts = {c.text.strip() for c in live(docs)}
    assert {"Text under broken front matter.", "## Two"} <= texts


def test_warnings_and_failures_are_remembered_while_they_last(
    docs: Path, embedder: Embedder
) -> None:
    write(docs, {"empty.md": "", "latin.md": b"\xff"})
    with opened(settings(docs), embedder) as index:
        index.sync()
        report = index.sync()
        assert report.warnings == ()
        assert [f.doc for f in report.failed] == ["latin.md"]
        assert [w.doc for w in index.ledger.warnings()] == ["empty.md"]
        write(docs, {"empty.md": "# Full\n\nText.\n", "latin.md": "# Full\n\nText.\n"})
        index.sync()
        assert index.ledger.warnings() == ()
        assert index.ledger.failed() == ()


def test_a_document_that_fails_keeps_its_last_good_version(docs: Path, embedder: Embedder) -> None:
    sync(settings(docs), embedder)
    before = ids(docs)
    write(docs, {"leave.md": b"# Leave\n\n\xff\xfe\n"})
    report = sync(settings(docs), embedder)
    assert [f.doc for f in report.failed] == ["leave.md"]
    assert counts(report) == (0, 0, 0, 2)
    assert ids(docs) == before


def test_what_can_no_longer_be_listed_is_not_taken_for_gone(docs: Path, embedder: Embedder) -> None:
    sync(settings(docs), embedder)
    before = ids(docs)
    write(docs, {"leave.md": "word " * 500})
    (docs / "it").rename(docs.parent / "it")
    (docs / "it").symlink_to(docs.parent / "it")
    report = sync(settings(docs, max_file_mb=0.001), embedder)
    assert counts(report) == (0, 0, 0, 1)
    assert [f.doc for f in report.failed] == ["it", "leave.md"]
    assert ids(docs) == before


def test_a_file_that_vanishes_while_read_is_reported_and_the_rest_goes_on(
    docs: Path, embedder: Embedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = os.open

    def vanish(path: str, flags: int, *how: int, dir_fd: int | None = None) -> int:
        if path == "keys.md":
            (docs / "it" / "keys.md").unlink()
        return real(path, flags, *how, dir_fd=dir_fd)

    with monkeypatch.context() as patch:
        patch.setattr(os, "open", vanish)
        report = sync(settings(docs), embedder)
    assert counts(report) == (2, 0, 0, 0)
    assert report.failed == (
        Failure("it/keys.md", "It vanished while it was read; the next sync looks again."),
    )


def test_a_full_disk_in_the_ledger_loses_nothing_and_is_a_sentence(
    docs: Path, embedder: Embedder
) -> None:
    sync(settings(docs), embedder)
    before = ids(docs)
    write(docs, {"long.md": "# Long\n\n" + "A paragraph about something new.\n\n" * 2000})
    with opened(settings(docs), embedder) as index:
        with index.ledger.engine.connect() as connection:
            pages = connection.exec_driver_sql("PRAGMA page_count").scalar_one()
            connection.exec_driver_sql(f"PRAGMA max_page_count={pages}")
        with pytest.raises(LedgerError, match=r"\(database or disk is full\)\. Free some space"):
            index.sync()
    assert ids(docs) == before
    with opened(settings(docs), embedder) as index:
        index.load_lexical()
        assert counts(index.sync()) == (1, 0, 0, 3)
        assert_in_all_indexes(index)


def test_when_chroma_cannot_write_nothing_is_live_and_the_next_pass_embeds_nothing_again(
    docs: Path, watched: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    sync(settings(docs), watched)
    before, watched.texts = ids(docs), []
    write(docs, {"new.md": "# New\n\nNew text.\n"})
    with opened(settings(docs), watched) as index:
        index.load_lexical()

        def full(*_: object) -> None:
            raise OSError(28, "No space left on device")

        with monkeypatch.context() as patch:
            patch.setattr(index.vectors, "put", full)
            with pytest.raises(OSError, match="No space left"):
                index.sync()
        assert "No space left" in (index.ledger.read_note("sync_error") or "")
        assert ids(docs) == before
        assert len(watched.texts) == 1
        assert counts(index.sync()) == (1, 0, 0, 3)
        assert len(watched.texts) == 1
        assert_in_all_indexes(index)
        assert index.ledger.read_note("sync_error") == ""


def test_when_chroma_cannot_delete_the_question_sees_the_new_state_and_the_next_pass_tidies(
    docs: Path, embedder: Embedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    with opened(settings(docs), embedder) as index:
        index.load_lexical()
        index.sync()
        (docs / "it" / "keys.md").unlink()

        def fail(*_: object) -> None:
            raise OSError(28, "No space left on device")

        with monkeypatch.context() as patch:
            patch.setattr(index.vectors, "delete", fail)
            with pytest.raises(OSError, match="No space left"):
                index.sync()
        assert index.lexical.search("rotated keys", 5) == []
        assert index.live([i for i, _ in index.query(embedder.embed_query("keys"), 9)]).keys() == {
            c.id for c in index.ledger.all_live()
        }
        assert counts(index.sync()) == (0, 0, 0, 2)
        assert_in_all_indexes(index)


def test_vectors_computed_before_a_failure_are_not_computed_again(
    docs: Path, watched: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("killed here")

    with monkeypatch.context() as patch:
        patch.setattr(Ledger, "commit", fail)
        with pytest.raises(RuntimeError):
            sync(settings(docs), watched)
    assert len(watched.texts) == 4
    report = sync(settings(docs), watched)
    assert counts(report) == (3, 0, 0, 0)
    assert report.embedded == 0
    assert len(watched.texts) == 4


def test_smaller_passages_are_made_when_the_setting_changes(docs: Path, embedder: Embedder) -> None:
    text = "# Long\n\n" + "\n\n".join(f"Paragraph {n} tells of the number {n}." for n in range(30))
    write(docs, {"long.md": text})
    sync(settings(docs), embedder)
    before = len(live(docs))
    report = sync(settings(docs, target_tokens=40), embedder)
    assert counts(report) == (0, 4, 0, 0)
    assert len(live(docs)) > before
    assert counts(sync(settings(docs, target_tokens=40), embedder)) == (0, 0, 0, 4)


def test_a_document_has_a_version_for_each_of_its_contents(docs: Path, embedder: Embedder) -> None:
    for days in (25, 26, 26, 27):
        write(docs, {"leave.md": f"# Leave\n\nStaff get {days} days.\n"})
        sync(settings(docs), embedder)
    ledger = Ledger(docs.parent / "data")
    with ledger.engine.connect() as connection:
        query = documents.select().where(documents.c.doc == "leave.md")
        assert connection.execute(query).one().version == 3
    ledger.close()
