"""Errors of answering. An abstention is a value, never one of these."""

from collections.abc import Sequence

from ingest.errors import FootnoteError


class ModelError(FootnoteError):
    """The language model gave no usable answer; its text is fit for the log, not for a user."""


class TransientModelError(ModelError):
    """The model is overloaded, slow or out of reach: another way to answer may be taken."""


class BrokenStreamError(TransientModelError):
    """An answer began and did not end; nothing has been tried again yet."""


class PermanentModelError(ModelError):
    """Asking again would fail again: a wrong key, an unknown model, a refused request."""


class NotInSources(Exception):  # noqa: N818 - a generator's word, not a fault
    """The generator says that the passages do not answer the question, or these parts of it."""

    def __init__(self, reason: str = "", parts: Sequence[str] = ()) -> None:
        super().__init__(reason)
        self.parts = tuple(parts)
