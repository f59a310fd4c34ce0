"""Who is in the workspace, what they write, and what Slack sends the app for it."""

from bot.localslack.core import Core
from bot.localslack.store import Channel, User, new_id
from bot.localslack.types import Json


class People(Core):
    """The doings of people. What somebody could not do on Slack's screen is a ValueError."""

    def add_user(
        self, name: str, *, guest: bool = False, is_bot: bool = False, team_id: str | None = None
    ) -> str:
        """Somebody joins; `team_id` of another company makes a stranger. Returns the user id."""
        team = team_id or self._store.team_id
        return self._store.add_user(name, team, guest=guest, is_bot=is_bot).id

    def add_channel(
        self,
        name: str,
        members: tuple[str, ...] | list[str] = (),
        *,
        private: bool = False,
        archived: bool = False,
        with_bot: bool = True,
        ext_shared: bool = False,
    ) -> str:
        """Open a channel with these members, the bot among them unless told otherwise."""
        own = {self._store.bot.id} if with_bot else set[str]()
        kind, members_ = ("group" if private else "channel"), own | set(members)
        channel = Channel(new_id("C"), name, kind, members_, ext_shared, archived)  # type: ignore[arg-type]
        return self._store.add_channel(channel).id

    def open_dm(self, user: str) -> str:
        """The channel id of the person's conversation with the bot."""
        return self._store.dm(self._user(user).id).id

    def archive(self, channel: str) -> None:
        """Close the channel for new messages."""
        self._store.channels[channel].archived = True

    async def post(
        self,
        channel: str,
        user: str,
        text: str,
        *,
        thread_ts: str | None = None,
        forwards: Json | None = None,
    ) -> str:
        """Write a message, or a reply; returns its ts. `<@BOT>` becomes the bot's mention.

        `forwards` is another message that it carries along.
        """
        place, author = self._place(channel, user)
        if place.archived:
            raise ValueError(f"{place.name} is archived")
        if thread_ts is not None and thread_ts not in place.messages:
            raise ValueError(f"no message {thread_ts} in {place.name}")
        message = self._ws.write(place, author, self._wire(text), thread_ts, forwards)
        return str(message["ts"])

    async def post_by_workflow(
        self, channel: str, text: str, *, thread_ts: str | None = None
    ) -> str:
        """A workflow writes, which is no user; returns the message's ts."""
        message: Json = {
            "type": "message",
            "subtype": "bot_message",
            "bot_id": "B0WORKFLOW",
            "username": "Onboarding",
            "text": self._wire(text),
        }
        return str(self._ws.add(self._store.channels[channel], message, thread_ts)["ts"])

    async def edit(self, channel: str, ts: str, text: str) -> None:
        """The author changes a message."""
        place = self._store.channels[channel]
        message, wire = place.messages[ts], self._wire(text)
        self._ws.change(place, message, {"text": wire}, message["user"])

    async def delete(self, channel: str, ts: str) -> None:
        """The author deletes a message."""
        place = self._store.channels[channel]
        self._ws.remove(place, place.messages[ts])

    async def join(self, channel: str, user: str) -> None:
        """Somebody joins a channel."""
        place, person = self._store.channels[channel], self._user(user)
        place.members.add(person.id)
        text = f"<@{person.id}> has joined the channel"
        message = {"type": "message", "subtype": "channel_join", "user": person.id, "text": text}
        self._ws.add(place, message, None)
        event = {
            "type": "member_joined_channel",
            "user": person.id,
            "channel": place.id,
            "channel_type": place.id[0],
            "team": person.team_id,
        }
        self._events.other(event, place, person.id)

    async def open_home(self, user: str, tab: str = "messages") -> None:
        """Open the app's page at its Messages or Home tab."""
        event: Json = {
            "type": "app_home_opened",
            "user": self._user(user).id,
            "channel": self._store.dm(user).id,
            "tab": tab,
        }
        if tab == "home" and user in self._store.homes:
            event["view"] = self._store.homes[user]
        self._events.other(event, self._store.dm(user), user)

    def _wire(self, text: str) -> str:
        return text.replace("<@BOT>", f"<@{self._store.bot.id}>")

    def _user(self, user: str) -> User:
        found = self._store.users.get(user)
        if found is None:
            raise ValueError(f"nobody has the id {user}")
        return found

    def _place(self, channel: str, user: str) -> tuple[Channel, User]:
        person, place = self._user(user), self._store.channels[channel]
        if person.id not in place.members:
            raise ValueError(f"{person.name} is not in {place.name}")
        return place, person
