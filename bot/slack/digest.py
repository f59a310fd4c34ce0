"""The week's questions without an answer, told to those who look after the documents."""

import asyncio
import logging
from collections.abc import Sequence
from concurrent.futures import Executor
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from aiohttp import ClientSession, ClientTimeout

from bot.gaps import Gap, digest_done, find_gaps, note_digest, read_unanswered
from bot.settings import Settings
from bot.slack.blocks import section
from bot.slack.client import CALL_TIMEOUT_S, build_client
from bot.slack.faults import FAULTS, in_words, name_of
from bot.slack.render import Message
from bot.slack.text import clip, escape_mrkdwn
from ingest.index import Index

if TYPE_CHECKING:
    from apscheduler.schedulers.asyncio import AsyncIOScheduler

log = logging.getLogger(__name__)

WEEK = timedelta(days=7)
HOUR = 9
GRACE_S = 60 * 60  # until the next look
SHOWN = 10
QUESTION_CHARS = 200

TITLE = "*Questions of the last week that the documents do not answer: {count}*"
MORE = "… and {more} more: `python -m bot gaps` lists them all."


def schedule_digest(
    scheduler: "AsyncIOScheduler", settings: Settings, index: Index, pool: Executor
) -> None:
    """Post the digest each Monday at 9, in the machine's time zone, or as soon after as may be.

    Looked at each hour and at the start: a Monday on which the bot was down, or Slack or the disk
    out of reach, is made up for once.
    """
    from apscheduler.triggers.cron import CronTrigger

    async def run() -> None:
        await post_due(settings, index, pool, datetime.now().astimezone())

    scheduler.add_job(
        run,
        CronTrigger(minute=0),
        id="digest",
        coalesce=True,
        max_instances=1,
        misfire_grace_time=GRACE_S,
        next_run_time=datetime.now().astimezone(),
    )


def last_due(now: datetime) -> datetime:
    """The last Monday at 9 in the time zone of `now`."""
    monday = now.replace(hour=HOUR, minute=0, second=0, microsecond=0)
    monday -= timedelta(days=now.weekday())
    return monday if monday <= now else monday - WEEK


async def post_due(settings: Settings, index: Index, pool: Executor, now: datetime) -> None:
    """Post the digest that was due last, unless that was done."""
    loop, engine = asyncio.get_running_loop(), index.ledger.engine
    due = last_due(now)
    if await loop.run_in_executor(pool, digest_done, engine, due):
        return
    if await post_digest(settings, index, pool, due):
        await loop.run_in_executor(pool, note_digest, engine, due)


async def post_digest(
    settings: Settings, index: Index, pool: Executor, until: datetime | None = None
) -> bool:
    """Post the gaps of a week to the channel in the settings; nothing if there were none.

    Gives whether there is nothing left to do for that week, which by default ends now.
    """
    end = until or datetime.now(UTC)

    def look() -> list[Gap]:
        unanswered = read_unanswered(index.ledger.engine, end - WEEK, end)
        return find_gaps(unanswered, index.serving.embed_passages)

    gaps = await asyncio.get_running_loop().run_in_executor(pool, look)
    if not gaps:
        return True
    message = build_digest(gaps)
    async with ClientSession(timeout=ClientTimeout(total=CALL_TIMEOUT_S)) as session:
        try:
            await build_client(settings, session).chat_postMessage(
                channel=settings.gaps_channel,
                text=message.text,
                blocks=message.blocks,
                unfurl_links=False,
                unfurl_media=False,
            )
        except FAULTS as error:
            log.warning("The weekly digest was not posted: %s", in_words(error) or name_of(error))
            return False
    return True


def build_digest(gaps: Sequence[Gap]) -> Message:
    """The most asked of them, each with how often. Pure."""
    title = TITLE.format(count=sum(gap.count for gap in gaps))
    lines = [
        f"• {escape_mrkdwn(clip(gap.question, QUESTION_CHARS))}" + _times(gap.count)
        for gap in gaps[:SHOWN]
    ]
    more = [MORE.format(more=len(gaps) - SHOWN)] if len(gaps) > SHOWN else []
    return Message(title.strip("*"), [section(title), section("\n".join(lines + more)[:3_000])])


def _times(count: int) -> str:
    return f" ({count} times)" if count > 1 else ""
