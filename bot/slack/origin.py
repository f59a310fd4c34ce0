"""Where somebody pressed: the message, and what in it."""

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from bot.slack.ports import Desk
from bot.stored import StoredAnswer

RECORD_TRIES = 5
RECORD_WAIT_S = 0.1


@dataclass(frozen=True, slots=True)
class Origin:
    """A message of the bot; `n` is the citation pressed there, 0 for none."""

    channel: str
    message_ts: str
    n: int = 0

    @classmethod
    def of(cls, body: Mapping[str, Any], n: int = 0) -> Self:
        """From what a press in a message sends."""
        container = body.get("container") or {}
        return cls(str(container.get("channel_id", "")), str(container.get("message_ts", "")), n)

    @classmethod
    def read(cls, kept: str) -> Self:
        """What a modal kept."""
        channel, message_ts, n = json.loads(kept)
        return cls(str(channel), str(message_ts), int(n))

    def write(self) -> str:
        """As a modal keeps it."""
        return json.dumps([self.channel, self.message_ts, self.n])


NOWHERE = Origin("", "")


async def find_answer(desk: Desk, origin: Origin) -> StoredAnswer | None:
    """The answer in this message; a quick press can be ahead of the record."""
    for _ in range(RECORD_TRIES):
        answer = await desk.call(desk.record.answer_at, origin.channel, origin.message_ts)
        if answer is not None:
            return answer
        await asyncio.sleep(RECORD_WAIT_S)
    return None
