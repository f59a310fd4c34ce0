"""The real app over a real WebSocket against the local Slack; only the answers are written here."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import yaml

from bot.localslack import Json, LocalSlack
from bot.record import Record
from bot.settings import Settings
from bot.slack.app import run
from bot.slack.ports import OnSentence, OnStage
from bot.source import Resolved
from bot.types import Abstention, Answer, Citation, Hit, Outcome, Quote, Sentence, Trace, Turn
from ingest.ledger import Passage
from ingest.library import Changed, Overview, Topic
from ingest.schema import open_database
from ingest.types import Chunk, Failure

ROOT = Path(__file__).resolve().parents[2]

LEAVE = Chunk(
    id="0123456789ab",
    doc="people/handbook.md",
    heading="Handbook > Benefits > Leave",
    start=2847,
    end=2945,
    text=(
        "Employees get 25 days of paid leave a year. Contractors get 10 days.\n\n"
        "Ask <!channel> & the office."
    ),
)
TRAVEL = Chunk(
    id="ba9876543210",
    doc="people/travel.md",
    heading="Travel > Flights",
    start=100,
    end=156,
    text="Flights under six hours are booked in the economy class.",
)


def trace_of(question: str) -> Trace:
    return Trace(question, question, 0.8, "test", "test", {})


def cite(n: int, chunk: Chunk, quote: str) -> Citation:
    start = chunk.start + chunk.text.index(quote)
    return Citation(n, chunk, (Quote(chunk.id, quote, start, start + len(quote)),))


def leave_answer(question: str = "") -> Answer:
    return Answer(
        sentences=(
            Sentence("Employees get 25 days of paid leave a year.", (1,)),
            Sentence("Short flights are in economy.", (2,)),
        ),
        citations=(
            cite(1, LEAVE, "Employees get 25 days of paid leave a year."),
            cite(2, TRAVEL, "Flights under six hours are booked in the economy class."),
        ),
        trace=trace_of(question),
    )


def abstention(question: str = "") -> Abstention:
    return Abstention(
        reason="weak_evidence",
        message="The documents do not say.",
        nearest=(Hit(LEAVE, 0.2, 0.2), Hit(TRAVEL, 0.1, 0.1)),
        trace=trace_of(question),
    )


async def pause(_n: int) -> None:
    await asyncio.sleep(0.05)


@dataclass
class ScriptedAnswers:
    """Stands where the pipeline does; remembers what it was asked."""

    outcome: Callable[[str], Outcome] = leave_answer
    asked: list[tuple[str, list[Turn]]] = field(default_factory=list)
    gate: asyncio.Event | None = None
    error: Exception | None = None
    writes: bool = False  # whether it takes its time for each sentence, and tells it
    between: Callable[[int], Awaitable[None]] = pause
    running: int = 0
    most: int = 0

    async def answer(
        self,
        question: str,
        history: Sequence[Turn] = (),
        *,
        on_stage: OnStage | None = None,
        on_sentence: OnSentence | None = None,
    ) -> Outcome:
        self.asked.append((question, list(history)))
        self.running += 1
        self.most = max(self.most, self.running)
        try:
            if on_stage is not None:
                await on_stage("retrieve", 0)
                await on_stage("generate", 5)
            if self.gate is not None:
                await self.gate.wait()
            outcome = self.outcome(question)
            if isinstance(outcome, Answer) and self.writes:
                for n, sentence in enumerate(outcome.sentences, start=1):
                    if on_sentence is not None:
                        await on_sentence(sentence, outcome.citations)
                    await self.between(n)
            if self.error is not None:
                raise self.error
            return outcome
        finally:
            self.running -= 1


def kept(chunk: Chunk, version: int = 3, retired_at: datetime | None = None) -> Passage:
    return Passage(chunk, version, datetime(2026, 11, 30, 8, 15, tzinfo=UTC), retired_at, None)


def live(chunk: Chunk) -> Resolved:
    return Resolved("live", kept(chunk), kept(chunk))


async def until(holds: Callable[[], object]) -> None:
    """Wait for what the local Slack does not see, such as a row of the record."""
    async with asyncio.timeout(5):
        while not holds():  # noqa: ASYNC110 - there is no event to wait for
            await asyncio.sleep(0.02)


@dataclass
class Shelf:
    """Passages by id, in memory, and what is told of the documents as a whole."""

    passages: dict[str, Resolved] = field(
        default_factory=lambda: {LEAVE.id: live(LEAVE), TRAVEL.id: live(TRAVEL)}
    )
    before: Callable[[], object] = lambda: None
    order: tuple[str, ...] = (LEAVE.id, TRAVEL.id)

    def resolve(self, passage_id: str) -> Resolved | None:
        self.before()
        return self.passages.get(passage_id)

    def beside(self, passage_id: str) -> tuple[str | None, str | None]:
        around = (None, *self.order, None)
        at = around.index(passage_id) if passage_id in self.order else 0
        return (around[at - 1], around[at + 1]) if at else (None, None)

    def documents(self) -> int:
        return 1240

    def overview(self, newest: int) -> Overview:
        changed = Changed("people/handbook.md", "Handbook", datetime(2026, 11, 29, tzinfo=UTC))
        failure = Failure("old.md", "It is not UTF-8.")
        synced = datetime(2026, 11, 30, 9, 0, tzinfo=UTC)
        return Overview(1240, 8123, synced, (failure,), (changed,) * min(newest, 1))

    def topics(self, limit: int) -> list[Topic]:
        topics = [Topic("Handbook", "Leave"), Topic("Travel", "Flights"), Topic("IT", "Why VPN?")]
        return topics[:limit]


@dataclass
class Office:
    """A workspace with a channel and a person in it, and the app that may be started there."""

    slack: LocalSlack
    record: Record
    answers: ScriptedAnswers = field(default_factory=ScriptedAnswers)
    shelf: Shelf = field(default_factory=Shelf)

    def __post_init__(self) -> None:
        self.ana = self.slack.add_user("ana")
        self.general = self.slack.add_channel("general", [self.ana])
        self.dm = self.slack.open_dm(self.ana)
        self.here = self.general  # where it is asked and looked

    def settings(self, **more: Any) -> Settings:
        return Settings(
            _env_file=None,
            SLACK_BOT_TOKEN=self.slack.bot_token,
            SLACK_APP_TOKEN=self.slack.app_token,
            SLACK_API_URL=self.slack.api_url,
            **more,
        )

    @asynccontextmanager
    async def running(self, **settings: Any) -> AsyncIterator[asyncio.Event]:
        """The app, connected; gives what stops it, and awaits its end."""
        stop = asyncio.Event()
        serving = asyncio.create_task(
            run(
                self.settings(**settings),
                self.answers,
                self.shelf,
                self.shelf,
                self.record,
                stop=stop,
            )
        )
        connected = asyncio.create_task(self.slack.connected())
        await asyncio.wait({serving, connected}, return_when=asyncio.FIRST_COMPLETED)
        try:
            if serving.done():
                await serving
            await connected
            yield stop
        finally:
            connected.cancel()
            stop.set()
            await serving

    def restart(self) -> None:
        """The next run of the app is another process, as the record sees it."""
        self.record = Record(self.record._engine)

    async def mention(self, text: str, *, thread_ts: str | None = None) -> str:
        words = f"<@{self.slack.bot_user_id}> {text}"
        return await self.slack.post(self.here, self.ana, words, thread_ts=thread_ts)

    async def ask(self, text: str, *, thread_ts: str | None = None) -> Json:
        ts = await self.mention(text, thread_ts=thread_ts)
        return await self.slack.wait_for_message(self.here, thread_ts=thread_ts or ts, after=ts)

    def from_bot(self) -> list[Json]:
        return [
            message
            for message in self.slack.messages(self.here)
            if message.get("user") == self.slack.bot_user_id
        ]


@pytest.fixture(scope="session")
def manifest() -> Json:
    loaded: Json = yaml.safe_load((ROOT / "manifest.yml").read_text())
    return loaded


@pytest.fixture
async def office(manifest: Json, tmp_path: Path) -> AsyncIterator[Office]:
    engine = open_database(tmp_path / "footnote.db")
    async with LocalSlack(manifest=manifest) as slack:
        yield Office(slack, Record(engine))
    engine.dispose()


@pytest.fixture
async def bot(office: Office) -> AsyncIterator[Office]:
    """The office with the app running."""
    async with office.running():
        yield office
