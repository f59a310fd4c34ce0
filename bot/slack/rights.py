"""What Slack says of the app's tokens, scopes and channels, for `doctor`."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass

from aiohttp import ClientSession, ClientTimeout
from slack_sdk.web.async_client import AsyncWebClient

from bot.settings import Settings
from bot.slack.client import CALL_TIMEOUT_S, build_client, identify, open_socket
from bot.slack.faults import FAULTS, in_words, name_of
from ingest.errors import FootnoteError

LIMIT_S = 15  # for all that is asked

# The scopes of manifest.yml, and what the bot does not do without each.
SCOPES: Mapping[str, str] = {
    "app_mentions:read": "no mention reaches it",
    "assistant:write": "no questions are suggested in a DM",
    "channels:history": "it reads no thread of a public channel, so no follow-up is understood",
    "chat:write": "it posts no answer",
    "commands": "/rag-source is not there",
    "groups:history": "it reads no thread of a private channel, so no follow-up is understood",
    "im:history": "no direct message reaches it",
    "users:read": "nobody is let in, as it cannot tell who is a guest or of another company",
}


@dataclass(frozen=True, slots=True)
class Rights:
    """Of the workspace `team`: the scopes that the token lacks, and the channels out of reach."""

    team: str
    missing: tuple[str, ...]
    out_of_reach: Mapping[str, str]  # the setting that names the channel -> why


async def ask_slack(settings: Settings) -> Rights:
    """Ask with the tokens that are set; nothing is changed and nothing posted.

    Raises:
        SettingsError: Slack refuses a token.
        FootnoteError: Slack cannot be reached, or does not answer within the limit.
    """
    try:
        async with (
            asyncio.timeout(LIMIT_S),
            ClientSession(timeout=ClientTimeout(total=CALL_TIMEOUT_S)) as session,
        ):
            client = build_client(settings, session)
            me = await identify(client)
            if app_token := settings.slack_app_token.get_secret_value().strip():
                await open_socket(client, app_token)
            channels = {
                "FOOTNOTE_OWNERS_CHANNEL": settings.owners_channel,
                "FOOTNOTE_GAPS_CHANNEL": settings.gaps_channel,
            }
            away = {name: await _why_away(client, one) for name, one in channels.items() if one}
    except TimeoutError as error:
        raise FootnoteError(
            f"Slack did not answer within {LIMIT_S} s at {settings.slack_api_url}:"
            " check the network."
        ) from error
    missing = tuple(scope for scope in SCOPES if scope not in me.scopes)
    return Rights(me.team, missing, {name: why for name, why in away.items() if why})


async def _why_away(client: AsyncWebClient, channel: str) -> str:
    """Why nothing can be posted there, or nothing; only a member may read a channel."""
    try:
        await client.conversations_history(channel=channel, limit=1)
    except FAULTS as error:
        return in_words(error) or name_of(error)
    return ""
