"""Which posts are questions: the one rule, for mentions and messages alike. Pure."""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, auto

from bot.questions.smalltalk import is_chatter
from bot.slack.forwarded import read_forwarded
from bot.slack.places import DIRECT, PUBLIC
from bot.slack.text import read_text

SLACKBOT = "USLACKBOT"
POSTS = frozenset({None, "", "file_share", "thread_broadcast"})  # subtypes of people's own posts

EDITED_WITHIN_S = 12 * 60 * 60  # the record remembers for longer whether the post was answered

_TO_OTHERS = re.compile(r"\s*<(?:@\w+|!(?:here|channel|everyone|subteam))")


class Route(Enum):
    """What is to be done with a post."""

    ASK = auto()  # a question for the bot
    FOLLOW_UP = auto()  # one if the bot has answered in this thread before
    DECLINE = auto()  # an app or a workflow asks: nobody stands behind it whose rights are known
    IGNORE = auto()


@dataclass(frozen=True, slots=True)
class Post:
    """A message by a person. `thread_ts` is the thread that an answer belongs in.

    `team` is the person's company, where Slack tells it. `private`: not all of the company can read
    it, or the event does not say so. `author` and `source` are set where the text is not the
    person's own: who wrote it, and the key of the post that it comes from.
    """

    channel: str
    ts: str
    thread_ts: str
    user: str
    text: str
    in_thread: bool
    team: str = ""
    private: bool = True
    author: str = ""
    source: str = ""

    @property
    def key(self) -> str:
        """The post's own name, however many events tell of it."""
        return f"{self.channel}:{self.ts}"


def route(
    event: Mapping[str, object],
    bot_user_id: str,
    *,
    mention_only: bool = False,
    max_chars: float = math.inf,
) -> tuple[Route, str]:
    """Say what an `app_mention` or `message` event asks for, and why.

    A post in a channel that mentions the bot comes as both: the mention speaks for it. An edit
    comes as a mention too: it asks if nobody took the post on before it. In a direct
    message everything but thanks is meant for the bot. A plain reply is a follow-up unless it is
    for somebody else, longer than `max_chars` (a log that is pasted for others), or `mention_only`
    is set.
    """
    text = str(event.get("text") or "")
    if event.get("type") == "app_mention" and event.get("bot_id") and not event.get("user"):
        return Route.DECLINE, "an app's mention"
    if reason := _not_a_persons_post(event, bot_user_id):
        return Route.IGNORE, reason
    if is_chatter(re.sub(_mention_of(bot_user_id), " ", text)):
        return Route.IGNORE, "nothing to answer"
    mention = event.get("type") == "app_mention"
    if mention or event.get("channel_type") == DIRECT:
        return Route.ASK, "mention" if mention else "direct message"
    if reason := _not_for_the_bot(event, text, bot_user_id, max_chars):
        return Route.IGNORE, reason
    return (Route.IGNORE, "no mention") if mention_only else (Route.FOLLOW_UP, "reply in a thread")


def read_post(event: Mapping[str, object]) -> Post:
    """The post of an event that was not ignored; what it forwards speaks where it says nothing."""
    ts = str(event["ts"])
    text = str(event.get("text") or "")
    bare = not re.search(r"\w", re.sub(r"<[^<>]{0,3000}>", " ", text))
    forwarded = read_forwarded(event) if bare else None
    return Post(
        channel=str(event["channel"]),
        ts=ts,
        thread_ts=str(event.get("thread_ts") or ts),
        user=str(event["user"]),
        text=forwarded.text if forwarded else text,
        in_thread=_in_thread(event),
        team=str(event.get("user_team") or event.get("team") or ""),
        private=event.get("channel_type") != PUBLIC,
        author=forwarded.author if forwarded else "",
        source=forwarded.source if forwarded else "",
    )


def mentions(text: str, user_id: str) -> bool:
    """Whether the text mentions this person or bot."""
    return re.search(_mention_of(user_id), text) is not None


def _mention_of(user_id: str) -> str:
    """The pattern of a mention as Slack writes it."""
    return rf"<@{re.escape(user_id)}(\|[^>]{{0,200}})?>"


def _in_thread(event: Mapping[str, object]) -> bool:
    return bool(event.get("thread_ts")) and event.get("thread_ts") != event.get("ts")


def _edited_after_s(event: Mapping[str, object]) -> float:
    """How long after the post its last edit was made; 0 for one that was not edited."""
    edited = event.get("edited")
    if not isinstance(edited, Mapping):
        return 0.0
    return float(str(edited.get("ts") or 0)) - float(str(event.get("ts") or 0))


def _not_a_persons_post(event: Mapping[str, object], bot_user_id: str) -> str:
    """Why it is none, or nothing."""
    subtype = event.get("subtype")
    reasons = {
        f"subtype {subtype}": subtype not in POSTS,
        "an edit": event.get("edited") and event.get("type") != "app_mention",
        "an edit of an old post": _edited_after_s(event) > EDITED_WITHIN_S,
        "hidden": event.get("hidden"),
        "a bot's post": event.get("bot_id") or event.get("bot_profile"),
        "no person's post": event.get("user") in (None, "", bot_user_id, SLACKBOT),
        "no place to answer": not event.get("channel") or not event.get("ts"),
        "a file without words": subtype == "file_share" and not event.get("text"),
    }
    return next((reason for reason, holds in reasons.items() if holds), "")


def _not_for_the_bot(
    event: Mapping[str, object], text: str, bot_user_id: str, max_chars: float
) -> str:
    """Why a channel's message is not, or nothing."""
    reasons = {
        "comes as a mention too": mentions(text, bot_user_id),
        "not addressed to the bot": not _in_thread(event),
        "a reply to somebody else": _TO_OTHERS.match(text) or not re.search(r"\w", text),
        "too long for a question": len(read_text(text, bot_user_id)) > max_chars,
    }
    return next((reason for reason, holds in reasons.items() if holds), "")
