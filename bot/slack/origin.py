"""Where somebody pressed: the message, and what in it."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self


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
