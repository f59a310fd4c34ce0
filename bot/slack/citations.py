"""Citations opened: by their button under an answer, and by `/rag-source`."""

import asyncio
import json
import logging
import secrets
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Self
from urllib.parse import quote

from slack_bolt.context.ack.async_ack import AsyncAck
from slack_bolt.context.respond.async_respond import AsyncRespond
from slack_sdk.web.async_client import AsyncWebClient

from bot.record import StoredAnswer, StoredCitation
from bot.slack.blocks import View
from bot.slack.faults import FAULTS
from bot.slack.ports import Desk
from bot.slack.render import CITE
from bot.slack.text import clip, escape_mrkdwn
from bot.slack.views import LOADING, Opened, build_message_view, build_passage_view
from bot.source import BadIdError, clean_id

log = logging.getLogger(__name__)

RECORD_TRIES = 5
RECORD_WAIT_S = 0.1
GRACE_S = 1.0  # a trigger lives for 3 s: what takes longer is shown afterwards

COMMAND = "/rag-source"
HELP = (
    f"`{COMMAND} ID` opens the passage behind a citation. The id stands in the passage's window"
    f" when a citation is opened, for example `{COMMAND} 3f9a0c12de45`."
)
UNKNOWN = "No passage has the id {id}. Copy it from the window of a citation."
FAILED = "Something went wrong, and the passage could not be opened (ref {reference})."


@dataclass(frozen=True, slots=True)
class Origin:
    """The answer that a modal was opened from; `n` is the citation pressed, 0 for none."""

    channel: str
    message_ts: str
    n: int

    def write(self) -> str:
        """As a modal keeps it."""
        return json.dumps([self.channel, self.message_ts, self.n])

    @classmethod
    def read(cls, kept: str) -> Self:
        """What a modal kept."""
        channel, message_ts, n = json.loads(kept)
        return cls(str(channel), str(message_ts), int(n))


NOWHERE = Origin("", "", 0)

Say = Callable[[str], Awaitable[object]]


class Citations:
    """Opens passages in a modal."""

    def __init__(self, desk: Desk, client: AsyncWebClient) -> None:
        self._desk = desk
        self._client = client

    async def open_cited(
        self, ack: AsyncAck, body: Mapping[str, Any], action: Mapping[str, Any]
    ) -> None:
        """A press on a citation, or on one of the nearest places."""
        await ack()
        container = body.get("container") or {}
        kind, _, n = str(action["action_id"]).partition(":")
        origin = Origin(
            str(container.get("channel_id", "")),
            str(container.get("message_ts", "")),
            int(n) if kind == CITE else 0,
        )
        content = self._cited_view(str(action["value"]), origin)
        await self._show(str(body["trigger_id"]), content, None)

    async def open_beside(
        self, ack: AsyncAck, body: Mapping[str, Any], action: Mapping[str, Any]
    ) -> None:
        """A step to the passage before or after, in the modal that is open."""
        await ack()
        view = body["view"]
        origin = Origin.read(str(view.get("private_metadata") or ""))
        content = await _safely(self._cited_view(str(action["value"]), origin))
        try:
            await self._client.views_update(view_id=view["id"], view=_as_view(content))
        except FAULTS:
            log.exception("A passage could not be shown")

    async def open_by_id(
        self, ack: AsyncAck, command: Mapping[str, Any], respond: AsyncRespond
    ) -> None:
        """`/rag-source ID`. What is wrong with an id only its sender sees."""
        text = str(command.get("text") or "")
        if not text.strip(" `'\"[]()<>") or text.strip().lower() == "help":
            await ack(text=HELP, response_type="ephemeral")
            return
        try:
            passage_id = clean_id(text)
        except BadIdError as error:
            await ack(text=escape_mrkdwn(clip(str(error), 300)), response_type="ephemeral")
            return
        await ack()
        await self._show(str(command["trigger_id"]), self._view(passage_id, NOWHERE), respond)

    async def _cited_view(self, passage_id: str, origin: Origin) -> View | str:
        if not origin.n:
            return await self._view(passage_id, origin, title="A place nearby")
        answer = await self._stored(origin)
        cited = next((c for c in answer.citations if c.n == origin.n), None) if answer else None
        if answer is None or cited is None or cited.passage_id != passage_id:
            return await self._view(passage_id, origin)
        return await self._view(
            passage_id, origin, cited, answer.asked_at, title=f"Citation {origin.n}"
        )

    async def _stored(self, origin: Origin) -> StoredAnswer | None:
        """The answer in this message; a quick click can be ahead of the record."""
        record = self._desk.record
        for _ in range(RECORD_TRIES):
            answer = await self._desk.call(record.answer_at, origin.channel, origin.message_ts)
            if answer is not None:
                return answer
            await asyncio.sleep(RECORD_WAIT_S)
        return None

    async def _view(
        self,
        passage_id: str,
        origin: Origin,
        cited: StoredCitation | None = None,
        asked_at: float | None = None,
        title: str = "Passage",
    ) -> View | str:
        opened = await self._desk.call(self._gather, passage_id, origin, cited, asked_at)
        if opened is None:
            return UNKNOWN.format(id=passage_id)
        return await self._desk.call(build_passage_view, opened, title)

    def _gather(
        self,
        passage_id: str,
        origin: Origin,
        cited: StoredCitation | None,
        asked_at: float | None,
    ) -> Opened | None:
        """All that a modal tells of a passage. Blocks."""
        desk = self._desk
        resolved = desk.passages.resolve(passage_id)
        if resolved is None:
            return None
        shown = resolved.current or resolved.cited
        return Opened(
            resolved,
            cited,
            datetime.fromtimestamp(asked_at, UTC)
            if asked_at is not None
            else desk.record.first_cited(passage_id),
            desk.library.beside(shown.chunk.id),
            desk.settings.docs_url.replace("{path}", quote(shown.chunk.doc)),
            origin.write(),
        )

    async def _show(self, trigger_id: str, content: Awaitable[View | str], say: Say | None) -> None:
        """Open the modal while its trigger lives: with its content, or with that put in later.

        What is only to be said goes to `say` if that is given and no modal is open yet.
        """
        ready = asyncio.ensure_future(_safely(content))
        try:
            await asyncio.wait({ready}, timeout=GRACE_S)
            if not ready.done():
                loading = build_message_view(LOADING)
                opened = await self._client.views_open(trigger_id=trigger_id, view=loading)
                view = _as_view(await ready)
                await self._client.views_update(view_id=opened["view"]["id"], view=view)
            elif say is not None and isinstance(ready.result(), str):
                await say(escape_mrkdwn(str(ready.result())))
            else:
                view = _as_view(ready.result())
                await self._client.views_open(trigger_id=trigger_id, view=view)
        except FAULTS:
            log.exception("A passage could not be shown")
        finally:
            ready.cancel()


def _as_view(content: View | str) -> View:
    return build_message_view(content) if isinstance(content, str) else content


async def _safely(content: Awaitable[View | str]) -> View | str:
    try:
        return await content
    except Exception:  # the edge of a handler
        reference = secrets.token_hex(2)
        log.exception("ref %s: a passage could not be read", reference)
        return FAILED.format(reference=reference)
