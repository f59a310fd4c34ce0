"""A cross-encoder's weights: from the disk, or fetched once; never while a question waits."""

import logging
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sentence_transformers import CrossEncoder

log = logging.getLogger(__name__)

PROBE_TIMEOUT_S = 5  # a hub that does not answer this soon counts as out of reach

# Run in a child: the hub's client retries for 47 s when it is offline and cannot be cancelled.
_FETCH = """
import sys, urllib.request
from huggingface_hub import constants, snapshot_download
if constants.HF_HUB_OFFLINE:
    sys.exit(3)
name, probe_s = sys.argv[1], float(sys.argv[2])
url = f"{constants.ENDPOINT}/{name}/resolve/main/config.json"
urllib.request.urlopen(urllib.request.Request(url, method="HEAD"), timeout=probe_s).close()
snapshot_download(name, allow_patterns=["*.json", "*.txt", "model.safetensors", "*.model"])
"""


def on_disk(name: str) -> Path | None:
    """The folder of a model that needs no network; `name` is a folder or a hub's name."""
    if (Path(name) / "config.json").is_file():
        return Path(name)
    from huggingface_hub import try_to_load_from_cache
    from huggingface_hub.errors import HFValidationError

    try:
        config = try_to_load_from_cache(name, "config.json")
        weights = try_to_load_from_cache(name, "model.safetensors")
    except HFValidationError:
        return None
    return Path(config).parent if isinstance(config, str) and isinstance(weights, str) else None


def fetch(name: str, timeout_s: float) -> None:
    """Try once to fetch a model into the hub's cache; a failure is left to the caller to tell."""
    command = [sys.executable, "-c", _FETCH, name, str(PROBE_TIMEOUT_S)]
    try:
        subprocess.run(command, timeout=timeout_s, check=True, capture_output=True)  # noqa: S603
    except (subprocess.SubprocessError, OSError) as error:
        log.debug("the reranker %s could not be fetched (%s)", name, type(error).__name__)


def load(folder: Path) -> "CrossEncoder | None":
    """The cross-encoder in a folder, giving probabilities; None when it cannot be loaded."""
    import torch
    from sentence_transformers import CrossEncoder

    try:
        model: CrossEncoder = CrossEncoder(
            str(folder), device="cpu", local_files_only=True, activation_fn=torch.nn.Sigmoid()
        )
    except (OSError, ValueError, RuntimeError) as error:
        log.warning("the reranker in %s cannot be loaded (%s)", folder, type(error).__name__)
        return None
    return model
