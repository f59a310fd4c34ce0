"""The Slack app: the table of its listeners, and its life until the last answer is given."""

import asyncio
import logging
import re
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import Any

from aiohttp import ClientSession, ClientTimeout
from slack_bolt.async_app import AsyncApp
from slack_bolt.context.ack.async_ack import AsyncAck
from slack_sdk.web.async_client import AsyncWebClient

from bot.record import Record
from bot.settings import Settings
from bot.slack.access import Access
from bot.slack.citations import COMMAND, Citations
from bot.slack.client import (
    CALL_TIMEOUT_S,
    Identity,
    build_client,
    check_tokens,
    identify,
)
from bot.slack.feedback import REASONS, Feedback
from bot.slack.home import Home
from bot.slack.http import Web
from bot.slack.metrics import Measured
from bot.slack.owners import Owners
from bot.slack.people import People
from bot.slack.ports import Answers, Desk, Library, Passages
from bot.slack.questions import Questions
from bot.slack.render import CITE, FEEDBACK, OWNERS, PLACE, SHOWN
from bot.slack.socket import Socket
from bot.slack.views import BESIDE, OPEN_DOC

log = logging.getLogger(__name__)

POOL_THREADS = 4
DRAIN_LIMIT_S = 20  # platforms kill 30 s after SIGTERM


@dataclass(frozen=True, slots=True)
class Listeners:
    """All that listens to Slack."""

    questions: Questions
    citations: Citations
    feedback: Feedback
    owners: Owners
    home: Home
    access: Access


def build_listeners(desk: Desk, client: AsyncWebClient, me: Identity) -> Listeners:
    """The listeners over one desk."""
    people = People(client)
    access = Access(desk.settings, client, me, people)
    return Listeners(
        Questions(desk, client, me, people, access),
        Citations(desk, client),
        Feedback(desk, client),
        Owners(desk, client),
        Home(desk, client),
        access,
    )


def build_app(client: AsyncWebClient, listeners: Listeners, secret: str = "") -> AsyncApp:
    """Each thing that Slack may tell us, and who listens.

    With a signing secret every request's signature is checked; a Socket Mode connection has none.
    """
    logging.getLogger("slack_bolt.AsyncApp").addFilter(_is_news)
    app = AsyncApp(
        client=client, signing_secret=secret or None, request_verification_enabled=bool(secret)
    )
    app.use(listeners.access.guard)
    questions, citations = listeners.questions, listeners.citations
    app.event("app_mention", middleware=[questions.take_on])(questions.begin)
    app.event("message", middleware=[questions.take_on])(questions.begin)
    app.event("app_home_opened")(listeners.home.open)
    app.event(re.compile(".*"))(ignore_event)
    app.action(re.compile(rf"^({CITE}|{PLACE}|{SHOWN}):\d+$"))(citations.open_cited)
    app.action(re.compile(rf"^{BESIDE}:"))(citations.open_beside)
    app.action(OPEN_DOC)(acknowledge)
    app.action(FEEDBACK)(listeners.feedback.rate)
    app.view(REASONS)(listeners.feedback.explain)
    app.action(OWNERS)(listeners.owners.ask)
    app.command(COMMAND)(citations.open_by_id)
    return app


def _is_news(record: logging.LogRecord) -> bool:
    """Not that the client's token is used rather than the same one from the environment."""
    return "`token` will be unused" not in record.getMessage()


async def acknowledge(ack: AsyncAck) -> None:
    """A press on a link: the browser does the rest."""
    await ack()


async def ignore_event(body: Mapping[str, Any]) -> None:
    """Any other event: without a listener Slack would send it again and again."""
    log.debug("Ignored %s: %s", body.get("event_id"), body["event"].get("type"))


async def run(
    settings: Settings,
    answers: Answers,
    passages: Passages,
    library: Library,
    record: Record,
    *,
    stop: asyncio.Event,
    web: Web | None = None,
) -> None:
    """Serve Slack until `stop` is set; then let the questions in hand end.

    Over Socket Mode, or over the port of `web` if that takes what Slack sends.

    Raises:
        SettingsError: a token is missing, swapped or refused.
        FootnoteError: Slack cannot be reached.
    """
    http = web is not None and web.slack
    check_tokens(settings, http=http)
    if web is not None:
        answers = Measured(answers, web.metrics)
    async with AsyncExitStack() as stack:
        pool = ThreadPoolExecutor(POOL_THREADS, thread_name_prefix="slack")
        stack.callback(pool.shutdown, wait=False, cancel_futures=True)
        timeout = ClientTimeout(total=CALL_TIMEOUT_S)
        session = await stack.enter_async_context(ClientSession(timeout=timeout))
        client = build_client(settings, session)
        me = await identify(client)
        listeners = build_listeners(
            Desk(settings, answers, passages, library, record, pool), client, me
        )
        # The last one runs first: no new questions, then an end to those in hand.
        stack.push_async_callback(listeners.questions.drain, DRAIN_LIMIT_S)
        await listeners.questions.resume()
        if web is not None and web.slack:
            secret = settings.slack_signing_secret.get_secret_value().strip()
            stack.callback(setattr, web, "bolt", None)
            web.bolt = build_app(client, listeners, secret)
            web.metrics.watch(listeners.questions.work, None)
        else:
            app_token = settings.slack_app_token.get_secret_value().strip()
            socket = Socket(build_app(client, listeners), client, app_token)
            stack.push_async_callback(socket.close)
            await socket.open()
            if web is not None:
                web.checks["socket"] = socket.check
                web.metrics.watch(listeners.questions.work, socket)
        if "users:read" not in me.scopes and not (
            settings.answer_shared and settings.answer_guests
        ):
            log.error(
                "The app lacks the scope users:read: nobody is let in. Give it what"
                " manifest.yml lists and reinstall it."
            )
        log.info("Connected to Slack, workspace %s", me.team)
        await stop.wait()
