"""The few blocks and the frame that everything here is built from. Pure."""

from collections.abc import Sequence

from bot.slack.text import clip

Block = dict[str, object]
View = dict[str, object]

TITLE_CHARS = 24  # of a modal
LABEL_CHARS = 75  # of a button


def section(mrkdwn: str, *, expand: bool = False) -> Block:
    """A paragraph of `mrkdwn`, which is escaped already and at most 3,000 characters."""
    block: Block = {"type": "section", "text": _mrkdwn(mrkdwn)}
    return {**block, "expand": True} if expand else block


def context(mrkdwn: str) -> Block:
    """A small line of `mrkdwn`, escaped already."""
    return {"type": "context", "elements": [_mrkdwn(mrkdwn)]}


def note(text: str) -> Block:
    """A small line of plain text."""
    return {"type": "context", "elements": [plain(text)]}


def divider() -> Block:
    """A line across."""
    return {"type": "divider"}


def plain(text: str) -> Block:
    """A plain text object: nothing in it comes alive."""
    return {"type": "plain_text", "text": text, "emoji": False}


def button(action_id: str, label: str, value: str = "", **more: str) -> Block:
    """A button; `more` are `url` or `style`."""
    block: Block = {"type": "button", "action_id": action_id, "text": plain(label), **more}
    return {**block, "value": value} if value else block


def actions(*buttons: Block) -> list[Block]:
    """A row of buttons, or none when there are none."""
    return [{"type": "actions", "elements": list(buttons)}] if buttons else []


def modal(title: str, blocks: Sequence[Block], **more: object) -> View:
    """A modal; `more` are `private_metadata`, `callback_id` or `submit`."""
    return {
        "type": "modal",
        "title": plain(clip(title, TITLE_CHARS)),
        "close": plain("Close"),
        "blocks": list(blocks),
        **more,
    }


def _mrkdwn(text: str) -> Block:
    return {"type": "mrkdwn", "text": text, "verbatim": True}
