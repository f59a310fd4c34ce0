"""`python -m bot`: the Slack app and the schedule, until SIGTERM or Ctrl-C."""

import asyncio
import logging
import signal
from collections.abc import Callable

from bot.cli.shared import err
from bot.record import Record
from bot.settings import Settings
from bot.slack.app import run
from bot.slack.client import check_tokens
from bot.source import Passages
from bot.wiring import Parts, open_parts
from ingest.errors import StoppedError
from ingest.index import Index
from ingest.library import Library
from ingest.schedule import parse_every, start_schedule
from ingest.sources.folder import open_sources
from ingest.types import Report

log = logging.getLogger(__name__)


def serve(settings: Settings) -> None:
    """Run until told to stop.

    Raises:
        SettingsError: a token, the schedule or the documents' folder is wrong; nothing was started.
        BusyError: another process owns the indexes.
    """
    check_tokens(settings)
    parse_every(settings.sync_every)
    open_sources(settings)
    with Index(settings) as index:
        asyncio.run(_serve(settings, index))
    err.print("Stopped.")


async def _serve(settings: Settings, index: Index) -> None:
    log.info("Loading the models")
    async with open_parts(settings, index) as parts:
        writer = parts.pipeline.generator or parts.pipeline.quoter
        log.info("Reranker: %s; answers: %s", parts.pipeline.reranker.name, writer.name)
        await serve_parts(parts, stop_on_signal())


def stop_on_signal() -> asyncio.Event:
    """Set by SIGTERM or Ctrl-C."""
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    return stop


async def serve_parts(
    parts: Parts, stop: asyncio.Event, synced: Callable[[Report], None] = lambda _report: None
) -> None:
    """The Slack app and the schedule until `stop` is set.

    `synced` is told of each pass that went well, in the pool's thread.
    """
    index, settings = parts.index, parts.settings

    def go_on(_stage: str, _done: int, _total: int) -> None:
        if stop.is_set():
            raise StoppedError("The bot stops; its next start goes on from here.")

    def sync() -> Report:
        report = index.sync(progress=go_on)
        if settings.keep_answers:
            record.prune(int(settings.keep_answers.removesuffix("d")))
        synced(report)
        return report

    record = Record(index.ledger.engine)
    scheduler = start_schedule(settings.sync_every, sync, parts.pool)
    try:
        passages = Passages(index.ledger)
        await run(settings, parts.pipeline, passages, Library(index.ledger), record, stop=stop)
    finally:
        scheduler.shutdown(wait=False)
