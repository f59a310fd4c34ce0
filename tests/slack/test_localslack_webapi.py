"""Tokens, scopes, the manifest, bodies, rates and faults, through the real client."""

import asyncio
import json
import time
from collections.abc import Awaitable
from typing import Any

import aiohttp
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from slack_sdk.errors import SlackApiError
from slack_sdk.http_retry.builtin_async_handlers import (
    AsyncConnectionErrorRetryHandler,
    AsyncRateLimitErrorRetryHandler,
)
from slack_sdk.web.async_client import AsyncWebClient

from bot.localslack import LocalSlack, RefusedError
from bot.localslack.limits import check_message_blocks, check_view
from tests.slack.small_app import client_of

MODAL = {
    "type": "modal",
    "title": {"type": "plain_text", "text": "Passage"},
    "blocks": [{"type": "divider"}],
}


def manifest(**more: Any) -> dict[str, Any]:
    settings_ = {
        "event_subscriptions": {"bot_events": more.pop("events", ["app_mention"])},
        "interactivity": {"is_enabled": more.pop("interactive", True)},
        "socket_mode_enabled": more.pop("socket_mode", True),
    }
    return {
        "display_information": {"name": more.pop("name", "Footnote")},
        "features": {
            "app_home": {"home_tab_enabled": False, "messages_tab_enabled": True},
            "slash_commands": [{"command": "/rag-source"}],
            **more.pop("features", {}),
        },
        "oauth_config": {
            "scopes": {"bot": more.pop("scopes", ["app_mentions:read", "chat:write", "commands"])}
        },
        "settings": settings_,
    }


async def error_of(call: Awaitable[Any]) -> str:
    with pytest.raises(SlackApiError) as refused:
        await call
    return str(refused.value.response["error"])


# Tokens, scopes, methods


async def test_auth_test_says_who_the_bot_is_and_what_it_may() -> None:
    async with LocalSlack() as slack:
        found = await client_of(slack).auth_test()
        assert found["user_id"] == slack.bot_user_id
        assert found["team_id"] == slack.team_id
        assert "chat:write" in found.headers["x-oauth-scopes"].split(",")


async def test_tokens_are_told_apart() -> None:
    async with LocalSlack() as slack:
        assert await error_of(client_of(slack, "xoxb-wrong").auth_test()) == "invalid_auth"
        assert await error_of(AsyncWebClient(base_url=slack.api_url).auth_test()) == "not_authed"
        swapped = client_of(slack, slack.app_token).auth_test()
        assert await error_of(swapped) == "not_allowed_token_type"
        link = client_of(slack).apps_connections_open(app_token=slack.bot_token)
        assert await error_of(link) == "not_allowed_token_type"


async def test_a_method_that_slack_does_not_have_is_unknown() -> None:
    async with LocalSlack() as slack:
        call = client_of(slack).api_call("chat.shout", json={"text": "hi"})
        assert await error_of(call) == "unknown_method"


async def test_a_missing_scope_is_named() -> None:
    async with LocalSlack(manifest=manifest(scopes=["app_mentions:read", "commands"])) as slack:
        general = slack.add_channel("general")
        with pytest.raises(SlackApiError) as refused:
            await client_of(slack).chat_postMessage(channel=general, text="hi")
        assert refused.value.response["error"] == "missing_scope"
        assert refused.value.response["needed"] == "chat:write"
        assert refused.value.response["provided"] == "app_mentions:read,commands"


async def test_reading_takes_the_scope_of_the_kind_of_channel() -> None:
    scopes = ["app_mentions:read", "channels:history", "commands"]
    async with LocalSlack(manifest=manifest(scopes=scopes)) as slack:
        ana = slack.add_user("ana")
        client = client_of(slack)
        general, secret = slack.add_channel("general"), slack.add_channel("secret", private=True)
        await client.conversations_history(channel=general)
        assert await error_of(client.conversations_history(channel=secret)) == "missing_scope"
        dm = slack.open_dm(ana)
        assert await error_of(client.conversations_replies(channel=dm, ts="1.0")) == "missing_scope"
        assert await error_of(client.users_info(user=ana)) == "missing_scope"


async def test_another_name_or_icon_takes_its_own_scope() -> None:
    async with LocalSlack() as slack:
        call = client_of(slack).chat_postMessage(
            channel=slack.add_channel("general"), text="hi", username="Boss"
        )
        assert await error_of(call) == "missing_scope"


# The manifest


async def test_only_what_the_manifest_subscribes_to_is_sent() -> None:
    async with LocalSlack(manifest=manifest()) as slack:
        ana = slack.add_user("ana")
        general = slack.add_channel("general", members=[ana])
        await slack.post(general, ana, "<@BOT> hi")
        await slack.post(slack.open_dm(ana), ana, "<@BOT> hi")
        await slack.open_home(ana)
        assert [e.type for e in slack.events] == ["app_mention"]


async def test_what_the_manifest_lacks_cannot_be_done() -> None:
    async with LocalSlack(manifest=manifest(interactive=False)) as slack:
        ana = slack.add_user("ana")
        general = slack.add_channel("general", members=[ana])
        client = client_of(slack)
        with pytest.raises(ValueError, match="/help is not a valid command"):
            await slack.command(general, ana, "/help")
        button = {"type": "button", "action_id": "a", "text": {"type": "plain_text", "text": "x"}}
        blocks = [{"type": "actions", "elements": [button]}]
        posted = await client.chat_postMessage(channel=general, text="x", blocks=blocks)
        with pytest.raises(ValueError, match="interactivity off"):
            await slack.click(general, posted["ts"], "a", ana)
        home = {"type": "home", "blocks": [{"type": "divider"}]}
        assert await error_of(client.views_publish(user_id=ana, view=home)) == "not_enabled"


@pytest.mark.parametrize(
    ("fault", "says"),
    [
        ({"events": ["message.im"]}, "needs one of im:history"),
        ({"events": ["app_mentioned"]}, "unknown"),
        ({"scopes": ["app_mentions:read"]}, "scope commands"),
        ({"socket_mode": False}, "socket_mode_enabled"),
        ({"name": "x" * 36}, "35 characters"),
    ],
)
def test_a_manifest_that_slack_would_not_take_is_refused(fault: dict[str, Any], says: str) -> None:
    with pytest.raises(ValueError, match=says):
        LocalSlack(manifest=manifest(**fault))


# Bodies


async def test_bodies_come_as_json_form_or_query() -> None:
    async with LocalSlack() as slack, aiohttp.ClientSession() as session:
        general = slack.add_channel("general")
        url = slack.api_url + "chat.postMessage"
        headers = {"Authorization": f"Bearer {slack.bot_token}"}
        blocks = json.dumps([{"type": "divider"}])
        args = {"channel": general, "text": "hi", "blocks": blocks}
        bodies: list[dict[str, Any]] = [{"json": args}, {"data": args}, {"params": args}]
        for given_ in bodies:
            async with session.post(url, headers=headers, **given_) as answer:
                assert (await answer.json())["ok"] is True
        async with session.post(url, data={**args, "token": slack.bot_token}) as answer:
            assert (await answer.json())["ok"] is True
        assert [m["text"] for m in slack.messages(general)] == ["hi"] * 4
        assert "token" not in slack.calls[-1].args


async def test_broken_bodies_are_refused() -> None:
    async with LocalSlack() as slack, aiohttp.ClientSession() as session:
        url = slack.api_url + "chat.postMessage"
        headers = {"Authorization": f"Bearer {slack.bot_token}"}
        as_json = {**headers, "Content-Type": "application/json"}
        errors = []
        for body, head in [
            (b"{", as_json),
            (b"[]", as_json),
            (b"hello", {**headers, "Content-Type": "text/csv"}),
            (b'{"channel": 5, "text": "hi"}', as_json),
            (b'{"channel": "C1", "text": "hi", "thread_ts": 1700000000.5}', as_json),
        ]:
            async with session.post(url, data=body, headers=head) as answer:
                errors.append((await answer.json())["error"])
        assert errors == [
            "invalid_json",
            "json_not_object",
            "invalid_post_type",
            "invalid_arguments",
            "invalid_arguments",
        ]


# Rates and faults


async def test_real_rates_hold_posting_to_one_a_second_in_a_channel() -> None:
    async with LocalSlack(real_rates=True) as slack:
        general, random = slack.add_channel("general"), slack.add_channel("random")
        post = client_of(slack).chat_postMessage
        await post(channel=general, text="one")
        await post(channel=random, text="elsewhere")
        with pytest.raises(SlackApiError) as refused:
            await post(channel=general, text="two")
        assert refused.value.response.status_code == 429
        assert refused.value.response["error"] == "ratelimited"
        assert refused.value.response.headers["Retry-After"] == "1"
        slack.clock.advance(1)
        await post(channel=general, text="two")


async def test_real_rates_hold_streams_to_their_tier() -> None:
    async with LocalSlack(real_rates=True) as slack:
        ana = slack.add_user("ana")
        dm = slack.open_dm(ana)
        ts = await slack.post(dm, ana, "hello")
        start = client_of(slack).chat_startStream
        for _ in range(20):
            await start(channel=dm, thread_ts=ts, markdown_text="x")
        assert await error_of(start(channel=dm, thread_ts=ts)) == "ratelimited"


async def test_the_sdks_retry_handlers_get_through_a_429_and_a_cut_connection() -> None:
    async with LocalSlack() as slack:
        general = slack.add_channel("general")
        client = AsyncWebClient(
            token=slack.bot_token,
            base_url=slack.api_url,
            retry_handlers=[
                AsyncRateLimitErrorRetryHandler(max_retry_count=1),
                AsyncConnectionErrorRetryHandler(max_retry_count=1),
            ],
        )
        slack.faults.rate_limit("chat.postMessage", retry_after_s=1)
        await client.chat_postMessage(channel=general, text="one")
        slack.faults.hang_up("chat.postMessage")
        await client.chat_postMessage(channel=general, text="two")
        assert [m["text"] for m in slack.messages(general)] == ["one", "two"]
        assert [c.error for c in slack.refusals] == ["ratelimited", "connection_cut"]


async def test_faults_happen_in_order_and_end() -> None:
    async with LocalSlack() as slack:
        general = slack.add_channel("general")
        post = client_of(slack).chat_postMessage
        slack.faults.fail("chat.postMessage", "internal_error", status=500)
        slack.faults.fail("chat.postMessage", "token_revoked")
        slack.faults.delay("chat.postMessage", 0.2, times=3)
        began = time.monotonic()
        assert await error_of(post(channel=general, text="x")) == "internal_error"
        assert await error_of(post(channel=general, text="x")) == "token_revoked"
        await post(channel=general, text="x")
        assert time.monotonic() - began >= 0.6
        slack.faults.fail("chat.postMessage", "fatal_error")
        slack.faults.clear()
        async with asyncio.timeout(0.15):
            await post(channel=general, text="y")


# What comes alive


async def test_live_marks_are_found_wherever_they_stand() -> None:
    message = {
        "text": "hi <@U1> &lt;!here&gt;",
        "blocks": [
            {"type": "section", "text": {"type": "mrkdwn", "text": "<https://x.example|click>"}},
            {"type": "section", "text": {"type": "plain_text", "text": "<!here>"}},
            {"type": "markdown", "text": "<!channel> and [label](https://y.example)"},
            {
                "type": "rich_text",
                "elements": [
                    {
                        "type": "rich_text_section",
                        "elements": [
                            {"type": "user", "user_id": "U2"},
                            {"type": "text", "text": "<@U3>"},
                        ],
                    }
                ],
            },
        ],
    }
    assert LocalSlack.live_marks(message) == [
        "<@U1>",
        "<https://x.example|click>",
        "<!channel>",
        "[label](https://y.example)",
        "<@U2>",
    ]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["type", "text", "elements", "rows", "blocks", "title", "element", "fields"]
            )
            | st.text(max_size=5),
            inner
            | st.sampled_from(
                [
                    "section",
                    "actions",
                    "context",
                    "table",
                    "header",
                    "rich_text",
                    "button",
                    "mrkdwn",
                ]
            ),
            max_size=4,
        )
    ),
    max_leaves=20,
)


@settings(max_examples=300, deadline=None)
@given(blocks=st.lists(JSON, max_size=3))
def test_no_blocks_break_the_checks(blocks: list[Any]) -> None:
    for check in (
        lambda: check_message_blocks(blocks),
        lambda: check_view({**MODAL, "blocks": blocks}, "modal"),
    ):
        try:
            check()
        except RefusedError:
            continue  # and no other exception
