"""Tokens of a text as the embedding model counts them, without the model: cheap to hand over."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

CountTokens = Callable[[str], int]


@dataclass(frozen=True, slots=True)
class TokenCounter:
    """Counts with a tokenizer that neither pads nor truncates; can be sent to another process."""

    tokenizer: Any  # a tokenizers.Tokenizer, which has no types

    def __call__(self, text: str) -> int:
        """Tokens of a text without special tokens."""
        return len(self.tokenizer.encode(text, add_special_tokens=False).ids)

    def spans(self, text: str) -> list[tuple[int, int]]:
        """Where each of them stands, in characters."""
        offsets = self.tokenizer.encode(text, add_special_tokens=False).offsets
        return [(int(start), int(end)) for start, end in offsets]
