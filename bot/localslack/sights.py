"""What people see, and waiting for it."""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import TypeVar

from bot.localslack.core import Core
from bot.localslack.types import Json
from bot.localslack.workspace import STATUS_S

T = TypeVar("T")

_MARKS = re.compile(r"<(?:[@#!]|https?:|mailto:|tel:|slack:)[^<>\n]*>")
_MARKDOWN_LINKS = re.compile(r"!?\[[^\]\n]{0,500}\]\([^)\n]{0,500}\)")
_RICH = {"user": "@{user_id}", "broadcast": "!{range}", "usergroup": "!subteam^{usergroup_id}"}


class Sights(Core):
    """Looking at the workspace. Waiting ends with a TimeoutError that says for what."""

    async def connected(self, timeout_s: float = 10) -> None:
        """A Socket Mode client is there."""
        await self.wait_for(lambda: self._socket.connected, timeout_s=timeout_s)

    async def settled(self, timeout_s: float = 10) -> None:
        """Every event that was sent is acknowledged or given up."""
        await self.wait_for(lambda: self._socket.idle, timeout_s=timeout_s)

    async def wait_for(
        self, predicate: Callable[[], T | None], *, timeout_s: float = 5, what: str = "it"
    ) -> T:
        """The first truthy value of `predicate`, looked at after each change."""
        return await self._store.changes.wait_for(predicate, timeout_s, what)

    async def wait_for_message(
        self,
        channel: str,
        *,
        thread_ts: str | None = None,
        timeout_s: float = 20,
        after: str | None = None,
    ) -> Json:
        """The bot's first final message (of the thread), or its first one after the ts `after`.

        Final: not being streamed, and if its stream died, completed by chat.update.
        """

        def look() -> Json | None:
            for message in self.messages(channel, thread_ts):
                own = message.get("bot_id") == self._store.bot_id
                new = after is None or float(message["ts"]) > float(after)
                if own and new and self._final(channel, message["ts"]):
                    return message
            return None

        return await self.wait_for(look, timeout_s=timeout_s, what="the bot's message")

    async def wait_for_view(self, user: str, *, timeout_s: float = 5) -> Json:
        """The person's top modal."""

        def look() -> Json | None:
            return self._store.views[user][-1] if self._store.views[user] else None

        return await self.wait_for(look, timeout_s=timeout_s, what="a modal")

    async def wait_for_ephemeral(self, user: str, *, timeout_s: float = 5, count: int = 1) -> Json:
        """The newest message that only this person sees, once there are `count`."""

        def look() -> Json | None:
            seen = self._store.ephemerals[user]
            return seen[-1] if len(seen) >= count else None

        return await self.wait_for(look, timeout_s=timeout_s, what="an ephemeral message")

    def messages(self, channel: str, thread_ts: str | None = None) -> list[Json]:
        """The messages of a channel, or of one thread with its parent, oldest first."""
        place = self._store.channels[channel]
        if thread_ts is not None:
            return self._store.thread(place, thread_ts)
        return list(place.messages.values())

    def ephemerals(self, user: str) -> list[Json]:
        """What only this person sees, oldest first."""
        return self._store.ephemerals[user]

    @property
    def views(self) -> Mapping[str, list[Json]]:
        """Open modals by user id, the top one last."""
        return self._store.views

    def home(self, user: str) -> Json | None:
        """The Home tab that was published for this person."""
        return self._store.homes.get(user)

    def status(self, channel: str, thread_ts: str) -> str:
        """The status under a thread; empty when none is shown (or two minutes have passed)."""
        found = self._store.statuses.get((channel, thread_ts))
        if found is None or self.clock.now() - found["set_at"] > STATUS_S:
            return ""
        return str(found["status"])

    def prompts(self, channel: str) -> list[Json]:
        """The prompts suggested in a person's conversation with the app."""
        found = self._store.prompts.get(channel)
        return list(found["prompts"]) if found else []

    def _final(self, channel: str, ts: str) -> bool:
        stream = self._store.streams.get((channel, ts))
        return stream is None or stream.stopped == "app"

    @staticmethod
    def live_marks(message: Json) -> list[str]:
        """What would come alive in text and blocks: pings, mentions, links, as they stand there."""
        found = _MARKS.findall(str(message.get("text") or ""))
        return found + list(_marks(message.get("blocks") or []))


def _marks(node: object) -> Iterator[str]:
    if isinstance(node, list):
        for item in node:
            yield from _marks(item)
    elif isinstance(node, dict):
        kind = node.get("type")
        if kind in {"mrkdwn", "markdown"}:
            yield from _MARKS.findall(node["text"])
            if kind == "markdown":
                yield from _MARKDOWN_LINKS.findall(node["text"])
        elif kind == "link":
            yield f"<{node['url']}>"
        elif kind in _RICH:
            yield f"<{_RICH[kind].format_map(node)}>"
        else:
            for value in node.values():
                yield from _marks(value)
