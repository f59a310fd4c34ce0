"""What Slack takes in a message's blocks and in a view, and the name of each refusal. Pure."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

from slack_sdk.errors import SlackObjectFormationError
from slack_sdk.models.views import View

from bot.localslack.blocks import FaultError, check_blocks, check_text
from bot.localslack.types import Json, RefusedError

MESSAGE_BLOCKS = 50
VIEW_BLOCKS = 100
# About 12,000 is the rule of thumb; 11,341 characters have been seen refused. See also
# https://github.com/slackapi/bolt-js/issues/2509
MESSAGE_BLOCK_CHARS = 11_340
MARKDOWN_CHARS = 12_000  # of one markdown_text, and of all markdown blocks together
VIEW_BYTES = 250 * 1024
LABEL_CHARS = 24  # a view's title, submit and close
EXTERNAL_ID_CHARS = 255

_VIEW_KEYS = {
    *("type", "title", "blocks", "close", "submit", "private_metadata", "callback_id"),
    *("clear_on_close", "notify_on_close", "external_id"),
}


def check_message_blocks(blocks: object) -> list[Json]:
    """Return the blocks of a message if Slack would take them.

    Raises:
        RefusedError: `invalid_blocks_format`, `invalid_blocks`, `msg_blocks_too_long`,
            `msg_too_long`.
    """
    found = _as_blocks(blocks, "invalid_blocks_format")
    try:
        check_blocks(found, "message", MESSAGE_BLOCKS)
    except FaultError as fault:
        raise RefusedError("invalid_blocks", (str(fault),)) from None
    if sum(len(b["text"]) for b in found if b["type"] == "markdown") > MARKDOWN_CHARS:
        raise RefusedError("msg_too_long")
    if sum(len(text) for text in texts(found)) > MESSAGE_BLOCK_CHARS:
        raise RefusedError("msg_blocks_too_long")
    return found


def check_view(view: object, surface: Literal["modal", "home"]) -> Json:
    """Return the view if Slack would show it.

    Raises:
        RefusedError: `invalid_arguments` with what is wrong, `view_too_large`.
    """
    if not isinstance(view, dict):
        raise RefusedError("invalid_arguments", ("invalid `view`",))
    if len(json.dumps(view).encode()) > VIEW_BYTES:
        raise RefusedError("view_too_large")
    blocks = _as_blocks(view.get("blocks"), "invalid_arguments")
    try:
        _check_frame(view, surface)
        check_blocks(blocks, surface, VIEW_BLOCKS)
        View(**view).validate_json()
    except (FaultError, SlackObjectFormationError) as fault:
        raise RefusedError("invalid_arguments", (str(fault),)) from None
    return view


def texts(node: object) -> Iterator[str]:
    """Every text that a reader would see in blocks, in order."""
    if isinstance(node, Mapping):
        for key, value in node.items():
            if isinstance(value, str) and key in {"text", "alt_text"}:
                yield value
            else:
                yield from texts(value)
    elif isinstance(node, Sequence) and not isinstance(node, str):
        for item in node:
            yield from texts(item)


def _as_blocks(blocks: object, error: str) -> list[Json]:
    if not isinstance(blocks, list) or not all(isinstance(b, dict) for b in blocks):
        raise RefusedError(error, ("must be an array of blocks [json-pointer:/blocks]",))
    return blocks


def _check_frame(view: Json, surface: Literal["modal", "home"]) -> None:
    if view.get("type") != surface:
        raise FaultError(f"must be {surface}", "/view/type")
    if unknown := view.keys() - _VIEW_KEYS:
        raise FaultError(f"invalid additional property: {min(unknown)}", "/view")
    for key in ("title", "submit", "close"):
        if view.get(key) is not None:
            check_text(view[key], f"/view/{key}", plain=True, longest=LABEL_CHARS)
    if surface == "modal" and view.get("title") is None:
        raise FaultError("missing required field: title", "/view")
    inputs = any(block.get("type") == "input" for block in view["blocks"])
    if surface == "modal" and inputs and view.get("submit") is None:
        raise FaultError("missing required field: submit", "/view")
    for key in ("private_metadata", "callback_id", "external_id"):
        if not isinstance(view.get(key, ""), str):
            raise FaultError("must be a string", f"/view/{key}")
    if len(view.get("external_id", "")) > EXTERNAL_ID_CHARS:
        raise FaultError(f"must be less than {EXTERNAL_ID_CHARS + 1} characters", "/view")
