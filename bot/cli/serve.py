"""`python -m bot`: the Slack app and the schedule, until SIGTERM or Ctrl-C."""

import asyncio
import logging
import signal

from bot.cli.shared import err
from bot.record import Record
from bot.settings import Settings
from bot.slack.app import run
from bot.slack.client import check_tokens
from bot.source import Passages
from bot.wiring import open_parts
from ingest.index import Index
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
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    log.info("Loading the models")
    async with open_parts(settings, index) as parts:
        writer = parts.pipeline.generator or parts.pipeline.quoter
        log.info("Reranker: %s; answers: %s", parts.pipeline.reranker.name, writer.name)

        def sync() -> Report:
            if mended := index.repair():
                log.info(mended)
            return index.sync()

        scheduler = start_schedule(settings.sync_every, sync, parts.pool)
        try:
            record = Record(index.ledger.engine)
            passages = Passages(index.ledger)
            await run(settings, parts.pipeline, passages, record, stop=stop)
        finally:
            scheduler.shutdown(wait=False)
