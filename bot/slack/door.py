"""Whom the bot answers: members of its own company, unless the settings open the door wider."""

from collections.abc import Mapping

from bot.settings import Settings
from bot.slack.client import Identity
from bot.slack.people import People
from bot.slack.route import Post

SHARED = (
    "I answer in the company's own conversations only, and this one is shared with another"
    " company. Please ask me in an internal channel or in a direct message."
)
GUEST = "I answer members of the workspace only. Please ask a colleague who is one."


def is_shared(body: Mapping[str, object], post: Post, me: Identity) -> bool:
    """Whether an event comes from a Slack Connect channel or from a person of another company."""
    foreign = bool(post.team) and post.team != me.team_id and not body.get("enterprise_id")
    return bool(body.get("is_ext_shared_channel")) or foreign


class Door:
    """Says whom to refuse, and in which words."""

    def __init__(self, settings: Settings, people: People) -> None:
        self._settings = settings
        self._people = people

    async def refuse(self, user: str, *, shared: bool) -> str | None:
        """The words for somebody who is not let in; None for everybody else.

        Raises:
            SlackClientError: Slack does not say who it is.
        """
        if shared:
            return None if self._settings.answer_shared else SHARED
        if self._settings.answer_guests or not (await self._people.find(user)).guest:
            return None
        return GUEST
