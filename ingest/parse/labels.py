"""Labels of site generators' blocks: a tab's, a warning's, a fold's. They are shown as headings.

A label stands in the attributes of a tag, so it is cut out of the tag, and what is left of the tag
is not shown. Labelled blocks side by side are alternatives: there the label divides the page as a
heading does, and what stands under it is no part of what stands under the next one.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from ingest.parse.lines import LINE_END
from ingest.types import Mask, Span

_ELEMENT = re.compile(r"<(/?)([A-Z][\w.]*+)(?=[\s/>])([^<>]*+)>")
_FOLD = re.compile(
    r"<(details)\b[^<>]*+>\s*+<summary\b[^<>]*+>([^<]{0,500}+(?:<(?!/?summary)[^<]{0,500}+){0,50}+)"
    r"</summary\s*+>|<(/)details\s*+>",
    re.IGNORECASE,
)
_SHORTCODE = re.compile(r"\{(?:%-?|\{[<%])[ \t]*+(/|end)?([A-Za-z][\w:.-]*+)([^{}]*+)\}{1,2}")
_NAMES = ("label", "title", "header", "heading", "summary", "caption", "name")
_QUOTED = r"(?:\"([^\"]++)\"|'([^']++)'|`([^`]++)`)"
_ATTRIBUTE = re.compile(rf"(?<![\w-])({'|'.join(_NAMES)}|value)\s*+[=:]\s*+(?:\{{\s*+)?{_QUOTED}")
_FIRST = re.compile(rf"\s*+{_QUOTED}")
_COLONS = re.compile(
    r"^([ \t]*+)(:{3,}+)[ \t]*+([A-Za-z][\w-]*+)?[ \t]*+(\[?)([^\[\]{}\r\n]*+)"
    r"(\]?(?:\{[^}\r\n]*+\})?)[ \t]*+$",
    re.MULTILINE,
)
_AT_TAB = re.compile(r"^[ \t]*+(@tab(?::\w++)?[ \t]++)([^\r\n]++)", re.MULTILINE)
_INDENTED = re.compile(
    r"^([ \t]*+)(?:(={3}[!+]?[ \t]++)"
    r"|((?:!!!|\?\?\?\+?)[ \t]++)([\w-]++(?:[ \t]++[\w-]++)*+)?[ \t]*+)"
    r"(?:\"([^\"\r\n]*+)\")?[ \t]*+$",
    re.MULTILINE,
)
_ALERT = re.compile(r"^[ \t]*+(?:>[ \t]*+)++(\[!)[A-Za-z]++(\])[+-]?", re.MULTILINE)
_ITEM = re.compile(r"[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]")
_ONLY_TAG = re.compile(r"[ \t]*+(?:(?:</?[A-Za-z][^\r\n]*>|\{[%{][^\r\n]*\})[ \t]*+)?")
_DIVIDING = {"element", "fold", "shortcode", "tab"}
MARKS = "###### "
MAX_LABELS = 500  # of a page
MAX_GAP_CHARS = 2_000
LOOKED_BACK_CHARS = 10_000  # for the list that a block stands in


@dataclass(frozen=True, slots=True)
class Label:
    """A labelled block: where its label stands, up to where it holds, how its tags are shown.

    `kind` and `name` tell what may be its neighbour. `divides`: see the module.
    """

    kind: str
    name: str
    words: Span
    start: int
    inside: int
    end: int
    masks: tuple[Mask, ...]
    divides: bool = False


def labels_of(text: str) -> list[Label]:
    """The labels of a page, by their start; some may stand in code."""
    found = sorted([*_tags(text), *_colons(text), *_indented(text)], key=lambda label: label.start)
    found = found[:MAX_LABELS]
    kin: dict[tuple[str, str], list[Label]] = {}
    for label in found:
        kin.setdefault((label.kind, label.name), []).append(label)
    return [_dividing(text, label, kin[label.kind, label.name]) for label in found]


def alert_masks(text: str) -> Iterator[Mask]:
    """`> [!NOTE]` reads `NOTE:`."""
    for match in _ALERT.finditer(text):
        yield Mask(*match.span(1))
        yield Mask(*match.span(2), ":")


def _dividing(text: str, label: Label, kin: Sequence[Label]) -> Label:
    if label.kind not in _DIVIDING or _nothing(text, label.inside, label.end):
        return label
    before = max((other.end for other in kin if other.end <= label.start), default=-1)
    after = min((other.start for other in kin if other.start >= label.end), default=-1)
    beside = (before >= 0 and _nothing(text, before, label.start)) or (
        after >= 0 and _nothing(text, label.end, after)
    )
    if not (beside or label.kind == "tab") or _in_list(text, label.start):
        return label
    tag = Mask(label.start, label.inside)
    indents = (mask for mask in label.masks if mask.start >= label.inside)
    return replace(label, divides=True, masks=(tag, *indents))


def _nothing(text: str, start: int, end: int) -> bool:
    """Whether there are no words from one place to another, but for tags on their own lines."""
    if end - start > MAX_GAP_CHARS:
        return False
    return all(_ONLY_TAG.fullmatch(line) for line in LINE_END.split(text[start:end]))


def _in_list(text: str, at: int) -> bool:
    """Whether the line stands in a list: one less indented above it is an item."""
    lines = LINE_END.split(text[max(at - LOOKED_BACK_CHARS, 0) : at])
    indent = len(lines[-1]) - len(lines[-1].lstrip())
    for line in reversed(lines[:-1]):
        if not _ONLY_TAG.fullmatch(line) and len(line) - len(line.lstrip()) < indent:
            return _ITEM.match(line) is not None
    return False


def _tags(text: str) -> Iterator[Label]:
    """Components, folds and shortcodes: each from its opening tag to the one that closes it."""
    found = [("element", match) for match in _ELEMENT.finditer(text)]
    found += [("shortcode", match) for match in _SHORTCODE.finditer(text)]
    found += [("fold", match) for match in _FOLD.finditer(text)]
    opened: dict[tuple[str, str], list[tuple[re.Match[str], int]]] = {}
    order: list[tuple[str, str, re.Match[str], int, int]] = []
    for kind, match in sorted(found, key=lambda entry: entry[1].start()):
        closes, name = _reading(kind, match)
        waiting = opened.setdefault((kind, name), [])
        if closes and waiting:
            at = waiting.pop()[1]
            order[at] = (*order[at][:3], match.start(), match.end())
        elif not closes:
            if not _closes_itself(kind, match):
                waiting.append((match, len(order)))
            order.append((kind, name, match, -1, match.end()))
    for kind, name, match, closed_at, end in order:
        words = _words(kind, match, paired=closed_at >= 0)
        if words is not None:
            masks = _masks(text, match.start(), match.end(), words)
            masks += (Mask(closed_at, end),) if closed_at >= 0 else ()
            yield Label(kind, name, words, match.start(), match.end(), end, masks)


def _reading(kind: str, match: re.Match[str]) -> tuple[bool, str]:
    if kind == "fold":
        return bool(match[3]), "details"
    return bool(match[1]), match[2]


def _closes_itself(kind: str, match: re.Match[str]) -> bool:
    return kind != "fold" and match[3].rstrip(" \t-%>").endswith("/")


def _words(kind: str, match: re.Match[str], *, paired: bool) -> Span | None:
    if kind == "fold":
        return Span(*match.span(2)) if match[2] and match[2].strip() else None
    at = match.start(3)
    names = (*_NAMES, "value") if paired else _NAMES[:-1]
    found = {match[1]: match for match in reversed(list(_ATTRIBUTE.finditer(match[3])))}
    named = next((found[name] for name in names if name in found), None)
    if named is None and kind == "shortcode" and paired:
        named = _FIRST.match(match[3])
    if named is None:
        return None
    start, end = named.span(named.lastindex or 0)
    return Span(at + start, at + end)


def _masks(text: str, start: int, end: int, words: Span) -> tuple[Mask, ...]:
    """A tag with a line of its own makes its label a heading; else it leads what follows."""
    before = text[max(text.rfind("\n", 0, start), text.rfind("\r", 0, start)) + 1 : start]
    after = LINE_END.split(text[end : end + 2000], maxsplit=1)[0]
    if not _ONLY_TAG.fullmatch(before) or not _ONLY_TAG.fullmatch(after):
        return Mask(start, words.start), Mask(words.end, end, ": "[: end - words.end])
    line = max(text.rfind("\n", start, words.start), text.rfind("\r", start, words.start)) + 1
    first = max(line, start)
    marks = MARKS[-(words.start - first) :] if words.start - first >= 2 else ""  # noqa: PLR2004
    head = (Mask(start, first),) if first > start else ()
    return (*head, Mask(first, words.start, marks), Mask(words.end, end))


def _colons(text: str) -> Iterator[Label]:
    """`:::warning Title` to its `:::`; in a group each `@tab` up to the next."""
    opened: list[re.Match[str]] = []
    tabs = [("tab", match) for match in _AT_TAB.finditer(text)]
    pending: list[re.Match[str]] = []
    for kind, match in sorted(
        [*tabs, *(("colons", match) for match in _COLONS.finditer(text))],
        key=lambda entry: entry[1].start(),
    ):
        if kind == "tab":
            yield from (_at_tab(tab, match.start()) for tab in pending)
            pending = [match] if opened else []
        elif match[3] or match[6]:
            opened.append(match)
        elif not match[5] and opened:
            yield from (_at_tab(tab, match.start()) for tab in pending)
            pending = []
            yield _colon_block(text, opened.pop(), match)


def _at_tab(match: re.Match[str], end: int) -> Label:
    mark = Mask(*match.span(1), "### ")
    words = Span(match.start(2), match.start(2) + len(match[2].rstrip()))
    return Label("tab", "@tab", words, match.start(1), match.end(), end, (mark,))


def _colon_block(text: str, match: re.Match[str], closing: re.Match[str]) -> Label:
    start = match.start(2)
    inside = text[match.end() : closing.start()]
    close = Mask(closing.start(2), closing.end())
    titled = match[5].strip()
    if titled:
        words = Span(match.start(5), match.end(5))
        masks = [Mask(start, words.start, MARKS[-(words.start - start) :])]
        masks += [Mask(words.end, match.end())] if match.end() > words.end else []
    elif not match[3] or _AT_TAB.search(inside) or _COLONS.search(inside):
        words = Span(start, start)
        masks = [Mask(start, match.end())]
    else:
        words = Span(*match.span(3))
        masks = [Mask(start, words.start, "## "), Mask(words.end, match.end())]
    shown = tuple(mask for mask in (*masks, close) if mask.end > mask.start)
    return Label("colons", match[3] or "", words, start, match.end(), closing.end(), shown)


def _indented(text: str) -> Iterator[Label]:
    """`!!! note "Title"` and `=== "Linux"`, with the indented lines that follow."""
    for match in _INDENTED.finditer(text):
        if match[5] is None and (match[2] or not match[4]):
            continue
        tab = match[2] is not None
        start = match.start(2) if tab else match.start(3)
        words = Span(*match.span(5 if match[5] else 4))
        marks = MARKS[-max(words.start - start, 2) :]
        masks = [Mask(start, words.start, marks)]
        masks += [Mask(words.end, match.end())] if match.end() > words.end else []
        indents, end = _body(text, match.end(), len(match[1]))
        kind, name = ("tab", "===") if tab else ("indented", match[4] or "")
        yield Label(kind, name, words, start, match.end(), end, (*masks, *indents))


def _body(text: str, start: int, indent: int) -> tuple[list[Mask], int]:
    """The indentation of the lines that belong to a block, and where the last of them ends."""
    masks: list[Mask] = []
    end = start
    at = found.end() if (found := LINE_END.search(text, start)) else len(text)
    while at < len(text):
        found = LINE_END.search(text, at)
        line_end = found.start() if found else len(text)
        line = text[at:line_end]
        if line.strip():
            deeper = line[indent:]
            step = 1 if deeper.startswith("\t") else 4 if deeper.startswith("    ") else 0
            if not step or line[:indent].strip():
                break
            masks.append(Mask(at + indent, at + indent + step))
            end = line_end
        at = found.end() if found else len(text)
    return masks, end
