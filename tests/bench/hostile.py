"""`python -m tests.bench hostile`: files that stop a parser are put beside the documents of a bot.

The real bot, in a process of its own, over the sample handbook. People go on asking while it takes
the files in. How long its event loop stands still is what a probe sees that asks `/healthz` every
50 ms, and so an upper bound.
"""

import asyncio
import re
import shutil
import tempfile
import time
from pathlib import Path

import yaml
from aiohttp import ClientError, ClientSession, ClientTimeout

from bot.localslack import LocalSlack
from ingest.ledger import Ledger
from tests.bench.hostile_files import files
from tests.bench.soak import METRICS_PORT, REAL_QUESTIONS, Bot, is_answered, settings_of
from tests.commands import HANDBOOK, ROOT
from tests.commands import run as run_command

URL = f"http://127.0.0.1:{METRICS_PORT}"
PROBE_S, ASK_S = 0.05, 2.0
PATIENCE_S = 900.0
MAX_PAUSE_S, MAX_ACK_S = 0.5, 1.0
SYNCS = re.compile(r'footnote_sync_seconds_count\{outcome="ok"\} (\d+)')


def measure() -> list[str]:
    """Lines to print."""
    return asyncio.run(_measure())


async def _measure() -> list[str]:
    manifest = yaml.safe_load((ROOT / "manifest.yml").read_text())
    with tempfile.TemporaryDirectory() as folder:
        docs, data = Path(folder) / "docs", Path(folder) / "data"
        shutil.copytree(HANDBOOK, docs)
        async with LocalSlack(manifest=manifest, real_rates=True) as slack, _session() as session:
            bot = Bot(("-m", "bot"), settings_of(slack, docs, data) | {"FOOTNOTE_SYNC_EVERY": "3s"})
            await asyncio.to_thread(run_command, bot.settings, "-m", "ingest")
            bot.start()
            await slack.connected(timeout_s=240)
            try:
                lines = await _beside(slack, session, docs)
            finally:
                await bot.end()
        return lines + _taken_in(data)


def _session() -> ClientSession:
    return ClientSession(timeout=ClientTimeout(total=60))


async def _beside(slack: LocalSlack, session: ClientSession, docs: Path) -> list[str]:
    """Ask while the files are taken in, and once more of each question after it."""
    person = slack.add_user("person")
    channel = slack.add_channel("general", [person])
    while await _syncs(session) < 1:  # noqa: ASYNC110 - it is another process
        await asyncio.sleep(1)
    hostile = dict(files())
    for name, text in hostile.items():
        (docs / name).write_text(text)
    wanted = await _syncs(session) + 2  # one may have begun before the files were there
    begun = time.monotonic()
    pauses: list[float] = []
    probe = asyncio.create_task(_probe(session, pauses))
    asked: list[str] = []
    while await _syncs(session) < wanted and time.monotonic() - begun < PATIENCE_S:
        asked.append(await _ask(slack, channel, person, len(asked)))
        await asyncio.sleep(ASK_S)
    took_s = time.monotonic() - begun
    asked += [await _ask(slack, channel, person, n) for n in range(len(REAL_QUESTIONS))]
    answered = await _until_answered(slack, channel, asked)
    probe.cancel()
    pause, ack = max(pauses), max(one.latency_s for one in slack.acks)
    return [
        f"{len(hostile)} hostile files, taken in within {took_s:.0f} s",
        f"{len(asked)} questions meanwhile and after, {answered} answered",
        f"the loop's longest pause {pause:.2f} s (goal < {MAX_PAUSE_S}){_mark(pause, MAX_PAUSE_S)}",
        f"slowest acknowledgement {ack:.2f} s (goal < {MAX_ACK_S:.0f}){_mark(ack, MAX_ACK_S)}",
    ]


def _mark(figure: float, goal: float) -> str:
    return "" if figure < goal else ", missed"


async def _ask(slack: LocalSlack, channel: str, person: str, n: int) -> str:
    words = REAL_QUESTIONS[n % len(REAL_QUESTIONS)]
    return await slack.post(channel, person, f"<@{slack.bot_user_id}> {words}")


async def _until_answered(slack: LocalSlack, channel: str, asked: list[str]) -> int:
    """Wait for the answers; how many came."""
    deadline = time.monotonic() + PATIENCE_S
    while True:
        answered = sum(is_answered(slack, channel, ts) for ts in asked)
        if answered == len(asked) or time.monotonic() > deadline:
            return answered
        await asyncio.sleep(1)


async def _probe(session: ClientSession, pauses: list[float]) -> None:
    while True:
        begun = time.monotonic()
        async with session.get(URL + "/healthz") as answer:
            await answer.read()
        pauses.append(time.monotonic() - begun)
        await asyncio.sleep(PROBE_S)


async def _syncs(session: ClientSession) -> int:
    try:
        async with session.get(URL + "/metrics") as answer:
            found = SYNCS.search(await answer.text())
    except ClientError:
        return 0
    return int(found[1]) if found else 0


def _taken_in(data: Path) -> list[str]:
    ledger = Ledger.existing(data)
    try:
        documents, passages = ledger.counts()
        failed = [f"  {failure.doc}: {failure.error}" for failure in ledger.failed()]
    finally:
        ledger.close()
    return [
        f"{documents} documents, {passages} passages; reported, not read: {len(failed)}",
        *failed,
    ]
