"""The bot's port: health, metrics, and in HTTP mode what Slack sends."""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager

from aiohttp import web
from slack_bolt.adapter.aiohttp import to_aiohttp_response, to_bolt_request
from slack_bolt.async_app import AsyncApp

from bot.slack.metrics import Metrics
from ingest.errors import FootnoteError

log = logging.getLogger(__name__)

EVENTS = "/slack/events"
# Slack names no limit; Bolt for JavaScript refuses what is larger than this, unread
# (https://github.com/slackapi/bolt-js/releases/tag/v5.1.0).
LARGEST_BODY = 4 * 1024 * 1024  # bytes
CHECK_LIMIT_S = 5
CLOSE_LIMIT_S = 2.0

Check = Callable[[], Awaitable[str]]


async def fine() -> str:
    """A check of what is all right."""
    return ""


async def loading() -> str:
    """A check of what is not there yet."""
    return "still loading"


class Web:
    """What the port serves.

    `checks` say what is wrong with each thing, or nothing: `/readyz` asks them all. With `slack`,
    `bolt` gets what Slack sends; while there is none, Slack is told to come again.
    """

    def __init__(self, metrics: Metrics, *, slack: bool) -> None:
        self.metrics = metrics
        self.slack = slack
        self.bolt: AsyncApp | None = None
        self.checks: dict[str, Check] = {"models": loading}
        self.checks |= {"slack": self._taking} if slack else {"socket": loading}

    @asynccontextmanager
    async def listening(self, host: str, port: int) -> AsyncIterator[int]:
        """Serve while the context is open; gives the port, a free one for 0.

        Raises:
            FootnoteError: the port cannot be had.
        """
        app = web.Application(client_max_size=LARGEST_BODY)
        app.add_routes([web.get("/healthz", self._live), web.get("/readyz", self._ready)])
        app.add_routes([web.get("/metrics", self._metrics)])
        if self.slack:
            app.add_routes([web.post(EVENTS, self._events)])
        runner = web.AppRunner(app, access_log=None, shutdown_timeout=CLOSE_LIMIT_S)
        await runner.setup()
        try:
            try:
                await web.TCPSite(runner, host, port).start()
            except OSError as error:
                raise FootnoteError(
                    f"Port {port} on {host} cannot be used ({error.strerror}): see"
                    " FOOTNOTE_HTTP_PORT and FOOTNOTE_HTTP_HOST."
                ) from error
            taken: int = runner.addresses[0][1]
            log.info("Health and metrics on http://%s:%d", host, taken)
            yield taken
        finally:
            await runner.cleanup()

    async def _taking(self) -> str:
        return "" if self.bolt else "not taken yet"

    async def _live(self, _request: web.Request) -> web.Response:
        return web.Response(text="ok\n")

    async def _ready(self, _request: web.Request) -> web.Response:
        wrong = {name: await _ask(check) for name, check in list(self.checks.items())}
        ready = not any(wrong.values())
        told = {name: what or "ok" for name, what in wrong.items()}
        return web.json_response({"ready": ready, **told}, status=200 if ready else 503)

    async def _metrics(self, _request: web.Request) -> web.Response:
        text = await asyncio.to_thread(self.metrics.write)
        return web.Response(body=text, headers={"Content-Type": "text/plain; version=0.0.4"})

    async def _events(self, request: web.Request) -> web.Response:
        if self.bolt is None:
            return web.Response(status=503, text="not now\n")
        if not _can_be_signed(request.headers):
            return web.Response(status=401, text="not signed\n")
        try:
            taken = await to_bolt_request(request)
        except (ValueError, LookupError):  # no UTF-8, another encoding, no JSON
            return web.Response(status=400, text="cannot be read\n")
        return await to_aiohttp_response(await self.bolt.async_dispatch(taken))


def _can_be_signed(headers: Mapping[str, str]) -> bool:
    """Whether Bolt can hold the signature against the body; it fails on other headers."""
    try:
        int(headers.get("X-Slack-Request-Timestamp", "0"))
    except ValueError:
        return False
    return headers.get("X-Slack-Signature", "").isascii()


async def _ask(check: Check) -> str:
    try:
        async with asyncio.timeout(CHECK_LIMIT_S):
            return await check()
    except Exception as error:
        log.exception("A check failed")
        return type(error).__name__
