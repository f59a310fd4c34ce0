"""When a pass runs: APScheduler in the bot's process, the pass itself in a thread."""

import asyncio
import logging
import re
from collections.abc import Callable
from concurrent.futures import Executor
from typing import TYPE_CHECKING

from ingest.errors import FootnoteError, SettingsError
from ingest.printable import not_read
from ingest.types import Report

if TYPE_CHECKING:
    from apscheduler.schedulers.asyncio import AsyncIOScheduler
    from apscheduler.triggers.base import BaseTrigger

SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400}
GRACE_S = 3600  # a run that the busy loop delayed still happens (APScheduler's default drops it)

log = logging.getLogger(__name__)


def parse_every(text: str) -> "BaseTrigger":
    """Read `30s`, `15m`, `1h`, `1d` or a cron line of five fields.

    Raises:
        SettingsError: it is none of these.
    """
    from apscheduler.triggers.cron import CronTrigger
    from apscheduler.triggers.interval import IntervalTrigger

    if match := re.fullmatch(r"([1-9]\d{0,8})\s*([smhd])", text.strip()):
        return IntervalTrigger(seconds=int(match[1]) * SECONDS[match[2]])
    try:
        return CronTrigger.from_crontab(text.strip())
    except ValueError as error:
        raise SettingsError(
            f"FOOTNOTE_SYNC_EVERY={text!r} is neither a time like 15m nor a cron line of five"
            " fields like `0 6 * * 1-5`."
        ) from error


def start_schedule(every: str, sync: Callable[[], Report], pool: Executor) -> "AsyncIOScheduler":
    """Run `sync` in the pool now and then as often as `every` says, never twice at once.

    A failed pass is logged and tried again at its next time. Needs a running event loop.

    Raises:
        SettingsError: `every` cannot be read.
    """
    from apscheduler.schedulers.asyncio import AsyncIOScheduler

    trigger = parse_every(every)
    named: set[str] = set()

    async def run() -> None:
        loop = asyncio.get_running_loop()
        try:
            report = await loop.run_in_executor(pool, sync)
            log_report(report)
            if fresh := [name for name in report.unsupported if name not in named]:
                log.warning("%s", not_read(fresh))
            named.update(fresh)
        except FootnoteError as error:
            log.error("Sync failed: %s", error)  # noqa: TRY400 - its text is the whole story
        except Exception:
            log.exception("Sync failed; the next one tries again")

    scheduler = AsyncIOScheduler()
    common = {"coalesce": True, "max_instances": 1, "misfire_grace_time": GRACE_S}
    scheduler.add_job(run, trigger, id="sync", **common)
    scheduler.start()
    scheduler.get_job("sync").modify(next_run_time=_now(scheduler))
    return scheduler


def log_report(report: Report) -> None:
    """Log what a pass did: one line, and one for each document that it could not take in."""
    if report.added or report.changed or report.removed or report.failed:
        log.info(
            "Sync: %d added, %d changed, %d removed, %d failed; %d documents, %d passages (%.1f s)",
            report.added, report.changed, report.removed, len(report.failed),
            report.documents, report.chunks, report.seconds,
        )  # fmt: skip
    for failure in report.failed:
        log.warning("Not taken in: %s: %s", failure.doc, failure.error)


def _now(scheduler: "AsyncIOScheduler") -> object:
    from datetime import datetime

    return datetime.now(scheduler.timezone)
