"""The manifest against what the code listens to and calls."""

import re
from pathlib import Path
from typing import Any

from slack_bolt.async_app import AsyncApp
from slack_bolt.request.async_request import AsyncBoltRequest
from slack_bolt.response import BoltResponse
from slack_sdk.web.async_client import AsyncWebClient

from bot.localslack import Json
from bot.localslack.manifest import Manifest
from bot.slack import app as slack_app
from bot.slack import rights
from bot.slack.app import build_app, build_listeners
from bot.slack.citations import COMMAND
from bot.slack.client import Identity, build_client
from bot.slack.ports import Desk
from tests.slack.conftest import Office

# The scopes of each method that the code may call; any one of them is enough where there are more.
SCOPES = {
    "apps_connections_open": set[str](),  # connections:write, of the app-level token
    "assistant_threads_setStatus": {"chat:write"},
    "assistant_threads_setSuggestedPrompts": {"assistant:write"},
    "chat_getPermalink": set[str](),
    "chat_postEphemeral": {"chat:write"},
    "conversations_history": {"channels:history", "groups:history", "im:history"},
    "views_publish": set[str](),
    "auth_test": set[str](),
    "chat_postMessage": {"chat:write"},
    "conversations_replies": {"channels:history", "groups:history", "im:history"},
    "chat_stopStream": {"chat:write"},
    "chat_update": {"chat:write"},
    "users_info": {"users:read"},
    "views_open": set[str](),
    "views_update": set[str](),
}
EVENT_SCOPES = {
    "app_home_opened": "",
    "app_mention": "app_mentions:read",
    "message.channels": "channels:history",
    "message.groups": "groups:history",
    "message.im": "im:history",
}
CODE = Path(slack_app.__file__).parent


def app_of(office: Office) -> AsyncApp:
    client = build_client(office.settings())
    desk = Desk(
        office.settings(),
        office.answers,
        office.shelf,
        office.shelf,
        office.record,
        None,  # type: ignore[arg-type]
    )
    me = Identity("U0", "T0", "team", frozenset())
    return build_app(client, build_listeners(desk, client, me))


async def listener_of(app: AsyncApp, body: Json) -> str:
    """The name of the function that would get this payload."""
    request = AsyncBoltRequest(mode="socket_mode", body=body)
    for listener in app._async_listeners:
        if await listener.async_matches(req=request, resp=BoltResponse(status=200)):
            return str(listener.ack_function.__name__)
    return ""


def event_of(subscription: str) -> Json:
    kind = subscription.partition(".")[0]
    return {"type": "event_callback", "event": {"type": kind, "ts": "1.0", "text": ""}}


async def test_every_subscribed_event_has_a_listener_of_its_own(
    office: Office, manifest: Any
) -> None:
    app = app_of(office)
    for subscription in manifest["settings"]["event_subscriptions"]["bot_events"]:
        expected = "open" if subscription == "app_home_opened" else "begin"
        assert await listener_of(app, event_of(subscription)) == expected, subscription


async def test_an_event_that_nobody_subscribed_to_is_taken_and_ignored(office: Office) -> None:
    app = app_of(office)
    assert await listener_of(app, event_of("reaction_added")) == "ignore_event"


async def test_the_commands_of_the_manifest_are_those_that_are_heard(
    office: Office, manifest: Any
) -> None:
    commands = [entry["command"] for entry in manifest["features"]["slash_commands"]]
    assert commands == [COMMAND]
    assert await listener_of(app_of(office), {"command": COMMAND}) == "open_by_id"
    assert not any("url" in entry for entry in manifest["features"]["slash_commands"])


async def test_buttons_are_heard_and_interactivity_is_on(office: Office, manifest: Any) -> None:
    app = app_of(office)
    heard = {
        "cite:1": "open_cited",
        "cite:25": "open_cited",
        "place:5": "open_cited",
        "shown:2": "open_cited",
        "beside:after": "open_beside",
        "open_doc": "acknowledge",
        "feedback": "rate",
        "owners": "ask",
    }
    for action_id, name in heard.items():
        body = {"type": "block_actions", "actions": [{"action_id": action_id, "block_id": "b"}]}
        assert await listener_of(app, body) == name
    form = {"type": "view_submission", "view": {"type": "modal", "callback_id": "feedback_reasons"}}
    assert await listener_of(app, form) == "explain"
    assert manifest["settings"]["interactivity"]["is_enabled"] is True


def called_methods() -> set[str]:
    code = "\n".join(path.read_text() for path in sorted(CODE.glob("*.py")))
    called = set(re.findall(r"client\.([a-z]+_[A-Za-z_]+)\(", code))
    return {name for name in called if hasattr(AsyncWebClient, name)}  # not the socket's client


def test_the_scopes_are_those_that_events_methods_and_features_need(manifest: Any) -> None:
    assert called_methods() <= set(SCOPES)
    granted = set(manifest["oauth_config"]["scopes"]["bot"])
    for method in called_methods():
        assert SCOPES[method] <= granted, method
    events = manifest["settings"]["event_subscriptions"]["bot_events"]
    needed = set().union(*(SCOPES[method] for method in called_methods()))
    needed |= {EVENT_SCOPES[event] for event in events} - {""}
    needed |= {"assistant:write"} if "agent_view" in manifest["features"] else set()
    needed |= {"commands"} if manifest["features"]["slash_commands"] else set()
    assert granted == needed


def test_doctor_knows_each_scope_of_the_manifest(manifest: Any) -> None:
    assert sorted(rights.SCOPES) == manifest["oauth_config"]["scopes"]["bot"]


def test_the_manifest_is_one_that_slack_takes(manifest: Any) -> None:
    Manifest.parse(manifest)
    assert manifest["settings"]["socket_mode_enabled"] is True
    assert len(manifest["display_information"]["description"]) <= 140
    assert len(manifest["features"]["agent_view"]["agent_description"]) <= 300
    assert manifest["features"]["app_home"]["messages_tab_read_only_enabled"] is False
