import pytest

from bot.slack.route import Post, Route, read_post, route

BOT = "U0BOT"
MENTION = {"type": "app_mention", "user": "U1", "channel": "C1", "ts": "5.0", "text": "<@U0BOT> hi"}
MESSAGE = {
    "type": "message",
    "channel_type": "channel",
    "user": "U1",
    "channel": "C1",
    "ts": "5.0",
    "text": "hi",
}


@pytest.mark.parametrize(
    ("event", "expected"),
    [
        (MENTION, Route.ASK),
        (MENTION | {"thread_ts": "4.0"}, Route.ASK),
        (MENTION | {"edited": {"user": "U1", "ts": "6.0"}}, Route.ASK),
        (MENTION | {"edited": {"user": "U1", "ts": "43206.0"}}, Route.IGNORE),
        (MESSAGE | {"thread_ts": "4.0", "edited": {"user": "U1", "ts": "6.0"}}, Route.IGNORE),
        (MENTION | {"bot_id": "B9"}, Route.IGNORE),
        (MENTION | {"bot_id": "B9", "user": None}, Route.DECLINE),
        (MENTION | {"user": BOT}, Route.IGNORE),
        (MESSAGE, Route.IGNORE),
        (MESSAGE | {"thread_ts": "5.0"}, Route.IGNORE),
        (MESSAGE | {"thread_ts": "4.0"}, Route.FOLLOW_UP),
        (MESSAGE | {"thread_ts": "4.0", "channel_type": "group"}, Route.FOLLOW_UP),
        (MESSAGE | {"thread_ts": "4.0", "text": "<@U0BOT> hi"}, Route.IGNORE),
        (MESSAGE | {"thread_ts": "4.0", "text": "<@U0BOT|footnote> hi"}, Route.IGNORE),
        (MESSAGE | {"thread_ts": "4.0", "text": "And <@U0BOTH>?"}, Route.FOLLOW_UP),
        (MESSAGE | {"thread_ts": "4.0", "text": "<@U0BOTH> what do you say?"}, Route.IGNORE),
        (MESSAGE | {"thread_ts": "4.0", "text": " <!here> what do you say?"}, Route.IGNORE),
        (MESSAGE | {"thread_ts": "4.0", "text": "Thanks a lot! :tada:"}, Route.IGNORE),
        (MESSAGE | {"thread_ts": "4.0", "text": "ok, got it"}, Route.IGNORE),
        (MESSAGE | {"thread_ts": "4.0", "text": "OK?"}, Route.FOLLOW_UP),
        (MESSAGE | {"thread_ts": "4.0", "text": "ok and for contractors"}, Route.FOLLOW_UP),
        (MESSAGE | {"thread_ts": "4.0", "text": ":+1:"}, Route.IGNORE),
        (MESSAGE | {"thread_ts": "4.0", "text": "…"}, Route.IGNORE),
        (MESSAGE | {"thread_ts": "4.0", "subtype": "file_share"}, Route.FOLLOW_UP),
        (MESSAGE | {"thread_ts": "4.0", "subtype": "thread_broadcast"}, Route.FOLLOW_UP),
        (MESSAGE | {"thread_ts": "4.0", "subtype": "channel_join"}, Route.IGNORE),
        (MENTION | {"text": "<@U0BOT> thank you"}, Route.IGNORE),
        (MENTION | {"text": "<@U0BOT>"}, Route.ASK),
        (MESSAGE | {"channel_type": "im", "text": "thx"}, Route.IGNORE),
        (MESSAGE | {"channel_type": "im", "subtype": "file_share"}, Route.ASK),
        (MESSAGE | {"channel_type": "im", "subtype": "file_share", "text": ""}, Route.IGNORE),
        (MESSAGE | {"channel_type": "im", "channel": "D1"}, Route.ASK),
        (MESSAGE | {"channel_type": "im", "text": "<@U0BOT> hi"}, Route.ASK),
        (MESSAGE | {"channel_type": "im", "bot_id": "B9"}, Route.IGNORE),
        (MESSAGE | {"channel_type": "im", "user": "USLACKBOT"}, Route.IGNORE),
        (MESSAGE | {"channel_type": "im", "user": None}, Route.IGNORE),
        (MESSAGE | {"channel_type": "im", "hidden": True}, Route.IGNORE),
    ],
)
def test_a_post_goes_where_it_is_meant_to(event: dict[str, object], expected: Route) -> None:
    assert route(event, BOT)[0] is expected


@pytest.mark.parametrize(
    "subtype",
    [
        "bot_message",
        "channel_join",
        "channel_topic",
        "message_changed",
        "message_deleted",
        "message_replied",
    ],
)
def test_subtypes_are_ignored_and_the_reason_names_them(subtype: str) -> None:
    event = MESSAGE | {"channel_type": "im", "subtype": subtype}
    assert route(event, BOT) == (Route.IGNORE, f"subtype {subtype}")


def test_a_post_outside_a_thread_opens_one_of_its_own() -> None:
    assert read_post(MENTION) == Post("C1", "5.0", "5.0", "U1", "<@U0BOT> hi", in_thread=False)
    assert read_post(MENTION | {"thread_ts": "4.0"}).thread_ts == "4.0"
    assert read_post(MENTION | {"thread_ts": "4.0"}).in_thread


def test_a_posts_key_is_the_same_in_each_event_that_tells_of_it() -> None:
    assert read_post(MENTION).key == read_post(MESSAGE).key == "C1:5.0"


def test_only_mentions_are_answered_if_the_settings_say_so() -> None:
    reply = MESSAGE | {"thread_ts": "4.0"}
    assert route(reply, BOT, mention_only=True)[0] is Route.IGNORE
    assert route(MENTION, BOT, mention_only=True)[0] is Route.ASK
    assert route(MESSAGE | {"channel_type": "im"}, BOT, mention_only=True)[0] is Route.ASK


def test_a_plain_reply_that_is_too_long_for_a_question_is_none() -> None:
    reply = MESSAGE | {"thread_ts": "4.0", "text": "line &amp; "}
    assert route(reply, BOT, max_chars=6)[0] is Route.FOLLOW_UP
    assert route(reply, BOT, max_chars=5) == (Route.IGNORE, "too long for a question")
    assert route(MENTION, BOT, max_chars=1)[0] is Route.ASK
    assert route(MESSAGE | {"channel_type": "im"}, BOT, max_chars=1)[0] is Route.ASK
