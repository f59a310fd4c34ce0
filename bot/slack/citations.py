"""Citations opened: by their button under an answer, and by `/rag-source`."""

import asyncio
import logging
import secrets
from collections.abc import Awaitable, Callable, Mapping
from datetime import UTC, datetime
from typing import Any, cast
from urllib.parse import quote

from slack_bolt.context.ack.async_ack import AsyncAck
from slack_bolt.context.respond.async_respond import AsyncRespond
from slack_sdk.web.async_client import AsyncWebClient

from bot.slack.blocks import View
from bot.slack.faults import FAULTS
from bot.slack.origin import NOWHERE, Origin, find_answer
from bot.slack.ports import Desk
from bot.slack.render import CITE, PLACE, SHOWN, Message, build_last_shown
from bot.slack.text import clip, escape_mrkdwn
from bot.slack.views import LOADING, Opened, build_message_view, build_passage_view
from bot.source import BadIdError, clean_id, tell_erasure
from bot.stored import StoredCitation
from ingest.printable import clean, printable

log = logging.getLogger(__name__)

GRACE_S = 1.0  # a trigger lives for 3 s: what takes longer is shown afterwards

COMMAND = "/rag-source"
TITLES = {PLACE: "A place nearby", SHOWN: "Passage"}
HELP = (
    f"`{COMMAND} ID` opens the passage behind a citation. The id stands in the passage's window"
    f" when a citation is opened, for example `{COMMAND} 3f9a0c12de45`."
)
UNKNOWN = "No passage has the id {id}. Copy it from the window of a citation."
FAILED = "Something went wrong, and the passage could not be opened (ref {reference})."


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
        kind, _, n = str(action["action_id"]).partition(":")
        passage_id = str(action["value"])
        if kind == CITE:
            content = self._cited_view(passage_id, Origin.of(body, int(n)))
        else:
            content = self._view(passage_id, NOWHERE, title=TITLES[kind])
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
            message = await self._help(str(command["user_id"]))
            shown = cast("dict[str, Any]", clean({"text": message.text, "blocks": message.blocks}))
            await ack(**shown, response_type="ephemeral")
            return
        try:
            passage_id = clean_id(text)
        except BadIdError as error:
            words = escape_mrkdwn(clip(printable(str(error)), 300))
            await ack(text=words, response_type="ephemeral")
            return
        await ack()
        content = self._view(passage_id, NOWHERE)
        await self._show(str(command["trigger_id"]), content, respond)

    async def _help(self, user: str) -> Message:
        """What was last shown to somebody, and how to open a passage."""
        try:
            cited = await self._desk.call(self._desk.record.last_cited, user)
        except Exception:  # the edge of a handler: the help does not depend on it
            log.exception("What %s saw last is not known", user)
            cited = ()
        return build_last_shown(cited, HELP)

    async def _cited_view(self, passage_id: str, origin: Origin) -> View | str:
        answer = await find_answer(self._desk, origin)
        cited = next((c for c in answer.citations if c.n == origin.n), None) if answer else None
        if answer is None or cited is None or cited.passage_id != passage_id:
            return await self._view(passage_id, origin)
        return await self._view(
            passage_id, origin, cited, answer.asked_at, title=f"Citation {origin.n}"
        )

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
        if told := tell_erasure(opened.resolved.cited):
            return told
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
