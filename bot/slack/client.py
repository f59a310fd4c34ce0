"""The Web API client: its time limits and retries, and what wrong tokens are told."""

import logging
from dataclasses import dataclass
from urllib.parse import urlsplit

from aiohttp import ClientConnectorError, ClientError, ClientSession, ClientTimeout
from slack_sdk.errors import SlackApiError
from slack_sdk.http_retry.builtin_async_handlers import (
    AsyncConnectionErrorRetryHandler,
    AsyncRateLimitErrorRetryHandler,
    AsyncServerErrorRetryHandler,
)
from slack_sdk.http_retry.request import HttpRequest
from slack_sdk.http_retry.response import HttpResponse
from slack_sdk.http_retry.state import RetryState
from slack_sdk.web.async_client import AsyncWebClient

from bot.settings import Settings
from bot.slack.pace import SPARED, PacedClient
from ingest.errors import FootnoteError, SettingsError

log = logging.getLogger(__name__)

CALL_TIMEOUT_S = 30
RETRIES = 3
WRITES = frozenset(  # twice is once too often
    {"chat.postMessage", "chat.postEphemeral", "chat.startStream", "chat.appendStream"}
)
APPS = "https://api.slack.com/apps"
BOT_TOKEN_AT = (
    f"copy the Bot User OAuth Token (xoxb-…) from {APPS} › your app › OAuth & Permissions"
)
APP_TOKEN_AT = (
    f"create one (xapp-…) with the scope connections:write at {APPS} › your app"
    " › Basic Information › App-Level Tokens"
)


SECRET_AT = f"copy the Signing Secret from {APPS} › your app › Basic Information"


@dataclass(frozen=True, slots=True)
class Identity:
    """Who the bot is in its workspace."""

    user_id: str
    team_id: str
    team: str
    scopes: frozenset[str]
    enterprise_id: str = ""  # of its Grid, if it is in one


class ConnectionRetry(AsyncConnectionErrorRetryHandler):
    """Tries again after a broken connection, a message only if it cannot have arrived."""

    async def _can_retry_async(
        self,
        *,
        state: RetryState,
        request: HttpRequest,
        response: HttpResponse | None = None,
        error: Exception | None = None,
    ) -> bool:
        if _writes(request) and not isinstance(error, ClientConnectorError):
            return False
        return await super()._can_retry_async(
            state=state, request=request, response=response, error=error
        )


class RateLimitRetry(AsyncRateLimitErrorRetryHandler):
    """Tries again when Slack says so, but not what an answer comes without as well."""

    async def _can_retry_async(
        self,
        *,
        state: RetryState,
        request: HttpRequest,
        response: HttpResponse | None = None,
        error: Exception | None = None,
    ) -> bool:
        return _method(request) not in SPARED and await super()._can_retry_async(
            state=state, request=request, response=response, error=error
        )


class ServerErrorRetry(AsyncServerErrorRetryHandler):
    """Tries again after a 500 or 503, but never a message: it may have been posted."""

    async def _can_retry_async(
        self,
        *,
        state: RetryState,
        request: HttpRequest,
        response: HttpResponse | None = None,
        error: Exception | None = None,
    ) -> bool:
        return not _writes(request) and await super()._can_retry_async(
            state=state, request=request, response=response, error=error
        )


def _writes(request: HttpRequest) -> bool:
    return _method(request) in WRITES


def _method(request: HttpRequest) -> str:
    return urlsplit(request.url).path.rsplit("/", 1)[-1]


def build_client(settings: Settings, session: ClientSession | None = None) -> AsyncWebClient:
    """The client for the bot token. Every call has a time limit, in `session` the session's own."""
    return PacedClient(
        token=settings.slack_bot_token.get_secret_value(),
        base_url=settings.slack_api_url.rstrip("/") + "/",
        timeout=CALL_TIMEOUT_S,
        session=session,
        retry_handlers=[
            RateLimitRetry(max_retry_count=RETRIES),
            ConnectionRetry(max_retry_count=RETRIES),
            ServerErrorRetry(max_retry_count=RETRIES),
        ],
    )


async def check_slack(settings: Settings, *, http: bool = False) -> None:
    """Ask Slack whether it takes the tokens.

    Raises:
        SettingsError: one is missing, swapped or refused.
        FootnoteError: Slack cannot be reached.
    """
    check_tokens(settings, http=http)
    async with ClientSession(timeout=ClientTimeout(total=CALL_TIMEOUT_S)) as session:
        client = build_client(settings, session)
        await identify(client)
        if not http:
            await open_socket(client, settings.slack_app_token.get_secret_value().strip())


def check_tokens(settings: Settings, *, http: bool = False) -> None:
    """Hold the tokens' prefixes against their names. HTTP mode needs a secret and no app token.

    Raises:
        SettingsError: one is missing, of another kind, or both are swapped.
    """
    bot_token = settings.slack_bot_token.get_secret_value().strip()
    app_token = settings.slack_app_token.get_secret_value().strip()
    if bot_token.startswith("xapp-") and app_token.startswith("xoxb-"):
        raise SettingsError(
            "SLACK_BOT_TOKEN and SLACK_APP_TOKEN are swapped: the first begins with xoxb-,"
            " the second with xapp-."
        )
    needed = [
        ("SLACK_BOT_TOKEN", bot_token, "xoxb-", BOT_TOKEN_AT),
        ("SLACK_APP_TOKEN", app_token, "xapp-", APP_TOKEN_AT),
    ]
    if http:
        secret = settings.slack_signing_secret.get_secret_value().strip()
        needed[1] = ("SLACK_SIGNING_SECRET", secret, "", SECRET_AT)
    for name, token, prefix, where in needed:
        if not token:
            raise SettingsError(f"{name} is missing: {where}.")
        if not token.startswith(prefix):
            raise SettingsError(f"{name} does not begin with {prefix}: {where}.")


async def identify(client: AsyncWebClient) -> Identity:
    """Ask Slack who the bot token belongs to.

    Raises:
        SettingsError: Slack refuses the token.
        FootnoteError: Slack cannot be reached.
    """
    try:
        answer = await client.auth_test()
    except SlackApiError as error:
        raise _refused("SLACK_BOT_TOKEN", error, BOT_TOKEN_AT) from error
    except (ClientError, TimeoutError, OSError) as error:
        raise _unreachable(client, error) from error
    scopes = str(answer.headers.get("x-oauth-scopes", ""))
    return Identity(
        user_id=str(answer["user_id"]),
        team_id=str(answer["team_id"]),
        team=str(answer.get("team") or answer["team_id"]),
        enterprise_id=str(answer.get("enterprise_id") or ""),
        scopes=frozenset(scope.strip() for scope in scopes.split(",") if scope.strip()),
    )


async def open_socket(client: AsyncWebClient, app_token: str) -> str:
    """The address of a Socket Mode connection.

    Raises:
        SettingsError: Slack refuses the app-level token.
        FootnoteError: Slack cannot be reached.
    """
    try:
        answer = await client.apps_connections_open(app_token=app_token)
    except SlackApiError as error:
        raise _refused("SLACK_APP_TOKEN", error, APP_TOKEN_AT) from error
    except (ClientError, TimeoutError, OSError) as error:
        raise _unreachable(client, error) from error
    return str(answer["url"])


def _refused(name: str, error: SlackApiError, where: str) -> FootnoteError:
    reason = str(error.response.get("error", "")) or f"status {error.response.status_code}"
    if reason in {"ratelimited", "internal_error", "fatal_error", "service_unavailable"}:
        return FootnoteError(f"Slack is busy ({reason}): try again in a minute.")
    return SettingsError(f"{name} was refused by Slack ({reason}): {where}.")


def _unreachable(client: AsyncWebClient, error: Exception) -> FootnoteError:
    what = str(error) or type(error).__name__
    return FootnoteError(
        f"Slack cannot be reached at {client.base_url} ({what}): check the network and"
        " SLACK_API_URL."
    )
