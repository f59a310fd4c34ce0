"""`python -m bot`: the Slack app and the schedule, until SIGTERM or Ctrl-C."""

import asyncio
import gc
import logging
import math
import signal
import sys
import time
from collections.abc import Callable
from contextlib import AsyncExitStack

from bot.cli.shared import err
from bot.record import Record
from bot.settings import Settings
from bot.slack.app import run
from bot.slack.client import check_slack, check_tokens
from bot.slack.digest import schedule_digest
from bot.slack.http import Check, Web, fine
from bot.slack.metrics import Metrics
from bot.source import Passages
from bot.wiring import Parts, open_parts
from ingest.errors import StoppedError
from ingest.index import Index
from ingest.library import Library
from ingest.schedule import parse_every, start_schedule
from ingest.sources.folder import open_sources
from ingest.types import Report

INDEX_LOOK_EVERY_S = 60
# How long a computing thread may keep the loop from its turn. With Python's own 5 ms the slowest
# acknowledgement of 50 mentions in a second was 1.5 s on two busy cores, with this .5 to .8 s.
SWITCH_S = 0.001

NO_KEY = (
    "ANTHROPIC_API_KEY is not set: answers quote the documents instead of being written, and"
    " follow-ups are understood by rule."
)

log = logging.getLogger(__name__)


def serve(settings: Settings, *, http_port: int | None = None) -> None:
    """Run until told to stop; with `http_port`, Slack's requests come to that port.

    Raises:
        SettingsError: a token, the schedule or the documents' folder is wrong; nothing was started.
        BusyError: another process owns the indexes.
    """
    http = http_port is not None
    check_tokens(settings, http=http)
    parse_every(settings.sync_every)
    open_sources(settings)
    asyncio.run(check_slack(settings, http=http))  # a refused token shows before the models load
    sys.setswitchinterval(SWITCH_S)
    port = settings.http_port if http_port is None else http_port
    with Index(settings) as index:
        asyncio.run(_serve(settings, index, Web(Metrics(), slack=http), port))
    err.print("Stopped.")


async def _serve(settings: Settings, index: Index, web: Web, port: int) -> None:
    stop = stop_on_signal()
    async with AsyncExitStack() as stack:
        if port:
            await stack.enter_async_context(web.listening(settings.http_host, port))
        log.info("Loading the models")
        # A full pass of the garbage collector stops all threads, the loop's too: over the objects
        # of the libraries and models for .2 to 2.5 s on two busy cores, at the start and later.
        # They stay for good, and are passed over from here on.
        gc.disable()
        parts = await stack.enter_async_context(open_parts(settings, index))
        gc.freeze()
        gc.enable()
        writer = parts.pipeline.generator or parts.pipeline.quoter
        log.info("Reranker: %s; answers: %s", parts.pipeline.reranker.name, writer.name)
        if parts.pipeline.generator is None:
            log.warning(NO_KEY)
        if settings.judge != "off" and parts.judge is not None:
            web.metrics.watch_judge(parts.judge.verdicts)
            log.info("Judge: %s (%s)", settings.judge, parts.judge.name)
        web.checks |= {"models": fine, "index": index_check(index)}
        await serve_parts(parts, stop, web=web)


def index_check(index: Index) -> Check:
    """Whether the dense index holds what the ledger says is live; looked at now and then."""
    wrong, looked_at = "", -math.inf

    def look() -> str:
        try:
            missing, _ = index.compare()
        except Exception as error:  # noqa: BLE001 - Chroma has no common error class
            log.warning("The dense index cannot be read: %s", error)
            return "the dense index cannot be read"
        return f"{len(missing)} passages are not in the dense index" if missing else ""

    async def check() -> str:
        nonlocal wrong, looked_at
        if time.monotonic() - looked_at > INDEX_LOOK_EVERY_S:
            looked_at = time.monotonic()
            wrong = await asyncio.to_thread(look)
        return wrong

    return check


def stop_on_signal() -> asyncio.Event:
    """Set by SIGTERM or Ctrl-C."""
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    return stop


async def serve_parts(
    parts: Parts,
    stop: asyncio.Event,
    synced: Callable[[Report], None] = lambda _report: None,
    web: Web | None = None,
) -> None:
    """The Slack app and the schedule until `stop` is set.

    `synced` is told of each pass that went well, in the pool's thread.
    """
    index, settings = parts.index, parts.settings
    web = web or Web(Metrics(), slack=False)
    record = Record(index.ledger.engine)

    def go_on(_stage: str, _done: int, _total: int) -> None:
        if stop.is_set():
            raise StoppedError("The bot stops; its next start goes on from here.")

    def sync() -> Report:
        begun, report = time.monotonic(), None
        try:
            report = index.sync(progress=go_on)
        finally:
            web.metrics.synced(report, time.monotonic() - begun)
        if settings.keep_answers:
            record.prune(int(settings.keep_answers.removesuffix("d")))
        synced(report)
        return report

    scheduler = start_schedule(settings.sync_every, sync, parts.pool)
    if settings.gaps_channel:
        schedule_digest(scheduler, settings, index, parts.pool)
    try:
        passages, library = Passages(index.ledger), Library(index.ledger)
        await run(settings, parts.pipeline, passages, library, record, stop=stop, web=web)
    finally:
        scheduler.shutdown(wait=False)
