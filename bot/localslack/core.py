"""The parts of a local Slack, put together."""

import secrets
from collections.abc import Mapping
from typing import Any

from bot.localslack.clock import Clock
from bot.localslack.events import Events
from bot.localslack.faults import Faults
from bot.localslack.manifest import Manifest
from bot.localslack.methods import Method
from bot.localslack.socketmode import SocketMode
from bot.localslack.store import Store
from bot.localslack.types import Ack, Call, Event
from bot.localslack.webapi import WebApi
from bot.localslack.workspace import Workspace


class Core:
    """State, methods and Socket Mode; the people and the port come on top."""

    def __init__(
        self,
        *,
        manifest: Mapping[str, Any] | None = None,
        real_rates: bool = False,
        ack_timeout_s: float = 3.0,
        retry_delays_s: tuple[float, ...] = (0.0, 60.0, 300.0),
    ) -> None:
        rights = Manifest() if manifest is None else Manifest.parse(manifest)
        self.bot_token = f"xoxb-{secrets.token_hex(16)}"
        self.app_token = f"xapp-1-{secrets.token_hex(16)}"
        self._base_url = ""
        self._store = Store(rights.name)
        self._socket = SocketMode(
            self._store, ack_timeout_s=ack_timeout_s, retry_delays_s=retry_delays_s
        )
        self._events = Events(self._store, rights, self._socket.dispatch)
        self._ws = Workspace(self._store, rights, self._events)
        self.faults = Faults(self._socket, lambda: self._events.sent)
        tokens = {self.bot_token: "bot", self.app_token: "app"}
        self._web = WebApi(self._ws, self.faults, tokens, real_rates=real_rates)
        self._web.open_connection = Method(lambda _ws, _args: {"url": self._link()}, caller="app")

    @property
    def api_url(self) -> str:
        """What `AsyncWebClient(base_url=…)` takes."""
        return f"{self._base_url}/api/"

    @property
    def bot_user_id(self) -> str:
        """The bot's user id."""
        return self._store.bot.id

    @property
    def team_id(self) -> str:
        """The workspace's id."""
        return self._store.team_id

    @property
    def clock(self) -> Clock:
        """Slack's clock; `advance` moves it."""
        return self._store.clock

    @property
    def calls(self) -> list[Call]:
        """Every Web API call, in order."""
        return self._web.calls

    @property
    def refusals(self) -> list[Call]:
        """The calls that failed."""
        return [call for call in self._web.calls if not call.ok]

    @property
    def acks(self) -> list[Ack]:
        """Every acknowledgement, in order."""
        return self._socket.acks

    @property
    def given_up(self) -> list[Event]:
        """Events that were never acknowledged, through all retries."""
        return self._socket.given_up

    @property
    def events(self) -> list[Event]:
        """Every event that was dispatched to the app, in order (redeliveries not counted)."""
        return self._events.sent

    def _link(self) -> str:
        ws_url = self._base_url.replace("http://", "ws://", 1)
        return f"{ws_url}/link/?ticket={self._socket.ticket()}&app_id={self._store.app_id}"
