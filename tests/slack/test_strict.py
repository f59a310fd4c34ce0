"""A judge before anything is shown: the real pipeline and app against the local Slack."""

import asyncio
import json

import pytest

from bot.errors import TransientModelError
from tests.bot.test_pipeline import ByHand, Stages, cites, pipeline
from tests.slack.conftest import Office


@pytest.fixture
def judge() -> ByHand:
    return ByHand({"It is so.": "no"}, may=asyncio.Event())


@pytest.fixture
def strict(office: Office, judge: ByHand) -> Office:
    """An office in which two sentences are written; the app does not run yet."""
    stages = Stages(drafts=(cites("It is so.", "a"), cites("It is not.", "b")))
    office.answers = pipeline(stages, judge=judge)  # type: ignore[assignment]
    return office


def shown(office: Office) -> list[str]:
    return [call.method for call in office.slack.calls if call.method.startswith("chat.")]


async def test_nothing_is_shown_before_the_verdicts_are_in(strict: Office, judge: ByHand) -> None:
    async with strict.running():
        ts = await strict.mention("Is it?")
        await asyncio.wait_for(judge.begun.wait(), 5)
        await asyncio.sleep(0.5)  # longer than a sentence waits for its turn in a stream
        assert shown(strict) == []
        assert judge.may is not None
        judge.may.set()
        message = await strict.slack.wait_for_message(strict.general, thread_ts=ts)
    assert message["blocks"][0]["text"] == "It is not. [1]"
    assert len(strict.from_bot()) == 1
    assert sorted(text for ((text, _),) in judge.asked) == ["It is not.", "It is so."]
    assert strict.slack.refusals == []


async def test_when_the_judge_fails_the_line_below_says_what_was_not_judged(
    strict: Office, judge: ByHand
) -> None:
    judge.may, judge.failure = None, TransientModelError("slow")
    async with strict.running():
        ts = await strict.mention("Is it?")
        message = await strict.slack.wait_for_message(strict.general, thread_ts=ts)
    assert message["blocks"][0]["text"] == "It is so. [1] It is not. [2]"
    assert "but for 2." in json.dumps(message["blocks"])


async def test_what_a_stop_cuts_off_before_the_verdicts_is_left_to_the_next_run(
    strict: Office, judge: ByHand, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.slack.app.DRAIN_LIMIT_S", 0.2)
    async with strict.running():
        await strict.mention("Is it?")
        await asyncio.wait_for(judge.begun.wait(), 5)
    assert shown(strict) == []
    owed, _ = strict.record.take_over(60)
    assert [question.text.split()[-2:] for question in owed] == [["Is", "it?"]]
