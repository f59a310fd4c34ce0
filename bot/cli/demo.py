"""`python -m bot demo`: the main job on the sample handbook, without a key or a workspace."""

import asyncio
import os
import sys
import webbrowser
from dataclasses import replace
from pathlib import Path
from typing import Any

from pydantic import SecretStr
from rich.text import Text

from bot.cli.ask import chat
from bot.cli.serve import serve_parts, stop_on_signal
from bot.cli.shared import out, waiting, with_parts
from bot.demo.copies import lay_out
from bot.demo.documents import SampleDocuments
from bot.localslack import LocalSlack
from bot.localslack.page_api import Page
from bot.settings import Settings
from bot.wiring import Parts
from ingest.errors import FootnoteError
from ingest.index import Index
from ingest.types import Report

QUESTIONS = (
    "How much can I spend on a hotel per night in London?",
    "and in Berlin?",
    "Can I bring my dog to the office?",
)
MANIFEST = Path(__file__).parents[2] / "manifest.yml"  # in a clone; a wheel has none
PEOPLE = ("New hire", "Office manager")
CHANNELS = ("general", "people-questions")
SYNC_EVERY = "2s"


def run_demo(settings: Settings, *, port: int, browser: bool) -> None:
    """Ingest a copy of the handbook, answer three questions, and serve the page in a terminal.

    Args:
        settings: their data folder gets a folder `demo`.
        port: of the page; 0 takes a free one.
        browser: open the page.
    """
    data = settings.data / "demo"
    folder = data / "handbook"
    data.mkdir(parents=True, exist_ok=True)
    lay_out(folder)
    settings = settings.model_copy(update={"docs": str(folder), "data": data, "exclude": ""})
    with Index(settings) as index, waiting("Taking in the sample handbook"):
        report = index.sync()
    told = f"The sample handbook: {report.documents} documents, {report.chunks} passages."
    out.print(Text(told, style="dim"))

    async def work(parts: Parts) -> None:
        await chat(parts, QUESTIONS, interactive=False)
        if sys.stdin.isatty():
            await _serve_page(parts, folder, port, browser=browser)

    with_parts(settings, work)


async def _serve_page(parts: Parts, folder: Path, port: int, *, browser: bool) -> None:
    """The real app against a local Slack with a page, until Ctrl-C.

    Raises:
        FootnoteError: the port is taken.
    """
    stop = stop_on_signal()
    slack = LocalSlack(port, manifest=_read_manifest())
    page = Page(slack, SampleDocuments(folder, parts.index.ledger))
    slack.mount(page.routes())
    try:
        await slack.__aenter__()
    except OSError as error:
        raise FootnoteError(f"Port {port} cannot be used ({error.strerror}).") from error
    try:
        _move_in(slack)
        loop = asyncio.get_running_loop()

        def synced(report: Report) -> None:
            if report.added or report.changed or report.removed:
                loop.call_soon_threadsafe(page.documents_changed)

        at_hand = replace(parts, settings=_connect(parts.settings, slack))
        serving = asyncio.create_task(serve_parts(at_hand, stop, synced))
        _invite(slack.url, folder, browser=browser)
        await serving
    finally:
        await slack.__aexit__(None, None, None)


def _move_in(slack: LocalSlack) -> None:
    people = [slack.add_user(name) for name in PEOPLE]
    for name in CHANNELS:
        slack.add_channel(name, people)
    for person in people:
        slack.open_dm(person)


def _connect(settings: Settings, slack: LocalSlack) -> Settings:
    return settings.model_copy(
        update={
            "slack_bot_token": SecretStr(slack.bot_token),
            "slack_app_token": SecretStr(slack.app_token),
            "slack_api_url": slack.api_url,
            "sync_every": SYNC_EVERY,
        }
    )


def _invite(url: str, folder: Path, *, browser: bool) -> None:
    out.print(Text(f"\nA local Slack with the bot in it: {url}", style="bold"))
    out.print(Text(f"The documents, yours to edit: {folder}", style="dim"))
    out.print(Text("Ctrl-C ends. In a terminal alone: python -m bot chat.", style="dim"))
    screen = sys.platform in {"darwin", "win32"} or any(
        os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY")
    )
    if browser and screen:  # without one, a text browser would take the terminal
        webbrowser.open(url)


def _read_manifest() -> dict[str, Any] | None:
    import yaml

    if not MANIFEST.exists():
        return None
    manifest: dict[str, Any] = yaml.safe_load(MANIFEST.read_text("utf-8"))
    return manifest
