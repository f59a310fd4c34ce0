"""Whom a message greets, names as the asker, or tells as well: no words of its question. Pure."""

import re

from bot.questions.ellipsis import own_words
from bot.questions.marks import MENTION, without_marks
from bot.questions.smalltalk import is_chatter, is_help

LEADS = 4  # "Hi @ana, thanks @ben, …"
MAX_PART_CHARS = 100

_LEAD = re.compile(r"([^,:;!?.\n]{1,80})(?:[,:;!]|\.(?=\s)|\n)\s*")
_TAIL = re.compile(r"(?<=[?!.,\n])([^?!.,\n]{1,80})\W*\Z")
_GREETED = re.compile(rf"([^,:;!?.\n@{MENTION}]{{1,40}}){MENTION}\s*")
_SEVERAL = re.compile(rf"{MENTION}(?:[\s,&]{{0,3}}(?:and\s)?{MENTION})+")
_NAMED = re.compile(
    rf"{MENTION}|(?<![\w`@/.])@[^\W\d][\w.-]{{0,40}}(?:\ [A-Z][\w'-]{{0,40}}){{0,2}}"
)
_MENTIONS = re.compile(rf"(?<![ \t])[ \t]*{MENTION}")
_SHORT = re.compile(r"\W*[a-z]{1,12}\W*")


def without_address(text: str) -> str:
    """The text without ids and emoji, and without the parts that do no more than name somebody.

    Such a part stands before the question ("hi @ana,", "@ana asks:") or behind it ("cc @ana"), and
    says nothing by itself: small talk, words that open no topic, or behind a question one short
    word. People are named by an id, a name after `@`, or `MENTION`. What else they are named in
    stays without the mention.
    """
    text = _SEVERAL.sub(MENTION, without_marks(text, mentions=MENTION)).strip()
    return _MENTIONS.sub("", _without_tail(_without_lead(text))).strip()


def _without_lead(text: str) -> str:
    for _ in range(LEADS):
        lead = _LEAD.match(text)
        if not lead or not _names_somebody(lead[1]) or not _says(text[lead.end() :]):
            break
        text = text[lead.end() :]
    greeted = _GREETED.match(text)
    if greeted and _is_small_talk(greeted[1]) and _says(text[greeted.end() :]):
        return text[greeted.end() :]
    return text


def _without_tail(text: str) -> str:
    tail = _TAIL.search(text[-MAX_PART_CHARS:])
    if not tail or not _NAMED.search(tail[1]) or not _names_somebody(tail[1], behind=True):
        return text
    rest = text[: len(text) - len(tail[0])]
    if not _says(rest):
        return text
    mark = "?" if "?" in tail[0] and rest[-1] not in "?!." else ""
    return rest.rstrip(" ,(") + mark


def _names_somebody(part: str, *, behind: bool = False) -> bool:
    """Whether a part greets or names somebody, and says nothing of a topic."""
    words, named = _NAMED.subn(" ", part)
    if not _says(words):
        return MENTION in part
    if is_help(words):
        return True
    if not named:
        return False
    return (
        _is_small_talk(words) or not own_words(words) or (behind and bool(_SHORT.fullmatch(words)))
    )


def _is_small_talk(words: str) -> bool:
    return _says(words) and (is_help(words) or is_chatter(words))


def _says(text: str) -> bool:
    return re.search(r"\w", text) is not None
