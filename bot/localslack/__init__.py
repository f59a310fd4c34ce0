"""A local Slack: the part of Slack that an app sees, on loopback, as strict as the real one.

It serves the real `AsyncApp`, `AsyncSocketModeHandler` and `AsyncWebClient(base_url=slack.api_url)`
over HTTP and a WebSocket, and it plays the people. Ids (`U…`, `C…`, `D…`) and `ts` are strings, as
in Slack; messages, blocks and views are JSON objects (dicts) in Slack's own form.

    async with LocalSlack(port=0, manifest=None, real_rates=False, ack_timeout_s=3.0,
                          retry_delays_s=(0.0, 60.0, 300.0)) as slack:
        slack.url  slack.api_url  slack.bot_token  slack.app_token  slack.bot_user_id  slack.team_id

In a browser: `page_api.Page(slack, documents).routes()` given to `slack.mount` before the context
opens; `screen(user)` is what the page draws, `next_change` is set when it may have changed.

The workspace
    add_user(name, *, guest=False, is_bot=False, team_id=None) -> user id    (team_id: a stranger's)
    add_channel(name, members=(), *, private=False, archived=False, with_bot=True,
                ext_shared=False) -> channel id
    open_dm(user) -> channel id of the user's conversation with the bot
    archive(channel)

What people do (each is an `async def`; what Slack's screen does not offer is a ValueError)
    connected(timeout_s=10)                       a Socket Mode client is there (it was sent hello)
    post(channel, user, text, *, thread_ts=None) -> ts
        `text` as Slack sends it; `<@BOT>` in it stands for the bot's mention. Emits message.* and
        app_mention if the app subscribes to them. Returns at once, before the app has acked.
    edit(channel, ts, text)   delete(channel, ts)   join(channel, user)
    click(channel, ts, action_id, user, *, value=None)
        A press on a block element of a message (or of an ephemeral one). Closes the person's
        modals first, as Slack's screen demands. `value` chooses an option or a feedback button.
        Returns the trigger_id after the ack; raises NotAckedError when none came in time.
    click_in_view(user, action_id, *, value=None)
        The same in the person's top modal, or in the Home tab when no modal covers it.
    command(channel, user, "/rag-source", "abc123")          raises NotAckedError likewise
    submit_view(user, values=None) -> the ack's payload      values: {block_id: {action_id: value}}
    close_view(user)
    open_home(user, tab="messages" | "home")
    stop_stream(channel, ts, user)                           the reader presses Stop

What they see
    wait_for_message(channel, *, thread_ts=None, timeout_s=20, after=None) -> the bot's next final
        message (no longer streaming) of the channel, or of the thread; `after` is a ts.
    wait_for_view(user, *, timeout_s=5) -> the person's top modal, once there
    wait_for_ephemeral(user, *, timeout_s=5, count=1) -> the newest of at least `count`
    wait_for(predicate, *, timeout_s=5)                      until predicate() after some change
    settled(timeout_s=10)                                    every envelope is acked or given up
    messages(channel, thread_ts=None)   ephemerals(user)   views[user] (stack, top last)
    home(user)   status(channel, thread_ts)   prompts(channel)
    live_marks(message) -> what would come alive in it: `<!here>`, `<@U1>`, `<https://…|label>`, …

The record
    calls: list[Call(method, args, ok, error)]               refusals: those that failed
    acks: list[Ack(envelope_id, type, latency_s, retry_attempt)]   given_up: envelopes never acked
    events: list[Event(event_id, type, payload)]             what was dispatched to the app
    faults.rate_limit(method, times=1, retry_after_s=1)
    faults.fail(method, error, times=1, status=200)
    faults.delay(method, seconds, times=None)                faults.hang_up(method, times=1)
    await faults.drop_sockets()   faults.go_deaf(pongs=False)   await faults.redeliver(event_id)
    await faults.refresh_request(reason="refresh_requested", grace_s=10.0)    faults.clear()
    clock.advance(seconds)        moves Slack's clock: triggers, streams, response_urls age
"""

from bot.localslack.server import LocalSlack
from bot.localslack.types import Ack, Call, Event, Json, NotAckedError, RefusedError

__all__ = ["Ack", "Call", "Event", "Json", "LocalSlack", "NotAckedError", "RefusedError"]
