import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from ingest.errors import DocumentError, SettingsError, SourceError
from ingest.settings import IngestSettings
from ingest.sources import Entry
from ingest.sources.folder import FolderSource, open_sources
from ingest.types import Failure
from tests.trees import write

NOBODY = 65534


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "docs"
    root.mkdir()
    return root


@contextmanager
def unprivileged(tmp_path: Path) -> Iterator[None]:
    """As a user for whom the rights of files count; for root they do not."""
    if os.geteuid() != 0:
        yield
        return
    private = [p for p in (tmp_path, *tmp_path.parents) if not p.stat().st_mode & 0o001]
    before = {folder: folder.stat().st_mode for folder in private}
    for folder in private:
        folder.chmod(0o755)
    os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)
        for folder, mode in before.items():
            folder.chmod(mode)


def source(root: Path, *, exclude: tuple[str, ...] = (), max_bytes: int = 1000) -> FolderSource:
    return FolderSource(root, exclude=exclude, max_bytes=max_bytes)


def paths(entries: tuple[Entry, ...]) -> list[str]:
    return [entry.path for entry in entries]


def failures(listing_of: FolderSource, below: list[Path] | None = None) -> dict[str, str]:
    return {failure.doc: failure.error for failure in listing_of.scan(below).failures}


def test_documents_are_listed_by_path_and_other_files_are_counted(root: Path) -> None:
    names = [
        "b.md",
        "a/z.markdown",
        "a/y.mdx",
        "notes.txt",
        "page.html.md.erb",
        "x.pdf",
        "logo.png",
    ]
    write(root, dict.fromkeys(names, "text"))
    listing = source(root).scan()
    assert paths(listing.entries) == [
        "a/y.mdx",
        "a/z.markdown",
        "b.md",
        "notes.txt",
        "page.html.md.erb",
    ]
    assert listing.unsupported == ("logo.png", "x.pdf")
    assert listing.failures == ()


def test_hidden_files_and_folders_are_passed_over(root: Path) -> None:
    write(root, {"seen.md": "x", ".hidden.md": "x", ".git/config.md": "x", "a/.b/c.md": "x"})
    assert paths(source(root).scan().entries) == ["seen.md"]


def test_excluded_files_and_folders_are_passed_over(root: Path) -> None:
    write(root, {"a.md": "x", "drafts/b.md": "x", "old-c.md": "x", "sub/old-d.md": "x"})
    chosen = source(root, exclude=("drafts/", "old-*", "!sub/old-d.md"))
    assert paths(chosen.scan().entries) == ["a.md", "sub/old-d.md"]


def test_a_name_with_spaces_and_signs_is_a_name_like_any_other(root: Path) -> None:
    write(root, {"Übersicht – 2024 [final]/Mein Text.md": "x"})
    assert paths(source(root).scan().entries) == ["Übersicht – 2024 [final]/Mein Text.md"]


def test_a_name_that_is_not_utf_8_is_reported_and_the_rest_is_listed(root: Path) -> None:
    write(root, {"good.md": "x"})
    for name in (b"caf\xe9.md", b"caf\xe9.png"):
        Path(os.fsdecode(os.fsencode(root) + b"/" + name)).write_text("x")
    listing = source(root).scan()
    assert paths(listing.entries) == ["good.md"]
    assert listing.unsupported == ("caf�.png",)
    assert failures(source(root)) == {"caf�.md": "Its name is not UTF-8: rename it."}


def test_a_file_over_the_limit_is_reported_with_its_size_and_the_setting(root: Path) -> None:
    write(root, {"small.md": "x" * 1000, "large.md": "x" * 1001})
    large = FolderSource(root, max_bytes=1000)
    assert paths(large.scan().entries) == ["small.md"]
    assert failures(large) == {
        "large.md": "It has 0.0 MB, over the limit of 0.001 MB:"
        " split it, or raise FOOTNOTE_MAX_FILE_MB."
    }


def test_a_link_to_a_file_inside_is_read_like_a_file(root: Path) -> None:
    write(root, {"a/real.md": "hello"})
    (root / "link.md").symlink_to(root / "a" / "real.md")
    listing = source(root).scan()
    assert paths(listing.entries) == ["a/real.md", "link.md"]
    assert source(root).read(listing.entries[1]) == b"hello"


def test_links_that_lead_out_or_in_a_circle_or_to_a_folder_are_reported(root: Path) -> None:
    write(root.parent, {"secret.md": "x", "docs/sub/a.md": "x"})
    (root / "out.md").symlink_to(root.parent / "secret.md")
    (root / "out").symlink_to(root.parent)
    (root / "gone.md").symlink_to(root / "nothing.md")
    (root / "self.md").symlink_to(root / "self.md")
    (root / "sub" / "up").symlink_to(root)
    (root / "inner").symlink_to(root / "sub")
    listing = source(root).scan()
    assert paths(listing.entries) == ["sub/a.md"]
    out = "It is a link that leads out of the source's folder; it is not followed."
    nowhere = "It is a link that leads nowhere or in a circle; it is not followed."
    folder = "It is a link to a folder; it is not followed."
    assert failures(source(root)) == {
        "out.md": out,
        "out": out,
        "gone.md": nowhere,
        "self.md": nowhere,
        "sub/up": folder,
        "inner": folder,
    }


def test_a_pipe_is_no_document(root: Path) -> None:
    os.mkfifo(root / "pipe.md")
    listing = source(root).scan()
    assert listing.entries == ()
    assert listing.failures == ()


def test_a_link_that_is_the_source_itself_is_followed_and_gives_its_name(root: Path) -> None:
    write(root, {"a.md": "x"})
    linked = root.parent / "handbook"
    linked.symlink_to(root)
    assert source(linked).name == "handbook"
    assert paths(source(linked).scan().entries) == ["a.md"]


def test_a_pass_below_paths_lists_those_alone(root: Path) -> None:
    write(root, {"a.md": "x", "sub/b.md": "x", "sub/deep/c.md": "x", "other/d.md": "x"})
    scan = source(root).scan
    assert paths(scan([root / "sub"]).entries) == ["sub/b.md", "sub/deep/c.md"]
    assert paths(scan([root / "a.md", root / "other" / "d.md"]).entries) == ["a.md", "other/d.md"]
    assert paths(scan([root / "sub", root / "sub" / "deep"]).entries) == [
        "sub/b.md",
        "sub/deep/c.md",
    ]
    assert len(scan([root]).entries) == 4
    assert len(scan([root.parent]).entries) == 4
    assert scan([root / "nothing.md"]).entries == ()


def test_a_pass_below_a_path_keeps_the_rules_for_links_and_hidden_files(root: Path) -> None:
    write(root.parent, {"secret.md": "x", "elsewhere/a.md": "x", "docs/.hid/b.md": "x"})
    (root / "out.md").symlink_to(root.parent / "secret.md")
    (root / "away").symlink_to(root.parent / "elsewhere")
    below = [root / "out.md", root / "away" / "a.md", root / ".hid" / "b.md"]
    assert source(root).scan(below).entries == ()
    assert "leads out" in failures(source(root), below)["out.md"]


def test_a_missing_source_and_a_file_in_its_place_are_told_apart(root: Path) -> None:
    with pytest.raises(SourceError, match=r"nothing does not exist: name existing folders"):
        source(root.parent / "nothing").scan()
    write(root, {"a.md": "x"})
    with pytest.raises(SourceError, match=r"a\.md is not a folder"):
        source(root / "a.md").scan()


def test_a_source_that_is_a_link_to_itself_cannot_be_looked_at(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    with pytest.raises(SourceError, match="cannot be looked at"):
        source(tmp_path / "loop").scan()


def test_a_file_is_read_byte_by_byte(root: Path) -> None:
    (root / "a.md").write_bytes(b"\xef\xbb\xbf# A\r\nb\r")
    listing = source(root).scan()
    assert source(root).read(listing.entries[0]) == b"\xef\xbb\xbf# A\r\nb\r"


def test_a_file_that_vanished_or_changed_after_it_was_listed_is_not_taken(root: Path) -> None:
    write(root, {"a.md": "one", "b.md": "two"})
    entries = source(root).scan().entries
    (root / "a.md").unlink()
    (root / "b.md").write_text("two and more")
    with pytest.raises(DocumentError, match="vanished while it was read"):
        source(root).read(entries[0])
    with pytest.raises(DocumentError, match="changed while it was read"):
        source(root).read(entries[1])


def test_a_file_that_grew_over_the_limit_is_not_read_whole(root: Path) -> None:
    write(root, {"a.md": "x"})
    entry = source(root).scan().entries[0]
    write(root, {"a.md": "x" * 5000})
    with pytest.raises(DocumentError, match="over the limit"):
        source(root).read(entry)


def test_what_may_not_be_read_is_reported(root: Path) -> None:
    write(root, {"open.md": "x", "shut.md": "x", "shut/a.md": "x"})
    (root / "shut.md").chmod(0)
    (root / "shut").chmod(0)
    with unprivileged(root.parent):
        listing = source(root).scan()
        with pytest.raises(DocumentError, match=r"cannot be read \(Permission denied\)"):
            source(root).read(listing.entries[1])
    assert paths(listing.entries) == ["open.md", "shut.md"]
    assert listing.failures == (Failure("shut", "It cannot be listed (Permission denied)."),)


def test_a_source_that_may_not_be_listed_is_an_error_that_names_it(tmp_path: Path) -> None:
    write(tmp_path, {"shut/docs/a.md": "x"})
    (tmp_path / "shut" / "docs").chmod(0)
    denied = r"docs cannot be listed \(Permission denied\)"
    with unprivileged(tmp_path), pytest.raises(SourceError, match=denied):
        source(tmp_path / "shut" / "docs").scan()
    (tmp_path / "shut").chmod(0)
    denied = r"docs cannot be looked at \(Permission denied\)"
    with unprivileged(tmp_path), pytest.raises(SourceError, match=denied):
        source(tmp_path / "shut" / "docs").scan()


def settings(**changes: object) -> IngestSettings:
    return IngestSettings(_env_file=None).model_copy(update=changes)


def test_each_named_folder_is_a_source_under_its_base_name(tmp_path: Path) -> None:
    sources = open_sources(settings(docs=f"{tmp_path}/a{os.pathsep}{tmp_path}/b/handbook/"))
    assert [source.name for source in sources] == ["a", "handbook"]


def test_two_sources_of_one_base_name_are_an_error_that_names_it(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="two folders called 'docs'"):
        open_sources(settings(docs=f"{tmp_path}/x/docs{os.pathsep}{tmp_path}/y/docs"))


def test_no_folder_and_a_bad_exclusion_are_errors_that_name_the_setting(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="FOOTNOTE_DOCS names no folder"):
        open_sources(settings(docs=f" {os.pathsep} "))
    for pattern in ("!", "a[z-a]"):
        with pytest.raises(SettingsError, match="FOOTNOTE_EXCLUDE cannot be read"):
            open_sources(settings(docs=str(tmp_path), exclude=pattern))


def listed(root: Path, path: str) -> Entry:
    return next(entry for entry in source(root).scan().entries if entry.path == path)


CHANGED = "It changed while it was read; the next sync takes it in."


def test_a_file_swapped_for_a_link_after_the_listing_leaks_nothing_from_outside(
    root: Path,
) -> None:
    write(root, {"a.md": "# A\n\nPublic.\n"})
    write(root.parent, {"secret.md": "# A\n\nSecret.\n"})
    entry = listed(root, "a.md")
    (root / "a.md").unlink()
    (root / "a.md").symlink_to(root.parent / "secret.md")
    with pytest.raises(DocumentError, match=CHANGED):
        source(root).read(entry)


def test_a_folder_swapped_for_a_link_after_the_listing_leaks_nothing_from_outside(
    root: Path,
) -> None:
    write(root, {"sub/a.md": "# A\n\nPublic.\n"})
    entry = listed(root, "sub/a.md")
    (root / "sub").rename(root.parent / "sub")
    (root / "sub").symlink_to(root.parent / "sub")
    with pytest.raises(DocumentError, match=CHANGED):
        source(root).read(entry)


@pytest.mark.timeout(20)
def test_a_pipe_in_a_files_place_keeps_no_sync_waiting(root: Path) -> None:
    write(root, {"a.md": "# A\n\nPublic.\n"})
    entry = listed(root, "a.md")
    (root / "a.md").unlink()
    os.mkfifo(root / "a.md")
    with pytest.raises(DocumentError, match=CHANGED):
        source(root).read(entry)
    assert source(root).scan().entries == ()


def test_a_folder_in_a_files_place_is_a_change(root: Path) -> None:
    write(root, {"a.md": "# A\n\nPublic.\n"})
    entry = listed(root, "a.md")
    (root / "a.md").unlink()
    (root / "a.md").mkdir()
    with pytest.raises(DocumentError, match=CHANGED):
        source(root).read(entry)


def test_a_link_to_what_is_hidden_or_excluded_does_not_bring_it_in(root: Path) -> None:
    write(root, {"drafts/plan.md": "# Plan\n", ".private/key.md": "# Key\n", "a.md": "# A\n"})
    (root / "plan.md").symlink_to(root / "drafts" / "plan.md")
    (root / "key.md").symlink_to(root / ".private" / "key.md")
    excluding = FolderSource(root, exclude=["drafts/"], max_bytes=1000)
    listing = excluding.scan()
    assert paths(listing.entries) == ["a.md"]
    why = "It is a link to a hidden or excluded file; it is not followed."
    assert sorted(listing.failures, key=lambda f: f.doc) == [
        Failure("key.md", why),
        Failure("plan.md", why),
    ]


def test_a_link_turned_to_an_excluded_file_after_the_listing_is_not_read(root: Path) -> None:
    write(root, {"drafts/plan.md": "# Plan\n", "open/plan.md": "# Plan\n"})
    (root / "plan.md").symlink_to(root / "open" / "plan.md")
    excluding = FolderSource(root, exclude=["drafts/"], max_bytes=1000)
    entry = next(e for e in excluding.scan().entries if e.path == "plan.md")
    (root / "plan.md").unlink()
    (root / "plan.md").symlink_to(root / "drafts" / "plan.md")
    with pytest.raises(DocumentError, match=CHANGED):
        excluding.read(entry)
