from pathlib import Path

from bot.cli.doctor import examine
from bot.settings import Settings
from ingest.embed import Embedder
from tests.indexes import opened, settings, sync
from tests.trees import write

TREE = {
    "leave.md": "# Leave\n\nEmployees get 27 days a year.\n",
    "keys.md": "# Keys\n\nAn API key lives for 90 days.\n",
}


def looked_at(root: Path) -> dict[str, tuple[str, str]]:
    chosen = Settings(_env_file=None, docs=str(root / "docs"), data=root / "data")
    return {f.about: (f.mark, f.text) for f in examine(chosen, deep=True)}


def test_a_deep_look_finds_every_passage_by_its_own_text(
    tmp_path: Path, embedder: Embedder
) -> None:
    write(tmp_path / "docs", TREE)
    sync(settings(tmp_path / "docs"), embedder)
    found = looked_at(tmp_path)
    assert found["vectors"] == ("ok", "each is the ledger's")
    assert found["probe"] == (
        "ok",
        "of 2 passages the dense index finds 100.0% by their own text, BM25 100.0%",
    )


def test_a_deep_look_finds_a_vector_that_is_not_the_ledgers(
    tmp_path: Path, embedder: Embedder
) -> None:
    write(tmp_path / "docs", TREE)
    chosen = settings(tmp_path / "docs")
    sync(chosen, embedder)
    with opened(chosen, embedder) as index:
        (wrong, *_) = sorted(index.ledger.live_hashes())
        index.vectors.put(embedder.recipe, [wrong], embedder.embed_passages(["something else"]))
        assert index.differing() == {wrong}
    mark, told = looked_at(tmp_path)["vectors"]
    assert (mark, told.split(":")[0]) == ("wrong", "1 vectors are not the ledger's")
