import os
from pathlib import Path

from ingest.embed import Embedder
from tests.indexes import opened, settings

OLD = """---
title: Rates
updated: 2024-01-15
status: superseded
---

These rates are old.

# More

X is 1.
"""


def test_a_document_is_known_by_what_its_front_matter_its_opening_and_its_file_say(
    tmp_path: Path, embedder: Embedder
) -> None:
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "rates.md").write_text(OLD, encoding="utf-8")
    (docs / "bare.txt").write_text("Nothing is said of it.", encoding="utf-8")
    for name in ("rates.md", "bare.txt"):
        os.utime(docs / name, (1_700_000_000, 1_700_000_000))
    with opened(settings(docs), embedder) as index:
        index.sync()
        found = index.ledger.imprints(["rates.md", "bare.txt", "unknown.md"])
        assert found.keys() == {"rates.md", "bare.txt"}
        rates = found["rates.md"]
        assert (rates.title, rates.front_matter["updated"], rates.front_matter["status"]) == (
            "Rates",
            "2024-01-15",
            "superseded",
        )
        assert rates.opening.strip() == "These rates are old."
        assert rates.modified == 1_700_000_000
        assert found["bare.txt"].front_matter == {}
        (docs / "rates.md").write_text("# Rates\n\nThese rates are new.\n", encoding="utf-8")
        index.sync()
        assert index.ledger.imprints(["rates.md"])["rates.md"].front_matter == {}
        (docs / "bare.txt").unlink()
        index.sync(accept_removals=True)
        assert index.ledger.imprints(["bare.txt"]) == {}
