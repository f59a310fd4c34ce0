"""Text on its way into Slack and out of it. Pure.

Slack gives life to `<!here>`, `<@U1>` and `<url|label>` wherever text is formatted. All text that
comes from documents, people and models passes through one of the escapes here.
"""

import re
from collections.abc import Iterator
from collections.abc import Set as AbstractSet

from bot.questions.address import without_address
from bot.questions.marks import MENTION

ELLIPSIS = "…"

_FENCE_LINE = re.compile(r"^ {0,3}(`{3,}|~{3,})")
_CODE_SPAN = re.compile(r"(?<!`)(`++)(.+?)(?<!`)\1(?!`)")
_LINK = re.compile(r"!?\[([^\[\]]*)\]\(((?:[^()]|\([^()]*\))*)\)")  # or an image
_URL = re.compile(
    r"""(?i)\b(?:https?|ftp|mailto|slack):"""
    r"""(?:[^\s<>`|"()]|\([^\s<>`|"()]*\))+(?<![.,;:!?'*_\]])"""
)
_DEFINITION = re.compile(r"(?m)^( {0,3})\[([^\]\n]+)\]:")
_SLACK_TOKEN = re.compile(r"<([@#!]?)([^<>|]*)(?:\|([^<>]*))?>")
_EVERYBODY = frozenset({"here", "channel", "everyone"})
_SPACE = re.compile(r"[ \t\u00a0]+")


def escape_mrkdwn(text: str) -> str:
    """Escape for `mrkdwn` text and for messages' fallback `text`."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def escape_markdown(text: str) -> str:
    """Escape for a `markdown` block, which reads entities but wants a bare `&` left alone."""
    return text.replace("<", "&lt;").replace(">", "&gt;")


def find_urls(text: str) -> frozenset[str]:
    """The web addresses in a text."""
    return frozenset(url for url in _URL.findall(text) if url.lower().startswith("http"))


def tame_markdown(text: str, urls: AbstractSet[str] = frozenset()) -> str:
    """Markdown for a `markdown` block in which no mention comes alive, and no link but `urls`.

    Links are spelled out, so that a reader sees where one leads; addresses other than `urls` are
    code. Code keeps its characters.
    """
    lines: list[str] = []
    fence = ""
    for line in text.split("\n"):
        mark = _FENCE_LINE.match(line)
        if fence:
            fence = "" if mark and mark[1].startswith(fence) else fence
            lines.append(line)
        elif mark:
            fence = mark[1]
            lines.append(line)
        else:
            lines.append(_tame_line(line, urls))
    return escape_markdown("\n".join(lines))


def _tame_line(line: str, urls: AbstractSet[str]) -> str:
    return "".join(
        part if is_code else _tame_prose(part, urls) for part, is_code in split_code(line)
    )


def split_code(line: str) -> Iterator[tuple[str, bool]]:
    """A line's parts, and whether each is a code span."""
    at = 0
    for span in _CODE_SPAN.finditer(line):
        yield line[at : span.start()], False
        yield span[0], True
        at = span.end()
    yield line[at:], False


def _tame_prose(text: str, urls: AbstractSet[str]) -> str:
    text = spell_links(text).replace("](", "] (")  # what is nested or broken is no link either
    text = _DEFINITION.sub(r"\1\\[\2\\]:", text)
    return _URL.sub(lambda m: m[0] if m[0] in urls else f"`{m[0]}`", text)


def spell_links(text: str) -> str:
    """Turn Markdown's `[label](address "title")` into `label (address)`."""

    def spell(match: re.Match[str]) -> str:
        address = match[2].split()[0].strip("<>") if match[2].strip() else ""
        if not address or address == match[1]:
            return match[1]
        return f"{match[1]} ({address})" if match[1] else address

    return _LINK.sub(spell, text)


def close_fence(text: str) -> str:
    """Close a code fence that the text leaves open."""
    fence = ""
    for line in text.split("\n"):
        mark = _FENCE_LINE.match(line)
        if mark and not fence:
            fence = mark[1]
        elif mark and mark[1].startswith(fence):
            fence = ""
    return f"{text.rstrip()}\n{fence}" if fence else text


def clip(text: str, limit: int) -> str:
    """At most `limit` characters of one line, cut with an ellipsis."""
    text = " ".join(text.split())
    return text if len(text) <= limit else text[: limit - 1].rstrip() + ELLIPSIS


def read_text(text: str, bot_user_id: str = "") -> str:
    """What a person wrote, from the form in which Slack sends it.

    Links become their label or address, channels `#name` where Slack tells one. Mentions of people
    with what does no more than greet or name them, calls to everybody (`@here`) and emoji are no
    words.
    """

    def spell(match: re.Match[str]) -> str:
        sign, target, label = match[1], match[2], (match[3] or "").strip()
        if sign == "@":
            return "" if target == bot_user_id else MENTION
        if sign == "#":
            return f"#{label.lstrip('#')}" if label else ""
        if sign == "!":
            return "" if target in _EVERYBODY else label
        return label or target.removeprefix("mailto:")

    spelled = _SLACK_TOKEN.sub(spell, text.replace(MENTION, ""))
    spelled = spelled.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
    lines = without_address(spelled).splitlines()
    return "\n".join(_SPACE.sub(" ", line).strip() for line in lines).strip()
