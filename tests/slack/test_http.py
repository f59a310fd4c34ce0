"""HTTP mode, health and metrics, over a real port."""

import asyncio
import hashlib
import hmac
import json
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from io import BytesIO
from typing import Any
from urllib.parse import urlencode

import pytest
from aiohttp import ClientSession

from bot.localslack import Event, Json
from bot.slack.app import run
from bot.slack.client import check_slack
from bot.slack.http import EVENTS, Web, fine
from bot.slack.metrics import Metrics
from bot.types import Dropped
from ingest.errors import FootnoteError, SettingsError
from ingest.types import Report
from tests.slack.conftest import Office, abstention, leave_answer

SECRET = "8f742231b10e8888abcd99yyyzzz85a5"


class Port:
    """The bot's port, as Slack and a monitor reach it."""

    def __init__(self, session: ClientSession, port: int) -> None:
        self._session = session
        self._url = f"http://127.0.0.1:{port}"

    async def get(self, path: str) -> tuple[int, str]:
        async with self._session.get(self._url + path) as answer:
            return answer.status, await answer.text()

    async def becomes(self, status: int) -> None:
        async with asyncio.timeout(10):
            while (await self.get("/readyz"))[0] != status:  # noqa: ASYNC110 - it is asked from outside
                await asyncio.sleep(0.05)

    async def slack(self, body: str, kind: str = "application/json") -> tuple[int, str]:
        """A request that is signed as Slack signs."""
        return await self.send(body.encode(), signed(body.encode()) | {"Content-Type": kind})

    async def send(self, body: bytes, headers: dict[str, str]) -> tuple[int, str]:
        url, data = self._url + EVENTS, BytesIO(body)
        async with self._session.post(url, data=data, headers=headers) as answer:
            return answer.status, await answer.text()


@asynccontextmanager
async def serving(office: Office, *, slack: bool = True) -> AsyncIterator[tuple[Port, Web]]:
    """The app and its port; in HTTP mode what happens in the local Slack comes to that port."""
    web = Web(Metrics(), slack=slack)
    web.checks["models"] = fine
    stop = asyncio.Event()
    async with web.listening("127.0.0.1", 0) as number, ClientSession() as session:
        port = Port(session, number)
        tokens = {"SLACK_SIGNING_SECRET": SECRET}
        settings = office.settings(**tokens)
        shelf = office.shelf
        serving = asyncio.create_task(
            run(settings, office.answers, shelf, shelf, office.record, stop=stop, web=web)
        )
        if slack:
            connect_by_http(office, port)
            async with asyncio.timeout(10):
                while web.bolt is None and not serving.done():  # noqa: ASYNC110 - no event tells
                    await asyncio.sleep(0.01)
        else:
            await office.slack.connected()
        try:
            yield port, web
        finally:
            stop.set()
            await serving


def connect_by_http(office: Office, port: Port) -> None:
    """Slack delivers to the app's Request URL instead of a socket."""
    socket: Any = office.slack._socket

    def dispatch(event: Event) -> None:
        task = asyncio.get_running_loop().create_task(deliver(event))
        socket._tasks.add(task)
        task.add_done_callback(socket._done)

    async def deliver(event: Event) -> None:
        status, _ = await port.slack(json.dumps(event.payload))
        assert status == 200

    async def ask(kind: str, payload: Json, *, answer: bool) -> Json:
        del answer
        form = payload if kind == "slash_commands" else {"payload": json.dumps(payload)}
        status, body = await port.slack(urlencode(form), "application/x-www-form-urlencoded")
        assert status == 200
        return json.loads(body) if body.startswith("{") else {}

    office.slack._events.send = dispatch
    socket.dispatch, socket.ask = dispatch, ask


async def test_over_http_a_mention_is_answered_and_its_citation_opens(office: Office) -> None:
    async with serving(office):
        message = await office.ask("How much leave?")
        assert message["blocks"][0]["text"].startswith("Employees get 25 days")
        await office.slack.click(office.general, message["ts"], "cite:1", office.ana)
        view = await office.slack.wait_for_view(office.ana)
        assert "*Employees get 25 days of paid leave a year.*" in str(view)
        await office.slack.command(office.general, office.ana, "/rag-source", "ba9876543210")
        await office.slack.wait_for(lambda: "economy class" in str(office.slack.views[office.ana]))
    assert office.slack.refusals == []


async def test_over_http_the_bot_is_ready_once_it_takes_what_slack_sends(office: Office) -> None:
    async with serving(office) as (port, _):
        status, body = await port.get("/readyz")
        assert (status, json.loads(body)) == (200, {"ready": True, "models": "ok", "slack": "ok"})


async def test_what_slack_sends_again_over_http_is_answered_once(office: Office) -> None:
    async with serving(office) as (port, _):
        await office.ask("How much leave?")
        for event in list(office.slack.events):
            assert (await port.slack(json.dumps(event.payload)))[0] == 200
        await office.ask("And flights?")
    assert [q for q, _ in office.answers.asked] == ["How much leave?", "And flights?"]


def signed(body: bytes, *, secret: str = SECRET, age_s: int = 0) -> dict[str, str]:
    """The headers by which Slack signs."""
    at = str(int(time.time()) - age_s)
    digest = hmac.new(secret.encode(), f"v0:{at}:".encode() + body, hashlib.sha256)
    return {
        "Content-Type": "application/json",
        "X-Slack-Request-Timestamp": at,
        "X-Slack-Signature": "v0=" + digest.hexdigest(),
    }


def without(name: str, headers: dict[str, str]) -> dict[str, str]:
    return {key: value for key, value in headers.items() if key != name}


SIGNATURE, STAMP = "X-Slack-Signature", "X-Slack-Request-Timestamp"
FORGED: dict[str, Callable[[bytes], dict[str, str]]] = {
    "nothing is signed": lambda _: {"Content-Type": "application/json"},
    "no signature": lambda body: without(SIGNATURE, signed(body)),
    "no time": lambda body: without(STAMP, signed(body)),
    "another secret": lambda body: signed(body, secret="another"),
    "another body": lambda body: signed(body + b" "),
    "a signature cut short": lambda body: signed(body) | {SIGNATURE: signed(body)[SIGNATURE][:-1]},
    "a signature that is no ASCII": lambda body: signed(body) | {SIGNATURE: "v0=\u00e9"},
    "stale": lambda body: signed(body, age_s=400),
    "from the future": lambda body: signed(body, age_s=-400),
    "the time moved": lambda body: signed(body, age_s=400) | {STAMP: str(int(time.time()))},
    "a time that is no number": lambda body: signed(body) | {STAMP: "now"},
}


@pytest.mark.parametrize("forged", FORGED)
async def test_a_request_that_slack_did_not_sign_just_now_is_refused(
    office: Office, forged: str, caplog: pytest.LogCaptureFixture
) -> None:
    async with serving(office) as (port, _):
        ts = await office.mention("How much leave?")
        await office.slack.wait_for_message(office.general, thread_ts=ts)
        payload = office.slack.events[-1].payload | {"event_id": "Ev0NEW"}
        payload["event"] = payload["event"] | {"ts": "1700000000.000100", "text": "What is secret?"}
        body = json.dumps(payload).encode()
        status, told = await port.send(body, FORGED[forged](body))
        assert status == 401
        assert "secret" not in told
        await office.ask("And flights?")
        assert [q for q, _ in office.answers.asked] == ["How much leave?", "And flights?"]
        assert "Traceback" not in caplog.text
        assert (await port.send(body, signed(body)))[0] == 200  # it is the signature alone


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (b"{", "application/json"),
        (b"\xff\xfe", "application/json"),
        (b"{}", "application/json; charset=none-such"),
    ],
)
async def test_a_body_that_cannot_be_read_is_refused_without_a_traceback(
    office: Office, body: bytes, kind: str, caplog: pytest.LogCaptureFixture
) -> None:
    async with serving(office) as (port, _):
        assert (await port.send(body, signed(body) | {"Content-Type": kind}))[0] == 400
    assert "Traceback" not in caplog.text


async def test_a_body_larger_than_any_of_slacks_is_refused_whatever_its_signature(
    office: Office,
) -> None:
    async with serving(office) as (port, _):
        largest = b'{"type": "event_callback"}'.ljust(4 * 1024 * 1024 - 1)
        larger = largest + b"  "
        assert (await port.send(larger, signed(larger)))[0] == 413
        assert (await port.send(larger, {}))[0] == 413
        assert (await port.send(largest, {}))[0] == 401
        assert (await port.send(largest, signed(largest)))[0] != 413


async def test_slack_may_verify_the_address(office: Office) -> None:
    async with serving(office) as (port, _):
        challenge = json.dumps({"type": "url_verification", "challenge": "3eZbrw1aB"})
        status, body = await port.slack(challenge)
    assert (status, json.loads(body)) == (200, {"challenge": "3eZbrw1aB"})


async def test_while_the_app_is_not_there_slack_is_told_to_come_again() -> None:
    web = Web(Metrics(), slack=True)
    async with web.listening("127.0.0.1", 0) as number, ClientSession() as session:
        port = Port(session, number)
        assert (await port.slack("{}"))[0] == 503
        assert await port.get("/healthz") == (200, "ok\n")
        status, body = await port.get("/readyz")
        told = {"ready": False, "models": "still loading", "slack": "not taken yet"}
        assert (status, json.loads(body)) == (503, told)


async def test_without_http_mode_nothing_takes_requests_of_slack(office: Office) -> None:
    async with serving(office, slack=False) as (port, _):
        assert (await port.slack("{}"))[0] == 404


async def test_the_bot_is_ready_while_its_socket_stands(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.slack.socket.PING_S", 0.2)
    async with serving(office, slack=False) as (port, _):
        status, body = await port.get("/readyz")
        assert (status, json.loads(body)) == (200, {"ready": True, "models": "ok", "socket": "ok"})
        office.slack.faults.fail("apps.connections.open", "internal_error", times=99)
        await office.slack.faults.drop_sockets()
        await port.becomes(503)
        assert "footnote_socket_up 0.0" in (await port.get("/metrics"))[1]
        assert json.loads((await port.get("/readyz"))[1])["socket"] == "down"
        assert (await port.get("/healthz"))[0] == 200
        office.slack.faults.clear()
        await port.becomes(200)


async def test_a_check_that_fails_or_hangs_is_a_fault_of_its_own(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("bot.slack.http.CHECK_LIMIT_S", 0.1)

    async def hang() -> str:
        await asyncio.sleep(60)
        return ""

    async def fail() -> str:
        raise OSError("secret detail")

    web = Web(Metrics(), slack=False)
    web.checks = {"index": hang, "models": fail}
    async with web.listening("127.0.0.1", 0) as number, ClientSession() as session:
        status, body = await Port(session, number).get("/readyz")
    told = {"ready": False, "index": "TimeoutError", "models": "OSError"}
    assert (status, json.loads(body)) == (503, told)
    assert "secret detail" in caplog.text


async def test_the_metrics_tell_what_was_asked_answered_and_dropped(office: Office) -> None:
    outcomes = iter([leave_answer(), abstention()])
    office.answers.outcome = lambda _: next(outcomes)
    async with serving(office, slack=False) as (port, web):
        await office.ask("How much leave?")
        await office.ask("Who won?")
        office.answers.error = RuntimeError("no")
        office.answers.outcome = leave_answer
        await office.ask("Broken?")
        dropped = leave_answer()
        trace = type(dropped.trace)(
            "q", "q", 0.5, "r", "model", {"rerank": 40.0}, (), (Dropped("a", "hard_facts", "7"),)
        )
        web.metrics.ended(type(dropped)(dropped.sentences, dropped.citations, trace), 1.5)
        report = Report(66, 620, 1, 0, 0, 65, 9, (), (), ("a.pdf",), 2.5)
        web.metrics.synced(report, 2.5)
        web.metrics.synced(None, 0.5)
        web.metrics.watch_judge({"yes": 7, "none": 2})
        status, text = await port.get("/metrics")
    assert status == 200
    lines = set(text.splitlines())
    assert {
        "footnote_questions_total 3.0",
        'footnote_answers_total{generator="test"} 1.0',
        'footnote_abstentions_total{reason="weak_evidence"} 1.0',
        "footnote_failures_total 1.0",
        'footnote_sentences_dropped_total{rule="hard_facts"} 1.0',
        'footnote_sentences_judged_total{verdict="yes"} 7.0',
        'footnote_sentences_judged_total{verdict="no"} 0.0',
        'footnote_sentences_judged_total{verdict="none"} 2.0',
        'footnote_stage_seconds_bucket{le="0.03",stage="rerank"} 0.0',
        'footnote_stage_seconds_bucket{le="0.1",stage="rerank"} 1.0',
        'footnote_stage_seconds_count{stage="total"} 3.0',
        'footnote_sync_seconds_count{outcome="ok"} 1.0',
        'footnote_sync_seconds_count{outcome="failed"} 1.0',
        "footnote_documents 66.0",
        "footnote_passages 620.0",
        "footnote_queue_length 0.0",
        "footnote_questions_declined_total 0.0",
        "footnote_socket_up 1.0",
    } <= lines
    assert "How much leave" not in text


async def test_a_port_that_is_taken_is_named() -> None:
    async with Web(Metrics(), slack=False).listening("127.0.0.1", 0) as number:
        with pytest.raises(FootnoteError, match=f"Port {number} on 127.0.0.1 cannot be used"):
            async with Web(Metrics(), slack=False).listening("127.0.0.1", number):
                pass


async def test_http_mode_needs_the_signing_secret_and_no_app_token(office: Office) -> None:
    settings = office.settings().model_copy(
        update={"slack_app_token": office.settings().slack_signing_secret}
    )
    with pytest.raises(SettingsError, match="SLACK_SIGNING_SECRET is missing: copy the Signing"):
        await check_slack(settings, http=True)
    secret = office.settings(SLACK_SIGNING_SECRET=SECRET).slack_signing_secret
    await check_slack(settings.model_copy(update={"slack_signing_secret": secret}), http=True)


async def test_refused_tokens_show_before_anything_is_loaded(office: Office) -> None:
    await check_slack(office.settings())
    good = office.settings()
    for name, other in (("slack_bot_token", "xoxb-1"), ("slack_app_token", "xapp-1")):
        secret = type(good.slack_bot_token)(other)
        with pytest.raises(SettingsError, match=f"{name.upper()} was refused by Slack"):
            await check_slack(good.model_copy(update={name: secret}))
