"""The committed page is what its source makes, and carries what it must."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.page.chromium import REQUIRED

PAGE = Path(__file__).resolve().parents[2] / "bot" / "localslack" / "page"
BUILT = PAGE / "built"
MODULES = PAGE / "node_modules"


@pytest.mark.skipif(not shutil.which("npm"), reason="no node on this machine")
@pytest.mark.skipif(not REQUIRED and not MODULES.exists(), reason="make page was never run here")
@pytest.mark.timeout(400)
def test_the_committed_page_is_what_its_source_makes(tmp_path: Path) -> None:
    copy = tmp_path / "page"
    shutil.copytree(PAGE, copy, ignore=shutil.ignore_patterns("built", "node_modules"))
    if REQUIRED:
        run(copy, "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund")
    else:
        (copy / "node_modules").symlink_to(MODULES)
    run(copy, "npm", "run", "types")
    run(copy, "npm", "run", "build")
    made = {file.name: file.read_bytes() for file in (copy / "built").iterdir()}
    committed = {file.name: file.read_bytes() for file in BUILT.iterdir()}
    assert made.keys() == committed.keys()
    for name, content in made.items():
        assert content == committed[name], f"{name} is not what its source makes: run make page"


def test_the_page_fetches_nothing_from_elsewhere() -> None:
    page = (BUILT / "index.html").read_text()
    assert re.findall(r'(?:src|href)="([^"]+)"', page) == ["/icon.svg", "/page.js", "/page.css"]
    style = (BUILT / "page.css").read_text()
    assert "@import" not in style
    assert re.findall(r"url\((?!data:)[^)]*\)", style) == []


def test_no_message_becomes_html_by_itself() -> None:
    sources = [*(PAGE / "src").rglob("*.ts*")]
    assert len(sources) > 10
    for source in sources:
        assert "dangerouslySetInnerHTML" not in source.read_text(), source
        assert "innerHTML" not in source.read_text(), source


def test_the_licence_of_each_package_in_the_page_comes_with_it() -> None:
    licences = (BUILT / "THIRD_PARTY_LICENSES").read_text()
    for package in (
        "react 1",
        "react-dom 1",
        "slack-blocks-to-jsx 1",
        "react-markdown ",
        "node-emoji ",
    ):
        assert f"\n{package}" in licences or licences.startswith(package)
    assert "Permission is hereby granted" in licences


def test_the_lock_file_names_no_address() -> None:
    assert "resolved" not in (PAGE / "package-lock.json").read_text()


def run(folder: Path, *command: str) -> None:
    ended = subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, "NODE_ENV": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
