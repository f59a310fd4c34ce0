"""The real app with the real pipeline, index and embedding model, in the local Slack."""

import asyncio
import json
import shutil
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from aiohttp import ClientSession

from bot.cli.serve import serve_parts
from bot.localslack import Json, LocalSlack
from bot.settings import Settings
from bot.slack.http import Web
from bot.slack.metrics import Metrics
from bot.wiring import open_parts
from ingest.embed import Embedder
from tests.indexes import opened

DOCUMENTS = Path(__file__).parent / "documents"

LOG = "".join(
    f"2026-11-30 08:15:{n % 60:02d} INFO worker-{n} request {n * 7919} took {n % 90} ms\n"
    for n in range(200)
)[:10_000]
PROSE = (
    "The budget committee discussed the renovation of the warehouse roof. Several suppliers sent"
    " offers that are valid for 9 months. " * 80
)[:10_000]


class Desk:
    """A channel with Ana and Ben in it, and the bot."""

    def __init__(self, slack: LocalSlack) -> None:
        self.slack = slack
        self.ana, self.ben = slack.add_user("ana"), slack.add_user("ben")
        self.channel = slack.add_channel("general", [self.ana, self.ben])

    def to_bot(self, words: str) -> str:
        return f"<@{self.slack.bot_user_id}> {words}"

    async def post(self, words: str, thread_ts: str | None = None, user: str = "") -> str:
        return await self.slack.post(self.channel, user or self.ana, words, thread_ts=thread_ts)

    async def answer(self, thread_ts: str, after: str) -> str:
        """What the bot says there next."""
        message = await self.slack.wait_for_message(
            self.channel, thread_ts=thread_ts, after=after, timeout_s=60
        )
        return json.dumps(message["blocks"])

    def answers(self) -> Sequence[Json]:
        messages = self.slack.messages(self.channel)
        return [one for one in messages if one.get("user") == self.slack.bot_user_id]


@asynccontextmanager
async def serving(
    manifest: Json, folder: Path, embedder: Embedder, documents: str, web: Web | None = None
) -> AsyncIterator[Desk]:
    """The bot over some documents among others, connected."""
    docs = folder / "docs"
    for name in ("background", documents):
        shutil.copytree(DOCUMENTS / name, docs, dirs_exist_ok=True)
    async with LocalSlack(manifest=manifest) as slack:
        settings = Settings(
            _env_file=None,
            SLACK_BOT_TOKEN=slack.bot_token,
            SLACK_APP_TOKEN=slack.app_token,
            SLACK_API_URL=slack.api_url,
            docs=str(docs),
            data=folder / "data",
            reranker="late-interaction",
            sure_score=0.5,
        )
        stop = asyncio.Event()
        with opened(settings, embedder) as index:
            await asyncio.to_thread(index.sync)
            async with open_parts(settings, index) as parts:
                bot = asyncio.create_task(serve_parts(parts, stop, web=web))
                try:
                    await slack.connected(timeout_s=60)
                    yield Desk(slack)
                finally:
                    stop.set()
                    await bot


async def test_an_edit_that_adds_the_mention_is_answered_once_from_the_documents(
    manifest: Json, tmp_path: Path, embedder: Embedder
) -> None:
    async with serving(manifest, tmp_path, embedder, "pay") as desk:
        ts = await desk.post("When are salaries paid?")
        await desk.slack.settled()
        assert desk.answers() == []
        await desk.slack.edit(desk.channel, ts, desk.to_bot("When are salaries paid?"))
        assert "27th" in await desk.answer(ts, ts)
        await desk.slack.edit(desk.channel, ts, desk.to_bot("When are the salaries paid?"))
        await desk.slack.settled()
        other = await desk.post(desk.to_bot("How much may a hotel in Linz cost?"))
        assert "96 EUR" in await desk.answer(other, other)
        assert len(desk.answers()) == 2


@pytest.mark.parametrize("paste", [LOG, PROSE], ids=["log", "prose"])
async def test_a_long_paste_of_a_colleague_leaves_a_follow_up_what_was_said_before_it(
    manifest: Json, tmp_path: Path, embedder: Embedder, paste: str
) -> None:
    async with serving(manifest, tmp_path, embedder, "passes") as desk:
        ts = await desk.post(desk.to_bot("How much is the sauna pass?"))
        assert "19 EUR" in await desk.answer(ts, ts)
        pasted = await desk.post(paste, ts, desk.ben)
        await desk.post(desk.to_bot("How long is it valid?"), ts)
        said = await desk.answer(ts, pasted)
        assert "The sauna pass is valid for 5 months." in said.replace("*", "")
        assert "What do you mean" not in said
        assert len(desk.answers()) == 2


@pytest.mark.parametrize(
    "words",
    [
        "<@U07QX4Z9K2M> asks: when are salaries paid?",
        "<@U07QX4Z9K2M|ada_l> asks: when are salaries paid?",
        "hi <@U07QX4Z9K2M>, when are salaries paid?",
        "when are salaries paid? cc <@U07QX4Z9K2M|ada_l>",
        "question from <#C07AB12CD|hr_team>: when are salaries paid?",
        "when are salaries paid? see <https://wiki.example.com/x_1/PAY-22>",
        "when are salaries paid? <mailto:ada_l@example.com|ada_l@example.com>",
    ],
)
async def test_whom_and_where_a_question_names_is_no_word_of_it(
    manifest: Json, tmp_path: Path, embedder: Embedder, words: str
) -> None:
    async with serving(manifest, tmp_path, embedder, "pay") as desk:
        ts = await desk.post(desk.to_bot(words))
        assert "27th" in await desk.answer(ts, ts)


async def test_health_metrics_and_log_hold_no_word_of_a_question_an_answer_or_a_document(
    manifest: Json, tmp_path: Path, embedder: Embedder, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO")
    web = Web(Metrics(), slack=False)
    async with (
        web.listening("127.0.0.1", 0) as port,
        ClientSession(f"http://127.0.0.1:{port}") as session,
        serving(manifest, tmp_path, embedder, "pay", web) as desk,
    ):
        answered = await desk.post(desk.to_bot("When are salaries paid, mellifluous one?"))
        assert "27th" in await desk.answer(answered, answered)
        refused = await desk.post(desk.to_bot("Who won the zymurgy contest?"))
        await desk.answer(refused, refused)
        told = ""
        for path in ("/metrics", "/healthz", "/readyz"):
            async with session.get(path) as answer:
                told += await answer.text()
    assert "footnote_questions_total 2.0" in told
    assert 'footnote_abstentions_total{reason="' in told
    said = ("mellifluous", "zymurgy", "contest", "27th", "of each month", "Pay days")
    stored = ("Salaries", "hotel in", "Linz", "96 EUR")
    names = (desk.ana, desk.channel, answered, refused, "general", "pay.md", "hotels.md")
    assert [w for w in (*said, *stored, *names) if w.lower() in told.lower()] == []
    assert "Connected to Slack" in caplog.text
    assert [w for w in (*said, *stored) if w.lower() in caplog.text.lower()] == []
