"""A cross-encoder's weights: from the disk, or fetched once; never while a question waits."""

import hashlib
import logging
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from bot.settings import DEFAULT_RERANKER, Settings
from ingest.embed import first_wrong

if TYPE_CHECKING:
    from sentence_transformers import CrossEncoder

# The commit of the default model on the hub, and the sha256 of each file of it that is loaded.
PINNED = {
    DEFAULT_RERANKER: (
        "c5ee24cb16019beea0893ab7796b1df96625c6b8",
        {
            "config.json": "380e02c93f431831be65d99a4e7e5f67c133985bf2e77d9d4eba46847190bacc",
            "model.safetensors": "821d1aa69520101d6e0737f78a042ae25b19e5cb9160701909d10434f4aeb0ae",
            "special_tokens_map.json": (
                "3c3507f36dff57bce437223db3b3081d1e2b52ec3e56ee55438193ecb2c94dd6"
            ),
            "tokenizer.json": "d241a60d5e8f04cc1b2b3e9ef7a4921b27bf526d9f6050ab90f9267a1f9e5c66",
            "tokenizer_config.json": (
                "a5c2e5a7b1a29a0702cd28c08a399b5ecc110c263009d17f7e3b415f25905fd8"
            ),
        },
    )
}

log = logging.getLogger(__name__)

PROBE_TIMEOUT_S = 5  # a hub that does not answer this soon counts as out of reach

_SHA1_CHARS, _SHA256_CHARS = 40, 64
_PART_BYTES = 1 << 20

# Run in a child: the hub's client retries for 47 s when it is offline and cannot be cancelled.
_FETCH = """
import sys, urllib.request
from huggingface_hub import constants, snapshot_download
if constants.HF_HUB_OFFLINE:
    sys.exit(3)
name, revision, probe_s = sys.argv[1], sys.argv[2], float(sys.argv[3])
url = f"{constants.ENDPOINT}/{name}/resolve/{revision}/config.json"
urllib.request.urlopen(urllib.request.Request(url, method="HEAD"), timeout=probe_s).close()
kinds = ["*.json", "*.txt", "model.safetensors", "*.model"]
snapshot_download(name, revision=revision, allow_patterns=kinds)
"""


def on_disk(name: str) -> Path | None:
    """The folder of a model that needs no network; `name` is a folder or see `split`."""
    if (Path(name) / "config.json").is_file():
        return Path(name)
    from huggingface_hub import try_to_load_from_cache
    from huggingface_hub.errors import HFValidationError

    try:
        name, revision = split(name)
        config = try_to_load_from_cache(name, "config.json", revision=revision)
        weights = try_to_load_from_cache(name, "model.safetensors", revision=revision)
    except HFValidationError:
        return None
    return Path(config).parent if isinstance(config, str) and isinstance(weights, str) else None


def split(name: str) -> tuple[str, str]:
    """A model's name on the hub and its revision: as given, else the pinned one or `main`."""
    plain, _, revision = name.partition("@")
    pinned, _ = PINNED.get(plain, ("main", None))
    return plain, revision or pinned


def is_published(name: str, folder: Path) -> bool:
    """Whether the files are the published ones: by their digests here, or those of the hub's cache.

    Of a folder that is neither pinned nor of the cache nothing is known, and it is taken as it is.
    """
    plain, revision = split(name)
    pinned, files = PINNED.get(plain, ("", {}))
    wrong = first_wrong(folder, files) if revision == pinned else _other_than_fetched(folder)
    if wrong:
        told = "The model is not used: %s is not that of %s at %s. Remove it to fetch it anew."
        log.error(told, folder / wrong, plain, revision)
    return wrong is None


def _other_than_fetched(folder: Path) -> str | None:
    """The first file whose content is not what its name in the hub's cache says.

    The cache names content by the digest that the hub gave: a large file's sha256, of others git's.
    """
    for file in sorted(folder.iterdir()):
        kept = file.resolve()
        if kept.parent.name != "blobs" or len(kept.name) not in (_SHA1_CHARS, _SHA256_CHARS):
            continue
        digest = hashlib.sha256()
        if len(kept.name) == _SHA1_CHARS:
            digest = hashlib.sha1(f"blob {kept.stat().st_size}\0".encode())  # noqa: S324 - git's
        with kept.open("rb") as content:
            while part := content.read(_PART_BYTES):
                digest.update(part)
        if digest.hexdigest() != kept.name:
            return file.name
    return None


def obtain(name: str, settings: Settings) -> Path | None:
    """The folder of a model whose files are the published ones; None if there is no such.

    Blocking. A download is tried once, in a child process with a time limit, where the settings
    allow it.
    """
    folder = on_disk(name)
    if folder is None and settings.reranker_download:
        fetch(name, settings.download_timeout_s)
        folder = on_disk(name)
    return folder if folder is not None and is_published(name, folder) else None


def fetch(name: str, timeout_s: float) -> None:
    """Try once to fetch a model into the hub's cache; a failure is left to the caller to tell."""
    command = [sys.executable, "-c", _FETCH, *split(name), str(PROBE_TIMEOUT_S)]
    try:
        subprocess.run(command, timeout=timeout_s, check=True, capture_output=True)  # noqa: S603
    except (subprocess.SubprocessError, OSError) as error:
        log.debug("the model %s could not be fetched (%s)", name, type(error).__name__)


def load(folder: Path, *, probabilities: bool = True) -> "CrossEncoder | None":
    """The cross-encoder in a folder, giving probabilities or logits; None: it cannot be loaded."""
    import torch
    from sentence_transformers import CrossEncoder

    activation = torch.nn.Sigmoid() if probabilities else torch.nn.Identity()
    try:
        model: CrossEncoder = CrossEncoder(
            str(folder), device="cpu", local_files_only=True, activation_fn=activation
        )
    except (OSError, ValueError, RuntimeError) as error:
        log.warning("the model in %s cannot be loaded (%s)", folder, type(error).__name__)
        return None
    return model
