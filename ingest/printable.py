"""Text of documents, models and people as a terminal may show it: data, never commands to it."""

import re

from rich.console import Console
from rich.text import Text

# Control characters but for the line end and the tab, and the marks that turn the direction of
# writing around: a terminal obeys the former (colours, titles, the bell), a reader is misled by
# the latter (https://trojansource.codes).
_UNSAFE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
_SUBSTITUTE = "\ufffd"


def printable(text: str) -> str:
    """The text with a substitute for each character that a terminal would act on; as long."""
    return _UNSAFE.sub(_SUBSTITUTE, text)


def one_line(text: str) -> str:
    """A name as part of a line: printable, its line ends and tabs substituted as well."""
    return re.sub(r"[\n\t]", _SUBSTITUTE, printable(text))


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
