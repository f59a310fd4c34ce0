"""Acknowledgements, retries, redelivery, and connections that drop, go deaf or end."""

import asyncio
import json
from typing import Any

import aiohttp
import pytest
from slack_bolt.async_app import AsyncApp

from bot.localslack import LocalSlack, NotAckedError
from tests.slack.small_app import app_of, client_of, running


def counting(slack: LocalSlack) -> tuple[AsyncApp, list[str]]:
    """An app that notes the text of every message that reaches it, and acks."""
    app, heard = app_of(slack), []

    @app.event("message")
    async def note(event: dict[str, Any]) -> None:
        heard.append(event["text"])

    return app, heard


async def test_an_event_without_a_listener_is_sent_again_until_it_is_given_up() -> None:
    async with LocalSlack(ack_timeout_s=0.1, retry_delays_s=(0.0, 0.05, 0.1)) as slack:
        ana = slack.add_user("ana")
        dm = slack.open_dm(ana)
        app = app_of(slack)
        attempts: list[Any] = []

        @app.middleware
        async def note(req: Any, next_: Any, body: dict[str, Any]) -> None:
            attempts.append((req.headers.get("x-slack-retry-num"), body["event_id"]))
            await next_()

        async with running(app, slack):
            await slack.post(dm, ana, "hello")
            await slack.settled()
        assert [n for n, _ in attempts] == [["0"], ["1"], ["2"], ["3"]]
        assert len({event_id for _, event_id in attempts}) == 1
        assert [e.type for e in slack.given_up] == ["message"]
        assert slack.acks == []


async def test_a_late_ack_is_on_record_and_does_not_stop_the_retry() -> None:
    async with LocalSlack(ack_timeout_s=0.1, retry_delays_s=(0.0, 0.0, 0.0)) as slack:
        ana = slack.add_user("ana")
        dm = slack.open_dm(ana)
        app = app_of(slack)
        slow = [0.3, 0.0]

        @app.event({"type": "message"})
        async def hear(_: None = None) -> None:
            pass

        @app.middleware
        async def late(next_: Any) -> None:
            await asyncio.sleep(slow.pop(0))
            await next_()

        async with running(app, slack):
            await slack.post(dm, ana, "hello")
            await slack.wait_for(lambda: len(slack.acks) == 2)
        assert [a.retry_attempt for a in slack.acks] == [1, 0]
        assert slack.acks[1].latency_s > 0.25
        assert slack.given_up == []


async def test_what_is_said_while_nobody_is_connected_arrives_afterwards() -> None:
    async with LocalSlack() as slack:
        ana = slack.add_user("ana")
        dm = slack.open_dm(ana)
        app, heard = counting(slack)
        await slack.post(dm, ana, "early")
        with pytest.raises(NotAckedError):
            await slack.command(dm, ana, "/rag-source")
        async with running(app, slack):
            await slack.settled()
        assert heard == ["early"]


async def test_a_dropped_connection_is_replaced_and_loses_nothing() -> None:
    async with LocalSlack(ack_timeout_s=0.3, retry_delays_s=(0.0, 0.5, 0.5)) as slack:
        ana = slack.add_user("ana")
        dm = slack.open_dm(ana)
        app, heard = counting(slack)
        async with running(app, slack, ping_interval=0.2):
            await slack.post(dm, ana, "before")
            await slack.settled()
            await slack.faults.drop_sockets()
            await slack.post(dm, ana, "after")
            await slack.settled()
        assert heard == ["before", "after"]
        opened = [c for c in slack.calls if c.method == "apps.connections.open"]
        assert len(opened) == 2


async def test_a_deaf_connection_hears_no_ack_and_is_replaced() -> None:
    async with LocalSlack(ack_timeout_s=0.3, retry_delays_s=(0.5, 0.5, 0.5)) as slack:
        ana = slack.add_user("ana")
        dm = slack.open_dm(ana)
        app, heard = counting(slack)
        async with running(app, slack, ping_interval=0.2):
            slack.faults.go_deaf()
            await slack.post(dm, ana, "hello")
            await slack.settled()
        assert heard[0] == "hello"
        assert set(heard) == {"hello"}
        assert len(heard) >= 2  # the first ack was not heard
        assert slack.given_up == []
        assert slack.acks[-1].retry_attempt >= 1


async def test_a_connection_deaf_to_acks_alone_goes_unnoticed() -> None:
    async with LocalSlack(ack_timeout_s=0.1, retry_delays_s=(0.1,)) as slack:
        ana = slack.add_user("ana")
        dm = slack.open_dm(ana)
        app, heard = counting(slack)
        async with running(app, slack, ping_interval=0.2):
            slack.faults.go_deaf(pongs=True)
            await slack.post(dm, ana, "hello")
            await slack.settled()
        assert heard == ["hello", "hello"]
        assert [e.type for e in slack.given_up] == ["message"]


async def test_a_refresh_request_makes_the_app_reconnect() -> None:
    async with LocalSlack() as slack:
        ana = slack.add_user("ana")
        dm = slack.open_dm(ana)
        app, heard = counting(slack)
        async with running(app, slack):
            await slack.faults.refresh_request(grace_s=0.2)
            await slack.post(dm, ana, "in between")
            await slack.settled()
        assert heard == ["in between"]
        opened = [c for c in slack.calls if c.method == "apps.connections.open"]
        assert len(opened) == 2


async def test_a_redelivered_event_is_the_same_event() -> None:
    async with LocalSlack() as slack:
        ana = slack.add_user("ana")
        dm = slack.open_dm(ana)
        app = app_of(slack)
        ids: list[str] = []

        @app.event("message")
        async def note(body: dict[str, Any]) -> None:
            ids.append(body["event_id"])

        async with running(app, slack):
            await slack.post(dm, ana, "hello")
            await slack.faults.redeliver(slack.events[0].event_id)
            await slack.settled()
            await slack.wait_for(lambda: len(ids) == 2)
        assert ids == [slack.events[0].event_id] * 2
        with pytest.raises(KeyError):
            await slack.faults.redeliver("Ev0")


async def test_a_ticket_opens_one_connection() -> None:
    async with LocalSlack() as slack, aiohttp.ClientSession() as session:
        opened = await client_of(slack).apps_connections_open(app_token=slack.app_token)
        ws = await session.ws_connect(opened["url"])
        assert (await ws.receive_json())["type"] == "hello"
        with pytest.raises(aiohttp.WSServerHandshakeError):
            await session.ws_connect(opened["url"])
        await ws.close()


async def test_an_ack_of_another_envelope_counts_for_nothing() -> None:
    async with LocalSlack(ack_timeout_s=0.2, retry_delays_s=()) as slack:
        ana = slack.add_user("ana")
        async with aiohttp.ClientSession() as session:
            opened = await client_of(slack).apps_connections_open(app_token=slack.app_token)
            ws = await session.ws_connect(opened["url"])
            await slack.connected()
            await slack.post(slack.open_dm(ana), ana, "hello")
            await ws.send_json({"envelope_id": "made-up"})
            await slack.settled()
            await ws.close()
        assert slack.acks == []
        assert len(slack.given_up) == 1


async def test_events_take_turns_over_several_connections() -> None:
    async with LocalSlack() as slack:
        ana = slack.add_user("ana")
        dm = slack.open_dm(ana)
        one, heard_one = counting(slack)
        two, heard_two = counting(slack)
        async with running(one, slack), running(two, slack):
            await slack.wait_for(lambda: len(slack._socket.links) == 2)
            for n in range(4):
                await slack.post(dm, ana, f"message {n}")
            await slack.settled()
        assert len(heard_one) == 2
        assert len(heard_two) == 2


async def test_waiting_for_what_does_not_come_says_what() -> None:
    async with LocalSlack() as slack:
        general = slack.add_channel("general")
        with pytest.raises(TimeoutError, match="the bot's message did not come within"):
            await slack.wait_for_message(general, timeout_s=0.05)


async def test_a_connection_that_is_about_to_end_gets_no_more_envelopes() -> None:
    async with LocalSlack(ack_timeout_s=0.1, retry_delays_s=()) as slack:
        ana = slack.add_user("ana")
        async with aiohttp.ClientSession() as session:
            opened = await client_of(slack).apps_connections_open(app_token=slack.app_token)
            ws = await session.ws_connect(opened["url"])
            await slack.connected()
            await slack.faults.refresh_request("warning", grace_s=0.2)
            await slack.post(slack.open_dm(ana), ana, "hello")
            heard = [json.loads(message.data)["type"] async for message in ws]
        assert heard == ["hello", "disconnect"]


async def test_fifty_mentions_at_once_are_acked_within_a_second() -> None:
    async with LocalSlack() as slack:
        people = [slack.add_user(f"person {n}") for n in range(50)]
        general = slack.add_channel("general", members=people)
        app = app_of(slack)

        @app.event("app_mention")
        async def answer(event: dict[str, Any], say: Any) -> None:
            await say(text="an answer", thread_ts=event["ts"])

        @app.event("message")
        async def ignore() -> None:
            pass

        async with running(app, slack):
            asked = [await slack.post(general, p, "<@BOT> what?") for p in people]
            for ts in asked:
                await slack.wait_for_message(general, thread_ts=ts)
            await slack.settled()
        assert len(slack.acks) == 150  # a message and a mention each, and the app's own answer
        assert max(ack.latency_s for ack in slack.acks) < 3
        assert all(len(slack.messages(general, ts)) == 2 for ts in asked)
