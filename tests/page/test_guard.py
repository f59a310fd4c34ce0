"""Who may talk to the page's routes."""

import re

import aiohttp
import pytest

from tests.page.conftest import Workspace

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def token_of(session: aiohttp.ClientSession, url: str) -> str:
    async with session.get(url) as answer:
        found = re.search(r'name="page-token" content="([^"]+)"', await answer.text())
    assert found
    return found[1]


async def test_the_page_forbids_scripts_and_addresses_that_are_not_its_own(
    workspace: Workspace,
) -> None:
    async with aiohttp.ClientSession() as session, session.get(workspace.slack.url) as answer:
        policy = answer.headers["Content-Security-Policy"]
        assert "default-src 'none'; script-src 'self';" in policy
        assert "connect-src 'self'; img-src 'self' data:" in policy
        assert "frame-ancestors 'none'" in policy
        assert answer.headers["Cache-Control"] == "no-store"


async def test_another_host_name_that_leads_here_is_refused(workspace: Workspace) -> None:
    port = workspace.slack.url.rsplit(":", 1)[1]
    async with aiohttp.ClientSession() as session:
        for host in (f"evil.example:{port}", f"localhost:{port}"):
            for path in ("/", "/page.js", "/page/documents", "/page/live"):
                async with session.get(
                    workspace.slack.url + path, headers={"Host": host}
                ) as answer:
                    assert answer.status == 403, (host, path)
                    assert "evil" not in await answer.text()


async def test_nothing_is_done_or_read_without_the_pages_token(workspace: Workspace) -> None:
    body = {"do": "post", "user": workspace.ana, "channel": workspace.general, "text": "hi"}
    url = workspace.slack.url
    async with aiohttp.ClientSession() as session:
        for headers in ({}, {"X-Page-Token": "guess"}, {"X-Page-Token": "é"}):
            async with session.post(f"{url}/page/act", json=body, headers=headers) as answer:
                assert answer.status == 403
            async with session.get(f"{url}/page/documents", headers=headers) as answer:
                assert answer.status == 403
        assert workspace.slack.messages(workspace.general) == []
        token = await token_of(session, url)
        async with session.post(
            f"{url}/page/act", json=body, headers={"X-Page-Token": token}
        ) as answer:
            assert answer.status == 200
    assert workspace.slack.messages(workspace.general)[0]["text"] == "hi"


async def test_the_live_line_is_for_the_page_alone(workspace: Workspace) -> None:
    url = workspace.slack.url
    async with aiohttp.ClientSession() as session:
        token = await token_of(session, url)
        live = f"{url}/page/live"
        for origin, protocol in ((url, "guess"), ("http://evil.example", token), (None, token)):
            with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
                await session.ws_connect(live, origin=origin, protocols=(protocol,))
            assert refused.value.status == 403
        with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
            await session.ws_connect(f"{live}?user=U1", origin=url, protocols=(token,))
        assert refused.value.status == 404
        async with session.ws_connect(live, origin=url, protocols=(token,)) as line:
            first = await line.receive_json(timeout=5)
            assert first["workspace"]["user"] == workspace.ana
            await workspace.slack.post(workspace.general, workspace.ben, "hi")
            change = await line.receive_json(timeout=5)
            assert list(change) == [f"channel:{workspace.general}"]


@pytest.mark.parametrize(
    ("body", "status", "words"),
    [
        ({"do": "steal"}, 400, "steal"),
        ({"do": "post", "channel": "C1", "text": "hi"}, 400, "C1"),
        ({"do": "post", "channel": "GENERAL", "text": ""}, 400, "text"),
        ({"do": "click", "channel": "GENERAL", "ts": "1", "action_id": "a"}, 400, "no message 1"),
        ({"do": "close"}, 400, "ana has no modal open"),
        ({"do": "command", "channel": "GENERAL", "command": "/x"}, 504, "did not respond"),
    ],
)
async def test_what_cannot_be_done_is_said(
    workspace: Workspace, body: dict[str, str], status: int, words: str
) -> None:
    url = workspace.slack.url
    body = {"user": workspace.ana, **body}
    body = {key: workspace.general if value == "GENERAL" else value for key, value in body.items()}
    async with aiohttp.ClientSession() as session:
        headers = {"X-Page-Token": await token_of(session, url)}
        async with session.post(f"{url}/page/act", json=body, headers=headers) as answer:
            assert answer.status == status
            assert words in (await answer.json())["error"]


@pytest.mark.parametrize("doc", ["../conftest.py", "/etc/passwd", "", "none.md"])
async def test_only_the_documents_can_be_read_and_written(workspace: Workspace, doc: str) -> None:
    url = workspace.slack.url
    async with aiohttp.ClientSession() as session:
        headers = {"X-Page-Token": await token_of(session, url)}
        address = f"{url}/page/document"
        async with session.get(address, params={"doc": doc}, headers=headers) as answer:
            assert answer.status == 404
        async with session.post(address, json={"doc": doc, "text": "x"}, headers=headers) as answer:
            assert answer.status == 404
