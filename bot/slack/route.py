"""Which posts are questions: the one rule, for mentions and messages alike. Pure."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, auto

SLACKBOT = "USLACKBOT"


class Route(Enum):
    """What is to be done with a post."""

    ASK = auto()  # a question for the bot
    FOLLOW_UP = auto()  # one if the bot has answered in this thread before
    IGNORE = auto()


@dataclass(frozen=True, slots=True)
class Post:
    """A message by a person. `thread_ts` is the thread that an answer belongs in."""

    channel: str
    ts: str
    thread_ts: str
    user: str
    text: str
    in_thread: bool

    @property
    def key(self) -> str:
        """The post's own name, however many events tell of it."""
        return f"{self.channel}:{self.ts}"


def route(event: Mapping[str, object], bot_user_id: str) -> tuple[Route, str]:
    """Say what an `app_mention` or `message` event asks for, and why.

    A post in a channel that mentions the bot comes as both: the mention speaks for it. In a direct
    message everything is meant for the bot.
    """
    reason = _not_a_persons_post(event, bot_user_id)
    if reason:
        return Route.IGNORE, reason
    if event.get("type") == "app_mention":
        return Route.ASK, "mention"
    if event.get("channel_type") == "im":
        return Route.ASK, "direct message"
    if mentions(str(event.get("text", "")), bot_user_id):
        return Route.IGNORE, "comes as a mention too"
    if _in_thread(event):
        return Route.FOLLOW_UP, "reply in a thread"
    return Route.IGNORE, "not addressed to the bot"


def read_post(event: Mapping[str, object]) -> Post:
    """The post of an event that was not ignored."""
    ts = str(event["ts"])
    return Post(
        channel=str(event["channel"]),
        ts=ts,
        thread_ts=str(event.get("thread_ts") or ts),
        user=str(event["user"]),
        text=str(event.get("text") or ""),
        in_thread=_in_thread(event),
    )


def mentions(text: str, user_id: str) -> bool:
    """Whether the text mentions this person or bot."""
    return re.search(rf"<@{re.escape(user_id)}(\|[^>]*)?>", text) is not None


def _in_thread(event: Mapping[str, object]) -> bool:
    return bool(event.get("thread_ts")) and event.get("thread_ts") != event.get("ts")


def _not_a_persons_post(event: Mapping[str, object], bot_user_id: str) -> str:
    """Why it is none, or nothing."""
    reasons = {
        f"subtype {event.get('subtype')}": event.get("subtype"),
        "an edit": event.get("edited"),
        "hidden": event.get("hidden"),
        "a bot's post": event.get("bot_id") or event.get("bot_profile"),
        "no person's post": event.get("user") in (None, "", bot_user_id, SLACKBOT),
        "no place to answer": not event.get("channel") or not event.get("ts"),
    }
    return next((reason for reason, holds in reasons.items() if holds), "")
