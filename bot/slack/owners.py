"""A question that the documents do not answer, on its way to those who own them."""

import logging
from collections.abc import Mapping, Sequence
from typing import Any

from slack_bolt.context.ack.async_ack import AsyncAck
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from bot.slack.blocks import Block, context, note, section
from bot.slack.faults import FAULTS, in_words, name_of
from bot.slack.origin import Origin, find_answer
from bot.slack.ports import Desk
from bot.slack.render import OWNERS, Message
from bot.slack.text import clip, escape_mrkdwn
from bot.stored import StoredAnswer

log = logging.getLogger(__name__)

ASKED = "The owners of the documents were asked."
TAKEN_BACK = "its author changed or deleted it"
NOT_ASKED = "The owners could not be asked: {why}."
FORGOTTEN = "the question is not on record any more"
NOT_YOURS = "Only the person who asked this can send it to the owners."
NO_ANSWER = "<@{user}> asked what the documents do not answer:"
MEANT = "It was understood as: {question}"
LINK = "<{permalink}|Open the conversation>"
QUESTION_CHARS = 2_000


class Owners:
    """Posts a question to the owners' channel, once."""

    def __init__(self, desk: Desk, client: AsyncWebClient) -> None:
        self._desk = desk
        self._client = client

    async def ask(self, ack: AsyncAck, body: Mapping[str, Any]) -> None:
        """A press on "Ask the owners"."""
        await ack()
        origin, record = Origin.of(body), self._desk.record
        try:
            answer = await find_answer(self._desk, origin)
            if answer is None:
                await self._tell(origin, body, NOT_ASKED.format(why=FORGOTTEN))
                return
            if answer.user != body["user"]["id"]:
                await self._tell(origin, body, NOT_YOURS)
                return
            if not answer.question:
                await self._tell(origin, body, NOT_ASKED.format(why=TAKEN_BACK))
                return
            if await self._desk.call(record.forward, origin.channel, origin.message_ts):
                await self._forward(origin, answer)
            await self._say_so(origin, body)
        except SlackApiError as error:
            why = in_words(error) or name_of(error)
            log.error("A question did not reach the owners: %s", why)  # noqa: TRY400 - said in words
            await self._desk.call(record.take_back, origin.channel, origin.message_ts)
            await self._tell(origin, body, NOT_ASKED.format(why=why))
        except Exception:  # the edge of a handler: it may have arrived, so it is not sent again
            log.exception("A question may not have reached the owners")
            await self._tell(origin, body, NOT_ASKED.format(why="Slack did not answer"))

    async def _forward(self, origin: Origin, answer: StoredAnswer) -> None:
        link = await self._client.chat_getPermalink(
            channel=origin.channel, message_ts=origin.message_ts
        )
        message = build_question(answer, str(link["permalink"]))
        await self._client.chat_postMessage(
            channel=self._desk.settings.owners_channel,
            text=message.text,
            blocks=message.blocks,
            unfurl_links=False,
            unfurl_media=False,
        )

    async def _say_so(self, origin: Origin, body: Mapping[str, Any]) -> None:
        """Put the news where the button was; that it was sent does not depend on it."""
        message = body.get("message") or {}
        try:
            await self._client.chat_update(
                channel=origin.channel,
                ts=origin.message_ts,
                text=str(message.get("text") or ASKED),
                blocks=without_button(message.get("blocks") or []),
            )
        except FAULTS as error:
            log.info("The button stays: %s", in_words(error) or name_of(error))

    async def _tell(self, origin: Origin, body: Mapping[str, Any], text: str) -> None:
        thread_ts = (body.get("container") or {}).get("thread_ts")
        try:
            await self._client.chat_postEphemeral(
                channel=origin.channel, user=str(body["user"]["id"]), thread_ts=thread_ts, text=text
            )
        except FAULTS as error:
            log.info("Nobody was told: %s", in_words(error) or name_of(error))


def build_question(answer: StoredAnswer, permalink: str) -> Message:
    """The question for the owners: who asked what, and where."""
    asked = escape_mrkdwn(clip(answer.question, QUESTION_CHARS))[: QUESTION_CHARS + 500]
    lines = [NO_ANSWER.format(user=answer.user), f"> {asked}", LINK.format(permalink=permalink)]
    blocks = [section("\n".join(lines))]
    if answer.standalone != answer.question:
        blocks.append(note(MEANT.format(question=clip(answer.standalone, QUESTION_CHARS))))
    return Message(asked, blocks)


def without_button(blocks: Sequence[Mapping[str, Any]]) -> list[Block]:
    """A message's blocks with the news in the place of the button."""
    return [
        context(ASKED)
        if any(element.get("action_id") == OWNERS for element in block.get("elements") or [])
        else dict(block)
        for block in blocks
    ]
