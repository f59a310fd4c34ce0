"""Texts made comparable: typographic variants, white space and Markdown's marks, offsets kept."""

import html
import re
import unicodedata
from dataclasses import dataclass

from ingest.caches import cached

_SIGNS = str.maketrans(
    {
        **dict.fromkeys("‘’‚‛′＇", "'"),
        **dict.fromkeys("“”„‟″«»＂", '"'),
        **dict.fromkeys("‐‑‒–—―−﹣－", "-"),
        "…": "...",
    }
)
_INVISIBLE = frozenset("\u00ad\u200b\u200c\u200d\u2060\ufeff")


@dataclass(frozen=True, slots=True)
class Folded:
    """`text` with its variants folded; `offsets[i]` is where its character `i` came from."""

    text: str
    offsets: tuple[int, ...]


def fold(text: str) -> Folded:
    """One sign for each family of quotes and dashes, one space for each run of white space."""
    out: list[str] = []
    offsets: list[int] = []
    for i, char in enumerate(text):
        if char in _INVISIBLE:
            continue
        folded = " " if char.isspace() else unicodedata.normalize("NFKC", char).translate(_SIGNS)
        if folded == " " and (not out or out[-1] == " "):
            continue
        out += folded
        offsets += [i] * len(folded)
    if out and out[-1] == " ":
        out.pop()
        offsets.pop()
    return Folded("".join(out), tuple(offsets))


_LINK = re.compile(r"!?\[([^\]\n]{0,500})\]\(\s*+<?+([^)\s>]{0,1000}+)(?=[)\s>])>?+[^)]{0,200}+\)")
_LINE_MARK = re.compile(r"(?m)^[ \t>]*(?:#{1,6}[ \t]+|[-*+•][ \t]+|\d{1,3}[.)][ \t]+)")
_EMPHASIS = re.compile(r"(?<!\w)[*_]{1,3}(?=\S)|(?<=\S)[*_]{1,3}(?!\w)|~~|\*{2,3}|`+")
_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")


@cached(chars=1_000_000)
def plain(text: str) -> str:
    """The words of a piece of Markdown, folded: no emphasis, code or line marks, no escapes.

    A link becomes its words and its address. For comparing, not for showing: offsets are lost.
    """
    text = _LINK.sub(r"\1 \2", text)
    text = _LINE_MARK.sub("", text)
    text = _EMPHASIS.sub("", text)
    text = _ESCAPE.sub(r"\1", text)
    return fold(html.unescape(text)).text
