"""What Slack refuses, and what that means to those who run the bot."""

from aiohttp import ClientError
from slack_sdk.errors import SlackApiError, SlackClientError

FAULTS = (SlackClientError, ClientError, OSError, TimeoutError)  # of any call

_INVALID = "SLACK_BOT_TOKEN is not valid any more: reinstall the app and set its new token"
_WORDS = {
    "not_in_channel": "the bot is not in that channel: invite it there",
    "channel_not_found": "that channel is gone, or private and without the bot",
    "is_archived": "that channel is archived",
    "is_inactive": "that channel is archived",
    "restricted_action": "an administrator does not let apps post there",
    "token_revoked": _INVALID,
    "token_expired": _INVALID,
    "account_inactive": _INVALID,
    "invalid_auth": _INVALID,
    "not_authed": _INVALID,
    "ratelimited": "Slack's rate limit was over, three times in a row",
    "user_not_in_channel": "that person is not in the channel",
}


def name_of(error: BaseException) -> str:
    """Slack's name for a refusal, the class of any other error."""
    if isinstance(error, SlackApiError):
        return str(error.response.get("error", "")) or f"status {error.response.status_code}"
    return type(error).__name__


def in_words(error: BaseException) -> str | None:
    """What to do about a refusal; None where only its details would help."""
    if not isinstance(error, SlackApiError):
        return None
    name = name_of(error)
    if name == "missing_scope":
        needed = error.response.get("needed") or "a scope"
        return f"the app lacks {needed}: give it what manifest.yml lists and reinstall it"
    return _WORDS.get(name)
