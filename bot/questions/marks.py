"""What a chat puts into a message that is no word: ids of people and channels, emoji. Pure."""

import re

MENTION = "\ue000"  # stands for a mention of a person, of the private-use characters

_CODE = r"(?P<code>(?s:```.*?```)|`[^`\n]*`)"
# Slack's ids are nine characters or more. People and groups are mentioned with @, channels with #.
_ID = r"(?<![\w@#/.-])(?:@(?=[UWS])|#(?=[CGD]))(?=[A-Z]*\d)[A-Z0-9]{9,}(?![\w-])\|?"
_PERSON = re.compile(rf"{_CODE}|{_ID}")
_NAME = r":(?:[^\WA-Z]|[+'-]){1,100}:"  # an emoji's name has no capitals
_EMOJI = rf"(?<![\w:`])(?:{_NAME})+(?![\w:`])"
_HAS_EMOJI = re.compile(_EMOJI)
_MARK = re.compile(rf"{_CODE}|(?<![ \t\u00a0])[ \t\u00a0]*(?:{_ID}|{_EMOJI})")


def without_marks(text: str, *, mentions: str = "") -> str:
    """The text without ids of people, groups and channels, and without emoji; code stays as it is.

    Times (10:30:00), paths of names (`a::b`) and codes (#4821, C-1007) are none of them. `mentions`
    stands in the place of each id.
    """
    if mentions:
        text = _PERSON.sub(lambda mark: mark["code"] or mentions, text)
    return _MARK.sub(lambda mark: mark["code"] or "", text).strip()


def has_emoji(text: str) -> bool:
    """Whether there is an emoji in it."""
    return _HAS_EMOJI.search(text) is not None
