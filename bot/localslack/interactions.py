"""What people press, type as commands and fill in, and what Slack sends the app for it."""

import secrets

from bot.localslack import views
from bot.localslack.forms import Values, act, fill_in, find_action
from bot.localslack.people import People
from bot.localslack.store import Channel, ResponseUrl, User
from bot.localslack.types import Json


class Interactions(People):
    """Presses, commands and forms. What Slack's screen does not offer is a ValueError."""

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
        """Press an element of the top modal, or of the Home tab when no modal covers it.

        Returns the trigger_id after the ack.
        """
        home = None if self._store.views[user] else self._store.homes.get(user)
        view = home or self._top(user)
        block, element = find_action(view["blocks"], action_id)
        more: Json = {
            "container": {"type": "view", "view_id": view["id"]},
            "view": view,
            "actions": [act(block, element, value, self._store.new_ts())],
        }
        return await self._press(self._user(user), more, None if home else view["id"])

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
        place, person = self._place(channel, user)
        if not self._ws.streaming(place, ts):
            raise ValueError(f"the message {ts} is not being written")
        self._store.streams[channel, ts].stopped = "user"
        event = {
            "type": "agent_session_stopped",
            "channel": channel,
            "thread_ts": place.messages[ts]["thread_ts"],
            "streaming_message_ts": [ts],
            "user": person.id,
        }
        self._events.other(event, place, person.id)
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
