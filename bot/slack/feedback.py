"""Thumbs: kept with the answer, and why one is down."""

import logging
from collections.abc import Mapping
from typing import Any, cast

from slack_bolt.context.ack.async_ack import AsyncAck
from slack_sdk.web.async_client import AsyncWebClient

from bot.record import Thumb
from bot.slack.blocks import Block, View, modal, plain
from bot.slack.faults import FAULTS, in_words, name_of
from bot.slack.origin import Origin, find_answer
from bot.slack.ports import Desk

log = logging.getLogger(__name__)

REASONS = "feedback_reasons"  # the modal's callback_id
REASON, WORDS = "reason", "words"  # its inputs

OPTIONS = {
    "wrong": "It is wrong",
    "outdated": "It is outdated",
    "not_the_question": "It does not answer the question",
    "other": "Something else",
}
WORDS_CHARS = 1_000

THANKS = "Thank you. Pressed again, the thumb is taken back."
TAKEN_BACK = "Your thumb is taken back."


class Feedback:
    """Takes thumbs, and asks what is wrong with an answer."""

    def __init__(self, desk: Desk, client: AsyncWebClient) -> None:
        self._desk = desk
        self._client = client

    async def rate(self, ack: AsyncAck, body: Mapping[str, Any], action: Mapping[str, Any]) -> None:
        """A press on a thumb."""
        await ack()
        origin = Origin.of(body)
        user, value = str(body["user"]["id"]), cast("Thumb", str(action["value"]))
        try:
            if value == "down":  # first of all: the trigger lives for 3 s
                view = build_reasons_view(origin)
                await self._client.views_open(trigger_id=str(body["trigger_id"]), view=view)
        except FAULTS as error:
            log.warning("No form for a thumb down: %s", in_words(error) or name_of(error))
        try:
            await find_answer(self._desk, origin)
            stands = await self._desk.call(
                self._desk.record.rate, origin.channel, origin.message_ts, user, value
            )
            if value == "up" and stands is not None:
                await self._tell(body, origin, THANKS if stands else TAKEN_BACK)
        except Exception:  # the edge of a handler
            log.exception("A thumb is not on record")

    async def explain(
        self, ack: AsyncAck, body: Mapping[str, Any], view: Mapping[str, Any]
    ) -> None:
        """The form of a thumb down, filled in."""
        await ack()
        origin = Origin.read(str(view["private_metadata"]))
        values = view["state"]["values"]
        reason = str(values[REASON][REASON]["selected_option"]["value"])
        words = str(values[WORDS][WORDS].get("value") or "")
        user = str(body["user"]["id"])
        try:
            await self._desk.call(
                self._desk.record.explain,
                origin.channel,
                origin.message_ts,
                user,
                reason=reason,
                text=words,
            )
        except Exception:  # the edge of a handler
            log.exception("Why a thumb is down is not on record")

    async def _tell(self, body: Mapping[str, Any], origin: Origin, text: str) -> None:
        thread_ts = (body.get("container") or {}).get("thread_ts")
        try:
            await self._client.chat_postEphemeral(
                channel=origin.channel, user=str(body["user"]["id"]), thread_ts=thread_ts, text=text
            )
        except FAULTS as error:
            log.info("No thanks for a thumb: %s", in_words(error) or name_of(error))


def build_reasons_view(origin: Origin) -> View:
    """A small form: what is wrong, and a few words."""
    options = [{"text": plain(label), "value": value} for value, label in OPTIONS.items()]
    choice: Block = {"type": "radio_buttons", "action_id": REASON, "options": options}
    words: Block = {
        "type": "plain_text_input",
        "action_id": WORDS,
        "multiline": True,
        "max_length": WORDS_CHARS,
    }
    blocks = [
        _input(REASON, "What is wrong with this answer?", choice),
        {**_input(WORDS, "What would be right?", words), "optional": True},
    ]
    return modal(
        "Not helpful",
        blocks,
        callback_id=REASONS,
        private_metadata=origin.write(),
        submit=plain("Send"),
    )


def _input(name: str, label: str, element: Block) -> Block:
    return {"type": "input", "block_id": name, "label": plain(label), "element": element}
