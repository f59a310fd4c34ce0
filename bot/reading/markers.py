"""Marks of citation that a model writes into its text and that are no content. Pure."""

import re

from bot.reading.fold import fold

_NOTE = r"[\^#†‡*]?\d{1,3}[†‡*]?"
_NOTES = rf"{_NOTE}(?:\s?[,;–-]\s?{_NOTE}){{0,20}}"
_NAMED = (
    r"(?:see )?(?:search )?(?:sources?|src|refs?|references?|results?|docs?|documents?|passages?"
    r"|citations?|foot ?notes?|quellen?|fuentes?|belege?|dokumente?)"
)
_SUPERSCRIPTS = "[⁰¹²³⁴⁵⁶⁷⁸⁹]{1,3}(?:[,·˒ ]?[⁰¹²³⁴⁵⁶⁷⁸⁹]{1,3}){0,20}"
_MARK = (
    rf"\\?\[\[?(?:{_NOTES}|{_NAMED}(?:\b|_)[^\[\]\\\n]{{0,120}})\\?\]\]?(?!\()"
    rf"|［(?:{_NOTES}|{_NAMED}\b[^［］\n]{{0,120}})］"
    r"|【[^【】\n]{1,120}】"
    rf"|[(（]{_NAMED}(?:\s?:[^()（）\n]{{1,120}}|\s?#?{_NOTES}(?:\s?(?:and|&|und|y)\s?\d{{1,3}})?)[)）]"
    r"|\(\d{1,2}\)(?=[.!?。]?$)"
    rf"|<sup>\[?{_NOTES}\]?</sup>"
    rf"|(?:(?<=[^\W\d_]{{3}})|(?<=[.!?)\"'”’])){_SUPERSCRIPTS}"  # none of m² and 10³
)
_RUN = rf"(?:{_MARK})(?:[ \t,;–-]{{0,3}}(?:{_MARK})){{0,20}}"
_MARKS = re.compile(
    r"(?P<code>(?<!`)(?P<ticks>`++).+?(?<!`)(?P=ticks)(?!`))"
    rf"|[ \t]{{0,9}}(?:\({_RUN}\)|{_RUN})",
    re.DOTALL | re.IGNORECASE,
)
_WORD_BEFORE = re.compile(r"(?<!\S)\S{1,40}[ \t]{0,9}$")
_NEAR_CHARS = 60
_NAME = re.compile(r"[_$]|\w[.:]\w|[a-z][A-Z]")  # of code: `sys.argv`, `rowIds`
_GOES_ON = re.compile(r"[ \t]+\w")


def without_markers(text: str, said: str) -> str:
    """A sentence without marks such as `[1][3]`, `[^4]`, `【1†source】` or `(Source 2)`.

    What stands in code stays, and so does what `said`, the text that the sentence was made from,
    has after the same word: `argv[1]`. So does an index, for verification to hold against `said`.
    """
    known = fold(said).text

    def kept(match: re.Match[str]) -> str:
        if match["code"]:
            return match.group()
        before = _WORD_BEFORE.search(text[max(0, match.start() - _NEAR_CHARS) : match.start()])
        if before and fold(before.group() + match.group()).text in known:
            return match.group()
        if before and _is_index(before.group(), match.group(), text[match.end() :], known):
            return match.group()
        return " " if match.start() and text[match.end() : match.end() + 1].isalnum() else ""

    return _MARKS.sub(kept, text).strip()


def _is_index(word: str, mark: str, after: str, said: str) -> bool:
    """Whether a mark right behind a word belongs to it, as in `matrix[2]` or section 4(1).

    A mark of citation may stand there too: behind a word of `said`, or at the clause's end.
    """
    if mark[0] not in "[(" or not word[-1].isalnum():
        return False
    name = fold(word).text
    if re.match(r"\(\d", mark) or f"{name}[" in said or _NAME.search(name):
        return True
    known = re.search(rf"(?<!\w){re.escape(name)}(?!\w)", said) is not None
    return not known and _GOES_ON.match(after) is not None
