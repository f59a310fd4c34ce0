"""The real Bolt app over the real WebSocket against the local Slack."""

from typing import Any

import pytest

from bot.localslack import LocalSlack, NotAckedError
from tests.slack.small_app import app_of, client_of, running


def button(action_id: str, value: str = "v") -> dict[str, Any]:
    text = {"type": "plain_text", "text": "Open"}
    return {"type": "button", "action_id": action_id, "text": text, "value": value}


def modal(text: str = "hello", **more: Any) -> dict[str, Any]:
    return {
        "type": "modal",
        "title": {"type": "plain_text", "text": "Passage"},
        "blocks": [{"type": "section", "text": {"type": "plain_text", "text": text}}],
        **more,
    }


async def test_a_mention_in_a_channel_is_answered_in_its_thread() -> None:
    async with LocalSlack() as slack:
        ana = slack.add_user("ana")
        general = slack.add_channel("general", members=[ana])
        app = app_of(slack)

        @app.event("app_mention")
        async def answer(event: dict[str, Any], say: Any) -> None:
            await say(text="Ten days [1].", thread_ts=event["ts"])

        @app.event("message")
        async def ignore() -> None:
            pass

        async with running(app, slack):
            ts = await slack.post(general, ana, "<@BOT> how much leave?")
            reply = await slack.wait_for_message(general, thread_ts=ts)
            await slack.settled()
        assert reply["text"] == "Ten days [1]."
        assert reply["thread_ts"] == ts
        assert reply["parent_user_id"] == ana
        assert slack.messages(general)[0]["text"] == f"<@{slack.bot_user_id}> how much leave?"
        assert slack.messages(general)[0]["reply_count"] == 1
        types = [e.type for e in slack.events]
        assert types == ["message", "app_mention", "message"]
        assert [a.type for a in slack.acks] == ["events_api"] * 3
        assert max(a.latency_s for a in slack.acks) < 3
        assert slack.refusals == []


async def test_an_event_carries_what_slack_sends() -> None:
    async with LocalSlack() as slack:
        ana = slack.add_user("ana")
        dm = slack.open_dm(ana)
        first = await slack.post(dm, ana, "hello")
        await slack.post(dm, ana, "again", thread_ts=first)
        payload = slack.events[1].payload
        event = payload["event"]
        assert payload["type"] == "event_callback"
        assert payload["team_id"] == slack.team_id
        assert payload["api_app_id"].startswith("A")
        assert payload["event_id"].startswith("Ev")
        assert payload["authorizations"][0]["user_id"] == slack.bot_user_id
        assert payload["is_ext_shared_channel"] is False
        assert event["channel"] == dm
        assert event["channel_type"] == "im"
        assert event["parent_user_id"] == ana
        assert event["thread_ts"] == first
        assert event["event_ts"] == event["ts"]
        assert len(event["client_msg_id"]) == 36
        assert event["blocks"][0]["type"] == "rich_text"


async def test_a_stranger_in_a_shared_channel_is_recognisable() -> None:
    async with LocalSlack() as slack:
        eve = slack.add_user("eve", team_id="T0FOREIGN00")
        shared = slack.add_channel("partners", members=[eve], ext_shared=True)
        app = app_of(slack)
        seen: list[Any] = []

        @app.event("app_mention")
        async def note(context: Any, body: dict[str, Any]) -> None:
            seen.append((context.actor_team_id, body["is_ext_shared_channel"]))

        @app.event("message")
        async def ignore() -> None:
            pass

        async with running(app, slack):
            await slack.post(shared, eve, "<@BOT> hi")
            await slack.settled()
        assert seen == [("T0FOREIGN00", True)]


async def test_a_click_opens_a_modal_with_its_trigger() -> None:
    async with LocalSlack() as slack:
        ana = slack.add_user("ana")
        general = slack.add_channel("general", members=[ana])
        app = app_of(slack)
        bodies: list[dict[str, Any]] = []

        @app.action("cite:1")
        async def open_passage(ack: Any, body: dict[str, Any], client: Any) -> None:
            await ack()
            bodies.append(body)
            await client.views_open(trigger_id=body["trigger_id"], view=modal())

        async with running(app, slack):
            posted = await client_of(slack).chat_postMessage(
                channel=general,
                text="answer",
                blocks=[{"type": "actions", "elements": [button("cite:1", "abc123")]}],
            )
            trigger = await slack.click(general, posted["ts"], "cite:1", ana)
            view = await slack.wait_for_view(ana)
        assert view["title"]["text"] == "Passage"
        assert slack.views[ana] == [view]
        assert bodies[0]["trigger_id"] == trigger
        assert bodies[0]["actions"][0]["value"] == "abc123"
        assert bodies[0]["container"]["message_ts"] == posted["ts"]
        assert bodies[0]["message"]["text"] == "answer"
        assert bodies[0]["response_url"].startswith("http://127.0.0.1:")


async def test_a_click_without_ack_fails_for_the_person() -> None:
    async with LocalSlack(ack_timeout_s=0.1) as slack:
        ana = slack.add_user("ana")
        general = slack.add_channel("general", members=[ana])
        app = app_of(slack)

        @app.action("cite:1")
        async def forget() -> None:
            pass

        async with running(app, slack):
            posted = await client_of(slack).chat_postMessage(
                channel=general,
                text="answer",
                blocks=[{"type": "actions", "elements": [button("cite:1")]}],
            )
            with pytest.raises(NotAckedError):
                await slack.click(general, posted["ts"], "cite:1", ana)


async def test_a_press_on_what_is_not_there_cannot_happen() -> None:
    async with LocalSlack() as slack:
        ana, ben = slack.add_user("ana"), slack.add_user("ben")
        general = slack.add_channel("general", members=[ana])
        posted = await client_of(slack).chat_postMessage(channel=general, text="no buttons")
        with pytest.raises(ValueError, match="nothing to press"):
            await slack.click(general, posted["ts"], "cite:1", ana)
        with pytest.raises(ValueError, match="ben is not in general"):
            await slack.click(general, posted["ts"], "cite:1", ben)


async def test_a_slash_command_is_answered_to_its_sender_alone() -> None:
    async with LocalSlack() as slack:
        ana, ben = slack.add_user("ana"), slack.add_user("ben")
        general = slack.add_channel("general", members=[ana, ben])
        app = app_of(slack)

        @app.command("/rag-source")
        async def source(ack: Any, command: dict[str, Any], respond: Any) -> None:
            await ack(f"looking for {command['text']}")
            await respond("found", response_type="ephemeral")

        async with running(app, slack):
            await slack.command(general, ana, "/rag-source", "abc123")
            await slack.wait_for_ephemeral(ana, count=2)
        assert sorted(m["text"] for m in slack.ephemerals(ana)) == ["found", "looking for abc123"]
        assert slack.ephemerals(ben) == []
        assert slack.messages(general) == []


async def test_a_form_is_sent_and_its_ack_is_obeyed() -> None:
    form = modal(
        submit={"type": "plain_text", "text": "Send"},
        notify_on_close=True,
        blocks=[
            {
                "type": "input",
                "block_id": "why",
                "label": {"type": "plain_text", "text": "Why"},
                "element": {"type": "plain_text_input", "action_id": "text", "max_length": 20},
            }
        ],
        callback_id="feedback",
    )
    async with LocalSlack() as slack:
        ana = slack.add_user("ana")
        general = slack.add_channel("general", members=[ana])
        app = app_of(slack)
        closed: list[str] = []

        @app.command("/feedback")
        async def ask(ack: Any, body: dict[str, Any], client: Any) -> None:
            await ack()
            await client.views_open(trigger_id=body["trigger_id"], view=form)

        @app.view("feedback")
        async def take(ack: Any, view: dict[str, Any]) -> None:
            said = view["state"]["values"]["why"]["text"]["value"]
            if said == "bad":
                await ack(response_action="errors", errors={"why": "say more"})
            else:
                await ack()

        @app.view_closed("feedback")
        async def gone(ack: Any) -> None:
            await ack()
            closed.append("closed")

        async with running(app, slack):
            await slack.command(general, ana, "/feedback")
            await slack.wait_for_view(ana)
            with pytest.raises(ValueError, match="the form demands"):
                await slack.submit_view(ana)
            with pytest.raises(ValueError, match="0 to 20 characters"):
                await slack.submit_view(ana, {"why": {"text": "x" * 21}})
            answer = await slack.submit_view(ana, {"why": {"text": "bad"}})
            assert answer == {"response_action": "errors", "errors": {"why": "say more"}}
            assert len(slack.views[ana]) == 1
            await slack.submit_view(ana, {"why": {"text": "outdated"}})
            assert slack.views[ana] == []
            await slack.command(general, ana, "/feedback")
            await slack.wait_for_view(ana)
            await slack.close_view(ana)
            assert closed == ["closed"]


async def test_a_modal_pages_by_its_own_buttons() -> None:
    async with LocalSlack() as slack:
        ana = slack.add_user("ana")
        general = slack.add_channel("general", members=[ana])
        app = app_of(slack)
        paged = modal(blocks=[{"type": "actions", "elements": [button("next")]}])

        @app.command("/rag-source")
        async def source(ack: Any, body: dict[str, Any], client: Any) -> None:
            await ack()
            await client.views_open(trigger_id=body["trigger_id"], view=paged)

        @app.action("next")
        async def turn(ack: Any, body: dict[str, Any], client: Any) -> None:
            await ack()
            view = body["view"]
            await client.views_update(view_id=view["id"], hash=view["hash"], view=modal("page two"))

        async with running(app, slack):
            await slack.command(general, ana, "/rag-source", "abc")
            await slack.wait_for_view(ana)
            await slack.click_in_view(ana, "next")
            await slack.wait_for(lambda: slack.views[ana][0]["blocks"][0]["type"] == "section")
        assert len(slack.views[ana]) == 1
        assert slack.views[ana][0]["blocks"][0]["text"]["text"] == "page two"


async def test_feedback_buttons_send_the_value_that_was_pressed() -> None:
    thumbs = {
        "type": "context_actions",
        "elements": [
            {
                "type": "feedback_buttons",
                "action_id": "feedback",
                "positive_button": {"text": {"type": "plain_text", "text": "Good"}, "value": "up"},
                "negative_button": {"text": {"type": "plain_text", "text": "Bad"}, "value": "down"},
            }
        ],
    }
    async with LocalSlack() as slack:
        ana = slack.add_user("ana")
        general = slack.add_channel("general", members=[ana])
        app = app_of(slack)
        pressed: list[str] = []

        @app.action("feedback")
        async def note(ack: Any, action: dict[str, Any]) -> None:
            await ack()
            pressed.append(action["value"])

        async with running(app, slack):
            posted = await client_of(slack).chat_postMessage(
                channel=general, text="answer", blocks=[thumbs]
            )
            await slack.click(general, posted["ts"], "feedback", ana, value="down")
        assert pressed == ["down"]


async def test_a_stream_through_bolt_is_final_only_when_it_has_stopped() -> None:
    async with LocalSlack() as slack:
        ana = slack.add_user("ana")
        general = slack.add_channel("general", members=[ana])
        app = app_of(slack)

        @app.event("app_mention")
        async def answer(say_stream: Any, set_status: Any) -> None:
            await set_status("searching", loading_messages=["searching 12 documents"])
            stream = await say_stream(buffer_size=1)
            await stream.append(markdown_text="Ten days ")
            await stream.append(markdown_text="[1].")
            await stream.stop(blocks=[{"type": "actions", "elements": [button("cite:1")]}])

        @app.event("message")
        async def ignore() -> None:
            pass

        async with running(app, slack):
            ts = await slack.post(general, ana, "<@BOT> how much leave?")
            await slack.wait_for(lambda: slack.status(general, ts) == "searching")
            reply = await slack.wait_for_message(general, thread_ts=ts)
            await slack.settled()
        assert reply["text"] == "Ten days [1]."
        assert [b["type"] for b in reply["blocks"]] == ["markdown", "actions"]
        assert slack.status(general, ts) == ""
        methods = [c.method for c in slack.calls if c.method.startswith("chat.")]
        assert methods == ["chat.startStream", "chat.appendStream", "chat.stopStream"]
        assert slack.refusals == []


async def test_opening_the_home_tab_publishes_a_view() -> None:
    async with LocalSlack() as slack:
        ana = slack.add_user("ana")
        app = app_of(slack)
        home = {"type": "home", "blocks": [{"type": "divider"}]}

        @app.event("app_home_opened")
        async def show(event: dict[str, Any], client: Any) -> None:
            if event["tab"] == "home":
                await client.views_publish(user_id=event["user"], view=home)
            else:
                await client.assistant_threads_setSuggestedPrompts(
                    channel_id=event["channel"], prompts=[{"title": "Leave", "message": "leave?"}]
                )

        async with running(app, slack):
            await slack.open_home(ana, "home")
            await slack.wait_for(lambda: slack.home(ana))
            await slack.open_home(ana, "messages")
            prompts = await slack.wait_for(lambda: slack.prompts(slack.open_dm(ana)))
        assert prompts == [{"title": "Leave", "message": "leave?"}]


async def test_edits_deletions_and_joins_come_as_subtypes() -> None:
    async with LocalSlack() as slack:
        ana, ben = slack.add_user("ana"), slack.add_user("ben")
        general = slack.add_channel("general", members=[ana])
        ts = await slack.post(general, ana, "helo")
        await slack.edit(general, ts, "hello <@BOT>")
        await slack.delete(general, ts)
        await slack.join(general, ben)
        heard = [(e.type, e.payload["event"].get("subtype")) for e in slack.events]
        assert heard == [
            ("message", None),
            ("message", "message_changed"),
            ("app_mention", None),
            ("message", "message_deleted"),
            ("message", "channel_join"),
            ("member_joined_channel", None),
        ]
        assert slack.events[2].payload["event"]["edited"]["user"] == ana
        assert slack.events[3].payload["event"]["deleted_ts"] == ts
