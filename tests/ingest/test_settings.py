from pathlib import Path

import pytest

from bot.settings import Settings
from ingest.errors import SettingsError
from ingest.settings import IngestSettings, load_settings, unknown_settings


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("FOOTNOTE_TOP_K", "five", "it must be a whole number (Passages that an answer is"),
        ("FOOTNOTE_TOP_K", "0", "it must be more than 0 ("),
        ("FOOTNOTE_MIN_SCORE", "1.5", "it must be at most 1 ("),
        ("FOOTNOTE_SURE_SCORE", "-1", "it must be at least 0 ("),
        ("FOOTNOTE_DTYPE", "half", "it must be 'auto', 'float32' or 'bfloat16' ("),
        ("FOOTNOTE_MENTION_ONLY", "maybe", "it must be true or false ("),
        ("FOOTNOTE_GAPS_CHANNEL", "#gaps", "it does not have the form that is asked for (Id of"),
        ("ANTHROPIC_BASE_URL", "localhost", "it does not have the form that is asked for"),
    ],
)
def test_a_wrong_setting_is_named_with_what_it_must_be(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str, words: str
) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(SettingsError) as refused:
        load_settings(Settings)
    assert str(refused.value).startswith(f"{name} is wrong: {words}")
    assert value not in str(refused.value).replace(words, "")


def test_all_wrong_settings_are_named_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FOOTNOTE_TOP_K", "x")
    Path(".env").write_text("FOOTNOTE_THREADS=-1\n")
    with pytest.raises(SettingsError) as refused:
        load_settings(Settings)
    told = sorted(line.split(" ")[0] for line in str(refused.value).splitlines())
    assert told == ["FOOTNOTE_THREADS", "FOOTNOTE_TOP_K"]


def test_a_name_that_is_no_setting_is_told_with_the_one_it_is_like(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("FOOTNOTE_TOPK", "3")
    monkeypatch.setenv("FOOTNOTE_TOP_K", "3")
    Path(".env").write_text("FOOTNOTE_QQQQ=1\nfootnote_docs=handbook\nOTHER=1\n")
    assert list(unknown_settings(Settings)) == [
        "FOOTNOTE_QQQQ is no setting and changes nothing.",
        "FOOTNOTE_TOPK is no setting and changes nothing: did you mean FOOTNOTE_TOP_K?",
    ]


def test_an_env_file_that_is_no_text_is_named() -> None:
    Path(".env").write_bytes(b"FOOTNOTE_DOCS=\xff\xfe\n")
    with pytest.raises(SettingsError, match=r"^\.env is not UTF-8 text"):
        load_settings(IngestSettings)
