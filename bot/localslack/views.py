"""views.*: modals on a person's screen, and the app's Home tab."""

import secrets
from collections.abc import Iterator

from bot.localslack.limits import check_view
from bot.localslack.store import Trigger, new_id
from bot.localslack.types import Json, RefusedError
from bot.localslack.workspace import Workspace, with_ids

TRIGGER_S = 3
MOST_VIEWS = 3


def open_(ws: Workspace, args: Json) -> Json:
    """Open a modal for whoever the trigger belongs to."""
    trigger = _trigger(ws, args)
    view = _new(ws, check_view(args.get("view"), "modal"))
    trigger.used = True
    ws.store.views[trigger.user] = [view]
    ws.store.changes.notify()
    return {"view": view}


def push(ws: Workspace, args: Json) -> Json:
    """Put a modal on top of the one in which the person acted."""
    trigger = _trigger(ws, args)
    stack = ws.store.views[trigger.user]
    if trigger.view_id is None or trigger.view_id not in {v["id"] for v in stack}:
        raise RefusedError("not_found")
    if len(stack) >= MOST_VIEWS:
        raise RefusedError("push_limit_reached")
    view = _new(ws, check_view(args.get("view"), "modal"))
    trigger.used = True
    place(ws, trigger.user, view)
    return {"view": view}


def update(ws: Workspace, args: Json) -> Json:
    """Change a view that is open, named by view_id or external_id."""
    for view in _all(ws):
        if view["id"] == args.get("view_id") or (
            args.get("external_id") and view["external_id"] == args["external_id"]
        ):
            new = check_view(args.get("view"), view["type"])
            _check_hash(view, args)
            _check_external(ws, new, view["id"])
            replace(ws, view, new)
            return {"view": view}
    raise RefusedError("not_found")


def publish(ws: Workspace, args: Json) -> Json:
    """Show the Home tab to one person."""
    if not ws.manifest.home_tab:
        raise RefusedError("not_enabled")
    user = args.get("user_id")
    if user not in ws.store.users:
        raise RefusedError("invalid_arguments", ("invalid `user_id`",))
    new = check_view(args.get("view"), "home")
    if user in ws.store.homes:
        _check_hash(ws.store.homes[user], args)
        replace(ws, ws.store.homes[user], new)
    else:
        ws.store.homes[user] = _new(ws, new)
        ws.store.changes.notify()
    return {"view": ws.store.homes[user]}


def place(ws: Workspace, user: str, view: Json) -> None:
    """Put a view on top of a person's stack."""
    stack = ws.store.views[user]
    view |= {"root_view_id": stack[0]["id"], "previous_view_id": stack[-1]["id"]}
    stack.append(view)
    ws.store.changes.notify()


def replace(ws: Workspace, view: Json, new: Json) -> None:
    """Change a view in place: same id, new hash, answers of blocks that stayed are kept."""
    fresh = _content(new)
    blocks = {b["block_id"] for b in fresh["blocks"]}
    values = {k: v for k, v in view["state"]["values"].items() if k in blocks}
    view |= {**fresh, "hash": _hash(ws), "state": {"values": values}}
    ws.store.changes.notify()


def new_from_ack(ws: Workspace, view: object) -> Json:
    """The view of a response_action, checked like any other."""
    return _new(ws, check_view(view, "modal"))


def _trigger(ws: Workspace, args: Json) -> Trigger:
    trigger = ws.store.triggers.get(str(args.get("trigger_id") or ""))
    if trigger is None:
        raise RefusedError("invalid_trigger_id")
    if trigger.used:
        raise RefusedError("exchanged_trigger_id")
    if ws.store.clock.now() - trigger.issued > TRIGGER_S:
        raise RefusedError("expired_trigger_id")
    return trigger


def _all(ws: Workspace) -> Iterator[Json]:
    for stack in ws.store.views.values():
        yield from stack
    yield from ws.store.homes.values()


def _check_hash(view: Json, args: Json) -> None:
    if args.get("hash") and args["hash"] != view["hash"]:
        raise RefusedError("hash_conflict")


def _check_external(ws: Workspace, new: Json, own_id: str | None) -> None:
    wanted = new.get("external_id")
    if wanted and any(v["external_id"] == wanted and v["id"] != own_id for v in _all(ws)):
        raise RefusedError("duplicate_external_id")


def _hash(ws: Workspace) -> str:
    return f"{int(ws.store.clock.now())}.{secrets.token_hex(4)}"


def _content(view: Json) -> Json:
    return {
        "type": view["type"],
        "title": view.get("title"),
        "close": view.get("close"),
        "submit": view.get("submit"),
        "blocks": with_ids(view["blocks"]),
        "private_metadata": view.get("private_metadata", ""),
        "callback_id": view.get("callback_id", ""),
        "external_id": view.get("external_id", ""),
        "clear_on_close": bool(view.get("clear_on_close")),
        "notify_on_close": bool(view.get("notify_on_close")),
    }


def _new(ws: Workspace, view: Json) -> Json:
    _check_external(ws, view, None)
    own_id = new_id("V")
    return {
        "id": own_id,
        "team_id": ws.store.team_id,
        **_content(view),
        "state": {"values": {}},
        "hash": _hash(ws),
        "root_view_id": own_id,
        "previous_view_id": None,
        "app_id": ws.store.app_id,
        "app_installed_team_id": ws.store.team_id,
        "bot_id": ws.store.bot_id,
    }
