"""What people say to each other, or to a bot, when there is nothing to look up. Pure."""

import re

from bot.questions.marks import has_emoji, without_marks

_GREETINGS = re.compile(
    r"\W*(?:help|hilfe|aide|hi|hello|hey|hallo|hola|start|good (?:morning|afternoon|evening)"
    r"|what can you do|who are you|what are you)(?: there| footnote| bot)?\W*",
    re.IGNORECASE,
)
_CHATTER = re.compile(
    r"""(?x)
    thanks|thank|thx|ty|you|so|much|very|a|lot|many|cheers|bye
    |ok|okay|okey|k|great|perfect|nice|cool|awesome|excellent|super|good|fine|sure
    |got|it|understood|noted|that|this|helps|helped|yes|yep|yeah|no|nope|lol|haha
    |danke|dank|merci|gracias|grazie
    """
)


def is_help(text: str) -> bool:
    """Whether somebody wants to know what this is: nothing said, a greeting, or `help`."""
    return not re.search(r"\w", text) or _GREETINGS.fullmatch(text) is not None


def is_chatter(text: str) -> bool:
    """Whether a text is thanks, an okay or emoji, which want no answer."""
    words = re.findall(r"[^\W_]+", without_marks(text).casefold())
    if not words:
        return has_emoji(text)
    return "?" not in text and all(_CHATTER.fullmatch(word) for word in words)
