"""Many questions at once: queued, told so, declined, in turn, within Slack's limits."""

import asyncio
import time
from pathlib import Path

import pytest

from bot.localslack import Json, LocalSlack
from bot.record import Record
from bot.slack.asking import in_time
from bot.slack.client import build_client
from bot.slack.pace import Pace, SparedError, Window
from ingest.schema import open_database
from tests.slack.conftest import Office, until


async def statuses(office: Office, posts: list[str], wanted: list[str]) -> None:
    await office.slack.wait_for(
        lambda: [office.slack.status(office.general, ts) for ts in posts] == wanted
    )


async def test_at_most_so_many_questions_run_at_once_and_who_waits_is_told_their_place(
    office: Office,
) -> None:
    office.answers.gate = asyncio.Event()
    async with office.running(concurrency=2):
        posts = []
        for n in range(5):
            posts.append(await office.mention(f"Question {n}"))
            await office.slack.settled()
        await statuses(
            office,
            posts,
            [
                "is reading 5 passages…",
                "is reading 5 passages…",
                "is busy. You are number 1, about 5 s",
                "is busy. You are number 2, about 5 s",
                "is busy. You are number 3, about 10 s",
            ],
        )
        assert office.from_bot() == []
        office.answers.gate.set()
        for ts in posts:
            await office.slack.wait_for_message(office.general, thread_ts=ts)
    assert office.answers.most == 2
    assert len(office.from_bot()) == 5


async def test_beyond_the_queue_a_question_is_declined_in_one_message_and_not_answered_later(
    office: Office,
) -> None:
    office.answers.gate = asyncio.Event()
    async with office.running(concurrency=1, queue=1):
        await office.mention("Question 0")
        await office.mention("Question 1")
        await office.slack.settled()
        declined = await office.ask("Question 2")
        assert declined["text"] == (
            "Too many questions are waiting (1), and this one is not answered. Please ask again in"
            " about 10 s."
        )
        office.answers.gate.set()
    office.restart()
    async with office.running():
        await office.slack.settled()
    assert "Question 2" not in [question for question, _ in office.answers.asked]


async def test_a_person_hears_once_a_minute_that_questions_are_not_answered_and_how_many(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.slack.refusals.EVERY_S", 2)
    office.answers.gate = asyncio.Event()
    async with office.running(concurrency=1, queue=0):
        await office.mention("Question 0")
        await office.slack.settled()
        posts = []
        for n in range(1, 5):
            posts.append(await office.mention(f"Question {n}"))
            await office.slack.settled()
        first = await office.slack.wait_for_message(office.general, thread_ts=posts[0])
        assert "(0), and this one is not answered" in first["text"]
        last = await office.slack.wait_for_message(office.general, thread_ts=posts[3])
        assert "(0), and 3 of yours are not answered, this one among them" in last["text"]
        assert len(office.from_bot()) == 2
        office.answers.gate.set()


async def test_of_a_crowd_the_channel_hears_how_many_are_not_answered(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.slack.refusals.MOST", 1)
    monkeypatch.setattr("bot.slack.refusals.GATHER_S", 1)
    office.answers.gate = asyncio.Event()
    crowd = [office.slack.add_user(f"person {n}") for n in range(4)]
    for person in crowd:
        await office.slack.join(office.general, person)
    async with office.running(concurrency=1, queue=0):
        await office.mention("Question 0")
        await office.slack.settled()
        for person in crowd:
            text = f"<@{office.slack.bot_user_id}> Mine?"
            await office.slack.post(office.general, person, text)
        await office.slack.settled()
        await until(lambda: len(office.from_bot()) == 2)
        assert "3 more are not answered" in office.from_bot()[1]["text"]
        assert "thread_ts" not in office.from_bot()[1]
        office.answers.gate.set()


async def test_a_refusal_that_was_not_told_before_the_end_is_answered_by_the_next_run(
    office: Office,
) -> None:
    office.answers.gate = asyncio.Event()
    async with office.running(concurrency=1, queue=0):
        await office.mention("Question 0")
        await office.slack.settled()
        for n in range(1, 3):
            await office.mention(f"Question {n}")
        await office.slack.settled()
        await until(lambda: len(office.from_bot()) == 1)
        office.answers.gate.set()
    office.restart()
    async with office.running():
        await until(lambda: len(office.from_bot()) == 3)
    assert [q for q, _ in office.answers.asked] == ["Question 0", "Question 2"]


async def test_while_one_channel_is_flooded_another_is_answered_at_once(
    manifest: Json, tmp_path: Path
) -> None:
    engine = open_database(tmp_path / "footnote.db")
    async with LocalSlack(manifest=manifest, real_rates=True) as slack:
        office = Office(slack, Record(engine))
        crowd = [slack.add_user(f"person {n}") for n in range(20)]
        flooded, quiet = slack.add_channel("flooded", crowd), slack.add_channel("quiet", crowd)
        mention = f"<@{slack.bot_user_id}>"
        async with office.running():
            for n in range(40):
                await slack.post(flooded, crowd[n % 20], f"{mention} Question {n}?")
            await slack.settled()
            begun = time.monotonic()
            ts = await slack.post(quiet, crowd[0], f"{mention} And here?")
            await slack.wait_for_message(quiet, thread_ts=ts, timeout_s=60)
            assert time.monotonic() - begun < 20  # the flooded channel's answers take 40
    engine.dispose()


async def test_who_asks_much_does_not_keep_the_others_out(office: Office) -> None:
    office.answers.gate = asyncio.Event()
    ben = office.slack.add_user("ben")
    await office.slack.join(office.general, ben)
    async with office.running(concurrency=1):
        for n in range(4):
            await office.mention(f"Question {n}")
            await office.slack.settled()
        mention = f"<@{office.slack.bot_user_id}>"
        ts = await office.slack.post(office.general, ben, f"{mention} Mine?")
        await office.slack.settled()
        office.answers.gate.set()
        await office.slack.wait_for_message(office.general, thread_ts=ts)
    asked = [question for question, _ in office.answers.asked]
    assert asked.index("Mine?") == 2


async def test_fifty_mentions_in_a_second_are_acknowledged_and_answered_once_each(
    manifest: Json, tmp_path: Path
) -> None:
    engine = open_database(tmp_path / "footnote.db")
    async with LocalSlack(manifest=manifest, real_rates=True) as slack:
        office = Office(slack, Record(engine))
        channels = [slack.add_channel(f"c{n}", [office.ana]) for n in range(10)]
        async with office.running():
            posts = []
            for n in range(50):
                text = f"<@{slack.bot_user_id}> Question {n}"
                where = channels[n % 10]
                posts.append((where, await slack.post(where, office.ana, text)))
                await asyncio.sleep(0.01)
            for channel, ts in posts:
                await slack.wait_for_message(channel, thread_ts=ts, timeout_s=60)
        said = [m for c in channels for m in slack.messages(c) if m["user"] == slack.bot_user_id]
        assert len(said) == 50
        assert slack.refusals == []
        assert max(ack.latency_s for ack in slack.acks) < 3  # Slack's own limit
    engine.dispose()


async def test_answers_of_one_channel_keep_to_one_a_second(manifest: Json, tmp_path: Path) -> None:
    engine = open_database(tmp_path / "footnote.db")
    async with LocalSlack(manifest=manifest, real_rates=True) as slack:
        office = Office(slack, Record(engine))
        async with office.running():
            posts = [await office.mention(f"Question {n}") for n in range(4)]
            for ts in posts:
                await slack.wait_for_message(office.general, thread_ts=ts)
        assert slack.refusals == []
    engine.dispose()


async def test_a_rate_limited_post_is_tried_again_when_slack_says_so(bot: Office) -> None:
    bot.slack.faults.rate_limit("chat.postMessage", times=2, retry_after_s=1)
    await bot.ask("How much leave?")
    assert len(bot.from_bot()) == 1


async def test_a_post_of_which_it_is_not_known_whether_it_arrived_is_looked_for_first(
    bot: Office,
) -> None:
    bot.slack.faults.hang_up("chat.postMessage", times=1)
    message = await bot.ask("How much leave?")
    assert message["text"].startswith("Employees get 25 days")
    await bot.slack.settled()
    assert len(bot.from_bot()) == 1
    assert "conversations.replies" in [call.method for call in bot.slack.calls]


async def test_posts_of_one_channel_wait_for_each_other_and_not_for_other_channels() -> None:
    pace = Pace(gap_s=0.1)
    ended: list[tuple[str, float]] = []
    begun = time.monotonic()

    async def post(channel: str) -> None:
        async with pace.turn(channel):
            ended.append((channel, time.monotonic() - begun))

    await asyncio.gather(*map(post, ["a", "a", "a", "b"]))
    times = sorted(ended)
    assert [channel for channel, _ in times] == ["a", "a", "a", "b"]
    assert times[3][1] < 0.1
    assert times[1][1] >= 0.1
    assert times[2][1] >= 0.2


async def test_an_answer_is_posted_before_the_notices_that_wait_in_its_channel() -> None:
    pace = Pace(gap_s=0.02)
    posted: list[str] = []

    async def post(name: str, *, late: bool) -> None:
        async with pace.turn("c", late=late):
            posted.append(name)

    notices = [asyncio.create_task(post(f"notice {n}", late=True)) for n in range(3)]
    await asyncio.sleep(0)
    await asyncio.gather(post("answer", late=False), *notices)
    assert posted == ["notice 0", "answer", "notice 1", "notice 2"]


async def test_who_gives_up_waiting_to_post_leaves_the_turn_to_the_next() -> None:
    pace = Pace(gap_s=0.02)
    posted: list[str] = []

    async def post(name: str) -> None:
        async with pace.turn("c"):
            posted.append(name)

    first, second, third = (asyncio.create_task(post(name)) for name in "abc")
    await asyncio.sleep(0)
    second.cancel()
    await asyncio.gather(first, second, third, return_exceptions=True)
    assert posted == ["a", "c"]


def test_a_window_has_so_many_calls_a_minute_and_tells_how_long_to_wait() -> None:
    now = 0.0
    window = Window(2, lambda: now)
    assert window.take() == 0
    now = 10.0
    assert window.take() == 0
    now = 30.0
    assert window.take() == 30.0
    now = 60.0
    assert window.take() == 0
    assert window.take() == 10.0


async def test_a_call_that_can_be_spared_is_left_out_and_another_waits(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.slack.pace.MINUTE_S", 0.3)
    monkeypatch.setattr("bot.slack.pace.SPARED", {"assistant.threads.setStatus": 3})
    monkeypatch.setattr("bot.slack.pace.WAITING", {"users.info": 3})
    client = build_client(office.settings())
    ts = await office.mention("How much leave?")
    for _ in range(2):
        await client.assistant_threads_setStatus(
            channel_id=office.general, thread_ts=ts, status="is busy"
        )
    with pytest.raises(SparedError):
        await client.assistant_threads_setStatus(
            channel_id=office.general, thread_ts=ts, status="is busy"
        )
    begun = time.monotonic()
    for _ in range(3):
        await client.users_info(user=office.ana)
    assert time.monotonic() - begun >= 0.3


@pytest.mark.parametrize("method", ["chat.startStream", "chat.appendStream"])
async def test_a_stream_that_slack_slows_down_ends_in_one_complete_message_at_once(
    office: Office, method: str
) -> None:
    office.here, office.answers.writes = office.dm, True
    async with office.running():
        office.slack.faults.rate_limit(method, times=1, retry_after_s=30)
        ts = await office.mention("How much leave?")
        message = await office.slack.wait_for_message(office.here, thread_ts=ts, timeout_s=10)
    assert "Short flights are in economy." in str(message["blocks"])
    assert len(office.from_bot()) == 1


@pytest.mark.parametrize(
    ("seconds", "told"), [(0.2, "5 s"), (16, "20 s"), (90, "90 s"), (91, "2 min"), (600, "10 min")]
)
def test_a_wait_is_told_roughly(seconds: float, told: str) -> None:
    assert in_time(seconds) == told
