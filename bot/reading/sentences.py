"""Where sentences begin and end, in exact character offsets. Pure; knows Markdown only lightly."""

import re
from bisect import bisect_left

# An end mark, with what closes after it: quotes, brackets, emphasis.
_END = re.compile(r"(?<![.!?…])[.!?…]++[\"'”’»)\]*_`]*+(?=\s)|[。！？]+[」』”’）]*")
_BREAK = re.compile(
    r"\n[ \t]*(?=\n)"  # a blank line
    r"|\n(?=[ \t]*(?:[-*+•]|\d{1,3}[.)])\s)"  # the next list item
    r"|(?:(?<! ) {2,}|\\)\n"  # a hard line break
)
_CODE = re.compile(r"(?<!`)(`++).+?(?<!`)\1(?!`)", re.DOTALL)
_SPACE = re.compile(r"\s*")
_NEXT_CHARS = 200  # of what follows an end, opening quotes and markup included
_NEVER_LAST = """
e.g i.e eg ie cf vs approx ca nos vol fig figs ch sec art para p pp ed eds est dept mr mrs ms dr
prof st gov incl excl tel ext resp z.b d.h bzw jan feb mar apr jun jul aug sep sept oct nov dec
"""
# After these a sentence may well end: the next word's capital decides.
_OFTEN_LAST = "etc inc ltd co corp a.m p.m u.s u.k jr sr al max min no"
_ABBREVIATIONS = frozenset(_NEVER_LAST.split())
_BEFORE_CAPITAL = frozenset(_OFTEN_LAST.split())
_WORD_BEFORE = re.compile(r"(?<![\w.])[\w.]+$")
_LIST_NUMBER = re.compile(r"(?:^|\n|[.!?:]\s)[ \t]*(?:\d{1,3}|[a-zA-Z])$")


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """Ranges `[start, end)` of the sentences of a text, outer white space excluded, in order.

    Together they hold every character that is not white space. Nothing is cut inside a code span
    or a parenthesis, after an abbreviation, an initial or the number of a list item, or before a
    word in lower case.
    """
    cuts = sorted({m.end() for m in _BREAK.finditer(text)} | set(_mark_ends(text)))
    spans = []
    start = 0
    for cut in [*cuts, len(text)]:
        part = text[start:cut]
        if stripped := part.strip():
            begin = start + part.index(stripped[0])
            spans.append((begin, begin + len(stripped)))
        start = max(cut, start)
    return spans


def _mark_ends(text: str) -> list[int]:
    code = [m.span() for m in _CODE.finditer(text)]
    starts = [start for start, _ in code]
    open_at = _OpenBrackets(text)
    ends = []
    for mark in _END.finditer(text):
        within = bisect_left(starts, mark.start()) - 1
        in_code = within >= 0 and mark.start() < code[within][1]
        if not in_code and _ends_sentence(text, mark) and not open_at(mark.end()):
            ends.append(mark.end())
    return ends


def _ends_sentence(text: str, mark: re.Match[str]) -> bool:
    if mark.group()[0] in "。！？":
        return True
    begins = _SPACE.match(text, mark.end()).end()  # type: ignore[union-attr]
    rest = text[begins : begins + _NEXT_CHARS]
    if rest.lstrip("\"'“‘«([*_`~")[:1].islower():
        return False
    if mark.group()[0] != "." or mark.group().startswith(".."):
        return True
    return _full_stop_ends(text[max(0, mark.start() - 24) : mark.start()], rest)


def _full_stop_ends(before: str, rest: str) -> bool:
    """Whether a single full stop ends a sentence, or belongs to a number or an abbreviation."""
    if _LIST_NUMBER.search(before):
        return False
    word = found.group() if (found := _WORD_BEFORE.search(before)) else ""
    if len(word) == 1 and word.isupper():  # an initial
        return not rest[:1].isupper()
    if word.casefold() in _BEFORE_CAPITAL:
        return rest[:1].isupper()
    return word.casefold() not in _ABBREVIATIONS


class _OpenBrackets:
    """Asked for ends in their order: whether a parenthesis open there is closed later.

    Each character is counted once, whatever the number of ends.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._read = 0
        self._depth = 0

    def __call__(self, end: int) -> bool:
        """Whether the paragraph up to `end` has an open parenthesis that is closed later in it."""
        text = self._text
        paragraph = text.rfind("\n\n", self._read, end) + 1
        if paragraph:
            self._read, self._depth = paragraph, 0
        self._depth += text.count("(", self._read, end) - text.count(")", self._read, end)
        self._read = end
        if self._depth <= 0:
            return False
        after = text[end : end + 400].split("\n\n", 1)[0]
        return ")" in after and after.find(")") < (after.find("(") if "(" in after else len(after))
