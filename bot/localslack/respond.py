"""response_url: answering one interaction without a token, five times within half an hour."""

from bot.localslack.chat import read_content
from bot.localslack.store import ResponseUrl
from bot.localslack.types import Json, RefusedError
from bot.localslack.workspace import Workspace, with_ids

USES = 5
VALID_S = 30 * 60


def respond(ws: Workspace, key: str, args: Json) -> None:
    """Do what the app posted to the response_url.

    Raises:
        RefusedError: `expired_url`, `used_url`, and what a message's content may be refused for.
    """
    url = ws.store.response_urls.get(key)
    if url is None or ws.store.clock.now() - url.issued > VALID_S:
        raise RefusedError("expired_url")
    if url.uses >= USES:
        raise RefusedError("used_url")
    if args.get("delete_original"):
        _delete(ws, url)
    else:
        _write(ws, url, args)
    url.uses += 1


def _write(ws: Workspace, url: ResponseUrl, args: Json) -> None:
    content = read_content(args)
    if args.get("replace_original") and url.message_ts:
        message = _original(ws, url)
        new: Json = {"text": content.text, "blocks": with_ids(content.blocks or [])}
        if message.get("is_ephemeral"):
            message.update(new)
            ws.store.changes.notify()
        else:
            ws.change(ws.store.channels[url.channel], message, new, ws.store.bot.id)
    elif args.get("response_type") == "in_channel":
        channel = ws.store.channels[url.channel]
        ws.say(channel, content.text, content.blocks or [], args.get("thread_ts"))
    else:
        thread_ts = args.get("thread_ts") or url.thread_ts
        ws.whisper(url.channel, url.user, content.text, content.blocks or [], thread_ts)


def _delete(ws: Workspace, url: ResponseUrl) -> None:
    message = _original(ws, url)
    if message.get("is_ephemeral"):
        ws.store.ephemerals[url.user].remove(message)
        ws.store.changes.notify()
    else:
        ws.remove(ws.store.channels[url.channel], message)


def _original(ws: Workspace, url: ResponseUrl) -> Json:
    """The message in which the person acted."""
    message = ws.store.channels[url.channel].messages.get(url.message_ts or "")
    for whispered in ws.store.ephemerals[url.user]:
        if whispered["ts"] == url.message_ts:
            message = whispered
    if message is None:
        raise RefusedError("message_not_found")
    return message
