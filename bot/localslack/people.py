"""What people do in the workspace, and what Slack sends the app for it."""

import secrets

from bot.localslack import views
from bot.localslack.core import Core
from bot.localslack.interactions import Values, act, fill_in, find_action
from bot.localslack.store import Channel, ResponseUrl, User, new_id
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
        self, channel: str, user: str, text: str, *, thread_ts: str | None = None
    ) -> str:
        """Write a message, or a reply; returns its ts. `<@BOT>` becomes the bot's mention."""
        place, author = self._place(channel, user)
        if place.archived:
            raise ValueError(f"{place.name} is archived")
        if thread_ts is not None and thread_ts not in place.messages:
            raise ValueError(f"no message {thread_ts} in {place.name}")
        message = self._ws.write(place, author, self._wire(text), thread_ts)
        return str(message["ts"])

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

    async def click(
        self, channel: str, ts: str, action_id: str, user: str, *, value: str | None = None
    ) -> str:
        """Press an element of a message; returns the trigger_id once the app has acked.

        Raises:
            NotAckedError: it did not.
            ValueError: there is no such element, or the person cannot see it.
        """
        place, person = self._place(channel, user)
        message = self._seen(place, ts, user)
        block, element = find_action(message.get("blocks", []), action_id)
        self._store.views[user].clear()
        hidden = bool(message.get("is_ephemeral"))
        url = ResponseUrl(channel, user, self.clock.now(), ts, message.get("thread_ts"))
        container = {
            "type": "message",
            "message_ts": ts,
            "channel_id": channel,
            "is_ephemeral": hidden,
        }
        if message.get("thread_ts"):
            container["thread_ts"] = message["thread_ts"]
        more: Json = {
            "container": container,
            "channel": {"id": place.id, "name": place.name},
            "state": {"values": {}},
            "response_url": self._response_url(url),
            "actions": [act(block, element, value, self._store.new_ts())],
        }
        if not hidden:
            more["message"] = message
        return await self._press(person, more, None)

    async def click_in_view(self, user: str, action_id: str, *, value: str | None = None) -> str:
        """Press an element of the person's top modal; returns the trigger_id after the ack."""
        view = self._top(user)
        block, element = find_action(view["blocks"], action_id)
        more: Json = {
            "container": {"type": "view", "view_id": view["id"]},
            "view": view,
            "actions": [act(block, element, value, self._store.new_ts())],
        }
        return await self._press(self._user(user), more, view["id"])

    async def submit_view(self, user: str, values: Values | None = None) -> Json:
        """Send the top modal's form and do what the ack says; returns the ack's payload.

        Raises:
            NotAckedError: no ack in time; the form stays open.
            RefusedError: the view in the ack is one that Slack does not take.
        """
        view = self._top(user)
        if not view["submit"]:
            raise ValueError("the view has no submit button")
        view["state"] = {"values": fill_in(view["blocks"], values or {})}
        trigger = self._store.open_trigger(user, view["id"])
        payload = self._interaction("view_submission", self._user(user), trigger)
        payload |= {"view": view, "response_urls": []}
        answer = await self._socket.ask("interactive", payload, answer=True)
        self._follow(user, view, answer)
        return answer

    async def close_view(self, user: str) -> None:
        """Close the person's top modal; the app hears of it if it asked to."""
        view = self._top(user)
        self._store.views[user].remove(view)
        self._store.changes.notify()
        if view["notify_on_close"]:
            payload = self._interaction("view_closed", self._user(user), None)
            payload |= {"view": view, "is_cleared": False}
            await self._socket.ask("interactive", payload, answer=False)

    async def command(self, channel: str, user: str, command: str, text: str = "") -> None:
        """Type a slash command (never in a thread: Slack has no such thing).

        Raises:
            NotAckedError: no ack in time.
        """
        place, person = self._place(channel, user)
        known = self._ws.manifest.commands
        if known is not None and command not in known:
            raise ValueError(f"{command} is not a valid command")
        url = ResponseUrl(channel, user, self.clock.now())
        payload: Json = {
            "token": secrets.token_hex(12),
            "team_id": person.team_id,
            "team_domain": self._store.team_domain,
            "channel_id": place.id,
            "channel_name": place.name,
            "user_id": person.id,
            "user_name": person.name,
            "command": command,
            "text": self._wire(text),
            "api_app_id": self._store.app_id,
            "is_enterprise_install": "false",
            "response_url": self._response_url(url),
            "trigger_id": self._store.open_trigger(user),
        }
        self._store.views[user].clear()
        answer = await self._socket.ask("slash_commands", payload, answer=True)
        if answer.get("text") or answer.get("blocks"):
            self._answer_command(place, person, answer)

    async def stop_stream(self, channel: str, ts: str, user: str) -> None:
        """The reader presses Stop under a message that is being written."""
        self._place(channel, user)
        self._store.streams[channel, ts].stopped = "user"
        self._store.changes.notify()

    def _answer_command(self, place: Channel, person: User, answer: Json) -> None:
        text, blocks = answer.get("text", ""), answer.get("blocks") or []
        if answer.get("response_type") == "in_channel":
            self._ws.say(place, text, blocks, None)
        else:
            self._ws.whisper(place.id, person.id, text, blocks, None)

    def _follow(self, user: str, view: Json, answer: Json) -> None:
        """Carry out a form's response_action."""
        stack = self._store.views[user]
        match answer.get("response_action"):
            case None:
                stack.remove(view)
            case "clear":
                stack.clear()
            case "update":
                views.replace(self._ws, view, views.new_from_ack(self._ws, answer.get("view")))
            case "push":
                views.place(self._ws, user, views.new_from_ack(self._ws, answer.get("view")))
            case "errors":
                inputs = {b["block_id"] for b in view["blocks"] if b["type"] == "input"}
                if not answer.get("errors") or answer["errors"].keys() - inputs:
                    raise ValueError(f"errors for no input of the form: {answer}")
            case other:
                raise ValueError(f"unknown response_action {other!r}")
        self._store.changes.notify()

    async def _press(self, person: User, more: Json, view_id: str | None) -> str:
        if not self._ws.manifest.interactive:
            raise ValueError("the manifest has interactivity off")
        trigger = self._store.open_trigger(person.id, view_id)
        payload = self._interaction("block_actions", person, trigger) | more
        await self._socket.ask("interactive", payload, answer=False)
        return trigger

    def _interaction(self, kind: str, person: User, trigger: str | None) -> Json:
        payload: Json = {
            "type": kind,
            "user": {
                "id": person.id,
                "username": person.name,
                "name": person.name,
                "team_id": person.team_id,
            },
            "api_app_id": self._store.app_id,
            "token": secrets.token_hex(12),
            "team": {"id": self._store.team_id, "domain": self._store.team_domain},
            "enterprise": None,
            "is_enterprise_install": False,
        }
        return payload if trigger is None else payload | {"trigger_id": trigger}

    def _response_url(self, url: ResponseUrl) -> str:
        return f"{self._base_url}/respond/{self._store.open_response_url(url)}"

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

    def _seen(self, place: Channel, ts: str, user: str) -> Json:
        for message in self._store.ephemerals[user]:
            if message["ts"] == ts:
                return message
        if ts not in place.messages:
            raise ValueError(f"no message {ts} in {place.name}")
        return place.messages[ts]

    def _top(self, user: str) -> Json:
        stack = self._store.views[self._user(user).id]
        if not stack:
            raise ValueError(f"{self._user(user).name} has no modal open")
        return stack[-1]
