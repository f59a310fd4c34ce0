"""Socket Mode: connections, envelopes, acknowledgements, retries."""

import asyncio
import json
import logging
import secrets
import time
import uuid
from dataclasses import dataclass, field

from aiohttp import WSMessage, WSMsgType, web

from bot.localslack.store import Store
from bot.localslack.types import Ack, Event, Json, NotAckedError

MOST_LINKS = 10  # https://docs.slack.dev/apis/events-api/using-socket-mode
CLOSING_CODE = 1001

logger = logging.getLogger(__name__)


@dataclass(slots=True)
class Link:
    """One open WebSocket. `deaf`: what the app says is not heard; `pongs`: pings are answered."""

    ws: web.WebSocketResponse
    request: web.Request
    deaf: bool = False
    pongs: bool = True
    leaving: bool = False

    @property
    def taken(self) -> bool:
        """Whether envelopes may go out on it."""
        return not self.ws.closed and not self.leaving


@dataclass(slots=True)
class _Sent:
    envelope_id: str
    type: str
    attempt: int
    at: float
    answer: asyncio.Future[Json] = field(
        default_factory=lambda: asyncio.get_running_loop().create_future()
    )


class SocketMode:
    """The app's connections. Times are in seconds of real time."""

    def __init__(
        self,
        store: Store,
        *,
        ack_timeout_s: float,
        retry_delays_s: tuple[float, ...],
        patience_s: float = 360,
    ) -> None:
        self.acks: list[Ack] = []
        self.given_up: list[Event] = []
        self.links: list[Link] = []
        self._store = store
        self._ack_timeout_s, self._retry_delays_s = ack_timeout_s, retry_delays_s
        self._patience_s = patience_s  # how long an event waits for a connection
        self._tickets: set[str] = set()
        self._sent: dict[str, _Sent] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._turn = 0

    def ticket(self) -> str:
        """A secret that opens one connection once."""
        ticket = secrets.token_urlsafe(24)
        self._tickets.add(ticket)
        return ticket

    @property
    def connected(self) -> bool:
        """Whether an envelope could be sent now."""
        return any(link.taken for link in self.links)

    @property
    def idle(self) -> bool:
        """Whether every event is acknowledged or given up."""
        return not self._tasks

    async def connect(self, request: web.Request) -> web.StreamResponse:
        """Serve one connection until either side ends it."""
        ticket = request.query.get("ticket", "")
        if ticket not in self._tickets or len(self.links) >= MOST_LINKS:
            return web.Response(status=401 if ticket not in self._tickets else 429)
        self._tickets.discard(ticket)
        ws = web.WebSocketResponse(autoping=False)
        await ws.prepare(request)
        link = Link(ws, request)
        await ws.send_json(self._hello())
        self.links.append(link)
        self._store.changes.notify()
        try:
            async for message in ws:
                await self._hear(link, message)
        finally:
            self.links.remove(link)
            self._store.changes.notify()
        return ws

    def dispatch(self, event: Event) -> None:
        """Send an event now, and again until it is acknowledged or given up."""
        task = asyncio.get_running_loop().create_task(self._deliver(event))
        self._tasks.add(task)
        task.add_done_callback(self._done)

    async def ask(self, kind: str, payload: Json, *, answer: bool) -> Json:
        """Send a click, a command or a form once; return the payload of its acknowledgement.

        Raises:
            NotAckedError: no connection, or no acknowledgement in time.
        """
        link = self._pick()
        if link is None:
            raise NotAckedError(f"{kind}: the app is not connected")
        return await self._exchange(link, kind, payload, answer=answer)

    async def announce_end(self, reason: str, grace_s: float) -> None:
        """Tell every connection that it ends soon, and end it after `grace_s`."""
        for link in [link for link in self.links if link.taken]:
            link.leaving = True
            debug = {"host": "applink-local"}
            await link.ws.send_json({"type": "disconnect", "reason": reason, "debug_info": debug})
            asyncio.get_running_loop().call_later(grace_s, self.abort, link)

    @staticmethod
    def abort(link: Link) -> None:
        """Cut the line without a goodbye."""
        if link.request.transport is not None:
            link.request.transport.abort()

    async def close(self) -> None:
        """Give up what is under way and hang up."""
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        for link in list(self.links):
            await link.ws.close(code=CLOSING_CODE)

    def _hello(self) -> Json:
        return {
            "type": "hello",
            "num_connections": len(self.links) + 1,
            "debug_info": {
                "host": "applink-local",
                "build_number": 1,
                "approximate_connection_time": 18060,
            },
            "connection_info": {"app_id": self._store.app_id},
        }

    async def _hear(self, link: Link, message: WSMessage) -> None:
        if message.type is WSMsgType.PING and link.pongs:
            await link.ws.pong(message.data)
        elif message.type is WSMsgType.TEXT and not link.deaf:
            self._acked(json.loads(message.data))

    def _acked(self, body: Json) -> None:
        sent = self._sent.pop(body.get("envelope_id", ""), None)
        if sent is None:
            logger.warning("an acknowledgement of an unknown envelope: %s", body)
            return
        latency_s = time.monotonic() - sent.at
        self.acks.append(Ack(sent.envelope_id, sent.type, latency_s, sent.attempt))
        if not sent.answer.done():
            sent.answer.set_result(body.get("payload") or {})
        self._store.changes.notify()

    def _pick(self) -> Link | None:
        """Any connection may get an envelope; they take turns."""
        ready = [link for link in self.links if link.taken]
        self._turn += 1
        return ready[self._turn % len(ready)] if ready else None

    async def _deliver(self, event: Event) -> None:
        reason = ""
        for attempt, delay_s in enumerate((0.0, *self._retry_delays_s)):
            await asyncio.sleep(delay_s)
            try:
                link = await self._store.changes.wait_for(
                    self._pick, self._patience_s, "a connection"
                )
                await self._exchange(
                    link, "events_api", event.payload, attempt=attempt, reason=reason
                )
            except (NotAckedError, TimeoutError):
                reason = "timeout"
            else:
                return
        self.given_up.append(event)

    async def _exchange(
        self,
        link: Link,
        kind: str,
        payload: Json,
        *,
        answer: bool = False,
        attempt: int = 0,
        reason: str = "",
    ) -> Json:
        envelope: Json = {
            "envelope_id": str(uuid.uuid4()),
            "payload": payload,
            "type": kind,
            "accepts_response_payload": answer,
        }
        if kind == "events_api":
            envelope |= {"retry_attempt": attempt, "retry_reason": reason}
        sent = _Sent(envelope["envelope_id"], kind, attempt, time.monotonic())
        self._sent[sent.envelope_id] = sent  # kept when late, so that a late ack is on record
        try:
            await link.ws.send_json(envelope)
            return await asyncio.wait_for(sent.answer, self._ack_timeout_s)
        except (TimeoutError, ConnectionError):
            raise NotAckedError(f"{kind}: no ack within {self._ack_timeout_s} s") from None

    def _done(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()):
            logger.error("a delivery failed", exc_info=error)
        self._store.changes.notify()
