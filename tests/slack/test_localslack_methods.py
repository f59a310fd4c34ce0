"""What each Web API method does and refuses, through the real client."""

import json
from collections.abc import Awaitable
from typing import Any

import pytest
from slack_sdk.errors import SlackApiError
from slack_sdk.webhook.async_client import AsyncWebhookClient

from bot.localslack import LocalSlack
from tests.slack.small_app import app_of, client_of, running

MODAL = {
    "type": "modal",
    "title": {"type": "plain_text", "text": "Passage"},
    "blocks": [{"type": "divider"}],
}


async def error_of(call: Awaitable[Any]) -> str:
    with pytest.raises(SlackApiError) as refused:
        await call
    return str(refused.value.response["error"])


# chat.*


async def test_places_where_the_bot_cannot_post() -> None:
    async with LocalSlack() as slack:
        client = client_of(slack)
        closed = slack.add_channel("old", archived=True)
        elsewhere = slack.add_channel("elsewhere", with_bot=False)
        secret = slack.add_channel("secret", private=True, with_bot=False)
        post = client.chat_postMessage
        assert await error_of(post(channel="C0", text="hi")) == "channel_not_found"
        assert await error_of(post(channel=closed, text="hi")) == "is_archived"
        assert await error_of(post(channel=elsewhere, text="hi")) == "not_in_channel"
        assert await error_of(post(channel=secret, text="hi")) == "channel_not_found"


async def test_a_message_says_something_and_in_one_way() -> None:
    async with LocalSlack() as slack:
        general = slack.add_channel("general")
        post = client_of(slack).chat_postMessage
        blocks = [{"type": "divider"}]
        for empty in ("", " \n"):
            call = client_of(slack).api_call(
                "chat.postMessage", json={"channel": general, "text": empty}
            )
            assert await error_of(call) == "no_text"
        for clash in ({"text": "hi"}, {"blocks": blocks}):
            call = post(channel=general, markdown_text="**hi**", **clash)
            assert await error_of(call) == "markdown_text_conflict"
        assert await error_of(post(channel=general, markdown_text="x" * 12_001)) == "msg_too_long"
        posted = await post(channel=general, text="x" * 40_001)
        assert len(posted["message"]["text"]) == 40_000
        posted = await post(channel=general, markdown_text="**hi**")
        assert posted["message"]["blocks"][0]["text"] == "**hi**"


async def test_a_reply_needs_a_thread() -> None:
    async with LocalSlack() as slack:
        ana = slack.add_user("ana")
        general = slack.add_channel("general", members=[ana])
        ts = await slack.post(general, ana, "hello")
        reply = await slack.post(general, ana, "hello", thread_ts=ts)
        post = client_of(slack).chat_postMessage

        async def at(thread_ts: str) -> str:
            return await error_of(post(channel=general, text="hi", thread_ts=thread_ts))

        assert await at("yesterday") == "invalid_thread_ts"
        assert await at("1700000000.000000") == "thread_not_found"
        assert await at(reply) == "cannot_reply_to_message"


async def test_a_user_id_posts_into_the_dm() -> None:
    async with LocalSlack() as slack:
        ana = slack.add_user("ana")
        posted = await client_of(slack).chat_postMessage(channel=ana, text="hi")
        assert posted["channel"] == slack.open_dm(ana)


async def test_updates_are_for_own_messages_up_to_4000_characters() -> None:
    async with LocalSlack() as slack:
        ana = slack.add_user("ana")
        general = slack.add_channel("general", members=[ana])
        client = client_of(slack)
        theirs = await slack.post(general, ana, "hello")
        posted = await client.chat_postMessage(
            channel=general, text="hi", blocks=[{"type": "divider"}]
        )
        own = posted["ts"]

        async def update(ts: str, text: str) -> str:
            return await error_of(client.chat_update(channel=general, ts=ts, text=text))

        assert await update("1.0", "x") == "message_not_found"
        assert await update(theirs, "x") == "cant_update_message"
        assert await update(own, "x" * 4001) == "msg_too_long"
        nothing = client.api_call("chat.update", json={"channel": general, "ts": own, "text": ""})
        assert await error_of(nothing) == "no_text"
        blocks = [{"type": "divider"}, {"type": "divider"}]
        await client.chat_update(channel=general, ts=own, text="x" * 4000, blocks=blocks)
        assert len(slack.messages(general)[1]["blocks"]) == 2
        await client.chat_update(channel=general, ts=own, text="x")
        assert slack.messages(general)[1]["blocks"] == []
        assert slack.events[-1].payload["event"]["subtype"] == "message_changed"
        slack.archive(general)
        assert await update(own, "x") == "is_inactive"


async def test_deletions_are_for_own_messages() -> None:
    async with LocalSlack() as slack:
        ana = slack.add_user("ana")
        general = slack.add_channel("general", members=[ana])
        client = client_of(slack)
        theirs = await slack.post(general, ana, "hello")
        own = (await client.chat_postMessage(channel=general, text="hi"))["ts"]
        delete = client.chat_delete
        assert await error_of(delete(channel=general, ts="1.0")) == "message_not_found"
        assert await error_of(delete(channel=general, ts=theirs)) == "cant_delete_message"
        await delete(channel=general, ts=own)
        assert [m["ts"] for m in slack.messages(general)] == [theirs]


async def test_an_ephemeral_message_is_for_a_member() -> None:
    async with LocalSlack() as slack:
        ana, ben = slack.add_user("ana"), slack.add_user("ben")
        general = slack.add_channel("general", members=[ana])
        whisper = client_of(slack).chat_postEphemeral
        assert await error_of(whisper(channel=general, user=ben, text="x")) == "user_not_in_channel"
        await whisper(channel=general, user=ana, text="psst")
        assert [m["text"] for m in slack.ephemerals(ana)] == ["psst"]
        assert slack.messages(general) == []


async def test_a_permalink_names_the_thread() -> None:
    async with LocalSlack() as slack:
        ana = slack.add_user("ana")
        general = slack.add_channel("general", members=[ana])
        ts = await slack.post(general, ana, "hello")
        reply = await slack.post(general, ana, "more", thread_ts=ts)
        link = client_of(slack).chat_getPermalink
        found = await link(channel=general, message_ts=reply)
        assert found["permalink"].endswith(
            f"/p{reply.replace('.', '')}?thread_ts={ts}&cid={general}"
        )
        assert await error_of(link(channel=general, message_ts="1.0")) == "message_not_found"


# Streams


async def test_a_stream_in_a_channel_wants_to_know_for_whom() -> None:
    async with LocalSlack() as slack:
        ana = slack.add_user("ana")
        general = slack.add_channel("general", members=[ana])
        ts = await slack.post(general, ana, "hello")
        dm = slack.open_dm(ana)
        first = await slack.post(dm, ana, "hello")
        start = client_of(slack).chat_startStream

        async def at(**who: Any) -> str:
            return await error_of(start(channel=general, thread_ts=ts, **who))

        assert await at() == "missing_recipient_team_id"
        assert await at(recipient_team_id=slack.team_id) == "missing_recipient_user_id"
        who = {"recipient_team_id": slack.team_id, "recipient_user_id": "U0"}
        assert await at(**who) == "user_not_found"
        assert await error_of(start(channel=dm, thread_ts="")) == "invalid_arguments"
        await start(channel=dm, thread_ts=first)


async def test_the_life_of_a_stream() -> None:
    async with LocalSlack() as slack:
        ana = slack.add_user("ana")
        dm = slack.open_dm(ana)
        ts = await slack.post(dm, ana, "hello")
        client = client_of(slack)
        started = await client.chat_startStream(channel=dm, thread_ts=ts, markdown_text="One")
        own: dict[str, Any] = {"channel": dm, "ts": started["ts"]}
        await client.chat_appendStream(**own, markdown_text=" two")
        with pytest.raises(TimeoutError):
            await slack.wait_for_message(dm, thread_ts=ts, timeout_s=0.05)
        assert slack.messages(dm, ts)[1]["text"] == "One two"
        assert slack.messages(dm, ts)[1]["streaming_state"] == "in_progress"
        append, stop = client.chat_appendStream, client.chat_stopStream
        assert await error_of(append(**own)) == "no_text"
        assert await error_of(append(**own, markdown_text="x" * 12_001)) == "msg_too_long"
        assert await error_of(client.chat_update(**own, text="x")) == "streaming_state_conflict"
        odd = stop(**own, session_status="asleep")
        assert await error_of(odd) == "invalid_arguments"
        bad = [{"type": "sparkles"}]
        assert await error_of(stop(**own, blocks=bad)) == "invalid_blocks"
        await stop(**own, markdown_text=" three", blocks=[{"type": "divider"}])
        final = await slack.wait_for_message(dm, thread_ts=ts)
        assert final["text"] == "One two three"
        assert final["streaming_state"] == "completed"
        assert [b["type"] for b in final["blocks"]] == ["markdown", "divider"]
        for late in (append(**own, markdown_text="x"), stop(**own)):
            assert await error_of(late) == "message_not_in_streaming_state"
        assert (
            await error_of(append(channel=dm, ts="1.0", markdown_text="x")) == "message_not_found"
        )
        assert await error_of(append(channel=dm, ts=ts, markdown_text="x")) == (
            "message_not_owned_by_app"
        )


async def test_a_stream_and_its_blocks_share_one_messages_total() -> None:
    async with LocalSlack() as slack:
        ana = slack.add_user("ana")
        dm = slack.open_dm(ana)
        ts = await slack.post(dm, ana, "hello")
        client = client_of(slack)
        started = await client.chat_startStream(channel=dm, thread_ts=ts, markdown_text="x" * 9000)
        section = {"type": "section", "text": {"type": "plain_text", "text": "y" * 2500}}
        stop = client.chat_stopStream(channel=dm, ts=started["ts"], blocks=[section])
        assert await error_of(stop) == "msg_blocks_too_long"


async def test_a_stream_dies_after_five_minutes_and_an_update_completes_it() -> None:
    async with LocalSlack() as slack:
        ana = slack.add_user("ana")
        dm = slack.open_dm(ana)
        ts = await slack.post(dm, ana, "hello")
        client = client_of(slack)
        started = await client.chat_startStream(channel=dm, thread_ts=ts, markdown_text="One")
        own: dict[str, Any] = {"channel": dm, "ts": started["ts"]}
        slack.clock.advance(301)
        late = client.chat_appendStream(**own, markdown_text="two")
        assert await error_of(late) == "message_not_in_streaming_state"
        with pytest.raises(TimeoutError):
            await slack.wait_for_message(dm, thread_ts=ts, timeout_s=0.05)
        await client.chat_update(**own, text="One two", blocks=[])
        assert (await slack.wait_for_message(dm, thread_ts=ts))["text"] == "One two"


async def test_the_reader_may_stop_a_stream() -> None:
    async with LocalSlack() as slack:
        ana = slack.add_user("ana")
        dm = slack.open_dm(ana)
        ts = await slack.post(dm, ana, "hello")
        client = client_of(slack)
        started = await client.chat_startStream(channel=dm, thread_ts=ts, markdown_text="One")
        own: dict[str, Any] = {"channel": dm, "ts": started["ts"]}
        await slack.stop_stream(dm, started["ts"], ana)
        stopped = slack.events[-1].payload["event"]
        assert stopped["type"] == "agent_session_stopped"
        assert stopped["streaming_message_ts"] == [started["ts"]]
        assert stopped["thread_ts"] == ts
        with pytest.raises(ValueError, match="not being written"):
            await slack.stop_stream(dm, started["ts"], ana)
        assert await error_of(client.chat_stopStream(**own)) == "stopped_by_user"
        await client.chat_update(**own, text="One.")


# conversations.*


async def test_a_thread_is_read_in_pages_that_each_open_with_the_parent() -> None:
    async with LocalSlack() as slack:
        ana = slack.add_user("ana")
        general = slack.add_channel("general", members=[ana])
        client = client_of(slack)
        ts = await slack.post(general, ana, "parent")
        said = [await slack.post(general, ana, f"reply {n}", thread_ts=ts) for n in range(4)]
        await client.chat_postMessage(channel=general, text="own", thread_ts=ts)
        replies = client.conversations_replies
        pages, cursor = [], ""
        while True:
            page = await replies(channel=general, ts=ts, limit=3, cursor=cursor)
            pages.append([m["text"] for m in page["messages"]])
            if not page["has_more"]:
                break
            cursor = page["response_metadata"]["next_cursor"]
        assert pages == [
            ["parent", "reply 0", "reply 1"],
            ["parent", "reply 2", "reply 3"],
            ["parent", "own"],
        ]
        some = await replies(channel=general, ts=ts, oldest=said[1], latest=said[3])
        assert [m["text"] for m in some["messages"]] == ["parent", "reply 2"]
        some = await replies(channel=general, ts=ts, oldest=said[1], latest=said[3], inclusive=True)
        assert len(some["messages"]) == 4


async def test_threads_and_ranges_that_are_not_there() -> None:
    async with LocalSlack() as slack:
        ana = slack.add_user("ana")
        general = slack.add_channel("general", members=[ana])
        elsewhere = slack.add_channel("elsewhere", with_bot=False)
        ts = await slack.post(general, ana, "hello")
        replies = client_of(slack).conversations_replies
        here: dict[str, Any] = {"channel": general, "ts": ts}
        assert await error_of(replies(channel=general, ts="1.0")) == "thread_not_found"
        assert await error_of(replies(channel=elsewhere, ts=ts)) == "not_in_channel"
        assert await error_of(replies(channel="C0", ts=ts)) == "channel_not_found"
        assert await error_of(replies(**here, cursor="nonsense")) == "invalid_cursor"
        assert await error_of(replies(**here, limit=1001)) == "invalid_limit"
        assert await error_of(replies(**here, oldest="yesterday")) == "invalid_ts_oldest"
        alone = await replies(**here)
        assert [m["text"] for m in alone["messages"]] == ["hello"]


async def test_history_is_newest_first_and_without_replies() -> None:
    async with LocalSlack() as slack:
        ana = slack.add_user("ana")
        general = slack.add_channel("general", members=[ana])
        first = await slack.post(general, ana, "one")
        await slack.post(general, ana, "reply", thread_ts=first)
        await slack.post(general, ana, "two")
        history = client_of(slack).conversations_history
        page = await history(channel=general, limit=1)
        assert [m["text"] for m in page["messages"]] == ["two"]
        cursor = page["response_metadata"]["next_cursor"]
        rest = await history(channel=general, cursor=cursor)
        assert [m["text"] for m in rest["messages"]] == ["one"]
        assert rest["has_more"] is False


async def test_places_and_people_are_described() -> None:
    async with LocalSlack() as slack:
        gus = slack.add_user("gus", guest=True)
        shared = slack.add_channel("partners", ext_shared=True)
        client = client_of(slack)
        about = (await client.conversations_info(channel=shared))["channel"]
        assert (about["name"], about["is_ext_shared"], about["is_member"]) == (
            "partners",
            True,
            True,
        )
        assert (await client.users_info(user=gus))["user"]["is_restricted"] is True
        assert (await client.conversations_open(users=gus))["channel"]["id"] == slack.open_dm(gus)
        assert await error_of(client.users_info(user="U0")) == "user_not_found"
        assert await error_of(client.conversations_open(users="U0")) == "user_not_found"


# views.*


async def test_a_trigger_opens_one_view_within_three_seconds() -> None:
    async with LocalSlack() as slack:
        ana = slack.add_user("ana")
        open_ = client_of(slack).views_open
        trigger = slack._store.open_trigger(ana)
        await open_(trigger_id=trigger, view=MODAL)
        assert await error_of(open_(trigger_id=trigger, view=MODAL)) == "exchanged_trigger_id"
        late = slack._store.open_trigger(ana)
        slack.clock.advance(3.1)
        assert await error_of(open_(trigger_id=late, view=MODAL)) == "expired_trigger_id"
        assert await error_of(open_(trigger_id="1.2.3", view=MODAL)) == "invalid_trigger_id"


async def test_three_views_are_the_most_on_one_stack() -> None:
    async with LocalSlack() as slack:
        ana = slack.add_user("ana")
        client = client_of(slack)
        opened = await client.views_open(trigger_id=slack._store.open_trigger(ana), view=MODAL)
        own = opened["view"]["id"]

        def trigger() -> str:
            return slack._store.open_trigger(ana, own)

        await client.views_push(trigger_id=trigger(), view=MODAL)
        third = await client.views_push(trigger_id=trigger(), view=MODAL)
        assert third["view"]["root_view_id"] == own
        assert await error_of(client.views_push(trigger_id=trigger(), view=MODAL)) == (
            "push_limit_reached"
        )
        outside = slack._store.open_trigger(ana)
        assert await error_of(client.views_push(trigger_id=outside, view=MODAL)) == "not_found"


async def test_a_view_is_updated_while_it_is_open_and_as_it_was_seen() -> None:
    async with LocalSlack() as slack:
        ana = slack.add_user("ana")
        client = client_of(slack)
        opened = await client.views_open(
            trigger_id=slack._store.open_trigger(ana), view={**MODAL, "external_id": "passage"}
        )
        view = opened["view"]
        update = client.views_update
        await update(view_id=view["id"], hash=view["hash"], view=MODAL)
        stale = update(view_id=view["id"], hash=view["hash"], view=MODAL)
        assert await error_of(stale) == "hash_conflict"
        assert await error_of(update(external_id="passage", view=MODAL)) == "not_found"
        await slack.close_view(ana)
        assert await error_of(update(view_id=view["id"], view=MODAL)) == "not_found"


async def test_an_external_id_is_given_once() -> None:
    async with LocalSlack() as slack:
        ana, ben = slack.add_user("ana"), slack.add_user("ben")
        client = client_of(slack)
        named = {**MODAL, "external_id": "passage"}
        await client.views_open(trigger_id=slack._store.open_trigger(ana), view=named)
        again = client.views_open(trigger_id=slack._store.open_trigger(ben), view=named)
        assert await error_of(again) == "duplicate_external_id"


# assistant.threads.*


async def test_a_status_is_cleared_by_two_minutes_and_by_an_answer() -> None:
    async with LocalSlack() as slack:
        ana = slack.add_user("ana")
        general = slack.add_channel("general", members=[ana])
        ts = await slack.post(general, ana, "hello")
        client = client_of(slack)
        here: dict[str, Any] = {"channel_id": general, "thread_ts": ts}
        set_status = client.assistant_threads_setStatus
        await set_status(**here, status="searching")
        assert slack.status(general, ts) == "searching"
        slack.clock.advance(121)
        assert slack.status(general, ts) == ""
        await set_status(**here, status="reading")
        await client.chat_postMessage(channel=general, text="answer", thread_ts=ts)
        assert slack.status(general, ts) == ""
        await set_status(**here, status="again")
        await set_status(**here, status="")
        assert slack.status(general, ts) == ""
        many = ["x"] * 11
        assert await error_of(set_status(**here, status="x", loading_messages=many)) == (
            "invalid_arguments"
        )
        lost = set_status(channel_id=general, thread_ts="1.0", status="x")
        assert await error_of(lost) == "invalid_thread_ts"
        lost = set_status(channel_id="C0", thread_ts=ts, status="x")
        assert await error_of(lost) == "channel_not_found"


async def test_four_prompts_are_the_most_and_they_belong_into_the_dm() -> None:
    async with LocalSlack() as slack:
        dm = slack.open_dm(slack.add_user("ana"))
        suggest = client_of(slack).assistant_threads_setSuggestedPrompts
        prompt = {"title": "Leave", "message": "How much leave?"}
        await suggest(channel_id=dm, prompts=[prompt] * 4)
        assert await error_of(suggest(channel_id=dm, prompts=[prompt] * 5)) == "invalid_arguments"
        assert await error_of(suggest(channel_id=dm, prompts=[{"title": "x"}])) == (
            "invalid_arguments"
        )
        general = slack.add_channel("general")
        assert await error_of(suggest(channel_id=general, prompts=[prompt])) == "channel_not_found"


# response_url


async def response_url(slack: LocalSlack, ana: str, general: str) -> str:
    app, urls = app_of(slack), []

    @app.command("/rag-source")
    async def note(ack: Any, body: dict[str, Any]) -> None:
        await ack()
        urls.append(body["response_url"])

    async with running(app, slack):
        await slack.command(general, ana, "/rag-source")
    return str(urls[0])


async def test_a_response_url_works_five_times() -> None:
    async with LocalSlack() as slack:
        ana = slack.add_user("ana")
        general = slack.add_channel("general", members=[ana])
        hook = AsyncWebhookClient(await response_url(slack, ana, general))
        for n in range(5):
            assert (await hook.send(text=f"answer {n}")).status_code == 200
        sixth = await hook.send(text="one more")
        assert sixth.status_code == 404
        assert json.loads(sixth.body)["error"] == "used_url"
        assert len(slack.ephemerals(ana)) == 5


async def test_a_response_url_dies_after_half_an_hour() -> None:
    async with LocalSlack() as slack:
        ana = slack.add_user("ana")
        general = slack.add_channel("general", members=[ana])
        hook = AsyncWebhookClient(await response_url(slack, ana, general))
        assert (await hook.send(text="x" * 10, response_type="in_channel")).status_code == 200
        assert [m["text"] for m in slack.messages(general)] == ["x" * 10]
        bad = await hook.send(text="x", blocks=[{"type": "sparkles"}])
        assert json.loads(bad.body)["error"] == "invalid_blocks"
        slack.clock.advance(1801)
        late = await hook.send(text="late")
        assert json.loads(late.body)["error"] == "expired_url"


async def test_a_response_url_replaces_and_deletes_the_message_that_was_pressed() -> None:
    async with LocalSlack() as slack:
        ana = slack.add_user("ana")
        general = slack.add_channel("general", members=[ana])
        button = {"type": "button", "action_id": "a", "text": {"type": "plain_text", "text": "x"}}
        blocks = [{"type": "actions", "elements": [button]}]
        client = client_of(slack)
        app, urls = app_of(slack), []

        @app.action("a")
        async def note(ack: Any, body: dict[str, Any]) -> None:
            await ack()
            urls.append(body["response_url"])

        async with running(app, slack):
            await client.chat_postEphemeral(channel=general, user=ana, text="x", blocks=blocks)
            await slack.click(general, slack.ephemerals(ana)[0]["ts"], "a", ana)
        hook = AsyncWebhookClient(urls[0])
        await hook.send(text="done", replace_original=True)
        assert [m["text"] for m in slack.ephemerals(ana)] == ["done"]
        await hook.send(delete_original=True)
        assert slack.ephemerals(ana) == []


# Threads


async def test_a_parent_counts_its_replies_and_outlives_its_deletion() -> None:
    async with LocalSlack() as slack:
        ana, ben = slack.add_user("ana"), slack.add_user("ben")
        general = slack.add_channel("general", members=[ana, ben])
        ts = await slack.post(general, ana, "parent")
        first = await slack.post(general, ben, "one", thread_ts=ts)
        second = await slack.post(general, ana, "two", thread_ts=ts)
        parent = slack.messages(general)[0]
        assert (parent["reply_count"], parent["reply_users"]) == (2, [ben, ana])
        await slack.delete(general, second)
        assert (parent["reply_count"], parent["reply_users"]) == (1, [ben])
        assert parent["latest_reply"] == first
        await slack.delete(general, ts)
        assert [m.get("subtype") for m in slack.messages(general, ts)] == ["tombstone", None]


async def test_a_disabled_messages_tab_and_too_many_attachments_are_refused() -> None:
    closed = {
        "display_information": {"name": "Footnote"},
        "features": {"app_home": {"messages_tab_enabled": False}},
        "oauth_config": {"scopes": {"bot": ["chat:write"]}},
        "settings": {"socket_mode_enabled": True},
    }
    async with LocalSlack(manifest=closed) as slack:
        post = client_of(slack).chat_postMessage
        ana = slack.add_user("ana")
        assert await error_of(post(channel=ana, text="hi")) == "messages_tab_disabled"
        many = [{"text": "x", "fallback": "x"}] * 101
        call = post(channel=slack.add_channel("general"), text="hi", attachments=many)
        assert await error_of(call) == "too_many_attachments"


async def test_a_place_without_the_bot_is_silent() -> None:
    async with LocalSlack() as slack:
        ana = slack.add_user("ana")
        elsewhere = slack.add_channel("elsewhere", members=[ana], with_bot=False)
        await slack.post(elsewhere, ana, "<@BOT> are you here?")
        assert slack.events == []


async def test_who_presses_in_a_channel_has_closed_the_modals_before() -> None:
    async with LocalSlack() as slack:
        ana = slack.add_user("ana")
        general = slack.add_channel("general", members=[ana])
        client = client_of(slack)
        await client.views_open(trigger_id=slack._store.open_trigger(ana), view=MODAL)
        button = {"type": "button", "action_id": "a", "text": {"type": "plain_text", "text": "x"}}
        blocks = [{"type": "actions", "elements": [button]}]
        posted = await client.chat_postMessage(channel=general, text="x", blocks=blocks)
        app = app_of(slack)

        @app.action("a")
        async def take(ack: Any) -> None:
            await ack()

        async with running(app, slack):
            await slack.click(general, posted["ts"], "a", ana)
        assert slack.views[ana] == []
