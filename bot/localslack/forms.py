"""What a person's press or form becomes: the element's action, the form's values."""

from collections.abc import Iterator, Mapping

from bot.localslack.types import Json

_CHOICES = {"static_select", "radio_buttons", "overflow"}
_MANY = {"checkboxes", "multi_static_select"}
_TYPED = {"plain_text_input", "email_text_input", "url_text_input", "number_input"}

Value = str | list[str] | None
Values = Mapping[str, Mapping[str, Value]]


def find_action(blocks: list[Json], action_id: str) -> tuple[Json, Json]:
    """The block and the element with this action_id.

    Raises:
        ValueError: there is none, so nobody can press it.
    """
    for block in blocks:
        for element in _elements(block):
            if element.get("action_id") == action_id:
                return block, element
    known = sorted(e.get("action_id", "") for b in blocks for e in _elements(b))
    raise ValueError(f"nothing to press is called {action_id!r}; there are {known}")


def act(block: Json, element: Json, value: str | None, action_ts: str) -> Json:
    """The entry of `actions` for a press.

    Raises:
        ValueError: the element offers no such value, or takes none.
    """
    kind = element["type"]
    action: Json = {
        "type": kind,
        "block_id": block["block_id"],
        "action_id": element["action_id"],
        "action_ts": action_ts,
    }
    if kind in {"button", "workflow_button", "icon_button"}:
        action |= {k: element[k] for k in ("text", "value", "style", "url") if k in element}
    elif kind == "feedback_buttons":
        buttons = [element["positive_button"], element["negative_button"]]
        action |= _one(buttons, value)
    elif kind in _CHOICES:
        action["selected_option"] = _one(_options(element), value)
    elif kind in _MANY:
        action["selected_options"] = [_one(_options(element), value)]
    else:
        raise ValueError(f"a {kind} cannot be pressed")
    return action


def fill_in(blocks: list[Json], values: Values) -> dict[str, dict[str, Json]]:
    """`state.values` of a form.

    Raises:
        ValueError: a value for no input, one that Slack would not let pass, or one missing.
    """
    state: dict[str, dict[str, Json]] = {}
    left = {block_id: dict(actions) for block_id, actions in values.items()}
    for block in (b for b in blocks if b["type"] == "input"):
        element, block_id = block["element"], block["block_id"]
        value = left.get(block_id, {}).pop(element["action_id"], None)
        if value is None and not block.get("optional"):
            raise ValueError(f"the form demands {block_id}/{element['action_id']}")
        state[block_id] = {element["action_id"]: _entry(element, value)}
    if unused := {b: a for b, a in left.items() if a}:
        raise ValueError(f"the form has no input for {unused}")
    return state


def _entry(element: Json, value: Value) -> Json:
    kind = element["type"]
    if kind in _TYPED:
        if isinstance(value, str):
            _check_length(element, value)
        return {"type": kind, "value": value}
    if kind in _CHOICES:
        chosen = _one(_options(element), value) if isinstance(value, str) else None
        return {"type": kind, "selected_option": chosen}
    if kind in _MANY:
        chosen_all = [_one(_options(element), one) for one in value or []]
        return {"type": kind, "selected_options": chosen_all}
    raise ValueError(f"the local Slack does not fill in a {kind}")


def _check_length(element: Json, value: str) -> None:
    least, most = element.get("min_length", 0), element.get("max_length", 3000)
    if not least <= len(value) <= most:
        raise ValueError(f"{element['action_id']} takes {least} to {most} characters")


def _elements(block: Json) -> Iterator[Json]:
    yield from (e for e in block.get("elements") or [] if isinstance(e, dict))
    yield from (block[k] for k in ("accessory", "element") if block.get(k))


def _options(element: Json) -> list[Json]:
    groups = element.get("option_groups") or []
    return [*(element.get("options") or []), *(o for g in groups for o in g["options"])]


def _one(options: list[Json], value: str | None) -> Json:
    for option in options:
        if option.get("value") == value:
            return option
    raise ValueError(f"no option has the value {value!r}")
