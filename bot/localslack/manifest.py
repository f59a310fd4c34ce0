"""What an app may do and hear, read from its manifest."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

# Scopes without which Slack does not take a subscription (any one of them is enough).
EVENT_SCOPES: Mapping[str, tuple[str, ...]] = {
    "agent_session_stopped": ("chat:write",),
    "app_context_changed": (),
    "app_home_opened": (),
    "app_mention": ("app_mentions:read",),
    "app_uninstalled": (),
    "member_joined_channel": ("channels:read", "groups:read"),
    "message.channels": ("channels:history",),
    "message.groups": ("groups:history",),
    "message.im": ("im:history",),
    "tokens_revoked": (),
}

ALL_SCOPES = frozenset(
    {
        "app_mentions:read",
        "assistant:write",
        "channels:history",
        "channels:read",
        "chat:write",
        "commands",
        "groups:history",
        "groups:read",
        "im:history",
        "im:read",
        "im:write",
        "users:read",
    }
)


@dataclass(frozen=True, slots=True)
class Manifest:
    """Scopes, subscriptions and features of the installed app.

    `commands` is None when any slash command may be typed.
    """

    name: str = "Footnote"
    scopes: frozenset[str] = ALL_SCOPES
    events: frozenset[str] = frozenset(EVENT_SCOPES)
    commands: frozenset[str] | None = None
    interactive: bool = True
    home_tab: bool = True
    messages_tab: bool = True

    @classmethod
    def parse(cls, manifest: Mapping[str, Any]) -> Self:
        """Read a manifest as Slack's form takes it.

        Raises:
            ValueError: no Socket Mode, a name too long, a subscription that is unknown here or
                lacks its scope, commands or home tab without what they need.
        """
        features, settings = manifest.get("features", {}), manifest.get("settings", {})
        home = features.get("app_home", {})
        found = cls(
            name=manifest["display_information"]["name"],
            scopes=frozenset(manifest["oauth_config"]["scopes"]["bot"]),
            events=frozenset(settings.get("event_subscriptions", {}).get("bot_events", [])),
            commands=frozenset(c["command"] for c in features.get("slash_commands", [])),
            interactive=bool(settings.get("interactivity", {}).get("is_enabled")),
            home_tab=bool(home.get("home_tab_enabled")),
            messages_tab=bool(home.get("messages_tab_enabled"))
            and not home.get("messages_tab_read_only_enabled"),
        )
        if not settings.get("socket_mode_enabled"):
            raise ValueError("settings.socket_mode_enabled is off: there would be no connection")
        found.check()
        return found

    def check(self) -> None:
        """Raise ValueError where Slack would not take the manifest."""
        if not 1 <= len(self.name) <= 35:  # noqa: PLR2004  the manifest reference says 35
            raise ValueError("display_information.name takes 1 to 35 characters")
        for event in sorted(self.events):
            if event not in EVENT_SCOPES:
                raise ValueError(f"the subscription {event!r} is unknown to the local Slack")
            needed = EVENT_SCOPES[event]
            if needed and not self.scopes.intersection(needed):
                raise ValueError(f"the subscription {event!r} needs one of {', '.join(needed)}")
        if self.commands and "commands" not in self.scopes:
            raise ValueError("slash commands need the scope commands")
