"""assistant.threads.*: the status under a thread, and suggested prompts."""

from bot.localslack.types import Json, RefusedError
from bot.localslack.workspace import Workspace

MOST_LOADING_MESSAGES = 10
MOST_PROMPTS = 4


def set_status(ws: Workspace, args: Json) -> Json:
    """Show a status in a thread; empty clears it, so do two minutes and the app's reply."""
    channel = ws.store.channel(args.get("channel_id"))
    if ws.store.bot.id not in channel.members:
        raise RefusedError("channel_not_found")
    if args.get("thread_ts") not in channel.messages:
        raise RefusedError("invalid_thread_ts")
    if not isinstance(args.get("status"), str):
        raise RefusedError("invalid_arguments", ("missing required field: status",))
    loading = args.get("loading_messages") or []
    if len(loading) > MOST_LOADING_MESSAGES or not all(isinstance(m, str) and m for m in loading):
        raise RefusedError("invalid_arguments", ("invalid loading_messages",))
    key = (channel.id, args["thread_ts"])
    if args["status"]:
        ws.store.statuses[key] = {
            "status": args["status"],
            "loading_messages": loading,
            "set_at": ws.store.clock.now(),
        }
    else:
        ws.store.statuses.pop(key, None)
    ws.store.changes.notify()
    return {}


def set_suggested_prompts(ws: Workspace, args: Json) -> Json:
    """Offer up to four prompts in a person's conversation with the app."""
    channel = ws.store.channel(args.get("channel_id"))
    if channel.kind != "im":
        raise RefusedError("channel_not_found")
    prompts = args.get("prompts")
    if not isinstance(prompts, list) or not 1 <= len(prompts) <= MOST_PROMPTS:
        raise RefusedError("invalid_arguments", (f"1 to {MOST_PROMPTS} prompts",))
    for prompt in prompts:
        if not isinstance(prompt, dict) or not (prompt.get("title") and prompt.get("message")):
            raise RefusedError("invalid_arguments", ("a prompt has a title and a message",))
    ws.store.prompts[channel.id] = {"title": args.get("title"), "prompts": prompts}
    ws.store.changes.notify()
    return {}
