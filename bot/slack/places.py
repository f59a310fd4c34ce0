"""What kinds of channels there are, as Slack's events tell: who reads along there."""

from collections import OrderedDict
from collections.abc import Mapping

KEPT = 5_000  # channels
PUBLIC = "channel"  # the channel_type of a public one; others are mpim and group
DIRECT = "im"


class Places:
    """Remembers the kinds of channels. A mention does not tell its own, the message beside it does.

    What is not known is private.
    """

    def __init__(self) -> None:
        self._kinds: OrderedDict[str, str] = OrderedDict()

    def note(self, event: Mapping[str, object]) -> None:
        """Learn from any message event."""
        channel, kind = event.get("channel"), event.get("channel_type")
        if not isinstance(channel, str) or not isinstance(kind, str):
            return
        self._kinds[channel] = kind
        self._kinds.move_to_end(channel)
        if len(self._kinds) > KEPT:
            self._kinds.popitem(last=False)

    def is_private(self, channel: str) -> bool:
        """Whether not all of the company can read there, or that is not known."""
        return self._kinds.get(channel) != PUBLIC

    def is_direct(self, channel: str) -> bool:
        """Whether it is known that one person alone reads there."""
        return self._kinds.get(channel) == DIRECT
