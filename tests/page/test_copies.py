"""The demo's copy of the handbook follows the package, and keeps what a person did to it."""

from pathlib import Path

import pytest

from bot.demo.copies import lay_out


@pytest.fixture
def handbook(tmp_path: Path) -> Path:
    folder = tmp_path / "packaged"
    (folder / "people").mkdir(parents=True)
    (folder / "people" / "leave.md").write_text("25 days\n")
    (folder / "travel.md").write_text("195\n")
    return folder


@pytest.fixture
def copy(tmp_path: Path, handbook: Path) -> Path:
    target = tmp_path / "data" / "handbook"
    target.parent.mkdir()
    lay_out(target, handbook)
    return target


def test_every_page_is_laid_out(copy: Path) -> None:
    assert (copy / "people" / "leave.md").read_text() == "25 days\n"
    assert (copy / "travel.md").read_text() == "195\n"


def test_an_edited_page_is_kept_while_the_others_follow_the_package(
    copy: Path, handbook: Path
) -> None:
    (copy / "travel.md").write_text("210\n")
    (handbook / "travel.md").write_text("200\n")
    (handbook / "people" / "leave.md").write_text("26 days\n")
    for _ in range(2):
        lay_out(copy, handbook)
        assert (copy / "travel.md").read_text() == "210\n"
        assert (copy / "people" / "leave.md").read_text() == "26 days\n"


def test_a_page_that_was_deleted_stays_deleted(copy: Path, handbook: Path) -> None:
    (copy / "travel.md").unlink()
    lay_out(copy, handbook)
    assert not (copy / "travel.md").exists()


def test_a_page_that_left_the_package_leaves_the_copy_unless_it_was_edited(
    copy: Path, handbook: Path
) -> None:
    (copy / "people" / "leave.md").write_text("mine\n")
    for name in ("travel.md", "people/leave.md"):
        (handbook / name).unlink()
    lay_out(copy, handbook)
    assert not (copy / "travel.md").exists()
    assert (copy / "people" / "leave.md").read_text() == "mine\n"


def test_deleting_the_copy_starts_afresh(copy: Path, handbook: Path) -> None:
    (copy / "travel.md").write_text("210\n")
    for page in copy.rglob("*.md"):
        page.unlink()
    (copy / "people").rmdir()
    copy.rmdir()
    lay_out(copy, handbook)
    assert (copy / "travel.md").read_text() == "195\n"
