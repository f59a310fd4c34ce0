"""conversations.* and users.info: reading what is there."""

import base64
import binascii

from bot.localslack.store import Channel
from bot.localslack.types import Json, RefusedError
from bot.localslack.workspace import Workspace

MOST_ITEMS = 1000
_PREFIX = {"channel": "channels", "group": "groups", "im": "im"}


def replies(ws: Workspace, args: Json) -> Json:
    """A thread, oldest first. The parent opens every page, whatever the range says."""
    channel = _readable(ws, args, "history")
    ts = str(args.get("ts", ""))
    thread = ws.store.thread(channel, channel.messages.get(ts, {}).get("thread_ts", ts))
    if not thread:
        raise RefusedError("thread_not_found")
    parent, *rest = thread
    found = _in_range(rest, args)
    start = _after(args.get("cursor"), found)
    size = max(_limit(args, MOST_ITEMS) - 1, 1)
    page, more = found[start : start + size], len(found) > start + size
    answer: Json = {"messages": [parent, *page], "has_more": more}
    if more:
        answer["response_metadata"] = {"next_cursor": _cursor(page[-1])}
    return answer


def history(ws: Workspace, args: Json) -> Json:
    """The channel without replies, newest first."""
    channel = _readable(ws, args, "history")
    top = [m for m in channel.messages.values() if m.get("thread_ts", m["ts"]) == m["ts"]]
    found = _in_range(top, args)[::-1]
    start = _after(args.get("cursor"), found)
    size = _limit(args, 100)
    page, more = found[start : start + size], len(found) > start + size
    answer: Json = {"messages": page, "has_more": more, "pin_count": 0}
    if more:
        answer["response_metadata"] = {"next_cursor": _cursor(page[-1])}
    return answer


def info(ws: Workspace, args: Json) -> Json:
    """What a place is."""
    channel = _visible(ws, args, "read")
    about: Json = {
        "id": channel.id,
        "name": channel.name,
        "is_channel": channel.kind == "channel",
        "is_group": channel.kind == "group",
        "is_im": channel.kind == "im",
        "is_private": channel.kind != "channel",
        "is_archived": channel.archived,
        "is_ext_shared": channel.ext_shared,
        "is_member": ws.store.bot.id in channel.members,
        "num_members": len(channel.members),
    }
    if channel.kind == "im":
        about["user"] = next(iter(channel.members - {ws.store.bot.id}))
    return {"channel": about}


def open_(ws: Workspace, args: Json) -> Json:
    """Open the DM with one person."""
    users = str(args.get("users") or "").split(",")
    if len(users) != 1:
        raise RefusedError("method_not_supported_for_channel_type")
    if users[0] not in ws.store.users:
        raise RefusedError("user_not_found")
    return {"channel": {"id": ws.store.dm(users[0]).id}}


def users_info(ws: Workspace, args: Json) -> Json:
    """Who somebody is."""
    user = ws.store.users.get(args.get("user", ""))
    if user is None:
        raise RefusedError("user_not_found")
    foreign = user.team_id != ws.store.team_id
    return {
        "user": {
            "id": user.id,
            "team_id": user.team_id,
            "name": user.name,
            "real_name": user.name,
            "profile": {"display_name": user.name, "real_name": user.name},
            "deleted": False,
            "is_bot": user.is_bot,
            "is_restricted": user.guest,
            "is_ultra_restricted": False,
            "is_stranger": foreign,
        }
    }


def _visible(ws: Workspace, args: Json, right: str) -> Channel:
    channel = ws.store.channel(args.get("channel"))
    ws.check_scope(f"{_PREFIX[channel.kind]}:{right}")
    return channel


def _readable(ws: Workspace, args: Json, right: str) -> Channel:
    channel = _visible(ws, args, right)
    if ws.store.bot.id not in channel.members:
        raise RefusedError("not_in_channel")
    return channel


def _in_range(messages: list[Json], args: Json) -> list[Json]:
    oldest, latest = _ts(args, "oldest", 0.0), _ts(args, "latest", float("inf"))
    inclusive = args.get("inclusive") in (True, "true", "1", 1)
    return [
        m
        for m in messages
        if oldest < (at := float(m["ts"])) < latest or (inclusive and at in (oldest, latest))
    ]


def _ts(args: Json, key: str, default: float) -> float:
    try:
        return float(args[key]) if args.get(key) else default
    except ValueError:
        raise RefusedError(f"invalid_ts_{key}") from None


def _limit(args: Json, default: int) -> int:
    try:
        limit = int(args.get("limit") or default)
    except ValueError:
        limit = 0
    if not 1 <= limit <= MOST_ITEMS:
        raise RefusedError("invalid_limit")
    return limit


def _cursor(last: Json) -> str:
    return base64.b64encode(f"next_ts:{last['ts']}".encode()).decode()


def _after(cursor: object, messages: list[Json]) -> int:
    """Where the page after the one that ended at the cursor's message begins."""
    if not cursor:
        return 0
    try:
        kind, _, ts = base64.b64decode(str(cursor), validate=True).decode().partition(":")
    except (binascii.Error, UnicodeDecodeError):
        raise RefusedError("invalid_cursor") from None
    for number, message in enumerate(messages):
        if kind == "next_ts" and message["ts"] == ts:
            return number + 1
    raise RefusedError("invalid_cursor")
