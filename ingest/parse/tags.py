"""Where template tags and comments stand: they stay in the file, and nobody is shown them."""

import re
from collections.abc import Iterator, Mapping

from ingest.parse.lines import merge
from ingest.parse.names import CURLY_SUFFIXES, ERB_SUFFIXES, suffixes
from ingest.types import Mask, Span

_ERB = {"<%": "%>"}
_CURLY = {"{%": "%}", "{{": "}}", "{#": "#}"}
_COMMENT = {"<!--": "-->"}
# Site generators' own tags in plain Markdown. `{{ x }}` is left: there it is as often an example.
_SHORTCODES = {"{%": "%}", "{{<": ">}}", "{{%": "%}}"}
_MDX = {"{/*": "*/}"}
COMMENTS = (*_COMMENT, *_MDX)

_PRINTS = re.compile(r"<%=|\{\{|\{%-?\s*call\b")
_LITERAL = re.compile(r"\"((?:[^\"\\]|\\.)*+)\"|'((?:[^'\\]|\\.)*+)'", re.DOTALL)
_CHANNEL = re.compile(r"#[a-z][\w-]*")
PROSE_WORDS = 3  # that a printed literal has: names of classes and files come in fewer
_RAW = re.compile(r"\{%-?\s*(raw|verbatim)\s*-?%\}")
# A component's tag alone on its line, or a block of imports or exports up to a blank line.
_JSX = re.compile(
    r"^[ \t]*</?[A-Z][\w.]*(?:\s[^<>]*)?/?>[ \t]*$"
    r"|^(?:import\s[^\r\n]*['\"]|export\s+(?:const|let|default|function)\b)"
    r"(?:(?!(?>\r\n|\r|\n)[ \t]*(?:\r|\n|\Z)).)*",
    re.DOTALL | re.MULTILINE,
)


def template_tags(path: str, text: str) -> list[Mask]:
    """Tags of the template language that the file's last suffix names; prose in them is shown.

    They count inside code too: the template engine runs first and knows no Markdown. What stands
    between `raw` and `endraw` is text; `<%%` is ERB's way to write a literal `<%`.
    """
    last = suffixes(path)[-1]
    if last in ERB_SUFFIXES:
        spans = [s for s in _delimited(text, _ERB) if text[s.start + 2] != "%"]
    elif last in CURLY_SUFFIXES:
        spans = list(_without_raw(text))
    else:
        return []
    return [mask for span in merge(spans) for mask in _around_prose(text, span)]


def _around_prose(text: str, span: Span) -> Iterator[Mask]:
    """The tag but for the words that it prints: `warning_text('Do not open the hatch')`."""
    at = span.start
    if _PRINTS.match(text, span.start):
        for match in _LITERAL.finditer(text, span.start, span.end):
            start, end = match.span(match.lastindex or 0)
            if _is_prose(text[start:end]):
                yield Mask(at, start, " " if at > span.start else "")
                at = end
    yield Mask(at, span.end)


def _is_prose(literal: str) -> bool:
    words = [word for word in literal.split() if any(map(str.isalpha, word))]
    return len(words) >= PROSE_WORDS or _CHANNEL.fullmatch(literal) is not None


def loose_tags(path: str, text: str) -> list[Span]:
    """Comments and tags that count only outside code, by their start; some may lie in others."""
    mdx = suffixes(path)[-1] == ".mdx"
    found = list(_delimited(text, _COMMENT | _SHORTCODES | (_MDX if mdx else {})))
    if mdx:
        found += [Span(*match.span()) for match in _JSX.finditer(text)]
    return sorted(found, key=lambda span: span.start)


def _delimited(text: str, pairs: Mapping[str, str]) -> Iterator[Span]:
    """From each opener to its next closer, also those that lie in others.

    An unclosed `<!--` would swallow the rest of the page: its four characters alone are given.
    """
    openers = re.compile("|".join(re.escape(o) for o in sorted(pairs, key=len, reverse=True)))
    closers = dict.fromkeys(pairs, -1)
    for match in openers.finditer(text):
        opener = match[0]
        # `<!-->` is a whole comment; the others close after their opener.
        after = match.start() + 2 if opener == "<!--" else match.end()
        if 0 <= closers[opener] < after or closers[opener] == -1:
            found = text.find(pairs[opener], after)
            closers[opener] = found if found >= 0 else len(text)
        if closers[opener] < len(text):
            yield Span(match.start(), closers[opener] + len(pairs[opener]))
        elif opener == "<!--":
            yield Span(*match.span())


def _without_raw(text: str) -> Iterator[Span]:
    done = 0
    for span in _delimited(text, _CURLY):
        if span.start < done:
            continue
        yield span
        done = span.end
        if raw := _RAW.fullmatch(text, span.start, span.end):
            end = re.compile(rf"\{{%-?\s*end{raw[1]}\s*-?%\}}").search(text, span.end)
            done = end.start() if end else done
