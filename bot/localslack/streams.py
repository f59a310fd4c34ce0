"""chat.startStream, appendStream and stopStream: a message that is written as one watches."""

from bot.localslack.chat import check_may_write, check_thread
from bot.localslack.limits import (
    MARKDOWN_CHARS,
    MESSAGE_BLOCK_CHARS,
    check_message_blocks,
    texts,
)
from bot.localslack.store import Channel, Stream
from bot.localslack.types import Json, RefusedError
from bot.localslack.workspace import Workspace, with_ids

_TASK_STATES = {"pending", "in_progress", "complete", "error"}
_SESSION_STATES = {"active", "processing", "suspended", "closed"}


def start(ws: Workspace, args: Json) -> Json:
    """Begin a reply. In channels Slack wants to know for whom."""
    channel = ws.store.channel(args.get("channel"))
    check_may_write(ws, channel)
    if not args.get("thread_ts"):
        raise RefusedError("invalid_arguments", ("missing required field: thread_ts",))
    thread_ts = check_thread(channel, args["thread_ts"])
    if channel.kind != "im":
        for key in ("recipient_team_id", "recipient_user_id"):
            if not args.get(key):
                raise RefusedError(f"missing_{key}")
        if args["recipient_user_id"] not in ws.store.users:
            raise RefusedError("user_not_found")
    text, blocks = _pieces(args)
    message = ws.say(channel, text, _blocks(text, blocks), thread_ts)
    message["streaming_state"] = "in_progress"
    stream = Stream(channel.id, message["ts"], ws.store.clock.now(), text, blocks)
    ws.store.streams[channel.id, message["ts"]] = stream
    return {"channel": channel.id, "ts": message["ts"]}


def append(ws: Workspace, args: Json) -> Json:
    """Write on."""
    channel, message, stream = _running(ws, args)
    text, blocks = _pieces(args)
    if not text and not blocks:
        raise RefusedError("no_text")
    if len(stream.text) + len(text) > MESSAGE_BLOCK_CHARS:
        raise RefusedError("msg_too_long")
    stream.text += text
    stream.tasks = _merged(stream.tasks, blocks)
    _show(ws, message, stream, [])
    return {"channel": channel.id, "ts": message["ts"]}


def stop(ws: Workspace, args: Json) -> Json:
    """Write the last words, add blocks below, and be done."""
    channel, message, stream = _running(ws, args)
    text, more = _pieces(args)
    if args.get("session_status", "active") not in _SESSION_STATES:
        raise RefusedError("invalid_arguments", ("invalid session_status",))
    below = check_message_blocks(args["blocks"]) if args.get("blocks") else []
    tasks = _merged(stream.tasks, more)
    whole = _blocks(stream.text + text, [*tasks, *below])
    if not whole:
        raise RefusedError("no_text")
    if sum(len(t) for t in texts(whole)) > MESSAGE_BLOCK_CHARS:
        raise RefusedError("msg_blocks_too_long")
    stream.text, stream.tasks, stream.stopped = stream.text + text, tasks, "app"
    new = {"text": stream.text, "blocks": with_ids(whole), "streaming_state": "completed"}
    ws.change(channel, message, new, ws.store.bot.id)
    return {"channel": channel.id, "ts": message["ts"], "message": message}


def _running(ws: Workspace, args: Json) -> tuple[Channel, Json, Stream]:
    channel = ws.store.channel(args.get("channel"))
    message = channel.messages.get(args.get("ts", ""))
    if message is None:
        raise RefusedError("message_not_found")
    if message.get("bot_id") != ws.store.bot_id:
        raise RefusedError("message_not_owned_by_app")
    stream = ws.store.streams.get((channel.id, message["ts"]))
    if stream is not None and stream.stopped == "user":
        raise RefusedError("stopped_by_user")
    if stream is None or not ws.streaming(channel, message["ts"]):
        raise RefusedError("message_not_in_streaming_state")
    return channel, message, stream


def _pieces(args: Json) -> tuple[str, list[Json]]:
    """The text of a call, and the blocks that its chunks bring."""
    text, chunks = args.get("markdown_text") or "", args.get("chunks") or []
    if text and chunks:
        raise RefusedError("invalid_arguments", ("markdown_text and chunks exclude each other",))
    blocks: list[Json] = []
    for number, chunk in enumerate(chunks):
        kind = chunk.get("type") if isinstance(chunk, dict) else None
        if kind == "markdown_text" and isinstance(chunk.get("text"), str):
            text += chunk["text"]
        elif kind == "task_update" and chunk.get("status") in _TASK_STATES:
            card = {k: v for k, v in chunk.items() if k in {"title", "status"}}
            blocks.append({"type": "task_card", "task_id": chunk["id"], **card})
        elif kind == "blocks":
            blocks.extend(check_message_blocks(chunk.get("blocks")))
        elif kind != "plan_update":
            where = f"[json-pointer:/chunks/{number}]"
            raise RefusedError("invalid_arguments", (f"invalid chunk {where}",))
    if len(text) > MARKDOWN_CHARS:
        raise RefusedError("msg_too_long")
    return text, blocks


def _blocks(text: str, more: list[Json]) -> list[Json]:
    return [*([{"type": "markdown", "text": text}] if text else []), *more]


def _merged(old: list[Json], new: list[Json]) -> list[Json]:
    """A task that is told again replaces its card."""
    told = {b["task_id"]: b for b in new if b["type"] == "task_card"}
    known = {b.get("task_id") for b in old}
    kept = [told.get(b.get("task_id", ""), b) for b in old]
    return kept + [b for b in new if b.get("task_id") is None or b["task_id"] not in known]


def _show(ws: Workspace, message: Json, stream: Stream, below: list[Json]) -> None:
    message["text"] = stream.text
    message["blocks"] = with_ids(_blocks(stream.text, [*stream.tasks, *below]))
    ws.store.changes.notify()
