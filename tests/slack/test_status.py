"""The line under a thread, from the real client to the local Slack."""

import pytest

from bot.slack.client import build_client
from bot.slack.status import Status
from tests.slack.conftest import Office


@pytest.fixture
async def thread(office: Office) -> str:
    return await office.slack.post(office.general, office.ana, "How much leave?")


def told(office: Office) -> list[str]:
    return [call.args["status"] for call in office.slack.calls]


async def test_when_words_come_faster_than_calls_the_last_are_shown(
    office: Office, thread: str
) -> None:
    office.slack.faults.delay("assistant.threads.setStatus", 0.1)
    status = Status(build_client(office.settings()), office.general, thread)
    status.show("is searching…")
    await office.slack.wait_for(lambda: office.slack.status(office.general, thread))
    status.show("is reading 1 passage…")
    status.show("is reading 2 passages…")
    await office.slack.wait_for(
        lambda: office.slack.status(office.general, thread) == "is reading 2 passages…"
    )
    await status.clear()
    assert office.slack.status(office.general, thread) == ""
    assert told(office)[0] == "is searching…"
    assert told(office)[-2:] == ["is reading 2 passages…", ""]


async def test_a_status_that_was_never_shown_needs_no_clearing(office: Office, thread: str) -> None:
    await Status(build_client(office.settings()), office.general, thread).clear()
    assert told(office) == []


async def test_a_slack_that_refuses_a_status_is_no_failure(office: Office, thread: str) -> None:
    office.slack.faults.fail("assistant.threads.setStatus", "internal_error", times=2)
    status = Status(build_client(office.settings()), office.general, thread)
    status.show("is searching…")
    await status.clear()
    assert [call.ok for call in office.slack.calls] in ([False], [False, False])
