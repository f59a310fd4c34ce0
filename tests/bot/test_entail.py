"""A local cross-encoder as judge: tiny real models, whose heads the tests set by hand."""

import hashlib
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from bot.entail import EntailmentJudge, choose_verifier
from bot.settings import Settings
from bot.types import Claim
from ingest.embed import Embedder
from ingest.errors import SettingsError
from ingest.types import Chunk

LEAVE = Chunk("aaa111", "leave.md", "Handbook > Leave", 0, 18, "Staff get 25 days.")
CLAIMS = (Claim("Staff get 25 days.", (LEAVE,)), Claim("Staff get leave.", (LEAVE,)))
NLI = ("contradiction", "entailment", "neutral")


def tiny(folder: Path, embedder: Embedder, labels: Sequence[str], biases: Sequence[float]) -> Path:
    """A checkpoint whose logits are these biases, whatever it reads."""
    import torch
    from transformers import BertConfig, BertForSequenceClassification

    config = BertConfig(
        vocab_size=30522,
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=16,
        num_labels=len(labels),
        id2label=dict(enumerate(labels)),
        label2id={label: i for i, label in enumerate(labels)},
    )
    model = BertForSequenceClassification(config)
    with torch.no_grad():
        model.classifier.weight.zero_()
        model.classifier.bias.copy_(torch.tensor(biases))
    model.save_pretrained(folder)
    embedder._loaded.tokenizer.save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def pool() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(1) as executor:
        yield executor


def chosen(name: str, pool: ThreadPoolExecutor) -> EntailmentJudge | None:
    given = {"verifier": name, "reranker_download": False}
    return choose_verifier(Settings(_env_file=None).model_copy(update=given), pool)


@pytest.mark.parametrize(
    ("head", "verdict"),
    [
        ((NLI, (-2.0, 3.0, 0.0)), "yes"),
        ((NLI, (3.0, -2.0, 0.0)), "no"),
        ((NLI, (-1.0, 0.0, 5.0)), "yes"),
        ((("ENTAILMENT", "NEUTRAL", "CONTRADICTION"), (3.0, 0.0, -2.0)), "yes"),
        ((("supported",), (2.0,)), "yes"),
        ((("supported",), (-2.0,)), "no"),
    ],
)
async def test_a_local_model_of_either_kind_judges_each_sentence(
    head: tuple[Sequence[str], Sequence[float]],
    verdict: str,
    tmp_path: Path,
    embedder: Embedder,
    pool: ThreadPoolExecutor,
) -> None:
    folder = tiny(tmp_path, embedder, *head)
    judge = chosen(str(folder), pool)
    assert judge is not None
    assert judge.name == str(folder)
    judged = await judge.check(CLAIMS)
    assert [(word.text, word.verdict) for word in judged] == [
        ("Staff get 25 days.", verdict),
        ("Staff get leave.", verdict),
    ]
    assert judge.verdicts == {verdict: 2}


async def test_without_sentences_no_model_runs(
    tmp_path: Path, embedder: Embedder, pool: ThreadPoolExecutor
) -> None:
    judge = chosen(str(tiny(tmp_path, embedder, NLI, (0.0, 0.0, 0.0))), pool)
    assert judge is not None
    assert await judge.check(()) == ()


def test_a_model_of_another_kind_is_refused_with_its_labels(
    tmp_path: Path, embedder: Embedder, pool: ThreadPoolExecutor
) -> None:
    folder = tiny(tmp_path, embedder, ("sad", "happy"), (0.0, 0.0))
    with pytest.raises(SettingsError, match=r"FOOTNOTE_VERIFIER=.*it has sad, happy\."):
        chosen(str(folder), pool)


def test_a_model_that_is_not_at_hand_is_told_of_and_none_judges(
    pool: ThreadPoolExecutor, caplog: pytest.LogCaptureFixture
) -> None:
    assert chosen("", pool) is None
    assert chosen("nobody/no-such-model", pool) is None
    assert caplog.messages == [
        "The verifier nobody/no-such-model is not on this machine and was not fetched."
    ]


def cached(hub_cache: Path, made: Path) -> Path:
    """The checkpoint as the hub's cache keeps it: content under its digest, and links to it."""
    root = hub_cache / "models--some--verifier"
    snapshot, blobs = root / "snapshots" / "c0ffee", root / "blobs"
    for folder in (snapshot, blobs, root / "refs"):
        folder.mkdir(parents=True)
    (root / "refs" / "main").write_text("c0ffee")
    for file in made.iterdir():
        data = file.read_bytes()
        git = hashlib.sha1(b"blob %d\0" % len(data) + data)  # noqa: S324 - git's own digest
        large = file.suffix == ".safetensors"
        blob = blobs / (hashlib.sha256(data) if large else git).hexdigest()
        blob.write_bytes(data)
        (snapshot / file.name).symlink_to(blob)
    return snapshot


def test_a_fetched_model_whose_file_is_no_longer_the_published_one_does_not_judge(
    tmp_path: Path,
    embedder: Embedder,
    pool: ThreadPoolExecutor,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    made = tiny(tmp_path / "made", embedder, NLI, (0.0, 0.0, 0.0))
    snapshot = cached(tmp_path / "hub", made)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path / "hub"))
    assert chosen("some/verifier", pool) is not None
    for changed in ("model.safetensors", "config.json"):
        blob = (snapshot / changed).resolve()
        published = blob.read_bytes()
        blob.write_bytes(published + b" ")
        assert chosen("some/verifier", pool) is None
        assert f"{changed} is not that of some/verifier at main" in caplog.text
        blob.write_bytes(published)
