"""What one person has on the screen: everything that the local page draws."""

import asyncio

from bot.localslack.sights import Sights
from bot.localslack.store import Channel, User
from bot.localslack.types import Json
from bot.localslack.workspace import STATUS_S


class Screens(Sights):
    """One person's sight of the workspace, as parts that can be compared with earlier ones."""

    def screen(self, user: str) -> dict[str, object]:
        """The parts of the person's screen by name; `channel:ID` holds a place's messages.

        Raises:
            ValueError: nobody has this id.
        """
        if user not in self._store.users:
            raise ValueError(f"nobody has the id {user}")
        places = [place for place in self._store.channels.values() if user in place.members]
        return {
            "workspace": self._workspace(user, places),
            **{f"channel:{place.id}": self._messages(place) for place in places},
            "statuses": self._statuses(places),
            "ephemerals": list(self._store.ephemerals[user]),
            "views": list(self._store.views[user]),
            "home": self._store.homes.get(user),
            "prompts": self._store.prompts.get(self._store.dm(user).id),
            "connected": self._socket.connected,
        }

    def people(self) -> list[str]:
        """The ids of those who are no bots, in the order in which they joined."""
        return [user.id for user in self._store.users.values() if not user.is_bot]

    @property
    def next_change(self) -> asyncio.Event:
        """Set at the next change of anything."""
        return self._store.changes.next

    def notify(self) -> None:
        """Let everybody look again."""
        self._store.changes.notify()

    def _workspace(self, user: str, places: list[Channel]) -> Json:
        commands = self._ws.manifest.commands
        return {
            "team": self._store.team_name,
            "user": user,
            "bot": self._store.bot.id,
            "app_id": self._store.app_id,
            "users": [_user(one) for one in self._store.users.values()],
            "channels": [_place(place) for place in places],
            "commands": sorted(commands or ()),
            "home_tab": self._ws.manifest.home_tab,
        }

    def _messages(self, place: Channel) -> list[Json]:
        """Messages as they are kept, those that are being written marked as Slack does it."""
        return [
            {**message, "streaming": self._ws.streaming(place, message["ts"])}
            for message in place.messages.values()
        ]

    def _statuses(self, places: list[Channel]) -> Json:
        seen, now = {place.id for place in places}, self.clock.now()
        return {
            f"{channel}:{thread_ts}": status
            for (channel, thread_ts), status in self._store.statuses.items()
            if channel in seen and now - status["set_at"] <= STATUS_S
        }


def _user(user: User) -> Json:
    return {"id": user.id, "name": user.name, "is_bot": user.is_bot}


def _place(place: Channel) -> Json:
    return {
        "id": place.id,
        "name": place.name,
        "kind": place.kind,
        "members": sorted(place.members),
        "archived": place.archived,
    }
