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
        (MENTION | {"edited": {"user": "U1", "ts": "6.0"}}, Route.IGNORE),
        (MENTION | {"bot_id": "B9"}, Route.IGNORE),
        (MENTION | {"user": BOT}, Route.IGNORE),
        (MESSAGE, Route.IGNORE),
        (MESSAGE | {"thread_ts": "5.0"}, Route.IGNORE),
        (MESSAGE | {"thread_ts": "4.0"}, Route.FOLLOW_UP),
        (MESSAGE | {"thread_ts": "4.0", "channel_type": "group"}, Route.FOLLOW_UP),
        (MESSAGE | {"thread_ts": "4.0", "text": "<@U0BOT> hi"}, Route.IGNORE),
        (MESSAGE | {"thread_ts": "4.0", "text": "<@U0BOT|footnote> hi"}, Route.IGNORE),
        (MESSAGE | {"thread_ts": "4.0", "text": "<@U0BOTH> hi"}, Route.FOLLOW_UP),
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
        "file_share",
        "message_changed",
        "message_deleted",
        "message_replied",
        "thread_broadcast",
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
