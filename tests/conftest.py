"""What every test stands on: an empty environment, a folder of its own, one loaded model."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from ingest.embed import Embedder
from ingest.settings import IngestSettings

os.environ["HF_HUB_OFFLINE"] = "1"
OURS = ("FOOTNOTE_", "SLACK_", "ANTHROPIC_")


@pytest.fixture(autouse=True)
def _own_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No setting of the machine, and no `.env`, reaches a test."""
    for name in [name for name in os.environ if name.startswith(OURS)]:
        monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)


@pytest.fixture(autouse=True)
def _usual_rights() -> Iterator[None]:
    """What opening a ledger narrows for its process does not reach the next test."""
    before = os.umask(0o022)
    yield
    os.umask(before)


@pytest.fixture(scope="session")
def embedder() -> Embedder:
    """The packaged model, loaded once."""
    return Embedder(IngestSettings(_env_file=None))
