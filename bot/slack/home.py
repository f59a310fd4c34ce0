"""The app's own page: its Home tab, and what the Messages tab begins with."""

import logging
from collections.abc import Mapping, Sequence

from slack_sdk.web.async_client import AsyncWebClient

from bot.slack.blocks import Block, View, context, divider, section
from bot.slack.faults import FAULTS, in_words, name_of
from bot.slack.help import EXAMPLES, HOW, TRY, build_help, example_questions
from bot.slack.lifetimes import day
from bot.slack.ports import Desk
from bot.slack.text import clip, escape_mrkdwn
from ingest.library import Changed, Overview, Topic
from ingest.types import Failure

log = logging.getLogger(__name__)

NEWEST = 5
FAULTS_SHOWN = 5
PROMPT_CHARS = 75

FIGURES = "*{documents:,}* documents, *{passages:,}* passages"
SYNCED = "Last sync: {at:%Y-%m-%d %H:%M} UTC"
PRIVATE = (
    "What you ask in a direct message or a private channel is in no list, digest or export, unless"
    " you press “Ask the owners” yourself."
)
NEVER = "No sync has ended yet."
FAULTY = "*Could not be read in full:*"
CHANGED = "*Changed last:*"


class Home:
    """Shows the Home tab, and greets in the Messages tab."""

    def __init__(self, desk: Desk, client: AsyncWebClient) -> None:
        self._desk = desk
        self._client = client

    async def open(self, event: Mapping[str, object]) -> None:
        """Somebody opened a tab of the app."""
        user, channel = str(event["user"]), str(event.get("channel") or "")
        try:
            if event.get("tab") == "home":
                view = await self._desk.call(self._home)
                await self._client.views_publish(user_id=user, view=view)
            elif event.get("tab") == "messages" and channel:
                await self._greet(channel)
        except FAULTS as error:
            log.warning("The app's page stays as it was: %s", in_words(error) or name_of(error))

    def _home(self) -> View:
        library = self._desk.library
        return build_home(library.overview(NEWEST), library.topics(EXAMPLES))

    async def _greet(self, channel: str) -> None:
        """Suggest questions; say what this is to somebody who has not written yet."""
        library, record = self._desk.library, self._desk.record
        topics = await self._desk.call(library.topics, EXAMPLES)
        if prompts := build_prompts(topics):
            await self._client.assistant_threads_setSuggestedPrompts(
                channel_id=channel, prompts=prompts
            )
        welcome = [f"welcome:{channel}"]
        written = await self._client.conversations_history(channel=channel, limit=1)
        if written.get("messages") or not await self._desk.call(record.claim, welcome):
            return
        message = build_help(await self._desk.call(library.documents), topics)
        await self._client.chat_postMessage(
            channel=channel, text=message.text, blocks=message.blocks
        )
        await self._desk.call(record.finish, welcome)


def build_prompts(topics: Sequence[Topic]) -> list[dict[str, str]]:
    """Questions to press on."""
    return [
        {"title": clip(question, PROMPT_CHARS), "message": question}
        for question in example_questions(topics)
    ]


def build_home(overview: Overview, topics: Sequence[Topic]) -> View:
    """What is indexed, how the last sync went, what is new, and what to ask."""
    at = overview.last_sync
    blocks: list[Block] = [
        section(FIGURES.format(documents=overview.documents, passages=overview.passages)),
        context(SYNCED.format(at=at) if at else NEVER),
        section(HOW),
        context(PRIVATE),
        *_list(TRY, example_questions(topics)),
        *_list(CHANGED, [_changed(document) for document in overview.newest]),
        *_list(FAULTY, _faults(overview.faults)),
    ]
    return {"type": "home", "blocks": blocks}


def _list(title: str, lines: Sequence[str]) -> list[Block]:
    if not lines:
        return []
    items = [f"• {escape_mrkdwn(clip(line, 300))}" for line in lines]
    return [divider(), section("\n".join([title, *items])[:3_000])]


def _changed(document: Changed) -> str:
    return f"{document.title} ({document.doc}), {day(document.at)}"


def _faults(faults: Sequence[Failure]) -> list[str]:
    lines = [f"{fault.doc}: {fault.error}" for fault in faults[:FAULTS_SHOWN]]
    left = len(faults) - FAULTS_SHOWN
    return [*lines, f"and {left} more"] if left > 0 else lines
