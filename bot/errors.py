"""Errors of answering. An abstention is a value, never one of these."""

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
    """The generator says that the passages do not answer the question."""
