"""Errors that name the file, setting or id and the way to mend it. No traceback reaches a user."""


class FootnoteError(Exception):
    """Its text is a sentence for the person in front of the terminal."""


class SettingsError(FootnoteError):
    """A setting is missing or makes no sense; the text names it."""


class BusyError(FootnoteError):
    """Another process owns the indexes; the text names its pid."""


class DocumentError(FootnoteError):
    """One document cannot be taken in; the rest goes on."""


class ReaderError(FootnoteError):
    """The process that reads documents cannot be started; no document is at fault."""


class LedgerError(FootnoteError):
    """The ledger is damaged or from another version."""


class SourceError(FootnoteError):
    """A source cannot be listed, or lists so little that retiring the rest would be rash."""


class StoppedError(FootnoteError):
    """A pass was told to stop before its end; raise it from the pass's `progress`."""
