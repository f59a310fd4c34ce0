"""`python -m tests.bench.soak --flood`: one channel is flooded, how long does another one wait?

A person asks in a quiet channel, first alone, then while 200 questions of 40 people come at once in
another channel. The times are those from the question to its whole answer.
"""

import argparse
import asyncio
import tempfile
import time
from collections import Counter
from pathlib import Path

import numpy as np
import yaml

from bot.localslack import LocalSlack
from ingest.schema import open_database
from tests.bench.soak import Bot, _command, _kind, _settings, is_answered
from tests.commands import ROOT
from tests.commands import run as run_command

FLOOD, PEOPLE = 200, 40
ASKED = 25  # questions in the quiet channel, alone and beside the flood
EVERY_S = 2.0
PATIENCE_S = 420.0
GOAL = 2.0  # of the p95 beside the flood to that alone


async def flood(given: argparse.Namespace) -> bool:
    manifest = yaml.safe_load((ROOT / "manifest.yml").read_text())
    with tempfile.TemporaryDirectory() as folder:
        slack = LocalSlack(manifest=manifest, real_rates=True)
        async with slack:
            bot = Bot(_command(given), _settings(slack, Path(folder), given) | {"FAILURES": "0"})
            if given.real:
                await asyncio.to_thread(run_command, bot.settings, "-m", "ingest")
            else:
                open_database(Path(folder) / "footnote.db").dispose()
            bot.start()
            await slack.connected(timeout_s=240)
            try:
                return await _measure(slack, given.seed)
            finally:
                await bot.end()


async def _measure(slack: LocalSlack, seed: int) -> bool:
    crowd = [slack.add_user(f"person {n}") for n in range(PEOPLE)]
    flooded, quiet = slack.add_channel("flooded", crowd), slack.add_channel("quiet", crowd)
    mention = f"<@{slack.bot_user_id}>"
    alone = await _ask(slack, quiet, crowd[0])
    await asyncio.sleep(60)  # Slack counts by the minute
    begun = time.monotonic()
    posts = [
        await slack.post(flooded, crowd[(n + seed) % PEOPLE], f"{mention} Question {n}?")
        for n in range(FLOOD)
    ]
    beside = await _ask(slack, quiet, crowd[0])
    left = await _until_told(slack, flooded, posts)
    kinds = Counter(_kind(m) for m in slack.messages(flooded) if m["user"] == slack.bot_user_id)
    p95, p95_alone = float(np.percentile(beside, 95)), float(np.percentile(alone, 95))
    slowest = max(ack.latency_s for ack in slack.acks)
    good = p95 <= GOAL * p95_alone and not slack.refusals and not left
    for line in (
        f"{FLOOD} questions of {PEOPLE} people at once in one channel, {ASKED} in another",
        f"the other's answers, p95: alone {p95_alone:.2f} s, beside the flood {p95:.2f} s",
        f"ratio {p95 / p95_alone:.2f} (goal {GOAL:.0f}); slowest {max(beside):.2f} s",
        f"in the flooded channel: {dict(kinds)}; people without a word after all: {left}",
        f"until the last word there: {time.monotonic() - begun:.0f} s",
        f"refused by Slack: {len(slack.refusals)}; slowest acknowledgement {slowest:.2f} s",
        "good" if good else "NOT GOOD",
    ):
        print(line, flush=True)
    return good


async def _ask(slack: LocalSlack, channel: str, person: str) -> list[float]:
    """How long each answer took, in seconds."""
    took: list[float] = []
    for n in range(ASKED):
        begun = time.monotonic()
        ts = await slack.post(channel, person, f"<@{slack.bot_user_id}> Quiet question {n}?")
        while not is_answered(slack, channel, ts):
            if time.monotonic() - begun > PATIENCE_S:
                break
            await asyncio.sleep(0.02)
        took.append(time.monotonic() - begun)
        await asyncio.sleep(max(0.0, EVERY_S - took[-1]))
    return took


async def _until_told(slack: LocalSlack, channel: str, posts: list[str]) -> int:
    """Wait until everybody in the flood has heard; how many have not."""
    deadline = time.monotonic() + PATIENCE_S
    while True:
        await asyncio.sleep(1)
        asked = {m["ts"]: m["user"] for m in slack.messages(channel) if m["ts"] in set(posts)}
        told = {person for ts, person in asked.items() if is_answered(slack, channel, ts)}
        left = len(set(asked.values()) - told)
        if time.monotonic() > deadline or not left:
            return left
