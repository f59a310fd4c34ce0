"""The table of Web API methods: what runs, which scope and token it takes, how often it may."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from bot.localslack import assistant, chat, conversations, streams, views
from bot.localslack.types import Json
from bot.localslack.workspace import Workspace

Handler = Callable[[Workspace, Json], Json]

# https://docs.slack.dev/apis/web-api/rate-limits
TIER_2, TIER_3, TIER_4, TIER_STATUS = 20, 50, 100, 600


@dataclass(frozen=True, slots=True)
class Method:
    """`scopes`: any one of them; `most` calls in `window_s` seconds, per channel if it says so."""

    run: Handler
    scopes: tuple[str, ...] = ()
    most: int | None = None
    window_s: float = 60.0
    per_channel: bool = False
    caller: Literal["bot", "app"] = "bot"  # whose token


def auth_test(ws: Workspace, _args: Json) -> Json:
    """Who the token belongs to."""
    store = ws.store
    return {
        "url": f"https://{store.team_domain}.slack.com/",
        "team": store.team_name,
        "user": store.bot.name,
        "team_id": store.team_id,
        "user_id": store.bot.id,
        "bot_id": store.bot_id,
        "is_enterprise_install": False,
    }


_WRITE = ("chat:write",)
METHODS: Mapping[str, Method] = {
    "auth.test": Method(auth_test),
    "assistant.threads.setStatus": Method(
        assistant.set_status, ("chat:write", "assistant:write"), TIER_STATUS
    ),
    "assistant.threads.setSuggestedPrompts": Method(
        assistant.set_suggested_prompts, ("assistant:write",), TIER_3
    ),
    "chat.appendStream": Method(streams.append, _WRITE, TIER_4),
    "chat.delete": Method(chat.delete, _WRITE, TIER_3),
    "chat.getPermalink": Method(chat.get_permalink),
    "chat.postEphemeral": Method(chat.post_ephemeral, _WRITE, TIER_4),
    "chat.postMessage": Method(chat.post_message, _WRITE, 1, 1.0, per_channel=True),
    "chat.startStream": Method(streams.start, _WRITE, TIER_2),
    "chat.stopStream": Method(streams.stop, _WRITE, TIER_2),
    "chat.update": Method(chat.update, _WRITE, TIER_3),
    "conversations.history": Method(conversations.history, (), TIER_3),
    "conversations.info": Method(conversations.info, (), TIER_3),
    "conversations.open": Method(conversations.open_, ("im:write",), TIER_3),
    "conversations.replies": Method(conversations.replies, (), TIER_3),
    "users.info": Method(conversations.users_info, ("users:read",), TIER_4),
    "views.open": Method(views.open_, (), TIER_4),
    "views.publish": Method(views.publish, (), TIER_4),
    "views.push": Method(views.push, (), TIER_4),
    "views.update": Method(views.update, (), TIER_4),
}
