"""The Socket Mode connection: opened, watched, and replaced when it is dead or deaf.

What the SDK does by itself: a ping every `PING_S`, a connection without a pong for half of that is
closed, and whatever is closed is opened anew within another `PING_S`; Slack's own wish for a fresh
one is followed. What it does not do is here: a connection whose pings are answered while its
acknowledgements are not heard, and an address that has expired before it could be used.
"""

import asyncio
import logging
import time
from collections import OrderedDict

from slack_bolt.adapter.socket_mode.aiohttp import AsyncSocketModeHandler
from slack_bolt.async_app import AsyncApp
from slack_sdk.socket_mode.aiohttp import SocketModeClient
from slack_sdk.socket_mode.request import SocketModeRequest
from slack_sdk.web.async_client import AsyncWebClient

from bot.slack.client import open_socket
from ingest.errors import FootnoteError

log = logging.getLogger(__name__)

PING_S = 5.0
CONNECT_LIMIT_S = 30
CLOSE_LIMIT_S = 5
IN_TIME_S = 2.0  # Slack waits 3 s for an acknowledgement
REPLACE_EVERY_S = 30.0  # at most
REMEMBERED = 1_000  # events


class Socket(AsyncSocketModeHandler):
    """One connection at a time, for as long as it is open."""

    def __init__(self, app: AsyncApp, client: AsyncWebClient, app_token: str) -> None:
        super().__init__(app, app_token, ping_interval=PING_S)
        self._web = client
        self._heard: OrderedDict[str, str] = OrderedDict()  # event acknowledged -> connection
        self._replaced_at = time.monotonic() - REPLACE_EVERY_S
        self._watching: asyncio.Task[None] | None = None

    @property
    def up(self) -> bool:
        """Whether there is a connection, as far as can be seen."""
        session = self.client.current_session
        return session is not None and not session.closed and not self.client.stale

    async def check(self) -> str:
        """What is wrong with it, or nothing."""
        return "" if self.up else "down"

    async def open(self) -> None:
        """Connect.

        Raises:
            SettingsError: Slack refuses the app-level token.
            FootnoteError: Slack cannot be reached.
        """
        self.client.wss_uri = await open_socket(self._web, self.app_token)
        try:
            connecting = self.connect_async()  # type: ignore[no-untyped-call]
            await asyncio.wait_for(connecting, CONNECT_LIMIT_S)
        except TimeoutError as error:
            raise FootnoteError(
                f"Slack did not open a WebSocket within {CONNECT_LIMIT_S} s: check the network and"
                " its proxy."
            ) from error
        self._watching = asyncio.create_task(self._watch())

    async def close(self) -> None:
        """Take no more events. A connection that does not say goodbye is left."""
        if self._watching is not None:
            self._watching.cancel()
        try:
            closing = self.close_async()  # type: ignore[no-untyped-call]
            await asyncio.wait_for(closing, CLOSE_LIMIT_S)
        except TimeoutError:
            log.info("Slack did not hear the end of the connection")
            for task in self._tasks():
                task.cancel()
            await self.client.aiohttp_client_session.close()

    async def handle(self, client: SocketModeClient, req: SocketModeRequest) -> None:  # type: ignore[override]
        """Let the app acknowledge a request; replace the connection if that is not heard.

        What Slack does not hear it sends again, over the next connection.
        """
        event_id, session = str(req.payload.get("event_id") or ""), await client.session_id()
        unheard = bool(req.retry_attempt) and self._heard.get(event_id) == session
        begun = time.monotonic()
        try:
            await super().handle(client, req)
        except ConnectionError:
            log.info("The connection closed before %s was acknowledged", req.type)
            return
        if event_id and time.monotonic() - begun < IN_TIME_S:
            self._heard[event_id] = session
        while len(self._heard) > REMEMBERED:
            self._heard.popitem(last=False)
        if unheard:
            await self._replace(client)

    def _tasks(self) -> list[asyncio.Future[None]]:
        """The SDK's own, which it leaves behind when its goodbye is cut short."""
        client = self.client
        tasks = (client.message_processor, client.current_session_monitor, client.message_receiver)
        return [task for task in tasks if task is not None]

    async def _replace(self, client: SocketModeClient) -> None:
        if time.monotonic() - self._replaced_at < REPLACE_EVERY_S:
            return
        self._replaced_at = time.monotonic()
        log.warning("Slack does not hear what is said on the connection: it is replaced")
        await client.connect_to_new_endpoint(force=True)

    async def _watch(self) -> None:
        """An address works once and not for long, and the SDK would try the same one for ever."""
        was_up = True
        while True:
            await asyncio.sleep(PING_S)
            if not self.up and not was_up:
                log.warning("There is no connection to Slack; trying a new address")
                self.client.wss_uri = None
            was_up = self.up
