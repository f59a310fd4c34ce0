import asyncio

import pytest

from bot.settings import Settings
from bot.slack.app import run
from bot.slack.client import build_client, identify
from ingest.errors import FootnoteError, SettingsError
from tests.slack.conftest import Office


async def start(office: Office, **tokens: str) -> None:
    settings = Settings(
        _env_file=None,
        SLACK_BOT_TOKEN=tokens.get("bot", office.slack.bot_token),
        SLACK_APP_TOKEN=tokens.get("app", office.slack.app_token),
        SLACK_API_URL=tokens.get("url", office.slack.api_url),
    )
    await run(
        settings,
        office.answers,
        office.shelf,
        office.shelf,
        office.record,
        stop=asyncio.Event(),
    )


@pytest.mark.parametrize(
    ("tokens", "told"),
    [
        ({"bot": ""}, "SLACK_BOT_TOKEN is missing: copy the Bot User OAuth Token"),
        ({"app": ""}, "SLACK_APP_TOKEN is missing: create one"),
        ({"bot": "xoxp-1"}, "SLACK_BOT_TOKEN does not begin with xoxb-: copy"),
        ({"app": "xoxb-1"}, "SLACK_APP_TOKEN does not begin with xapp-: create"),
        ({"bot": "xapp-1", "app": "xoxb-1"}, "SLACK_BOT_TOKEN and SLACK_APP_TOKEN are swapped"),
        ({"bot": "xoxb-wrong"}, "SLACK_BOT_TOKEN was refused by Slack (invalid_auth): copy"),
        ({"app": "xapp-wrong"}, "SLACK_APP_TOKEN was refused by Slack (invalid_auth): create"),
    ],
)
async def test_a_token_that_is_wrong_is_named_in_one_line(
    office: Office, tokens: dict[str, str], told: str
) -> None:
    with pytest.raises(SettingsError) as error:
        await start(office, **tokens)
    assert str(error.value).startswith(told)
    assert "\n" not in str(error.value)
    assert "api.slack.com/apps" in str(error.value) or "swapped" in str(error.value)
    assert "wrong" not in str(error.value)


async def test_an_unreachable_slack_is_named_with_its_address(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.slack.client.RETRIES", 0)
    with pytest.raises(FootnoteError) as error:
        await start(office, url="http://127.0.0.1:9/api/")
    assert "Slack cannot be reached at http://127.0.0.1:9/api/" in str(error.value)
    assert "SLACK_API_URL" in str(error.value)


async def test_the_bot_learns_who_it_is_and_what_it_may_do(office: Office) -> None:
    me = await identify(build_client(office.settings()))
    assert (me.user_id, me.team_id) == (office.slack.bot_user_id, office.slack.team_id)
    assert {"chat:write", "commands", "im:history"} <= me.scopes


async def test_a_read_is_tried_again_after_a_broken_connection_and_a_server_error(
    office: Office,
) -> None:
    office.slack.faults.hang_up("auth.test", times=1)
    office.slack.faults.fail("auth.test", "internal_error", times=1, status=503)
    me = await identify(build_client(office.settings()))
    assert me.user_id == office.slack.bot_user_id


@pytest.mark.parametrize("status", [500, 503])
async def test_a_message_is_not_tried_again_after_a_server_error(
    office: Office, status: int
) -> None:
    office.slack.faults.fail("chat.postMessage", "internal_error", times=1, status=status)
    client = build_client(office.settings())
    with pytest.raises(Exception, match="internal_error"):
        await client.chat_postMessage(channel=office.general, text="hello")
    assert office.from_bot() == []
