"""What a file's name says: its format, its template language, a title for want of a better one."""

from pathlib import PurePosixPath
from typing import Final, Literal

Format = Literal["markdown", "text"]

TEXT: Final = "text"
MARKDOWN_SUFFIXES = frozenset({".md", ".markdown", ".mdx"})
ERB_SUFFIXES = frozenset({".erb"})
CURLY_SUFFIXES = frozenset({".njk", ".nunjucks", ".j2", ".jinja", ".jinja2", ".liquid", ".twig"})


def suffixes(path: str) -> list[str]:
    """The suffixes of a path's last part, in lower case, the outermost last."""
    name = path.rpartition("/")[2]
    if name.endswith("."):
        return []
    return ["." + suffix.lower() for suffix in name.lstrip(".").split(".")[1:]]


def format_of(path: str) -> Format | None:
    """The format by name; None when it is not supported."""
    found = suffixes(path)
    if found and found[-1] in ERB_SUFFIXES | CURLY_SUFFIXES:
        found.pop()
    elif found[-1:] == [".txt"]:
        return TEXT
    return "markdown" if found and found[-1] in MARKDOWN_SUFFIXES else None


def readable_stem(path: str) -> str:
    """`guides/annual-leave.html.md.erb` -> `Annual leave`."""
    name = PurePosixPath(path).name
    known = MARKDOWN_SUFFIXES | ERB_SUFFIXES | CURLY_SUFFIXES | {".txt", ".html"}
    while (suffix := PurePosixPath(name).suffix).lower() in known and suffix:
        name = name[: -len(suffix)]
    words = " ".join(name.replace("-", " ").replace("_", " ").split())
    return words[:1].upper() + words[1:] or name
