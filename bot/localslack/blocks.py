"""What Slack takes in one block, and where it may stand. Pure.

The SDK's models know many lengths; unknown keys, empty texts, tables, the elements that a block may
hold and repeated ids are checked here. Where Slack is silent the stricter reading holds.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from typing import Any, Literal

from slack_sdk.errors import SlackObjectFormationError
from slack_sdk.models.blocks import Block, BlockElement

from bot.localslack.types import Json

Surface = Literal["message", "modal", "home"]

TEXT_OBJECT_CHARS = 3_000
FIELD_CHARS = 2_000
TABLE_ROWS, TABLE_COLUMNS = 100, 20

_EVERYWHERE = frozenset(
    {"actions", "context", "divider", "header", "image", "input", "rich_text", "section", "video"}
)
_SURFACES: Mapping[Surface, frozenset[str]] = {
    "message": _EVERYWHERE
    | {"alert", "card", "carousel", "container", "context_actions", "file", "markdown", "plan"}
    | {"table", "task_card"},
    "modal": _EVERYWHERE,
    "home": _EVERYWHERE,
}
_SELECTS = ("static", "external", "users", "conversations", "channels")
_MAY_HOLD: Mapping[str, frozenset[str]] = {
    "actions": frozenset(
        {"button", "checkboxes", "datepicker", "datetimepicker", "overflow", "radio_buttons"}
        | {"timepicker", "workflow_button"}
        | {f"{kind}_select" for kind in _SELECTS}
        | {f"multi_{kind}_select" for kind in _SELECTS}
    ),
    "context": frozenset({"image", "mrkdwn", "plain_text"}),
    "context_actions": frozenset({"feedback_buttons", "icon_button"}),
}
_CELLS = {"raw_text", "raw_number", "rich_text"}
_TEXT_KEYS = {
    "plain_text": {"type", "text", "emoji"},
    "mrkdwn": {"type", "text", "verbatim"},
}


class FaultError(Exception):
    """One thing wrong with blocks or a view, and its place as a JSON pointer."""

    def __init__(self, message: str, pointer: str) -> None:
        super().__init__(f"{message} [json-pointer:{pointer}]")


def check_blocks(blocks: list[Json], surface: Surface, most: int) -> None:
    """Raise FaultError for the first thing that Slack would not take."""
    if len(blocks) > most:
        raise FaultError(f"no more than {most} items allowed", "/blocks")
    for number, block in enumerate(blocks):
        at = f"/blocks/{number}"
        try:
            _check_block(block, surface, at)
        except (
            SlackObjectFormationError,
            TypeError,
            ValueError,
            KeyError,
            AttributeError,
        ) as error:
            # A dict where a list belongs, a number where a text does: the models trip over it.
            raise FaultError(str(error), at) from None
    ids = Counter(b["block_id"] for b in blocks if b.get("block_id"))
    if repeated := [i for i, n in ids.items() if n > 1]:
        raise FaultError(f"block_id already exists: {repeated[0]}", "/blocks")
    if sum(b["type"] == "table" for b in blocks) > 1:
        raise FaultError("only_one_table_allowed", "/blocks")


def check_text(
    text: object, at: str, *, plain: bool = False, longest: int = TEXT_OBJECT_CHARS
) -> None:
    """Raise FaultError unless `text` is a text object of 1 to `longest` characters."""
    if not isinstance(text, dict) or text.get("type") not in _TEXT_KEYS:
        raise FaultError("must be a text object", at)
    if plain and text["type"] != "plain_text":
        raise FaultError("must be plain_text", f"{at}/type")
    if unknown := text.keys() - _TEXT_KEYS[text["type"]]:
        raise FaultError(f"invalid additional property: {min(unknown)}", at)
    if not isinstance(text.get("text"), str) or not text["text"]:
        raise FaultError("must be more than 0 characters", f"{at}/text")
    if len(text["text"]) > longest:
        raise FaultError(f"must be less than {longest + 1} characters", f"{at}/text")


def _check_block(block: Json, surface: Surface, at: str) -> None:
    kind = block.get("type")
    if kind not in _SURFACES[surface]:
        raise FaultError(f"unsupported type: {kind}", f"{at}/type")
    _check_model(Block.parse, block, at)
    if kind in _MAY_HOLD:
        _check_held(block.get("elements") or [], _MAY_HOLD[kind], f"{at}/elements")
    _check_own(block, kind, at)
    elements = list(_elements(block, at))
    for element, place in elements:
        _check_element(element, place)
    _check_texts(block, at)
    actions = Counter(e["action_id"] for e, _ in elements if e.get("action_id"))
    if repeated := [a for a, n in actions.items() if n > 1]:
        raise FaultError(f"action_id already exists: {repeated[0]}", f"{at}/elements")


def _check_model(parse: Any, node: Json, at: str) -> None:  # noqa: ANN401  the SDK is untyped here
    """What the SDK's model of `node` says, and that it knows every key."""
    model = parse(node)
    if model is None:
        raise FaultError(f"unsupported type: {node.get('type')}", f"{at}/type")
    model.to_dict()
    if unknown := node.keys() - set(model.attributes):
        raise FaultError(f"invalid additional property: {min(unknown)}", at)


def _elements(block: Json, at: str) -> Iterator[tuple[Json, str]]:
    """The elements of a block that have a model of their own; texts have not."""
    nested = [(e, f"{at}/elements/{n}") for n, e in enumerate(block.get("elements") or [])]
    single = [(block[k], f"{at}/{k}") for k in ("accessory", "element") if block.get(k)]
    for element, place in nested + single:
        if element["type"] not in _TEXT_KEYS:
            yield element, place


def _check_element(element: Json, at: str) -> None:
    kind = element["type"]
    if kind.startswith("rich_text_") and kind != "rich_text_input":
        return  # its parts have no models with validators
    _check_model(BlockElement.parse, element, at)
    if kind == "button":
        check_text(element.get("text"), f"{at}/text", plain=True, longest=75)
        if "value" in element and not element["value"]:
            raise FaultError("must be more than 0 characters", f"{at}/value")
        if "url" in element and not element["url"].startswith(("http://", "https://")):
            raise FaultError("invalid url", f"{at}/url")


def _check_own(block: Json, kind: str, at: str) -> None:
    """What one kind of block demands and the SDK does not look at."""
    if kind == "header":
        check_text(block.get("text"), f"{at}/text", plain=True, longest=150)
    elif kind == "section":
        for number, one in enumerate(block.get("fields") or []):
            check_text(one, f"{at}/fields/{number}", longest=FIELD_CHARS)
    elif kind == "markdown" and not block.get("text"):
        raise FaultError("must be more than 0 characters", f"{at}/text")
    elif kind == "table":
        _check_table(block, at)


def _check_held(elements: list[Json], allowed: AbstractSet[str], at: str) -> None:
    if not elements:
        raise FaultError("no fewer than 1 items required", at)
    for number, element in enumerate(elements):
        if element.get("type") not in allowed:
            raise FaultError(f"unsupported type: {element.get('type')}", f"{at}/{number}/type")


def _check_table(block: Json, at: str) -> None:
    rows = block["rows"]
    if not 1 <= len(rows) <= TABLE_ROWS:
        raise FaultError(f"between 1 and {TABLE_ROWS} items required", f"{at}/rows")
    widths = {len(row) for row in rows}
    if max(widths) > TABLE_COLUMNS or min(widths) < 1:
        raise FaultError(f"between 1 and {TABLE_COLUMNS} items required", f"{at}/rows")
    if len(widths) > 1:
        raise FaultError("rows must have the same number of cells", f"{at}/rows")
    for cell in (cell for row in rows for cell in row):
        if cell.get("type") not in _CELLS or (cell["type"] == "raw_text" and not cell.get("text")):
            raise FaultError("must be a cell that is not empty", f"{at}/rows")
    if len(block.get("column_settings") or []) > TABLE_COLUMNS:
        raise FaultError(f"no more than {TABLE_COLUMNS} items allowed", f"{at}/column_settings")


def _check_texts(node: object, at: str) -> None:
    """Every text object below `node`: known keys, not empty, not over 3,000 characters."""
    if isinstance(node, dict):
        if node.get("type") in _TEXT_KEYS:
            check_text(node, at)
        else:
            for key, value in node.items():
                _check_texts(value, f"{at}/{key}")
    elif isinstance(node, list):
        for number, item in enumerate(node):
            _check_texts(item, f"{at}/{number}")
