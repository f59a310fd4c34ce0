"""`python -m tests.bench.soak`: a day of questions within minutes, with all that goes wrong in one.

The real app, in a process of its own, against the local Slack at Slack's published rates. People
ask in channels, 5 % of the events come twice, sockets drop and go deaf, posts are answered 429, the
model fails, and the process is killed (SIGKILL) in the middle and started again. The answers are
written by hand (`--real` serves the sample handbook with the real pipeline instead).
"""

import argparse
import asyncio
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import yaml
from aiohttp import ClientSession

from bot.localslack import Json, LocalSlack
from bot.slack.lookback import PREFIX
from ingest.schema import open_database
from tests.commands import HANDBOOK, ROOT, environment
from tests.commands import run as run_command

PEOPLE, CHANNELS = 40, 10
REDELIVERED, FOLLOW_UPS = 0.05, 0.02
TROUBLE_EVERY_S = 12.0
PATIENCE_S = 300.0
METRICS_PORT = 18_731
REAL_QUESTIONS = (
    "How much may a hotel in London cost?",
    "How many days of leave do contractors get?",
    "What does ERR_4013 mean?",
    "How do I rotate an API key?",
    "Can I bring my dog to the office?",
)


@dataclass
class Bot:
    """The process."""

    command: tuple[str, ...]
    settings: Mapping[str, str]
    process: "subprocess.Popen[str] | None" = None
    memory_mb: list[float] = field(default_factory=list)

    def start(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, *self.command],
            env=environment(self.settings),
            cwd=ROOT,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )

    async def kill(self) -> None:
        assert self.process is not None
        os.kill(self.process.pid, signal.SIGKILL)
        await asyncio.to_thread(self.process.wait)

    async def end(self) -> tuple[int, str]:
        assert self.process is not None
        self.process.terminate()
        out, _ = await asyncio.to_thread(self.process.communicate)
        return self.process.returncode, out

    async def measure(self, session: ClientSession) -> None:
        async with session.get(f"http://127.0.0.1:{METRICS_PORT}/metrics") as answer:
            for line in (await answer.text()).splitlines():
                if line.startswith("process_resident_memory_bytes"):
                    self.memory_mb.append(float(line.split()[1]) / 1e6)


@dataclass(frozen=True)
class Asked:
    channel: str
    ts: str
    thread_ts: str


class Soak:
    def __init__(self, slack: LocalSlack, bot: Bot, seed: int) -> None:
        self.slack, self.bot = slack, bot
        self.chance = random.Random(seed)
        self.people = [slack.add_user(f"person {n}") for n in range(PEOPLE)]
        self.channels = [slack.add_channel(f"channel-{n}", self.people) for n in range(CHANNELS)]
        self.asked: list[Asked] = []
        self.redelivered = self.limited = self.troubles = 0

    async def ask(self, text: str) -> None:
        channel, person = self.chance.choice(self.channels), self.chance.choice(self.people)
        earlier = [asked for asked in self.asked[-200:-100] if asked.channel == channel]
        thread = self.chance.choice(earlier).thread_ts if earlier else None
        if self.chance.random() > FOLLOW_UPS:
            thread = None
        words = f"<@{self.slack.bot_user_id}> {text}"
        ts = await self.slack.post(channel, person, words, thread_ts=thread)
        self.asked.append(Asked(channel, ts, thread or ts))
        if self.chance.random() < REDELIVERED:
            event = self.slack.events[-1]
            self.redelivered += 1
            await asyncio.sleep(self.chance.uniform(0, 0.3))
            await self.slack.faults.redeliver(event.event_id)

    async def trouble(self) -> None:
        """Something of what goes wrong, again and again."""
        faults = self.slack.faults
        while True:
            await asyncio.sleep(TROUBLE_EVERY_S)
            self.troubles += 1
            match self.troubles % 4:
                case 0:
                    faults.go_deaf()
                case 1:
                    await faults.drop_sockets()
                case 2:
                    await faults.refresh_request(grace_s=2)
                case 3:
                    faults.hang_up("chat.postMessage", times=2)
            faults.rate_limit("chat.postMessage", times=3, retry_after_s=1)
            self.limited += 3

    def answers(self) -> "dict[Asked, list[Json]]":
        """The bot's messages for each question, by the mark in them."""
        found: dict[Asked, list[Json]] = {asked: [] for asked in self.asked}
        for asked, messages in found.items():
            thread = self.slack.messages(asked.channel, asked.thread_ts)
            messages += [message for message in thread if is_answer_to(message, asked.ts)]
        return found

    def from_bot(self) -> int:
        return sum(
            message["user"] == self.slack.bot_user_id
            for channel in self.channels
            for message in self.slack.messages(channel)
        )

    async def until_answered(self) -> None:
        deadline = time.monotonic() + PATIENCE_S
        while time.monotonic() < deadline:
            if all(self.answers().values()):
                return
            await asyncio.sleep(1)


async def soak(given: argparse.Namespace) -> bool:
    manifest = yaml.safe_load((ROOT / "manifest.yml").read_text())
    with tempfile.TemporaryDirectory() as folder:
        slack = LocalSlack(manifest=manifest, real_rates=True, retry_delays_s=(0, 2, 5, 10, 20))
        async with slack, ClientSession() as session:
            bot = Bot(_command(given), _settings(slack, Path(folder), given))
            if given.real:
                await asyncio.to_thread(run_command, bot.settings, "-m", "ingest")
            else:
                open_database(Path(folder) / "footnote.db").dispose()
            return await _soak(Soak(slack, bot, given.seed), session, given)


async def _soak(run: Soak, session: ClientSession, given: argparse.Namespace) -> bool:
    run.bot.start()
    await run.slack.connected(timeout_s=240)
    begun = time.monotonic()
    trouble = None if given.calm else asyncio.create_task(run.trouble())
    for n in range(given.questions):
        await run.ask(REAL_QUESTIONS[n % 5] if given.real else f"Question {n}?")
        if n == given.questions // 2 and not given.calm:
            await run.bot.kill()
            run.bot.start()
        if n % 50 == 49 and run.slack._socket.connected:
            await run.bot.measure(session)
        await asyncio.sleep(run.chance.expovariate(given.rate))
    await run.until_answered()
    if trouble is not None:
        trouble.cancel()
    took_s = time.monotonic() - begun
    await run.slack.settled(timeout_s=60)
    await run.bot.measure(session)
    code, out = await run.bot.end()
    return _tell(run, took_s, code, out, killed=not given.calm)


def _tell(run: Soak, took_s: float, code: int, out: str, *, killed: bool) -> bool:
    slack, answers = run.slack, run.answers()
    counts = Counter(map(len, answers.values()))
    kinds = Counter(_kind(found[0]) for found in answers.values() if found)
    refused = Counter((call.method, call.error) for call in slack.refusals)
    injected = {("chat.postMessage", "ratelimited"), ("chat.postMessage", "connection_cut")}
    ours = {what: n for what, n in refused.items() if what not in injected}
    over = refused["chat.postMessage", "ratelimited"] - run.limited
    left = json.loads(out)["tasks_left"] if out else []
    stray = run.from_bot() - sum(map(len, answers.values()))
    slowest = max(ack.latency_s for ack in slack.acks)
    good = (
        counts == {1: len(run.asked)}
        and not ours
        and over <= 0
        and not left
        and code == 0
        and stray == 0
        and not slack.given_up
    )
    memory = run.bot.memory_mb
    for line in (
        f"{len(run.asked)} questions of {PEOPLE} people in {CHANNELS} channels, {took_s:.0f} s",
        f"{run.redelivered} events delivered twice, {run.troubles} troubles, {int(killed)} SIGKILL",
        f"answers a question: {dict(counts)}; messages that answer nothing: {stray}",
        f"kinds: {dict(kinds)}",
        f"refused by Slack, injected: {sum(refused[i] for i in injected)}; others: {ours}",
        f"slowest acknowledgement {slowest:.2f} s; events given up: {len(slack.given_up)}",
        f"memory (MB, each 50 questions): {[round(mb) for mb in memory]}",
        f"exit code {code}, tasks left: {left}",
        "good" if good else "NOT GOOD",
    ):
        print(line, flush=True)
    return good


def is_answer_to(message: Json, ts: str) -> bool:
    """Whether it bears the mark of what answers the question of that time."""
    return PREFIX + ts in {block.get("block_id") for block in message.get("blocks") or []}


def is_answered(slack: LocalSlack, channel: str, ts: str) -> bool:
    """Whether a question that opened a thread has its answer."""
    return any(is_answer_to(message, ts) for message in slack.messages(channel, ts))


def _kind(message: Json) -> str:
    text = str(message["blocks"])
    for kind, words in (
        ("abstention", "The documents do not say"),
        ("declined", "Too many questions"),
        ("apology", "(ref "),
        ("incomplete", "The answer is incomplete"),
    ):
        if words in text:
            return kind
    return "answer"


def _command(given: argparse.Namespace) -> tuple[str, ...]:
    return ("-m", "bot") if given.real else ("-m", "tests.slack.scripted_bot")


def settings_of(slack: LocalSlack, docs: Path, data: Path) -> dict[str, str]:
    """What a bot needs that is measured in this Slack."""
    return {
        "SLACK_BOT_TOKEN": slack.bot_token,
        "SLACK_APP_TOKEN": slack.app_token,
        "SLACK_API_URL": slack.api_url,
        "FOOTNOTE_DATA": str(data),
        "FOOTNOTE_DOCS": str(docs),
        "FOOTNOTE_HTTP_PORT": str(METRICS_PORT),
        "FOOTNOTE_LOG_LEVEL": "ERROR",
    }


def _settings(slack: LocalSlack, data: Path, given: argparse.Namespace) -> dict[str, str]:
    return settings_of(slack, HANDBOOK, data) | {
        "FOOTNOTE_CONCURRENCY": "4" if given.real else "16",
        "ANSWER_S": "0.6",
        "FAILURES": "0.03",
    }


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.soak", description=__doc__)
    parser.add_argument("--questions", type=int, default=1_000)
    parser.add_argument("--rate", type=float, default=5.0, help="questions a second")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--calm", action="store_true", help="nothing goes wrong, no kill")
    parser.add_argument("--real", action="store_true", help="the real pipeline")
    parser.add_argument("--flood", action="store_true", help="one channel flooded, see flood.py")
    given = parser.parse_args()
    if given.flood:
        from tests.bench.flood import flood

        sys.exit(0 if asyncio.run(flood(given)) else 1)
    good = asyncio.run(soak(given))
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
