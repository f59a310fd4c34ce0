"""The workspace's state: people, places, messages, views, and what else Slack remembers."""

import secrets
import string
from collections import defaultdict
from dataclasses import dataclass, field
from typing import Literal

from bot.localslack.clock import Changes, Clock
from bot.localslack.types import Json, RefusedError

Kind = Literal["channel", "group", "im"]
_LETTERS = string.ascii_uppercase + string.digits


def new_id(prefix: str) -> str:
    """An id that looks like Slack's: the prefix and ten capitals or digits."""
    return prefix + "0" + "".join(secrets.choice(_LETTERS) for _ in range(9))


@dataclass(slots=True)
class User:
    """A person or a bot. `guest` and a foreign `team_id` are what etiquette looks at."""

    id: str
    name: str
    team_id: str
    guest: bool = False
    is_bot: bool = False


@dataclass(slots=True)
class Channel:
    """A public or private channel, or a person's conversation with the bot (`im`)."""

    id: str
    name: str
    kind: Kind
    members: set[str]
    ext_shared: bool = False
    archived: bool = False
    messages: dict[str, Json] = field(default_factory=dict)  # by ts, oldest first
    threads: dict[str, list[str]] = field(default_factory=dict)  # parent's ts: it and its replies


@dataclass(slots=True)
class Stream:
    """A message that is being written. `stopped` says why it ended; None: it has not."""

    channel: str
    ts: str
    started: float
    text: str = ""
    tasks: list[Json] = field(default_factory=list)
    stopped: str | None = None


@dataclass(slots=True)
class Trigger:
    """A person's right to have one view opened."""

    id: str
    user: str
    issued: float
    view_id: str | None = None  # the modal in which the person acted
    used: bool = False


@dataclass(slots=True)
class ResponseUrl:
    """Where the app may answer one interaction: five times within half an hour."""

    channel: str
    user: str
    issued: float
    message_ts: str | None = None
    thread_ts: str | None = None
    uses: int = 0


class Store:
    """Everything that the workspace holds. Not a database: it lives as long as the object."""

    def __init__(self, bot_name: str) -> None:
        self.clock, self.changes = Clock(), Changes()
        self.team_id, self.app_id, self.bot_id = new_id("T"), new_id("A"), new_id("B")
        self.team_domain, self.team_name = "local", "Local"
        self.users: dict[str, User] = {}
        self.channels: dict[str, Channel] = {}
        self.bot = self.add_user(bot_name, self.team_id, is_bot=True)
        self.streams: dict[tuple[str, str], Stream] = {}
        self.ephemerals: dict[str, list[Json]] = defaultdict(list)
        self.views: dict[str, list[Json]] = defaultdict(list)
        self.homes: dict[str, Json] = {}
        self.statuses: dict[tuple[str, str], Json] = {}
        self.prompts: dict[str, Json] = {}
        self.triggers: dict[str, Trigger] = {}
        self.response_urls: dict[str, ResponseUrl] = {}
        self._last_us = 0

    def add_user(
        self, name: str, team_id: str, *, guest: bool = False, is_bot: bool = False
    ) -> User:
        """Let somebody into the workspace."""
        user = User(new_id("U"), name, team_id, guest, is_bot)
        self.users[user.id] = user
        return user

    def add_channel(self, channel: Channel) -> Channel:
        """Open a place."""
        self.channels[channel.id] = channel
        return channel

    def dm(self, user_id: str) -> Channel:
        """The person's conversation with the bot; opened on first use."""
        for channel in self.channels.values():
            if channel.kind == "im" and user_id in channel.members:
                return channel
        members = {user_id, self.bot.id}
        return self.add_channel(Channel(new_id("D"), "directmessage", "im", members))

    def new_ts(self) -> str:
        """A message's timestamp: unique and growing, in microseconds."""
        self._last_us = max(int(self.clock.now() * 1_000_000), self._last_us + 1)
        return f"{self._last_us // 1_000_000}.{self._last_us % 1_000_000:06d}"

    def channel(self, channel_id: object) -> Channel:
        """The channel as the app sees it: other people's private places do not exist for it.

        Raises:
            RefusedError: `channel_not_found`.
        """
        found = self.channels.get(channel_id) if isinstance(channel_id, str) else None
        if found is None or (found.kind != "channel" and self.bot.id not in found.members):
            raise RefusedError("channel_not_found")
        return found

    def thread(self, channel: Channel, thread_ts: str) -> list[Json]:
        """The parent and its replies, oldest first."""
        found = channel.threads.get(thread_ts, [thread_ts])
        return [channel.messages[ts] for ts in found if ts in channel.messages]

    def open_response_url(self, url: ResponseUrl) -> str:
        """Remember it and give its secret path."""
        key = f"{self.team_id}/{secrets.token_hex(8)}/{secrets.token_urlsafe(18)}"
        self.response_urls[key] = url
        return key

    def open_trigger(self, user_id: str, view_id: str | None = None) -> str:
        """A trigger_id for what `user_id` just did."""
        number = secrets.randbelow(10**12)
        trigger = Trigger(
            f"{number}.{secrets.randbelow(10**12)}.{secrets.token_hex(16)}",
            user_id,
            self.clock.now(),
            view_id,
        )
        self.triggers[trigger.id] = trigger
        return trigger.id
