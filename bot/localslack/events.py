"""Event payloads as Slack sends them, and who gets them."""

import secrets
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field

from bot.localslack.manifest import Manifest
from bot.localslack.store import Channel, Store, new_id
from bot.localslack.types import Event, Json

_SUBSCRIPTION = {"channel": "message.channels", "group": "message.groups", "im": "message.im"}


@dataclass(slots=True)
class Events:
    """Wraps what happened into event_callbacks and hands those that the app hears to `send`."""

    store: Store
    manifest: Manifest
    send: Callable[[Event], None]
    sent: list[Event] = field(default_factory=list)

    def message(self, channel: Channel, event: Json, author: str | None) -> None:
        """A message event (any subtype) of a place that the bot is in."""
        if self.store.bot.id not in channel.members:
            return
        if _SUBSCRIPTION[channel.kind] in self.manifest.events:
            self._dispatch(
                {**event, "channel": channel.id, "channel_type": channel.kind}, channel, author
            )

    def mention(self, channel: Channel, message: Json) -> None:
        """An app_mention, if the message names the bot in a channel that it is in (never a DM)."""
        mark = f"<@{self.store.bot.id}>"
        if (
            mark not in message["text"]
            or channel.kind == "im"
            or self.store.bot.id not in channel.members
            or "app_mention" not in self.manifest.events
        ):
            return
        event = {**message, "type": "app_mention", "channel": channel.id}
        event["event_ts"] = event["ts"]
        event.pop("subtype", None)
        self._dispatch(event, channel, message.get("user"))

    def other(self, event: Json, channel: Channel | None, author: str) -> None:
        """An event of another type, if the app subscribes to it."""
        if event["type"] in self.manifest.events:
            self._dispatch(event, channel, author)

    def _dispatch(self, event: Json, channel: Channel | None, author: str | None) -> None:
        event.setdefault("event_ts", self.store.new_ts())
        person = self.store.users.get(author or "")
        payload: Json = {
            "token": secrets.token_hex(12),
            "team_id": self.store.team_id,
            "context_team_id": self.store.team_id,
            "context_enterprise_id": None,
            "api_app_id": self.store.app_id,
            "event": event,
            "type": "event_callback",
            "event_id": new_id("Ev"),
            "event_time": int(self.store.clock.now()),
            "authorizations": [
                {
                    "enterprise_id": None,
                    "team_id": self.store.team_id,
                    "user_id": self.store.bot.id,
                    "is_bot": True,
                    "is_enterprise_install": False,
                }
            ],
            "is_ext_shared_channel": bool(channel and channel.ext_shared),
            "event_context": f"4-{uuid.uuid4().hex}",
        }
        if person is not None and person.team_id != self.store.team_id:
            event.setdefault("user_team", person.team_id)
            event.setdefault("source_team", person.team_id)
        found = Event(payload["event_id"], event["type"], payload)
        self.sent.append(found)
        self.send(found)


def rich_text(text: str) -> list[Json]:
    """The block that Slack's composer makes of what a person typed; mentions are elements."""
    elements: list[Json] = []
    rest = text
    while (start := rest.find("<@")) >= 0 and (end := rest.find(">", start)) > 0:
        if start:
            elements.append({"type": "text", "text": _plain(rest[:start])})
        elements.append({"type": "user", "user_id": rest[start + 2 : end]})
        rest = rest[end + 1 :]
    if rest:
        elements.append({"type": "text", "text": _plain(rest)})
    section = {"type": "rich_text_section", "elements": elements}
    return [{"type": "rich_text", "block_id": secrets.token_hex(3), "elements": [section]}]


def _plain(text: str) -> str:
    """What was typed: on the wire `&`, `<` and `>` are entities."""
    return text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
