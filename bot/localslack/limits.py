"""What Slack takes in blocks and views, and the name of each refusal. Pure.

The SDK's models know many lengths; totals, unknown keys, empty texts, tables, places where a block
may stand and repeated ids are checked here. Where Slack is silent the stricter reading holds.
"""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal

from slack_sdk.errors import SlackObjectFormationError
from slack_sdk.models.blocks import Block, BlockElement
from slack_sdk.models.views import View

from bot.localslack.types import Json, RefusedError

Surface = Literal["message", "modal", "home"]

MESSAGE_BLOCKS = 50
VIEW_BLOCKS = 100
# About 12,000 is the rule of thumb; 11,341 characters have been seen refused:
# https://github.com/slackapi/bolt-js/issues/2509
MESSAGE_BLOCK_CHARS = 11_340
MARKDOWN_CHARS = 12_000  # of one markdown_text, and of all markdown blocks together
TEXT_OBJECT_CHARS = 3_000
FIELD_CHARS = 2_000
TABLE_ROWS, TABLE_COLUMNS = 100, 20
VIEW_BYTES = 250 * 1024

_EVERYWHERE = {"actions", "context", "divider", "header", "image", "input", "rich_text", "section"}
_SURFACES: Mapping[Surface, frozenset[str]] = {
    "message": frozenset(
        _EVERYWHERE
        | {"alert", "card", "carousel", "container", "context_actions", "file", "markdown", "plan"}
        | {"table", "task_card", "video"}
    ),
    "modal": frozenset(_EVERYWHERE | {"video"}),
    "home": frozenset(_EVERYWHERE | {"video"}),
}
_VIEW_KEYS = {
    *("type", "title", "blocks", "close", "submit", "private_metadata", "callback_id"),
    *("clear_on_close", "notify_on_close", "external_id", "submit_disabled"),
}
_TEXT_KEYS = {
    "plain_text": {"type", "text", "emoji"},
    "mrkdwn": {"type", "text", "verbatim"},
}
_FEWEST = {"actions": 1, "context": 1, "context_actions": 1, "table": 1}


class _FaultError(Exception):
    """One thing wrong with blocks, and the place as a JSON pointer."""

    def __init__(self, message: str, pointer: str) -> None:
        super().__init__(f"{message} [json-pointer:{pointer}]")


def check_message_blocks(blocks: object) -> list[Json]:
    """Return the blocks of a message if Slack would take them.

    Raises:
        RefusedError: `invalid_blocks_format`, `invalid_blocks`, `msg_blocks_too_long`,
            `msg_too_long`.
    """
    found = _as_blocks(blocks, "invalid_blocks_format")
    try:
        _check_blocks(found, "message", MESSAGE_BLOCKS)
    except _FaultError as fault:
        raise RefusedError("invalid_blocks", (str(fault),)) from None
    markdown = sum(len(b["text"]) for b in found if b["type"] == "markdown")
    if markdown > MARKDOWN_CHARS:
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
    try:
        _check_view_frame(view, surface)
        blocks = _as_blocks(view.get("blocks"), "invalid_arguments")
        _check_blocks(blocks, surface, VIEW_BLOCKS)
        View(**view).validate_json()
    except (_FaultError, SlackObjectFormationError) as fault:
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


def _check_view_frame(view: Json, surface: Surface) -> None:
    if view.get("type") != surface:
        raise _FaultError(f"must be {surface}", "/view/type")
    if unknown := view.keys() - _VIEW_KEYS:
        raise _FaultError(f"invalid additional property: {min(unknown)}", "/view")
    for key in ("title", "submit", "close"):
        if key in view:
            _check_text(view[key], f"/view/{key}", plain=True, longest=24)
    if surface == "modal" and "title" not in view:
        raise _FaultError("missing required field: title", "/view")
    inputs = any(b.get("type") == "input" for b in view.get("blocks") or [] if isinstance(b, dict))
    if surface == "modal" and inputs and "submit" not in view:
        raise _FaultError("missing required field: submit", "/view")
    if len(view.get("external_id") or "") > 255:  # noqa: PLR2004  views.open's reference
        raise _FaultError("must be less than 256 characters", "/view/external_id")


def _check_blocks(blocks: list[Json], surface: Surface, most: int) -> None:
    if len(blocks) > most:
        raise _FaultError(f"no more than {most} items allowed", "/blocks")
    for number, block in enumerate(blocks):
        _check_block(block, surface, f"/blocks/{number}")
    ids = Counter(b["block_id"] for b in blocks if b.get("block_id"))
    if repeated := [i for i, n in ids.items() if n > 1]:
        raise _FaultError(f"block_id already exists: {repeated[0]}", "/blocks")
    if sum(b["type"] == "table" for b in blocks) > 1:
        raise _FaultError("only_one_table_allowed", "/blocks")


def _check_block(block: Json, surface: Surface, at: str) -> None:
    kind = block.get("type")
    if kind not in _SURFACES[surface]:
        raise _FaultError(f"unsupported type: {kind}", f"{at}/type")
    model = _model(Block.parse, block, at)
    _check_keys(block, model, at)
    _check_own(block, str(kind), at)
    for element, place in _elements(block, at):
        _check_element(element, place)
    _check_texts(block, at)
    actions = Counter(a for e, _ in _elements(block, at) if (a := e.get("action_id")))
    if repeated := [a for a, n in actions.items() if n > 1]:
        raise _FaultError(f"action_id already exists: {repeated[0]}", f"{at}/elements")


def _model(parse: Any, node: Json, at: str) -> Any:  # noqa: ANN401  the SDK is not typed here
    """The SDK's model of `node`, validated with all that is in it."""
    try:
        model = parse(node)
        if model is None:
            raise _FaultError(f"unsupported type: {node.get('type')}", f"{at}/type")
        model.to_dict()
    except (SlackObjectFormationError, TypeError, ValueError, KeyError, AttributeError) as error:
        raise _FaultError(str(error), at) from None
    return model


def _check_keys(node: Json, model: Any, at: str) -> None:  # noqa: ANN401
    if unknown := node.keys() - set(model.attributes):
        raise _FaultError(f"invalid additional property: {min(unknown)}", at)


def _elements(block: Json, at: str) -> Iterator[tuple[Json, str]]:
    """The elements of a block that may act, and images; texts come elsewhere."""
    nested = [(e, f"{at}/elements/{n}") for n, e in enumerate(block.get("elements") or [])]
    single = [(block[k], f"{at}/{k}") for k in ("accessory", "element") if block.get(k)]
    for element, place in nested + single:
        if not isinstance(element, dict) or "type" not in element:
            raise _FaultError("missing required field: type", place)
        if element["type"] not in _TEXT_KEYS:
            yield element, place


def _check_element(element: Json, at: str) -> None:
    if str(element["type"]).startswith("rich_text"):
        return  # its parts have no models with validators
    _check_keys(element, _model(BlockElement.parse, element, at), at)
    if element["type"] == "button":
        _check_text(element.get("text"), f"{at}/text", plain=True, longest=75)
        if "value" in element and not element["value"]:
            raise _FaultError("must be more than 0 characters", f"{at}/value")
        if "url" in element and not str(element["url"]).startswith(("http://", "https://")):
            raise _FaultError("invalid url", f"{at}/url")


def _check_own(block: Json, kind: str, at: str) -> None:
    """What one kind of block demands and the SDK does not look at."""
    if kind in _FEWEST and len(block.get("elements", block.get("rows")) or []) < _FEWEST[kind]:
        raise _FaultError("no fewer than 1 items required", at)
    if kind == "header":
        _check_text(block.get("text"), f"{at}/text", plain=True, longest=150)
    elif kind == "section":
        for number, one in enumerate(block.get("fields") or []):
            _check_text(one, f"{at}/fields/{number}", longest=FIELD_CHARS)
    elif kind == "markdown" and not block.get("text"):
        raise _FaultError("must be more than 0 characters", f"{at}/text")
    elif kind == "table":
        _check_table(block, at)


def _check_table(block: Json, at: str) -> None:
    rows = block["rows"]
    if len(rows) > TABLE_ROWS:
        raise _FaultError(f"no more than {TABLE_ROWS} items allowed", f"{at}/rows")
    widths = {len(row) for row in rows}
    if max(widths) > TABLE_COLUMNS or min(widths) < 1:
        raise _FaultError(f"between 1 and {TABLE_COLUMNS} items required", f"{at}/rows")
    if len(widths) > 1:
        raise _FaultError("rows must have the same number of cells", f"{at}/rows")
    if len(block.get("column_settings") or []) > TABLE_COLUMNS:
        raise _FaultError(f"no more than {TABLE_COLUMNS} items allowed", f"{at}/column_settings")


def _check_texts(node: object, at: str) -> None:
    """Every text object below `node`: known keys, not empty, not over 3,000 characters."""
    if isinstance(node, dict):
        if node.get("type") in _TEXT_KEYS:
            _check_text(node, at)
        else:
            for key, value in node.items():
                _check_texts(value, f"{at}/{key}")
    elif isinstance(node, list):
        for number, item in enumerate(node):
            _check_texts(item, f"{at}/{number}")


def _check_text(
    text: object, at: str, *, plain: bool = False, longest: int = TEXT_OBJECT_CHARS
) -> None:
    if not isinstance(text, dict) or text.get("type") not in _TEXT_KEYS:
        raise _FaultError("must be a text object", at)
    if plain and text["type"] != "plain_text":
        raise _FaultError("must be plain_text", f"{at}/type")
    if unknown := text.keys() - _TEXT_KEYS[text["type"]]:
        raise _FaultError(f"invalid additional property: {min(unknown)}", at)
    if not isinstance(text.get("text"), str) or not text["text"]:
        raise _FaultError("must be more than 0 characters", f"{at}/text")
    if len(text["text"]) > longest:
        raise _FaultError(f"must be less than {longest + 1} characters", f"{at}/text")
