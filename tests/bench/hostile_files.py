"""Small files of kinds that stop a parser, a pattern or a database."""

from collections.abc import Iterator

RUN = 20_000
SIGNS = {
    "dots": ".",
    "dashes": "-",
    "underscores": "_",
    "pipes": "|",
    "backticks": "`",
    "asterisks": "*",
    "brackets": "[",
    "angles": "<",
    "cells": "<td ",
    "comments": "<!--",
    "spaces": " ",
    "tabs": "\t",
    "zero-width": "\u200b",
    "emoji": "\U0001f600",
    "combining": "e\u0301",
    "words": "word ",
    "base64": "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVo0NTY3ODkw",
}


def files() -> Iterator[tuple[str, str]]:
    """Names and texts; each holds a sentence that can be found when it is taken in."""
    for name, sign in SIGNS.items():
        run = sign * (RUN // len(sign))
        yield f"run-{name}.md", f"# Run of {name}\n\nBefore {run} after.\n"
        yield f"run-{name}.txt", f"Before {run} after.\n"
    yield "title.md", f"# {'Long title ' * 9000}\n\n" + "One paragraph of it.\n\n" * 400
    yield "title-front.md", f"---\ntitle: {'x' * 100_000}\n---\n" + "A paragraph.\n\n" * 400
    yield (
        "headings.md",
        "".join(f"{'#' * (1 + n % 6)} Heading {n}\n\nText.\n\n" for n in range(4000)),
    )
    yield "quotes.md", "> " * 2000 + "deep\n"
    yield "lists.md", "".join("  " * n + "- deep\n" for n in range(400))
    yield "table.md", table(20_000)
    yield "wide.md", f"|{'cell|' * 4000}\n|{'---|' * 4000}\n" + f"|{'x|' * 4000}\n" * 20
    yield "links.md", "".join(f"[a{n}](b{n}) [c{n}][d{n}]\n" for n in range(5000))
    yield "definitions.md", "".join(f"[d{n}]: http://e/{n}\n" for n in range(20_000))
    yield "notes.md", "".join(f"Text[^{n}].\n\n[^{n}]: Note {n}.\n\n" for n in range(5000))
    yield "bomb.md", "---\n" + _bomb() + "---\n\nAfter the bomb.\n"
    yield "values.md", "---\n" + "".join(f"k{n}: v\n" for n in range(20_000)) + "---\n\nText.\n"


def table(rows: int) -> str:
    """A table of some 120 characters a row."""
    head = "| Number | Name | What it is for | Who keeps it |\n|---|---|---|---|\n"
    cells = "is kept in the store behind the workshop | the head of the workshop of that site"
    return head + "".join(f"| {n} | Item number {n} | {cells} |\n" for n in range(rows))


def _bomb() -> str:
    nested = (f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 12))
    return "a0: &a0 [x, x, x, x, x, x, x, x, x]\n" + "".join(nested)
