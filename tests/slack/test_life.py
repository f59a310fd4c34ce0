"""Stops, kills, and connections that fail: no question is lost, none is answered twice."""

import asyncio
import logging
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from slack_bolt.async_app import AsyncAck
from slack_sdk.errors import SlackApiError

from bot.localslack import Json, LocalSlack
from bot.record import Record
from bot.slack.client import build_client
from bot.slack.socket import Socket
from bot.stored import Owed
from bot.types import Outcome
from ingest.schema import open_database
from tests.commands import ROOT, environment
from tests.slack.conftest import Office, abstention, leave_answer
from tests.slack.small_app import app_of, client_of


def owed_by(office: Office, ts: str, text: str = "How much leave?", thread_ts: str = "") -> Owed:
    return Owed(
        channel=office.here,
        ts=ts,
        thread_ts=thread_ts or ts,
        user=office.ana,
        text=f"<@{office.slack.bot_user_id}> {text}",
        in_thread=bool(thread_ts),
        team=office.slack.team_id,
        shared=False,
        keys=(f"Ev{ts}", f"{office.here}:{ts}"),
    )


def answers_in(office: Office, ts: str) -> list[Json]:
    thread = office.slack.messages(office.here, ts)
    return [message for message in thread if message["user"] == office.slack.bot_user_id]


async def take_on(office: Office, text: str = "How much leave?") -> str:
    """A question that a run took on just before it was killed."""
    ts = await office.mention(text)
    question = owed_by(office, ts, text)
    assert office.record.claim(question.keys, question)
    return ts


async def begin_stream(office: Office, thread_ts: str) -> None:
    client = build_client(office.settings())
    await client.chat_startStream(
        channel=office.here,
        thread_ts=thread_ts,
        markdown_text="Employees get",
    )


async def test_what_was_taken_on_before_a_kill_is_answered_once_by_the_next_run(
    office: Office,
) -> None:
    ts = await take_on(office)
    office.restart()
    async with office.running():
        await office.slack.wait_for_message(office.here, thread_ts=ts)
        await office.slack.settled()  # the events that nobody acknowledged come now
    office.restart()
    async with office.running():
        await office.ask("And flights?")
    assert [q for q, _ in office.answers.asked] == ["How much leave?", "And flights?"]
    assert len(answers_in(office, ts)) == 1
    assert answers_in(office, ts)[0]["blocks"][0]["text"].startswith("Employees get 25 days")
    assert office.record.take_over(600) == ([], [])


async def test_what_is_older_than_ten_minutes_is_given_up_and_logged(
    office: Office, caplog: pytest.LogCaptureFixture
) -> None:
    now = 1_000_000.0
    office.record = Record(office.record._engine, clock=lambda: now)
    old = await take_on(office, "Old?")
    now += 2
    young = await take_on(office, "Young?")
    now += 599
    office.record = Record(office.record._engine, clock=lambda: now)
    async with office.running():
        await office.slack.wait_for_message(office.here, thread_ts=young)
        await office.slack.settled()
    assert [q for q, _ in office.answers.asked] == ["Young?"]
    assert f"Given up after 600 s: {office.here}:{old}" in caplog.text


async def test_an_answer_that_was_posted_but_not_recorded_is_not_given_again(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    def die(*_: object) -> None:
        raise OSError("the process died here")

    with monkeypatch.context() as patched:
        patched.setattr(office.record, "place", die)
        async with office.running():
            message = await office.ask("How much leave?")
    office.restart()
    async with office.running():
        await office.slack.click(office.here, message["ts"], "cite:1", office.ana)
        view = await office.slack.wait_for_view(office.ana)
        assert "*Employees get 25 days of paid leave a year.*" in str(view)
        await office.ask("And flights?")
    assert [q for q, _ in office.answers.asked] == ["How much leave?", "And flights?"]
    assert len(answers_in(office, message["thread_ts"])) == 1


@pytest.mark.parametrize("outcome", [leave_answer, abstention])
async def test_a_stream_that_a_kill_left_becomes_the_answer_of_the_next_run(
    office: Office, outcome: Callable[[str], Outcome]
) -> None:
    office.here = office.dm
    ts = await take_on(office)
    office.answers.outcome = outcome
    await begin_stream(office, ts)
    office.restart()
    async with office.running():
        await office.slack.wait_for_message(office.here, thread_ts=ts)
        await office.slack.settled()
    [message] = answers_in(office, ts)
    assert message["blocks"][-1]["block_id"] == f"answers:{ts}"
    assert "Employees get 25 days" in str(message) or "The documents do not say." in str(message)


async def test_two_streams_that_a_kill_left_in_one_thread_become_one_answer_each(
    office: Office,
) -> None:
    office.here = office.dm
    first = await office.mention("How much leave?")
    second = await office.slack.post(
        office.here, office.ana, f"<@{office.slack.bot_user_id}> Flights?", thread_ts=first
    )
    for question in (owed_by(office, first), owed_by(office, second, "Flights?", first)):
        office.record.claim(question.keys, question)
        await begin_stream(office, first)
    office.restart()
    async with office.running():
        await office.slack.wait_for(
            lambda: all(m["blocks"][-1]["type"] != "markdown" for m in answers_in(office, first))
        )
    marks = {message["blocks"][-1]["block_id"] for message in answers_in(office, first)}
    assert marks == {f"answers:{first}", f"answers:{second}"}
    assert len(answers_in(office, first)) == 2


async def test_of_two_questions_in_one_thread_each_gets_its_own_message_after_a_kill(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = await office.mention("How much leave?")
    second = await office.slack.post(
        office.here, office.ana, f"<@{office.slack.bot_user_id}> Flights?", thread_ts=first
    )
    questions = [owed_by(office, first), owed_by(office, second, "Flights?", first)]
    for question in questions:
        office.record.claim(question.keys, question)
    office.restart()
    with monkeypatch.context() as patched:
        patched.setattr(office.record, "place", lambda *_: 1 / 0)
        async with office.running(concurrency=1):
            await office.slack.wait_for(lambda: len(answers_in(office, first)) == 2)
    office.restart()
    async with office.running():
        await office.slack.settled()
    assert len(office.answers.asked) == 2
    assert len(answers_in(office, first)) == 2


async def test_where_the_thread_cannot_be_read_an_answer_that_was_kept_is_not_given_again(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(office.record, "place", lambda *_: 1 / 0)
        async with office.running():
            await office.ask("How much leave?")
    fresh = await take_on(office, "And flights?")
    office.restart()
    office.slack.faults.fail("conversations.replies", "missing_scope", times=9)
    async with office.running():
        await office.slack.wait_for_message(office.here, thread_ts=fresh)
    assert [q for q, _ in office.answers.asked] == ["How much leave?", "And flights?"]


async def test_at_a_stop_the_running_ends_and_the_waiting_is_left_to_the_next_run(
    office: Office,
) -> None:
    office.answers.gate = asyncio.Event()
    async with office.running(concurrency=1) as stop:
        running = await office.mention("How much leave?")
        await office.slack.settled()
        waiting = await office.mention("And flights?")
        await office.slack.settled()
        stop.set()
        handed_back = "is restarting; the answer comes in a moment"
        await office.slack.wait_for(
            lambda: office.slack.status(office.here, waiting) == handed_back
        )
        office.answers.gate.set()
        await office.slack.wait_for_message(office.here, thread_ts=running)
    assert answers_in(office, waiting) == []
    office.restart()
    async with office.running():
        await office.slack.wait_for_message(office.here, thread_ts=waiting)
    assert [q for q, _ in office.answers.asked] == ["How much leave?", "And flights?"]
    assert len(answers_in(office, running)) == len(answers_in(office, waiting)) == 1


async def test_what_outlasts_a_stop_is_left_to_the_next_run(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.slack.app.DRAIN_LIMIT_S", 0.2)
    office.answers.gate = asyncio.Event()
    async with office.running() as stop:
        ts = await office.mention("How much leave?")
        await office.slack.wait_for(lambda: office.slack.status(office.here, ts))
        await office.slack.settled()
        stop.set()
    assert answers_in(office, ts) == []
    assert office.slack.status(office.here, ts) == "is restarting; the answer comes in a moment"
    office.answers.gate.set()
    office.restart()
    async with office.running():
        await office.slack.wait_for_message(office.here, thread_ts=ts)
    assert len(answers_in(office, ts)) == 1


async def test_a_stop_in_the_middle_of_a_shown_answer_leaves_it_complete_and_done(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.slack.app.DRAIN_LIMIT_S", 0.2)
    shown = asyncio.Event()

    async def hang(n: int) -> None:
        if n == 1:
            shown.set()
            await asyncio.sleep(60)

    office.here = office.dm
    office.answers.writes, office.answers.between = True, hang
    async with office.running() as stop:
        ts = await office.mention("How much leave?")
        await shown.wait()
        await office.slack.wait_for(lambda: answers_in(office, ts))
        stop.set()
    office.restart()
    async with office.running():
        await office.slack.settled()
    [message] = answers_in(office, ts)
    assert "The answer is incomplete" in str(message["blocks"])
    assert len(office.answers.asked) == 1


async def test_a_process_killed_in_the_middle_answers_everything_once_after_its_restart(
    office: Office, tmp_path: Path
) -> None:
    settings = {
        "SLACK_BOT_TOKEN": office.slack.bot_token,
        "SLACK_APP_TOKEN": office.slack.app_token,
        "SLACK_API_URL": office.slack.api_url,
        "FOOTNOTE_DATA": str(tmp_path / "killed"),
        "ANSWER_S": "0.8",
    }
    open_database(tmp_path / "killed" / "footnote.db").dispose()

    def start() -> "subprocess.Popen[bytes]":
        command = [sys.executable, "-m", "tests.slack.scripted_bot"]
        return subprocess.Popen(command, env=environment(settings), cwd=ROOT)

    channels = [office.slack.add_channel(f"c{n}", [office.ana]) for n in range(4)]
    process = start()
    try:
        await office.slack.connected(timeout_s=60)
        posts = []
        for n in range(12):
            text = f"<@{office.slack.bot_user_id}> Question {n}"
            posts.append(
                (channels[n % 4], await office.slack.post(channels[n % 4], office.ana, text))
            )
            await asyncio.sleep(0.05)
        await office.slack.wait_for(lambda: len(office.slack.acks) >= 8)
        os.kill(process.pid, signal.SIGKILL)
        await asyncio.to_thread(process.wait)
        process = start()
        for channel, ts in posts:
            await office.slack.wait_for_message(channel, thread_ts=ts, timeout_s=60)
        await office.slack.settled()
    finally:
        process.terminate()
        await asyncio.to_thread(process.wait)
    assert process.returncode == 0
    for channel, ts in posts:
        thread = office.slack.messages(channel, ts)
        said = [m for m in thread if m["user"] == office.slack.bot_user_id]
        assert len(said) == 1
        assert said[0]["blocks"][-1]["block_id"] == f"answers:{ts}"


@pytest.fixture
def quick_pings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bot.slack.socket.PING_S", 0.2)


@pytest.mark.usefixtures("quick_pings")
@pytest.mark.parametrize("fault", ["drop", "deaf", "deaf_with_pongs", "refresh", "refused_address"])
async def test_a_connection_that_fails_is_replaced_and_no_event_is_lost_or_doubled(
    manifest: Json, tmp_path: Path, fault: str
) -> None:
    engine = open_database(tmp_path / "footnote.db")
    slack = LocalSlack(manifest=manifest, ack_timeout_s=1.0, retry_delays_s=(0.0, 0.5, 0.5, 0.5))
    async with slack:
        office = Office(slack, Record(engine))
        async with office.running():
            before = await office.mention("Before?")
            await slack.wait_for_message(office.here, thread_ts=before)
            old = list(slack._socket.links)
            if fault == "drop":
                await slack.faults.drop_sockets()
            elif fault == "refresh":
                await slack.faults.refresh_request(grace_s=0.5)
            elif fault == "refused_address":
                slack._socket._tickets.clear()
                ticket = slack._socket.ticket
                refused = iter(["expired"])
                slack._socket.ticket = lambda: next(refused, None) or ticket()  # type: ignore[method-assign]
                await slack.faults.drop_sockets()
            else:
                slack.faults.go_deaf(pongs=fault == "deaf_with_pongs")
            posts = [await office.mention(f"During {n}?") for n in range(3)]
            for ts in posts:
                await slack.wait_for_message(office.here, thread_ts=ts)
            await slack.settled()
            assert slack.given_up == []
            assert not set(map(id, old)) & set(map(id, slack._socket.links))
        assert len(office.from_bot()) == 4
        assert len(office.answers.asked) == 4
    engine.dispose()


async def test_an_event_that_cannot_be_acknowledged_as_the_connection_closes_leaves_no_traceback(
    manifest: Json, caplog: pytest.LogCaptureFixture
) -> None:
    async with LocalSlack(manifest=manifest) as slack:
        ana = slack.add_user("ana")
        general = slack.add_channel("general", [ana])
        app = app_of(slack)
        socket = Socket(app, client_of(slack), slack.app_token)
        arrived = asyncio.Event()

        @app.command("/rag-source")
        async def close_first(ack: AsyncAck) -> None:
            arrived.set()
            await socket.client.current_session.close()  # type: ignore[union-attr]
            await ack()

        await socket.open()
        await slack.connected()
        asking = asyncio.create_task(slack.command(general, ana, "/rag-source", "abc"))
        try:
            with caplog.at_level(logging.INFO):
                async with asyncio.timeout(20):
                    await arrived.wait()
                    while True:
                        if "was acknowledged" in caplog.text:
                            break
                        await asyncio.sleep(0.01)
        finally:
            asking.cancel()
            await socket.close()
    assert "The connection closed before slash_commands was acknowledged" in caplog.messages
    assert "Traceback" not in caplog.text


@pytest.mark.parametrize("writes", [True, False])
async def test_an_answer_that_cannot_be_put_on_record_is_shown_whole_and_says_so(
    office: Office, *, writes: bool
) -> None:
    office.here, office.answers.writes = office.dm, writes
    with office.record._engine.begin() as connection:
        connection.exec_driver_sql(
            "CREATE TRIGGER full BEFORE INSERT ON answers"
            " BEGIN SELECT RAISE(ABORT, 'database or disk is full'); END"
        )
    async with office.running():
        message = await office.ask("How much leave?")
        assert "Short flights are in economy." in str(message["blocks"])
        assert "This answer is not on record" in str(message["blocks"][-1])
        assert "feedback" not in str(message["blocks"])
        assert "cite:1" in str(message["blocks"])
        await office.slack.settled()
    assert len(office.from_bot()) == 1
    client = build_client(office.settings())
    with pytest.raises(SlackApiError, match="message_not_in_streaming_state"):
        await client.chat_stopStream(channel=office.here, ts=message["ts"])
