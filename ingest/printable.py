"""Text of documents, models and people as a terminal may show it: data, never commands to it."""

import logging
import re
from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.text import Text

# Control characters but for the line end and the tab, and the marks that turn the direction of
# writing around: a terminal obeys the former (colours, titles, the bell), a reader is misled by
# the latter (https://trojansource.codes).
# Invisible tag characters hide words in what is copied. The weak marks U+061C, U+200E and U+200F
# stay: Hebrew and Arabic texts need them, and they turn nothing around.
_UNSAFE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\U000e0000-\U000e007f]"
)
_SUBSTITUTE = "\ufffd"
NAMED = 10  # files in one line


def printable(text: str) -> str:
    """The text with a substitute for each character that a terminal would act on; as long."""
    return _UNSAFE.sub(_SUBSTITUTE, text)


def one_line(text: str) -> str:
    """A name as part of a line: printable, its line ends and tabs substituted as well."""
    return re.sub(r"[\n\t]", _SUBSTITUTE, printable(text))


def clean(data: object) -> object:
    """JSON-like data on its way out, with each of its texts printable."""
    if isinstance(data, str):
        return printable(data.replace("\r\n", "\n"))
    if isinstance(data, Mapping):
        return {key: clean(value) for key, value in data.items()}
    return [clean(value) for value in data] if isinstance(data, list | tuple) else data


class OneLineFormatter(logging.Formatter):
    """A formatter whose messages stay on their line, and whose traces cannot pass for messages."""

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - logging's name
        """The line, with a substitute for whatever would end it or command a terminal."""
        return one_line(super().formatMessage(record))

    def formatException(self, ei: Any) -> str:  # noqa: ANN401, N802 - logging's
        """The trace, each of its lines indented."""
        return "  " + printable(super().formatException(ei)).replace("\n", "\n  ")


def counted(number: int, thing: str) -> str:
    """How many there are, as people say it: `1 document`, `1,240 documents`."""
    return f"{number:,} {thing}" if number == 1 else f"{number:,} {thing}s"


class PlainConsole(Console):
    """A console that obeys no command hidden in what it prints."""

    def print(self, *objects: object, **how: object) -> None:
        """See `rich.console.Console.print`."""
        super().print(*map(_made_printable, objects), **how)  # type: ignore[arg-type]


def _made_printable(thing: object) -> object:
    if isinstance(thing, str):
        return printable(thing)
    if isinstance(thing, Text):
        thing.plain = printable(thing.plain)
    return thing


def not_read(names: Sequence[str]) -> str:
    """That files are of kinds that cannot be read: the first few by name, the rest counted."""
    more = f" and {counted(len(names) - NAMED, 'other')}" if len(names) > NAMED else ""
    listed = ", ".join(one_line(name) for name in names[:NAMED])
    return f"Not read, as their kind is not supported: {listed}{more}."
