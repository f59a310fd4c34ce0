"""`python -m bot doctor` asks Slack what the tokens may do and where the bot is."""

import asyncio
import copy
from pathlib import Path
from typing import Any

import pytest

from bot.cli.doctor import examine
from bot.localslack import Json, LocalSlack
from bot.settings import Settings

TOLD = ("Slack", "scope", "FOOTNOTE_OWNERS_CHANNEL", "FOOTNOTE_GAPS_CHANNEL")


async def told(slack: LocalSlack, folder: Path, **changes: Any) -> dict[str, tuple[str, str]]:
    """What is said of Slack; doctor runs in a process of its own, so here in a thread."""
    given: dict[str, Any] = {
        "SLACK_BOT_TOKEN": slack.bot_token,
        "SLACK_APP_TOKEN": slack.app_token,
        "SLACK_API_URL": slack.api_url,
        **changes,
    }
    settings = Settings(_env_file=None, docs=str(folder), data=folder / "data", **given)
    found = await asyncio.to_thread(examine, settings)
    return {f.about: (f.mark, f.text) for f in found if f.about.startswith(TOLD)}


def lacking(manifest: Json, *scopes: str) -> Json:
    """The manifest of an app that was installed before these scopes were in it."""
    older = copy.deepcopy(manifest)
    for scope in scopes:
        older["oauth_config"]["scopes"]["bot"].remove(scope)
    return older


async def test_doctor_says_that_slack_takes_the_tokens_and_nothing_else_when_all_is_there(
    manifest: Json, tmp_path: Path
) -> None:
    async with LocalSlack(manifest=manifest) as slack:
        found = await told(slack, tmp_path)
    assert found == {"Slack": ("ok", "it takes the tokens; the workspace is Local")}


async def test_doctor_names_each_scope_that_the_token_lacks_and_what_that_costs(
    manifest: Json, tmp_path: Path
) -> None:
    async with LocalSlack(manifest=lacking(manifest, "users:read", "assistant:write")) as slack:
        found = await told(slack, tmp_path)
    mark, text = found["scope users:read"]
    assert mark == "wrong"
    assert text.startswith("missing: nobody is let in, as it cannot tell who is a guest")
    assert text.endswith("; give the app what manifest.yml lists, and reinstall it")
    assert found["scope assistant:write"][1].startswith("missing: no questions are suggested")
    assert sorted(found) == ["Slack", "scope assistant:write", "scope users:read"]


async def test_doctor_says_that_the_bot_is_not_in_a_channel_where_it_is_to_post(
    manifest: Json, tmp_path: Path
) -> None:
    async with LocalSlack(manifest=manifest) as slack:
        ana = slack.add_user("ana")
        with_bot = slack.add_channel("gaps", [ana])
        without = slack.add_channel("owners", [ana], with_bot=False)
        found = await told(slack, tmp_path, owners_channel=without, gaps_channel=with_bot)
        assert [call.method for call in slack.calls if call.method.startswith("chat.")] == []
    assert found["FOOTNOTE_OWNERS_CHANNEL"] == (
        "wrong",
        "nothing can be posted there: the bot is not in that channel: invite it there",
    )
    assert "FOOTNOTE_GAPS_CHANNEL" not in found


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"SLACK_BOT_TOKEN": ""}, "warning: not asked, as SLACK_BOT_TOKEN has no xoxb-… token"),
        (
            {"SLACK_APP_TOKEN": "xoxb-1"},
            "warning: not asked, as SLACK_APP_TOKEN has no xapp-… token",
        ),
        (
            {"SLACK_BOT_TOKEN": "xoxb-wrong"},
            "wrong: SLACK_BOT_TOKEN was refused by Slack (invalid_auth): ",
        ),
        (
            {"SLACK_APP_TOKEN": "xapp-wrong"},
            "wrong: SLACK_APP_TOKEN was refused by Slack (invalid_auth): ",
        ),
        (
            {"SLACK_API_URL": "http://127.0.0.1:9/api/"},
            "wrong: Slack cannot be reached at http://127.0.0.1:9/api/ ",
        ),
    ],
)
async def test_doctor_says_in_one_line_why_slack_says_nothing(
    manifest: Json,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    changes: dict[str, str],
    said: str,
) -> None:
    monkeypatch.setattr("bot.slack.client.RETRIES", 0)
    async with LocalSlack(manifest=manifest) as slack:
        found = await told(slack, tmp_path, **changes)
    assert list(found) == ["Slack"]
    assert ": ".join(found["Slack"]).startswith(said)
    assert "\n" not in found["Slack"][1]
    assert "wrong" not in found["Slack"][1]


async def test_doctor_waits_for_a_slack_that_does_not_answer_no_longer_than_its_limit(
    manifest: Json, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.slack.rights.LIMIT_S", 0.2)
    async with LocalSlack(manifest=manifest) as slack:
        slack.faults.delay("auth.test", 60)
        found = await told(slack, tmp_path)
        assert found["Slack"] == (
            "wrong",
            f"Slack did not answer within 0.2 s at {slack.api_url}: check the network.",
        )
