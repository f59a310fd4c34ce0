"""One policy at every entrance: who does not belong reaches no listener, and is told so."""

from typing import Any

import pytest
from slack_bolt.request.async_request import AsyncBoltRequest
from slack_bolt.response import BoltResponse
from sqlalchemy import select

from bot.schema import answers
from bot.slack.access import GUEST, NOT_NOW, SHARED, Access
from bot.slack.app import build_app, build_listeners
from bot.slack.client import Identity, build_client
from bot.slack.people import People
from bot.slack.ports import Desk
from tests.slack.conftest import LEAVE, TRAVEL, Office, abstention

ME = Identity("U0BOT", "T0US", "us", frozenset())
VIEW = {"id": "V1", "type": "modal", "private_metadata": '["C1","1.0",1]', "state": {"values": {}}}


def press(action_id: str, **more: Any) -> dict[str, Any]:
    action = {"type": "button", "action_id": action_id, "block_id": "b", "value": LEAVE.id}
    return {"type": "block_actions", "user": {"id": "U1"}, "actions": [action], **more}


def event(kind: str, **more: Any) -> dict[str, Any]:
    about = {"type": kind, "user": "U1", "channel": "C1", "ts": "5.0", "text": "a question", **more}
    return {"type": "event_callback", "event_id": "E1", "event": about}


PAYLOADS = [
    *(press(name) for name in ("cite:1", "place:1", "shown:1", "beside:after", "open_doc")),
    *(press(name) for name in ("feedback", "owners")),
    {
        "type": "view_submission",
        "user": {"id": "U1"},
        "view": {**VIEW, "callback_id": "feedback_reasons"},
    },
    {"command": "/rag-source", "text": LEAVE.id, "user_id": "U1"},
    event("app_home_opened", tab="home"),
    event("team_join"),
]


async def test_no_listener_is_reached_by_a_person_whom_the_policy_refuses(office: Office) -> None:
    """A new listener fails here until a payload of its kind is added, and it is guarded."""
    guest = office.slack.add_user("gil", guest=True)
    client = build_client(office.settings())
    desk: Any = Desk(
        office.settings(), office.answers, office.shelf, office.shelf, office.record, None
    )  # type: ignore[arg-type]
    app = build_app(client, build_listeners(desk, client, ME))
    reached: list[str] = []
    names = {listener.ack_function.__name__ for listener in app._async_listeners}

    def spy(name: str) -> Any:
        async def reach() -> BoltResponse:
            reached.append(name)
            return BoltResponse(status=200)

        return reach

    matched = set()
    for payload in PAYLOADS:
        request = AsyncBoltRequest(body=payload, mode="socket_mode")
        for listener in app._async_listeners:
            if await listener.async_matches(req=request, resp=BoltResponse(status=200)):
                matched.add(listener.ack_function.__name__)
    assert names - matched == {"begin"}, "posts are refused before they are thought about"
    for listener in app._async_listeners:
        listener.ack_function = spy(listener.ack_function.__name__)  # type: ignore[misc]
        listener.lazy_functions = []
    for payload in PAYLOADS:
        text = {**payload}
        text = _from(text, guest)
        response = await app.async_dispatch(AsyncBoltRequest(body=text, mode="socket_mode"))
        assert response.status == 200
    assert reached == []


def _from(payload: dict[str, Any], user: str) -> dict[str, Any]:
    if "event" in payload:
        return {**payload, "event": {**payload["event"], "user": user}}
    if "command" in payload:
        return {**payload, "user_id": user}
    return {**payload, "user": {"id": user}}


async def test_a_guest_opens_no_citation_by_its_button_and_is_told_once(bot: Office) -> None:
    guest = bot.slack.add_user("gil", guest=True)
    await bot.slack.join(bot.general, guest)
    answer = await bot.ask("How much leave?")
    for action in ("cite:1", "feedback"):
        value = "up" if action == "feedback" else None
        await bot.slack.click(bot.general, answer["ts"], action, guest, value=value)
        told = await bot.slack.wait_for_ephemeral(guest)
        assert told["text"] == GUEST
    assert bot.slack.views[guest] == []


async def test_a_member_of_another_company_opens_no_citation(bot: Office) -> None:
    eve = bot.slack.add_user("eve", team_id="T0ACME")
    await bot.slack.join(bot.general, eve)
    answer = await bot.ask("How much leave?")
    await bot.slack.click(bot.general, answer["ts"], "cite:1", eve)
    assert (await bot.slack.wait_for_ephemeral(eve))["text"] == SHARED
    assert bot.slack.views[eve] == []


async def test_who_became_a_guest_walks_no_further_in_an_open_passage(
    bot: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.slack.people.KEPT_S", 0)
    answer = await bot.ask("How much leave?")
    await bot.slack.click(bot.general, answer["ts"], "cite:1", bot.ana)
    await bot.slack.wait_for(lambda: bot.slack.views[bot.ana])
    bot.slack._store.users[bot.ana].guest = True
    await bot.slack.click_in_view(bot.ana, "beside:after")
    await bot.slack.wait_for(lambda: GUEST in str(bot.slack.views[bot.ana][-1]))
    assert TRAVEL.text not in str(bot.slack.views[bot.ana])


@pytest.mark.parametrize("error", ["user_not_found", "internal_error", "missing_scope"])
async def test_who_is_not_known_is_refused(office: Office, error: str) -> None:
    async with office.running():
        office.slack.faults.fail("users.info", error, times=9)
        await office.slack.command(office.general, office.ana, "/rag-source", LEAVE.id)
        assert (await office.slack.wait_for_ephemeral(office.ana))["text"] != ""
    assert office.slack.views[office.ana] == []


async def test_a_slow_look_up_is_acknowledged_in_time_and_asks_to_try_again(bot: Office) -> None:
    bot.slack.faults.delay("users.info", 2.5)
    await bot.slack.command(bot.general, bot.ana, "/rag-source", LEAVE.id)
    assert (await bot.slack.wait_for_ephemeral(bot.ana))["text"] == NOT_NOW


@pytest.mark.parametrize(
    ("home", "of_person", "admitted"),
    [("E1", "E1", True), ("E1", "E2", False), ("", "E2", False)],
)
async def test_another_grid_is_another_company(
    office: Office,
    monkeypatch: pytest.MonkeyPatch,
    home: str,
    of_person: str,
    admitted: bool,  # noqa: FBT001
) -> None:
    client = build_client(office.settings())

    async def users_info(user: str) -> dict[str, Any]:
        grid = {"enterprise_id": of_person}
        return {"user": {"id": user, "team_id": "T0OTHER", "enterprise_user": grid}}

    monkeypatch.setattr(client, "users_info", users_info)
    me = Identity("U0BOT", "T0US", "us", frozenset(), home)
    access = Access(office.settings(), client, me, People(client))
    assert (await access.refuse("U1") is None) is admitted


async def test_only_the_asker_sends_a_question_to_the_owners(office: Office) -> None:
    office.answers.outcome = abstention
    owners = office.slack.add_channel("owners")
    ben = office.slack.add_user("ben")
    await office.slack.join(office.general, ben)
    async with office.running(owners_channel=owners):
        answer = await office.ask("How much leave?")
        await office.slack.click(office.general, answer["ts"], "owners", ben)
        told = await office.slack.wait_for_ephemeral(ben)
    assert told["text"] == "Only the person who asked this can send it to the owners."
    assert office.slack.messages(owners) == []


async def test_what_is_asked_in_a_dm_or_private_channel_is_kept_as_private(bot: Office) -> None:
    hidden = bot.slack.add_channel("hidden", [bot.ana], private=True)
    await bot.ask("In public?")
    for place in (hidden, bot.dm):
        ts = await bot.slack.post(place, bot.ana, "<@BOT> In private?")
        await bot.slack.wait_for_message(place, thread_ts=ts)
    await bot.slack.settled()
    with bot.record._engine.connect() as connection:
        rows = connection.execute(select(answers.c.question, answers.c.private)).all()
    assert [tuple(row) for row in rows] == [
        ("In public?", False),
        ("In private?", True),
        ("In private?", True),
    ]
