"""Indexes over folders of one test, with the model that is loaded already."""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ingest.embed import Embedder, Serving, Vectors
from ingest.index import Index
from ingest.settings import IngestSettings
from ingest.types import Report


class Watched(Embedder):
    """The loaded model, which remembers what it was given."""

    def __init__(self, loaded: Embedder) -> None:
        loaded.load()
        self.__dict__.update(loaded.__dict__)
        self.texts: list[str] = []

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        self.texts += texts
        return super().embed_passages(texts)


def settings(*folders: Path, **changes: object) -> IngestSettings:
    """Settings for folders, with the data beside the first one."""
    given = {"docs": os.pathsep.join(map(str, folders)), "data": folders[0].parent / "data"}
    return IngestSettings(_env_file=None).model_copy(update={**given, **changes})


@contextmanager
def opened(chosen: IngestSettings, embedder: Embedder) -> Iterator[Index]:
    """An index that embeds with a model of the test's."""
    index = Index(chosen)
    index.embedder = embedder
    index.serving = Serving(embedder)
    with index:
        yield index


def sync(chosen: IngestSettings, embedder: Embedder, **how: Any) -> Report:
    """One pass by a process of its own, so to speak."""
    with opened(chosen, embedder) as index:
        return index.sync(**how)


def counts(report: Report) -> tuple[int, int, int, int]:
    """Documents added, changed, removed, unchanged."""
    return report.added, report.changed, report.removed, report.unchanged
