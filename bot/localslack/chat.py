"""chat.*: posting, changing and deleting messages.

The errors are those of https://docs.slack.dev/reference/methods.
"""

from typing import NamedTuple

from bot.localslack.limits import MARKDOWN_CHARS, check_message_blocks
from bot.localslack.store import Channel
from bot.localslack.types import Json, RefusedError
from bot.localslack.workspace import Workspace, with_ids

POST_CHARS = 40_000  # longer texts are cut
UPDATE_CHARS = 4_000
MOST_ATTACHMENTS = 100


class Content(NamedTuple):
    """What a message says: its text, and its blocks or None when none were given."""

    text: str
    blocks: list[Json] | None


def post_message(ws: Workspace, args: Json) -> Json:
    """Post in a channel, a thread or a DM (a user id opens the DM)."""
    channel = _place(ws, args.get("channel"))
    check_may_write(ws, channel)
    _check_disguise(ws, args)
    content = read_content(args)
    thread_ts = check_thread(channel, args.get("thread_ts"))
    message = ws.say(channel, content.text[:POST_CHARS], content.blocks or [], thread_ts)
    return {"channel": channel.id, "ts": message["ts"], "message": message}


def update(ws: Workspace, args: Json) -> Json:
    """Change a message of the app. A text without blocks takes the place of its blocks."""
    channel = ws.store.channel(args.get("channel"))
    message = channel.messages.get(args.get("ts", ""))
    if channel.archived:
        raise RefusedError("is_inactive")
    if message is None:
        raise RefusedError("message_not_found")
    if message.get("bot_id") != ws.store.bot_id:
        raise RefusedError("cant_update_message")
    if ws.streaming(channel, message["ts"]):
        raise RefusedError("streaming_state_conflict")
    content = read_content(args)
    if "markdown_text" not in args and len(content.text) > UPDATE_CHARS:
        raise RefusedError("msg_too_long")
    if stream := ws.store.streams.get((channel.id, message["ts"])):
        stream.stopped, message["streaming_state"] = "app", "completed"
    new = {"text": content.text, "blocks": with_ids(content.blocks or [])}
    ws.change(channel, message, new, ws.store.bot.id)
    return {
        "channel": channel.id,
        "ts": message["ts"],
        "text": content.text,
        "message": message,
    }


def delete(ws: Workspace, args: Json) -> Json:
    """Delete a message of the app."""
    channel = ws.store.channel(args.get("channel"))
    message = channel.messages.get(args.get("ts", ""))
    if message is None:
        raise RefusedError("message_not_found")
    if message.get("bot_id") != ws.store.bot_id:
        raise RefusedError("cant_delete_message")
    ws.remove(channel, message)
    return {"channel": channel.id, "ts": message["ts"]}


def post_ephemeral(ws: Workspace, args: Json) -> Json:
    """Show a message to one member of the channel."""
    channel = ws.store.channel(args.get("channel"))
    check_may_write(ws, channel)
    _check_disguise(ws, args)
    if args.get("user") not in channel.members:
        raise RefusedError("user_not_in_channel")
    content = read_content(args)
    if len(content.text) > POST_CHARS:
        raise RefusedError("msg_too_long")
    thread_ts = check_thread(channel, args.get("thread_ts"))
    message = ws.whisper(channel.id, args["user"], content.text, content.blocks or [], thread_ts)
    return {"message_ts": message["ts"]}


def get_permalink(ws: Workspace, args: Json) -> Json:
    """The address of a message."""
    channel = ws.store.channel(args.get("channel"))
    message = channel.messages.get(args.get("message_ts", ""))
    if message is None:
        raise RefusedError("message_not_found")
    link = f"https://{ws.store.team_domain}.slack.com/archives/{channel.id}/p"
    link += message["ts"].replace(".", "")
    if (thread := message.get("thread_ts")) and thread != message["ts"]:
        link += f"?thread_ts={thread}&cid={channel.id}"
    return {"channel": channel.id, "permalink": link}


def read_content(args: Json) -> Content:
    """Text and blocks of a call.

    Raises:
        RefusedError: `markdown_text_conflict`, `no_text`, `msg_too_long`, `too_many_attachments`
            and what `check_message_blocks` raises.
    """
    text, blocks = args.get("text"), args.get("blocks")
    if (markdown := args.get("markdown_text")) is not None:
        if text or blocks:
            raise RefusedError("markdown_text_conflict")
        return Content(str(markdown), check_message_blocks(markdown_blocks(markdown)))
    if len(args.get("attachments") or []) > MOST_ATTACHMENTS:
        raise RefusedError("too_many_attachments")
    if not (text or "").strip() and not blocks and not args.get("attachments"):
        raise RefusedError("no_text")
    return Content(text or "", None if blocks is None else check_message_blocks(blocks))


def markdown_blocks(markdown: object) -> list[Json]:
    """What Slack makes of markdown_text.

    Raises:
        RefusedError: `no_text`, `msg_too_long`.
    """
    if not isinstance(markdown, str) or not markdown:
        raise RefusedError("no_text")
    if len(markdown) > MARKDOWN_CHARS:
        raise RefusedError("msg_too_long")
    return [{"type": "markdown", "text": markdown}]


def check_may_write(ws: Workspace, channel: Channel) -> None:
    """Raise RefusedError where the app cannot post."""
    if channel.archived:
        raise RefusedError("is_archived")
    if channel.kind == "im" and not ws.manifest.messages_tab:
        raise RefusedError("messages_tab_disabled")
    if ws.store.bot.id not in channel.members:
        public = channel.kind == "channel" and "chat:write.public" in ws.manifest.scopes
        if not public:
            raise RefusedError("not_in_channel")


def check_thread(channel: Channel, thread_ts: object) -> str | None:
    """The thread's ts, if it is the ts of a message that can have replies.

    Raises:
        RefusedError: `invalid_thread_ts`, `thread_not_found`, `cannot_reply_to_message` (a reply's
            ts: Slack warns against it, here it is refused).
    """
    if thread_ts in (None, ""):
        return None
    if not isinstance(thread_ts, str) or not thread_ts.replace(".", "", 1).isdigit():
        raise RefusedError("invalid_thread_ts", (f"{thread_ts} is not a valid thread_ts",))
    parent = channel.messages.get(thread_ts)
    if parent is None:
        raise RefusedError("thread_not_found")
    if parent.get("thread_ts", thread_ts) != thread_ts:
        raise RefusedError("cannot_reply_to_message")
    return thread_ts


def _place(ws: Workspace, channel: object) -> Channel:
    if isinstance(channel, str) and channel in ws.store.users and channel != ws.store.bot.id:
        return ws.store.dm(channel)
    return ws.store.channel(channel)


def _check_disguise(ws: Workspace, args: Json) -> None:
    if any(args.get(key) for key in ("username", "icon_emoji", "icon_url")):
        ws.check_scope("chat:write.customize")
