"""Who is let in: the one policy for every event, press, command, form and shortcut."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from slack_bolt import BoltResponse
from slack_bolt.context.ack.async_ack import AsyncAck
from slack_sdk.web.async_client import AsyncWebClient

from bot.settings import Settings
from bot.slack.blocks import View, modal, section
from bot.slack.client import Identity
from bot.slack.faults import FAULTS, in_words, name_of
from bot.slack.people import People, Person, UnknownPersonError
from bot.slack.route import Post
from bot.slack.text import escape_mrkdwn

log = logging.getLogger(__name__)

LOOK_UP_S = 1.5  # before an acknowledgement: Slack waits 3 s for it, and a trigger lives as long
POSTS = frozenset({"message", "app_mention"})

SHARED = (
    "I answer in the company's own conversations only, and this one is shared with another"
    " company. Please ask me in an internal channel or in a direct message."
)
GUEST = "I answer members of the workspace only. Please ask a colleague who is one."
NOT_NOW = "I cannot check just now who is asking. Please try again in a minute."
NO_SCOPE = (
    "I cannot check who is asking, so I answer nobody: the app lacks the scope `users:read`."
    " Please tell whoever looks after it."
)


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why somebody is not let in, in words. `passing`: it may be otherwise in a minute."""

    words: str
    passing: bool = False


def is_shared(body: Mapping[str, object], post: Post, me: Identity) -> bool:
    """Whether an event says that it comes from a Slack Connect channel or another company.

    Within a Grid only Slack can tell whether a team is one's own: see `Access.refuse`.
    """
    foreign = bool(post.team) and not me.enterprise_id and post.team != me.team_id
    return bool(body.get("is_ext_shared_channel")) or foreign


class Access:
    """Says whom to refuse, and in which words. Who is not known is refused."""

    def __init__(
        self, settings: Settings, client: AsyncWebClient, me: Identity, people: People
    ) -> None:
        self._settings = settings
        self._client = client
        self._me = me
        self._people = people
        self._looking: set[asyncio.Task[Refusal | None]] = set()

    async def refuse(self, user: str, *, shared: bool = False) -> Refusal | None:
        """Why this person is not let in; None for those who are. `shared` is of the place."""
        settings = self._settings
        if shared and not settings.answer_shared:
            return Refusal(SHARED)
        if settings.answer_shared and settings.answer_guests:
            return None
        try:
            return self._judge(await self._people.find(user))
        except UnknownPersonError:
            return Refusal(GUEST)
        except FAULTS as error:
            why = in_words(error) or name_of(error)
            log.error("%s is refused, as Slack does not say who it is: %s", user, why)  # noqa: TRY400
            missing = name_of(error) == "missing_scope"
            return Refusal(NO_SCOPE if missing else NOT_NOW, passing=True)

    def _judge(self, person: Person) -> Refusal | None:
        if person.gone:
            return Refusal(GUEST)
        if not person.belongs_to(self._me.team_id, self._me.enterprise_id):
            return None if self._settings.answer_shared else Refusal(SHARED)
        return Refusal(GUEST) if person.guest and not self._settings.answer_guests else None

    async def guard(
        self,
        body: Mapping[str, Any],
        ack: AsyncAck,
        next_: Callable[[], Awaitable[None]],
    ) -> BoltResponse | None:
        """The app's global middleware: who is refused reaches no listener, and is told why.

        Posts go on: whether one is a question at all is known later, and `Answering` asks `refuse`
        before it thinks. Events without a person have no one to let in.
        """
        event = body.get("event")
        if isinstance(event, Mapping) and (event.get("type") in POSTS or not person_of(body)):
            await next_()
            return None
        refusal = await self._in_time(person_of(body))
        if refusal is None:
            await next_()
            return None
        try:
            return await self._tell(body, refusal, ack)
        except FAULTS as error:
            log.warning("A refusal was not shown: %s", in_words(error) or name_of(error))
            return BoltResponse(status=200)

    async def _in_time(self, user: str) -> Refusal | None:
        if not user:
            return Refusal(GUEST)
        looking = asyncio.create_task(self.refuse(user))
        self._looking.add(looking)  # it goes on past the limit, so that the next press is known
        looking.add_done_callback(self._looking.discard)
        try:
            return await asyncio.wait_for(asyncio.shield(looking), LOOK_UP_S)
        except TimeoutError:
            return Refusal(NOT_NOW, passing=True)

    async def _tell(
        self, body: Mapping[str, Any], refusal: Refusal, ack: AsyncAck
    ) -> BoltResponse | None:
        """Say it where this entrance allows to; the acknowledgement comes first."""
        words, user = refusal.words, person_of(body)
        kind = str(body.get("type") or "")
        if body.get("command"):
            return await ack(text=escape_mrkdwn(words), response_type="ephemeral")
        if kind == "view_submission":
            return await ack(response_action="update", view=refused_modal(words))
        done = await ack()
        view = body.get("view") or {}
        if event := body.get("event"):
            if event.get("type") == "app_home_opened" and event.get("tab") == "home":
                await self._client.views_publish(user_id=user, view=refused_home(words))
        elif view.get("type") == "home":
            await self._client.views_publish(user_id=user, view=refused_home(words))
        elif view.get("id") and kind == "block_actions":
            await self._client.views_update(view_id=view["id"], view=refused_modal(words))
        elif (channel := (body.get("channel") or {}).get("id")) and kind != "view_closed":
            await self._client.chat_postEphemeral(
                channel=channel,
                user=user,
                thread_ts=(body.get("container") or {}).get("thread_ts"),
                text=escape_mrkdwn(words),
            )
        elif trigger := body.get("trigger_id"):
            await self._client.views_open(trigger_id=trigger, view=refused_modal(words))
        return done


def person_of(body: Mapping[str, Any]) -> str:
    """The id of who is at the door; empty where the payload names nobody."""
    who = (body.get("event") or {}).get("user") or body.get("user") or body.get("user_id") or ""
    return str(who.get("id") or "") if isinstance(who, Mapping) else str(who)


def refused_home(words: str) -> View:
    """The Home tab of somebody who is not let in."""
    return {"type": "home", "blocks": [section(escape_mrkdwn(words))]}


def refused_modal(words: str) -> View:
    """The modal of somebody who is not let in."""
    return modal("Not for you", [section(escape_mrkdwn(words))])
