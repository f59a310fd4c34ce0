"""Who people are: their names for attribution, and whether they belong to the company."""

import logging
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from bot.slack.faults import FAULTS, name_of

log = logging.getLogger(__name__)

KEPT = 2_000  # people
NAME_CHARS = 80  # Slack's own limit
UNKNOWN = frozenset({"user_not_found", "user_not_visible", "users_not_found"})
KEPT_S = 600  # somebody may become a guest, or another name


@dataclass(frozen=True, slots=True)
class Person:
    """A member of the workspace, as Slack tells."""

    name: str
    guest: bool
    team: str = ""
    enterprise: str = ""
    gone: bool = False  # deactivated

    def belongs_to(self, team: str, enterprise: str) -> bool:
        """Whether this is somebody of that team, or of that enterprise where there is one."""
        return self.team == team or (
            bool(enterprise) and enterprise in {self.team, self.enterprise}
        )


class UnknownPersonError(Exception):
    """Slack knows nobody of that id, or does not show who it is."""


class People:
    """Asks Slack and remembers for a while."""

    def __init__(self, client: AsyncWebClient, clock: Callable[[], float] = time.monotonic) -> None:
        self._client = client
        self._clock = clock
        self._known: OrderedDict[str, tuple[float, Person]] = OrderedDict()

    async def find(self, user_id: str) -> Person:
        """Who somebody is, as Slack told within the last ten minutes.

        Raises:
            UnknownPersonError: Slack knows nobody of that id.
            SlackClientError: Slack does not tell.
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
        except UnknownPersonError:
            return user_id
        except FAULTS as error:
            log.info("No name for %s: %s", user_id, name_of(error))
            return user_id

    async def _ask(self, user_id: str) -> Person:
        try:
            user = (await self._client.users_info(user=user_id))["user"]
        except SlackApiError as error:
            if name_of(error) in UNKNOWN:
                raise UnknownPersonError(user_id) from error
            raise
        profile = user.get("profile") or {}
        name = profile.get("display_name") or profile.get("real_name") or user.get("name")
        guest = bool(user.get("is_restricted") or user.get("is_ultra_restricted"))
        stranger = bool(user.get("is_stranger"))
        return Person(
            str(name or user_id)[:NAME_CHARS],
            guest,
            team="" if stranger else str(user.get("team_id") or ""),
            enterprise=""
            if stranger
            else str((user.get("enterprise_user") or {}).get("enterprise_id") or ""),
            gone=bool(user.get("deleted")),
        )
