"""Who people are: their names for attribution, and whether they belong to the company."""

import logging
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from bot.slack.faults import FAULTS, in_words, name_of

log = logging.getLogger(__name__)

KEPT = 2_000  # people
NAME_CHARS = 80  # Slack's own limit
KEPT_S = 600  # somebody may become a guest, or another name


@dataclass(frozen=True, slots=True)
class Person:
    """A member of the workspace, as Slack tells."""

    name: str
    guest: bool


class People:
    """Asks Slack and remembers for a while."""

    def __init__(self, client: AsyncWebClient, clock: Callable[[], float] = time.monotonic) -> None:
        self._client = client
        self._clock = clock
        self._known: OrderedDict[str, tuple[float, Person]] = OrderedDict()

    async def find(self, user_id: str) -> Person:
        """Who somebody is. Where Slack does not tell, the name is the id and nobody is a guest.

        Raises:
            SlackApiError: Slack refuses for another reason than a missing scope.
        """
        at, person = self._known.get(user_id, (0.0, None))
        if person is not None and self._clock() - at < KEPT_S:
            return person
        person = await self._ask(user_id)
        self._known[user_id] = (self._clock(), person)
        self._known.move_to_end(user_id)
        while len(self._known) > KEPT:
            self._known.popitem(last=False)
        return person

    async def name(self, user_id: str) -> str:
        """What somebody is called; the id where that is not known."""
        try:
            return (await self.find(user_id)).name
        except FAULTS as error:
            log.info("No name for %s: %s", user_id, name_of(error))
            return user_id

    async def _ask(self, user_id: str) -> Person:
        try:
            user = (await self._client.users_info(user=user_id))["user"]
        except SlackApiError as error:
            if name_of(error) not in {"missing_scope", "user_not_found"}:
                raise
            log.warning("Cannot tell who %s is: %s", user_id, in_words(error) or name_of(error))
            return Person(user_id, guest=False)
        profile = user.get("profile") or {}
        name = profile.get("display_name") or profile.get("real_name") or user.get("name")
        guest = bool(user.get("is_restricted") or user.get("is_ultra_restricted"))
        return Person(str(name or user_id)[:NAME_CHARS], guest)
