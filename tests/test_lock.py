"""What is installed: each file by its hash."""

import re

from tests.commands import ROOT


def test_every_locked_package_has_one_version_and_hashes_and_no_index_is_named() -> None:
    text = (ROOT / "requirements.lock").read_text()
    packages = re.split(r"\n(?=\S)", text.strip())
    assert len(packages) > 100
    for package in packages:
        name, *hashes = re.split(r"\s*\\\n\s*", package)
        assert re.match(r"[a-z0-9-]+==[\w.]+( ; .+)?$", name)
        assert hashes
        assert all(re.fullmatch(r"--hash=sha256:[0-9a-f]{64}", each) for each in hashes)


def test_torch_is_bounded_above_and_installed_in_the_version_that_is_pinned() -> None:
    assert '"torch>=2.13,<2.14"' in (ROOT / "pyproject.toml").read_text()
    assert "\nTORCH := 2.13." in (ROOT / "Makefile").read_text()
