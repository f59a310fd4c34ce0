"""What the record of a local Slack holds, and the errors it raises."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

# A JSON object as it goes over the wire. Slack's own shapes, not ours: blocks, views, messages.
Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Call:
    """One Web API call (or response_url POST, method `response_url`) and how it ended."""

    method: str
    args: Mapping[str, Any]
    ok: bool
    error: str | None
    at: float  # Slack's clock, in seconds


@dataclass(frozen=True, slots=True)
class Ack:
    """An envelope that the app acknowledged. `latency_s` is real time since it was sent."""

    envelope_id: str
    type: str
    latency_s: float
    retry_attempt: int


@dataclass(frozen=True, slots=True)
class Event:
    """An event that was dispatched to the app; `payload` is the whole event_callback."""

    event_id: str
    type: str
    payload: Json


class RefusedError(Exception):
    """The Web API says no. `error` is Slack's name for it, `more` goes into the answer."""

    def __init__(self, error: str, messages: tuple[str, ...] = (), **more: object) -> None:
        super().__init__(f"{error}: {'; '.join(messages)}" if messages else error)
        self.error = error
        self.more: Json = dict(more)
        if messages:
            self.more["response_metadata"] = {"messages": [f"[ERROR] {m}" for m in messages]}


class NotAckedError(Exception):
    """The app did not acknowledge a person's click, command or form in time."""
