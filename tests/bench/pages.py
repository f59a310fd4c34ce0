"""Made-up pages: sentences of the sample handbook in a new order, each page different."""

import random
import re
from collections.abc import Iterator
from pathlib import Path

from tests.commands import HANDBOOK

LONG_AGO = 1_700_000_000


def sentences() -> list[str]:
    text = "\n".join(page.read_text("utf-8") for page in sorted(HANDBOOK.rglob("*.md")))
    found = re.findall(r"^[A-Z][^\n|`#*]+[.]$", text, re.MULTILINE)
    return [s for paragraph in found for s in re.split(r"(?<=[.]) (?=[A-Z])", paragraph)]


def pages(count: int, seed: int = 1) -> Iterator[str]:
    """Pages of about a dozen passages under headings."""
    rng = random.Random(seed)
    known = sentences()
    for n in range(count):
        lines = [f"# Page {n}", ""]
        for section in range(6):
            lines += [f"## {' '.join(rng.choice(known).split()[:4]).strip('.,')}", ""]
            for _ in range(rng.randint(1, 4)):
                words = rng.sample(known, rng.randint(2, 5))
                lines += [" ".join([*words, f"It is note {n}.{section}."]), ""]
        yield "\n".join(lines)


def write_pages(root: Path, count: int) -> Path:
    root.mkdir(parents=True)
    for n, text in enumerate(pages(count)):
        (root / f"page-{n:04}.md").write_text(text, encoding="utf-8")
    return root
