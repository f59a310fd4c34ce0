"""Each limit of blocks, messages and views, with Slack's name for the refusal."""

from typing import Any

import pytest
from slack_sdk.errors import SlackApiError

from bot.localslack import LocalSlack
from tests.slack.small_app import client_of

Blocks = list[dict[str, Any]]


def plain(text: str) -> dict[str, Any]:
    return {"type": "plain_text", "text": text}


def mrkdwn(text: str) -> dict[str, Any]:
    return {"type": "mrkdwn", "text": text}


def section(text: str) -> dict[str, Any]:
    return {"type": "section", "text": mrkdwn(text)}


def button(action_id: str = "cite:1", text: str = "Open", **more: Any) -> dict[str, Any]:
    return {"type": "button", "action_id": action_id, "text": plain(text), **more}


def actions(*elements: dict[str, Any]) -> dict[str, Any]:
    return {"type": "actions", "elements": list(elements)}


def table(rows: int, columns: int) -> dict[str, Any]:
    return {"type": "table", "rows": [[{"type": "raw_text", "text": "x"}] * columns] * rows}


TAKEN: dict[str, Blocks] = {
    "fifty blocks": [{"type": "divider"}] * 50,
    "3,000 characters in a section": [section("x" * 3000)],
    "a header of 150": [{"type": "header", "text": plain("x" * 150)}],
    "ten context elements": [{"type": "context", "elements": [mrkdwn("x")] * 10}],
    "25 buttons": [actions(*(button(f"cite:{n}") for n in range(25)))],
    "a button's text of 75 and value of 2,000": [actions(button(text="x" * 75, value="v" * 2000))],
    "one action_id in two blocks": [actions(button("cite:1")), actions(button("cite:1"))],
    "11,340 characters together": [*[section("x" * 3000)] * 3, section("x" * 2340)],
    "a full table": [table(100, 20)],
    "a markdown block": [{"type": "markdown", "text": "# Title\n\n- one"}],
    "a section with a button": [{**section("x"), "accessory": button()}],
    "ten fields": [{"type": "section", "fields": [mrkdwn("x" * 100)] * 10}],
    "rich text": [
        {
            "type": "rich_text",
            "elements": [
                {"type": "rich_text_section", "elements": [{"type": "text", "text": "hello"}]}
            ],
        }
    ],
}

REFUSED: dict[str, tuple[Blocks | dict[str, Any], str]] = {
    "51 blocks": ([{"type": "divider"}] * 51, "invalid_blocks"),
    "a section over 3,000": ([section("x" * 3001)], "invalid_blocks"),
    "an empty section": ([section("")], "invalid_blocks"),
    "a section of nothing": ([{"type": "section"}], "invalid_blocks"),
    "a field over 2,000": (
        [{"type": "section", "fields": [mrkdwn("x" * 2001)]}],
        "invalid_blocks",
    ),
    "eleven fields": ([{"type": "section", "fields": [mrkdwn("x")] * 11}], "invalid_blocks"),
    "a header over 150": ([{"type": "header", "text": plain("x" * 151)}], "invalid_blocks"),
    "a header in mrkdwn": ([{"type": "header", "text": mrkdwn("x")}], "invalid_blocks"),
    "eleven context elements": (
        [{"type": "context", "elements": [mrkdwn("x")] * 11}],
        "invalid_blocks",
    ),
    "no context element": ([{"type": "context", "elements": []}], "invalid_blocks"),
    "a button in a context": ([{"type": "context", "elements": [button()]}], "invalid_blocks"),
    "26 buttons": ([actions(*(button(f"cite:{n}") for n in range(26)))], "invalid_blocks"),
    "no button": ([actions()], "invalid_blocks"),
    "a button's text over 75": ([actions(button(text="x" * 76))], "invalid_blocks"),
    "a button's text in mrkdwn": ([actions({**button(), "text": mrkdwn("x")})], "invalid_blocks"),
    "a button's value over 2,000": ([actions(button(value="v" * 2001))], "invalid_blocks"),
    "an action_id over 255": ([actions(button("a" * 256))], "invalid_blocks"),
    "a block_id over 255": ([{"type": "divider", "block_id": "b" * 256}], "invalid_blocks"),
    "an action_id twice in one block": (
        [actions(button("cite:1"), button("cite:1"))],
        "invalid_blocks",
    ),
    "a block_id twice": ([{"type": "divider", "block_id": "b"}] * 2, "invalid_blocks"),
    "an unknown type": ([{"type": "sparkles"}], "invalid_blocks"),
    "an unknown key of a block": ([{"type": "divider", "color": "red"}], "invalid_blocks"),
    "an unknown key of a text": (
        [{"type": "section", "text": {**mrkdwn("x"), "emoji": True}}],
        "invalid_blocks",
    ),
    "an unknown key of a button": ([actions(button(colour="red"))], "invalid_blocks"),
    "an unknown element": ([actions({"type": "lever", "action_id": "a"})], "invalid_blocks"),
    "an element that is text": ([actions(mrkdwn("x"))], "invalid_blocks"),
    "101 rows": ([table(101, 2)], "invalid_blocks"),
    "21 columns": ([table(2, 21)], "invalid_blocks"),
    "an empty cell": (
        [{"type": "table", "rows": [[{"type": "raw_text", "text": ""}]]}],
        "invalid_blocks",
    ),
    "two tables": ([table(1, 1), table(1, 1)], "invalid_blocks"),
    "an empty markdown block": ([{"type": "markdown", "text": ""}], "invalid_blocks"),
    "six context actions": (
        [{"type": "context_actions", "elements": [{"type": "icon_button"}] * 6}],
        "invalid_blocks",
    ),
    "11,341 characters together": (
        [*[section("x" * 3000)] * 3, section("x" * 2341)],
        "msg_blocks_too_long",
    ),
    "markdown over 12,000 in two blocks": (
        [{"type": "markdown", "text": "x" * 6001}, {"type": "markdown", "text": "y" * 6000}],
        "msg_too_long",
    ),
    "blocks that are no list": ({"type": "divider"}, "invalid_blocks_format"),
    "blocks that are no objects": (["divider"], "invalid_blocks_format"),  # type: ignore[list-item]
}


@pytest.mark.parametrize("blocks", TAKEN.values(), ids=TAKEN.keys())
async def test_blocks_within_the_limits_are_posted(blocks: Blocks) -> None:
    async with LocalSlack() as slack:
        general = slack.add_channel("general")
        posted = await client_of(slack).chat_postMessage(channel=general, text="x", blocks=blocks)
        assert len(posted["message"]["blocks"]) == len(blocks)
        assert all(b["block_id"] for b in posted["message"]["blocks"])


@pytest.mark.parametrize(("blocks", "error"), REFUSED.values(), ids=REFUSED.keys())
async def test_blocks_beyond_a_limit_are_refused(blocks: Any, error: str) -> None:
    async with LocalSlack() as slack:
        general = slack.add_channel("general")
        with pytest.raises(SlackApiError) as refused:
            await client_of(slack).chat_postMessage(channel=general, text="x", blocks=blocks)
        assert refused.value.response["error"] == error
        assert [(c.method, c.error) for c in slack.refusals] == [("chat.postMessage", error)]
        assert slack.messages(general) == []


async def test_a_refusal_of_blocks_points_at_the_place() -> None:
    async with LocalSlack() as slack:
        general = slack.add_channel("general")
        blocks = [section("fine"), actions(button("a"), button("a"))]
        with pytest.raises(SlackApiError) as refused:
            await client_of(slack).chat_postMessage(channel=general, text="x", blocks=blocks)
        assert refused.value.response["response_metadata"]["messages"] == [
            "[ERROR] action_id already exists: a [json-pointer:/blocks/1/elements]"
        ]


def modal(**more: Any) -> dict[str, Any]:
    return {"type": "modal", "title": plain("Passage"), "blocks": [section("x")], **more}


def text_input(**more: Any) -> dict[str, Any]:
    element = {"type": "plain_text_input", "action_id": "text"}
    return {"type": "input", "label": plain("Why"), "element": element, **more}


VIEWS: dict[str, tuple[Any, str]] = {
    "101 blocks": (modal(blocks=[{"type": "divider"}] * 101), "invalid_arguments"),
    "no blocks": (modal(blocks=[]), "invalid_arguments"),
    "a title over 24": (modal(title=plain("x" * 25)), "invalid_arguments"),
    "a title in mrkdwn": (modal(title=mrkdwn("x")), "invalid_arguments"),
    "no title": ({"type": "modal", "blocks": [section("x")]}, "invalid_arguments"),
    "close over 24": (modal(close=plain("x" * 25)), "invalid_arguments"),
    "submit over 24": (modal(submit=plain("x" * 25)), "invalid_arguments"),
    "a form without submit": (modal(blocks=[text_input()]), "invalid_arguments"),
    "private_metadata over 3,000": (modal(private_metadata="x" * 3001), "invalid_arguments"),
    "callback_id over 255": (modal(callback_id="x" * 256), "invalid_arguments"),
    "external_id over 255": (modal(external_id="x" * 256), "invalid_arguments"),
    "what only Slack sets": (modal(id="V1"), "invalid_arguments"),
    "what only workflows have": (modal(submit_disabled=True), "invalid_arguments"),
    "a markdown block": (modal(blocks=[{"type": "markdown", "text": "x"}]), "invalid_arguments"),
    "a table": (modal(blocks=[table(1, 1)]), "invalid_arguments"),
    "a long section": (modal(blocks=[section("x" * 3001)]), "invalid_arguments"),
    "a home view": ({"type": "home", "blocks": [section("x")]}, "invalid_arguments"),
    "over 250 KB": (modal(blocks=[section("x" * 3000)] * 90), "view_too_large"),
    "no view": ("[]", "invalid_arguments"),
}


@pytest.mark.parametrize(("view", "error"), VIEWS.values(), ids=VIEWS.keys())
async def test_a_view_beyond_a_limit_is_refused_and_the_trigger_kept(view: Any, error: str) -> None:
    async with LocalSlack() as slack:
        ana = slack.add_user("ana")
        trigger = slack._store.open_trigger(ana)
        client = client_of(slack)
        with pytest.raises(SlackApiError) as refused:
            await client.views_open(trigger_id=trigger, view=view)
        assert refused.value.response["error"] == error
        await client.views_open(trigger_id=trigger, view=modal())
        assert len(slack.views[ana]) == 1


async def test_a_view_may_hold_a_hundred_blocks_of_text_beyond_a_messages_total() -> None:
    async with LocalSlack() as slack:
        trigger = slack._store.open_trigger(slack.add_user("ana"))
        view = modal(blocks=[section("x" * 2000)] * 100, private_metadata="x" * 3000)
        opened = await client_of(slack).views_open(trigger_id=trigger, view=view)
        assert len(opened["view"]["blocks"]) == 100
