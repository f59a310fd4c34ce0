"""`python -m bot` itself, as a process against the local Slack."""

import asyncio
import gc
import json
import socket
from pathlib import Path

import pytest
from aiohttp import ClientConnectorError, ClientSession

from bot.cli import serve
from bot.localslack import Json, LocalSlack
from bot.settings import Settings
from bot.slack.http import Web
from bot.slack.metrics import Metrics
from ingest.embed import Embedder
from tests.commands import finish, start
from tests.indexes import opened


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def settings_of(slack: LocalSlack, folder: Path) -> dict[str, str]:
    docs = folder / "docs"
    docs.mkdir()
    (docs / "leave.md").write_text("# Leave\n\nEmployees get 25 days of paid leave a year.\n")
    return {
        "SLACK_BOT_TOKEN": slack.bot_token,
        "SLACK_APP_TOKEN": slack.app_token,
        "SLACK_API_URL": slack.api_url,
        "FOOTNOTE_DOCS": str(docs),
        "FOOTNOTE_DATA": str(folder / "data"),
    }


async def ready(session: ClientSession, url: str) -> tuple[int, Json]:
    try:
        async with session.get(url + "/readyz") as answer:
            return answer.status, await answer.json()
    except ClientConnectorError:
        return 0, {}


async def test_the_bot_is_live_while_it_loads_then_ready_then_answers_and_ends_when_told(
    manifest: Json, tmp_path: Path
) -> None:
    async with LocalSlack(manifest=manifest) as slack, ClientSession() as session:
        ana = slack.add_user("ana")
        general = slack.add_channel("general", [ana])
        port = free_port()
        url = f"http://127.0.0.1:{port}"
        settings = settings_of(slack, tmp_path) | {"FOOTNOTE_HTTP_PORT": str(port)}
        process = start(settings, "-m", "bot")
        seen: list[tuple[int, Json]] = []
        try:
            async with asyncio.timeout(100):
                while not seen or seen[-1][0] != 200:
                    seen.append(await ready(session, url))
                    await asyncio.sleep(0.2)
            assert (
                503,
                {"ready": False, "models": "still loading", "socket": "still loading"},
            ) in seen
            told = {"ready": True, "models": "ok", "index": "ok", "socket": "ok"}
            assert seen[-1] == (200, told)
            text = ""
            async with asyncio.timeout(30):
                while 'footnote_sync_seconds_count{outcome="ok"} 1.0' not in text:
                    async with session.get(url + "/metrics") as answer:
                        text = await answer.text()
            assert "footnote_documents 1.0" in text
            ts = await slack.post(
                general, ana, f"<@{slack.bot_user_id}> How many days of paid leave do I get?"
            )
            message = await slack.wait_for_message(general, thread_ts=ts)
            assert "25 days" in json.dumps(message["blocks"])
        finally:
            process.terminate()
            code, _, err = await asyncio.to_thread(finish, process)
    assert (code, err.splitlines()[-1]) == (0, "Stopped.")
    assert "Traceback" not in err


async def test_a_refused_token_ends_the_start_before_the_models_load(
    manifest: Json, tmp_path: Path
) -> None:
    async with LocalSlack(manifest=manifest) as slack:
        settings = settings_of(slack, tmp_path) | {"SLACK_BOT_TOKEN": "xoxb-1"}
        process = start(settings, "-m", "bot")
        code, _, err = await asyncio.to_thread(finish, process)
    assert code == 2
    assert "SLACK_BOT_TOKEN was refused by Slack (invalid_auth)" in err
    assert "Loading the models" not in err
    assert not (tmp_path / "data").exists()


async def test_http_mode_without_a_signing_secret_is_refused(
    manifest: Json, tmp_path: Path
) -> None:
    async with LocalSlack(manifest=manifest) as slack:
        process = start(settings_of(slack, tmp_path), "-m", "bot", "--http")
        code, _, err = await asyncio.to_thread(finish, process)
    assert code == 2
    assert "SLACK_SIGNING_SECRET is missing" in err


async def test_once_the_models_are_loaded_the_garbage_collector_passes_over_them(
    tmp_path: Path, embedder: Embedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[tuple[bool, int, int]] = []

    async def look(*_: object, **__: object) -> None:
        seen.append((gc.isenabled(), gc.get_freeze_count(), len(gc.get_objects())))

    monkeypatch.setattr(serve, "serve_parts", look)
    settings = Settings(
        _env_file=None, docs=str(tmp_path), data=tmp_path / "data", reranker="late-interaction"
    )
    try:
        with opened(settings, embedder) as index:
            await serve._serve(settings, index, Web(Metrics(), slack=False), 0)
    finally:
        gc.unfreeze()
    ((enabled, frozen, passed_through),) = seen
    assert enabled
    assert frozen > 100_000
    assert passed_through < frozen / 50
