"""The port is for the app and the page: no site that a person visits drives it."""

import aiohttp
import pytest

from bot.localslack import LocalSlack
from tests.slack.small_app import client_of
from tests.slack.test_localslack_methods import response_url


def foreign(slack: LocalSlack) -> list[dict[str, str]]:
    """What a browser sends for another site: its name leads here, or its page asks."""
    port = slack.url.rsplit(":", 1)[1]
    origins = (
        "http://evil.example",
        "null",
        f"http://localhost:{port}",
        f"https://127.0.0.1:{port}",
    )
    hosts = (f"evil.example:{port}", f"localhost:{port}", "127.0.0.1")
    return [{"Origin": o} for o in origins] + [
        {"Host": h, **more} for h in hosts for more in ({}, {"Origin": f"http://{h}"})
    ]


async def test_no_call_of_another_site_reaches_a_method_though_it_has_the_token() -> None:
    async with LocalSlack() as slack, aiohttp.ClientSession() as session:
        url, args = slack.api_url + "auth.test", {"token": slack.bot_token}
        for headers in foreign(slack):
            for method in ("GET", "POST", "OPTIONS"):
                async with session.request(method, url, params=args, headers=headers) as answer:
                    assert answer.status == 403, (method, headers)
                    assert slack.team_id not in await answer.text()
                    assert "Access-Control-Allow-Origin" not in answer.headers
        assert slack.calls == []
        async with session.post(url, params=args, headers={"Origin": slack.url}) as answer:
            assert (await answer.json())["ok"] is True


async def test_no_socket_of_another_site_opens_though_it_has_a_ticket() -> None:
    async with LocalSlack() as slack, aiohttp.ClientSession() as session:
        opened = await client_of(slack).apps_connections_open(app_token=slack.app_token)
        for headers in foreign(slack):
            with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
                await session.ws_connect(opened["url"], headers=headers)
            assert refused.value.status == 403
        async with session.ws_connect(opened["url"]) as socket:  # the ticket is not used up
            assert (await socket.receive_json())["type"] == "hello"


async def test_no_answer_of_another_site_is_taken_at_a_response_url() -> None:
    async with LocalSlack() as slack, aiohttp.ClientSession() as session:
        ana = slack.add_user("ana")
        general = slack.add_channel("general", [ana])
        url = await response_url(slack, ana, general)
        before = slack.messages(general)
        for headers in foreign(slack):
            body = {"text": "owned", "response_type": "in_channel"}
            async with session.post(url, json=body, headers=headers) as answer:
                assert answer.status == 403
        assert slack.messages(general) == before


async def test_another_site_is_not_told_what_is_there() -> None:
    async with LocalSlack() as slack, aiohttp.ClientSession() as session:
        for headers in foreign(slack):
            for path in ("/", "/nothing", "/page/act"):
                async with session.get(slack.url + path, headers=headers) as answer:
                    assert answer.status == 403
