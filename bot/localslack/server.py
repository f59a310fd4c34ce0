"""The local Slack as one object: state, people and the port on loopback."""

from collections.abc import Awaitable, Callable, Iterable, Mapping
from types import TracebackType
from typing import Any, Self

from aiohttp import web

from bot.localslack.interactions import Interactions
from bot.localslack.screen import Screens

HOST = "127.0.0.1"
LARGEST_BODY = 4 * 1024 * 1024  # bytes
STOP_S = 1.0

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class LocalSlack(Interactions, Screens):
    """Listens while the context is open; see the package for what it offers.

    Args:
        port: 0 takes a free one.
        manifest: parsed manifest.yml; then only its events, commands and scopes are there.
        real_rates: hold the app to Slack's published rates (429 with Retry-After).
        ack_timeout_s, retry_delays_s: how long an envelope may stay without ack, and the waits
            before each retry of an event.
    """

    def __init__(
        self,
        port: int = 0,
        *,
        manifest: Mapping[str, Any] | None = None,
        real_rates: bool = False,
        ack_timeout_s: float = 3.0,
        retry_delays_s: tuple[float, ...] = (0.0, 60.0, 300.0),
    ) -> None:
        super().__init__(
            manifest=manifest,
            real_rates=real_rates,
            ack_timeout_s=ack_timeout_s,
            retry_delays_s=retry_delays_s,
        )
        self._port = port
        self._runner: web.AppRunner | None = None
        self._more_routes: list[web.RouteDef] = []

    def mount(self, routes: Iterable[web.RouteDef]) -> None:
        """Serve more on the same port; before the context opens."""
        self._more_routes += routes

    @property
    def url(self) -> str:
        """Where it listens."""
        return self._base_url

    async def __aenter__(self) -> Self:
        app = web.Application(client_max_size=LARGEST_BODY, middlewares=[self._own_alone])
        app.router.add_route("GET", "/link/", self._socket.connect)
        app.router.add_route("*", "/api/{method}", self._web.serve)
        app.router.add_route("POST", "/respond/{key:.+}", self._web.serve_response_url)
        app.add_routes(self._more_routes)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=STOP_S)
        await self._runner.setup()
        site = web.TCPSite(self._runner, HOST, self._port)
        await site.start()
        self._base_url = f"http://{HOST}:{self._runner.addresses[0][1]}"
        return self

    @web.middleware
    async def _own_alone(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """Refuse what another site's page sends: under its own name, or from its own origin.

        What is no browser, the app's client among them, sends no origin.
        """
        named = f"{request.scheme}://{request.host}" == self._base_url
        if not named or request.headers.get("Origin", self._base_url) != self._base_url:
            return web.json_response({"error": f"this is {self._base_url} alone"}, status=403)
        return await handler(request)

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._socket.close()
        if self._runner is not None:
            await self._runner.cleanup()
