"""What happens in the workspace: messages that come, change and go, and the events of it."""

import secrets
import uuid
from dataclasses import dataclass

from bot.localslack.events import Events, rich_text
from bot.localslack.manifest import Manifest
from bot.localslack.store import Channel, Store, User
from bot.localslack.types import Json, RefusedError

STREAM_S = 300  # a stream dies after about five minutes
STATUS_S = 120


@dataclass(frozen=True, slots=True)
class Workspace:
    """State, rights and events together: what every method works on."""

    store: Store
    manifest: Manifest
    events: Events

    def bot_fields(self) -> Json:
        """What marks a message as the app's."""
        store = self.store
        return {
            "user": store.bot.id,
            "bot_id": store.bot_id,
            "app_id": store.app_id,
            "team": store.team_id,
            "bot_profile": {
                "id": store.bot_id,
                "app_id": store.app_id,
                "name": store.bot.name,
                "team_id": store.team_id,
                "deleted": False,
            },
        }

    def say(self, channel: Channel, text: str, blocks: list[Json], thread_ts: str | None) -> Json:
        """Post as the bot."""
        message = {"type": "message", **self.bot_fields(), "text": text}
        if blocks:
            message["blocks"] = with_ids(blocks)
        return self.add(channel, message, thread_ts)

    def write(
        self,
        channel: Channel,
        user: User,
        text: str,
        thread_ts: str | None,
        forwards: Json | None = None,
    ) -> Json:
        """Post as a person (or as another bot), as the composer does it."""
        message: Json = {
            "type": "message",
            "user": user.id,
            "team": user.team_id,
            "text": text,
            "blocks": rich_text(text),
        }
        if forwards is not None:
            message["attachments"] = [self._share(forwards)]
        if user.is_bot:
            message |= {"bot_id": "B" + user.id[1:], "app_id": "A" + user.id[1:]}
        else:
            message["client_msg_id"] = str(uuid.uuid4())
        return self.add(channel, message, thread_ts)

    def _share(self, message: Json) -> Json:
        """A message as an attachment of the one that forwards it."""
        channels = self.store.channels.values()
        return {
            "id": 1,
            "is_share": True,
            "is_msg_unfurl": True,
            "ts": message["ts"],
            "channel_id": next(c.id for c in channels if message["ts"] in c.messages),
            "author_id": message["user"],
            "text": message["text"],
            "fallback": message["text"],
            "message_blocks": [{"message": {"blocks": message.get("blocks", [])}}],
        }

    def add(self, channel: Channel, message: Json, thread_ts: str | None) -> Json:
        """Put a new message into its place, tell the app, and clear the thread's status."""
        store = self.store
        message["ts"] = store.new_ts()
        if thread_ts is not None:
            parent = channel.messages[thread_ts]
            message |= {"thread_ts": thread_ts, "parent_user_id": parent.get("user")}
        channel.messages[message["ts"]] = message
        if thread_ts is not None:
            channel.threads.setdefault(thread_ts, [thread_ts]).append(message["ts"])
            _count_replies(channel, thread_ts)
        if message.get("user") == store.bot.id:
            store.statuses.pop((channel.id, thread_ts or message["ts"]), None)
        event = {**message, "event_ts": message["ts"]}
        self.events.message(channel, event, message.get("user"))
        self.events.mention(channel, message)
        store.changes.notify()
        return message

    def change(self, channel: Channel, message: Json, new: Json, editor: str) -> None:
        """Replace parts of a message and tell the app (message_changed)."""
        before = dict(message)
        message.update(new)
        message["edited"] = {"user": editor, "ts": self.store.new_ts()}
        self.events.message(
            channel,
            {
                "type": "message",
                "subtype": "message_changed",
                "hidden": True,
                "message": dict(message),
                "previous_message": before,
                "ts": message["edited"]["ts"],
            },
            editor,
        )
        if editor != self.store.bot.id:
            self.events.mention(channel, dict(message))
        self.store.changes.notify()

    def remove(self, channel: Channel, message: Json) -> None:
        """Delete a message and tell the app; a parent with replies leaves a tombstone."""
        before = dict(message)
        if message.get("reply_count"):
            for key in ("blocks", "client_msg_id", "bot_id"):
                message.pop(key, None)
            message.update(
                subtype="tombstone", hidden=True, text="This message was deleted.", user="USLACKBOT"
            )
        else:
            del channel.messages[message["ts"]]
            if (thread_ts := message.get("thread_ts")) in channel.threads:
                channel.threads[thread_ts].remove(message["ts"])
                _count_replies(channel, thread_ts)
        self.events.message(
            channel,
            {
                "type": "message",
                "subtype": "message_deleted",
                "hidden": True,
                "deleted_ts": before["ts"],
                "previous_message": before,
                "ts": self.store.new_ts(),
            },
            before.get("user"),
        )
        self.store.changes.notify()

    def whisper(
        self, channel: str, user: str, text: str, blocks: list[Json], thread_ts: str | None
    ) -> Json:
        """A message that only one person sees, until the page is reloaded."""
        message: Json = {
            "type": "message",
            "subtype": "bot_message",
            "is_ephemeral": True,
            "channel": channel,
            "ts": self.store.new_ts(),
            **self.bot_fields(),
            "text": text,
        }
        if blocks:
            message["blocks"] = with_ids(blocks)
        if thread_ts:
            message["thread_ts"] = thread_ts
        self.store.ephemerals[user].append(message)
        self.store.changes.notify()
        return message

    def streaming(self, channel: Channel, ts: str) -> bool:
        """Whether the message is being written right now."""
        stream = self.store.streams.get((channel.id, ts))
        return (
            stream is not None
            and stream.stopped is None
            and self.store.clock.now() - stream.started < STREAM_S
        )

    def check_scope(self, *enough: str) -> None:
        """Any one of `enough` will do.

        Raises:
            RefusedError: `missing_scope` with `needed` and `provided`.
        """
        if not self.manifest.scopes.intersection(enough):
            provided = ",".join(sorted(self.manifest.scopes))
            raise RefusedError("missing_scope", needed=enough[0], provided=provided)


def with_ids(blocks: list[Json]) -> list[Json]:
    """Blocks as Slack keeps them: each with a block_id, each element with an action_id."""
    kept = []
    for block in blocks:
        own = {**block, "block_id": block.get("block_id") or secrets.token_hex(3)}
        if isinstance(block.get("elements"), list) and block["type"] != "rich_text":
            own["elements"] = [_with_action(e) for e in block["elements"]]
        for key in ("accessory", "element"):
            if block.get(key):
                own[key] = _with_action(block[key])
        kept.append(own)
    return kept


def _with_action(element: Json) -> Json:
    if element["type"] in {"plain_text", "mrkdwn", "image"}:
        return element
    return {**element, "action_id": element.get("action_id") or secrets.token_hex(3)}


def _count_replies(channel: Channel, thread_ts: str) -> None:
    """Keep what Slack shows under a parent: how many replies, by whom, when the last came."""
    parent, *replies = (channel.messages[ts] for ts in channel.threads[thread_ts])
    repliers = list(dict.fromkeys(reply["user"] for reply in replies if "user" in reply))
    parent.update(
        thread_ts=thread_ts,
        reply_count=len(replies),
        reply_users=repliers,
        reply_users_count=len(repliers),
        latest_reply=replies[-1]["ts"] if replies else None,
    )
