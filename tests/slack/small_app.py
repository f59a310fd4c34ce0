"""A small real Bolt app against a local Slack, for tests of the local Slack itself."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from slack_bolt.adapter.socket_mode.aiohttp import AsyncSocketModeHandler
from slack_bolt.async_app import AsyncApp
from slack_sdk.web.async_client import AsyncWebClient

from bot.localslack import LocalSlack


def client_of(slack: LocalSlack, token: str | None = None) -> AsyncWebClient:
    return AsyncWebClient(token=token or slack.bot_token, base_url=slack.api_url)


def app_of(slack: LocalSlack) -> AsyncApp:
    return AsyncApp(client=client_of(slack))


@asynccontextmanager
async def running(
    app: AsyncApp, slack: LocalSlack, ping_interval: float = 0.5
) -> AsyncIterator[AsyncSocketModeHandler]:
    """The app, connected; the connection is closed in the end."""
    handler = AsyncSocketModeHandler(app, slack.app_token, ping_interval=ping_interval)
    await handler.connect_async()  # type: ignore[no-untyped-call]
    try:
        await slack.connected()
        yield handler
    finally:
        await handler.close_async()  # type: ignore[no-untyped-call]
