"""A person's doings in the local Slack, and what the app does about them."""

import json
import threading
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import pytest

from bot.source import Resolved
from bot.types import Turn
from ingest.types import Chunk
from tests.slack.conftest import LEAVE, TRAVEL, Office, abstention, cite, kept, leave_answer, live


def place_late(office: Office, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a moment pass between an answer's being seen and its being placed."""
    place = office.record.place

    def late(answer_id: int, message_ts: str, keys: Sequence[str]) -> None:
        time.sleep(0.2)
        place(answer_id, message_ts, keys)

    monkeypatch.setattr(office.record, "place", late)


def text_of(view: Any) -> str:
    """The passage as it was cited: what stands between the first two lines across."""
    parts: list[list[str]] = [[]]
    for block in view["blocks"]:
        if block["type"] == "divider":
            parts.append([])
        elif block["type"] == "section":
            parts[-1].append(block["text"]["text"])
    return "\n".join(parts[1])


def words_of(view: Any) -> str:
    return json.dumps(view["blocks"], ensure_ascii=False)


async def test_a_mention_is_answered_in_its_thread(bot: Office) -> None:
    ts = await bot.mention("Leave &amp; pay?")
    message = await bot.slack.wait_for_message(bot.general, thread_ts=ts)
    assert bot.answers.asked == [("Leave & pay?", [])]
    assert message["thread_ts"] == ts
    assert message["blocks"][0]["text"] == (
        "Employees get 25 days of paid leave a year. [1] Short flights are in economy. [2]"
    )
    assert [
        (e["action_id"], e["text"]["text"], e["value"]) for e in message["blocks"][1]["elements"]
    ] == [
        ("cite:1", "1 · handbook.md › Leave", "0123456789ab"),
        ("cite:2", "2 · travel.md › Flights", "ba9876543210"),
    ]
    assert bot.slack.status(bot.general, ts) == ""
    assert bot.slack.refusals == []


async def test_a_citation_opens_with_the_sentence_that_this_answer_cites_in_bold(
    bot: Office,
) -> None:
    message = await bot.ask("How much leave?")
    await bot.slack.click(bot.general, message["ts"], "cite:1", bot.ana)
    view = await bot.slack.wait_for_view(bot.ana)
    assert view["title"]["text"] == "Citation 1"
    words = words_of(view)
    assert "*people/handbook.md*" in words
    assert "Handbook › Benefits › Leave" in words
    assert "characters 2847–2945 · id `0123456789ab` · ingested 2026-11-30 08:15 UTC" in words
    assert text_of(view) == (
        "*Employees get 25 days of paid leave a year.* Contractors get 10 days.\n\n"
        "Ask &lt;!channel&gt; &amp; the office."
    )
    assert bot.slack.refusals == []


async def test_old_citations_open_after_a_restart(office: Office) -> None:
    async with office.running():
        message = await office.ask("How much leave?")
    office.slack.clock.advance(400 * 24 * 3600)
    office.restart()
    async with office.running():
        await office.slack.click(office.general, message["ts"], "cite:2", office.ana)
        view = await office.slack.wait_for_view(office.ana)
    assert "*Flights under six hours are booked in the economy class.*" in words_of(view)


async def test_a_passage_that_is_slow_to_read_opens_at_once_and_is_filled_in(bot: Office) -> None:
    message = await bot.ask("How much leave?")
    ready = threading.Event()
    bot.shelf.before = lambda: ready.wait(10)
    await bot.slack.click(bot.general, message["ts"], "cite:1", bot.ana)
    view = await bot.slack.wait_for_view(bot.ana)
    assert "Opening the passage…" in words_of(view)
    ready.set()
    await bot.slack.wait_for(
        lambda: "Employees get 25 days" in words_of(bot.slack.views[bot.ana][-1])
    )


async def test_a_passage_that_cannot_be_read_is_a_sentence_with_a_reference(
    bot: Office, caplog: pytest.LogCaptureFixture
) -> None:
    message = await bot.ask("How much leave?")

    def fail() -> object:
        raise OSError("secret detail")

    bot.shelf.before = fail
    await bot.slack.click(bot.general, message["ts"], "cite:1", bot.ana)
    words = words_of(await bot.slack.wait_for_view(bot.ana))
    assert "could not be opened (ref " in words
    assert "secret detail" not in words
    assert "secret detail" in caplog.text


async def test_an_abstention_lists_places_to_look_at_and_no_sources(bot: Office) -> None:
    bot.answers.outcome = abstention
    message = await bot.ask("Who won?")
    words = words_of(message)
    assert "The documents do not say." in words
    assert "The nearest places, which do not answer it:" in words
    assert "people/handbook.md › Handbook › Benefits › Leave" in words
    assert "cite:" not in words
    await bot.slack.click(bot.general, message["ts"], "place:2", bot.ana)
    view = await bot.slack.wait_for_view(bot.ana)
    assert view["title"]["text"] == "A place nearby"
    assert "economy class" in words_of(view)
    assert bot.slack.refusals == []


async def test_a_plain_reply_in_an_answered_thread_is_a_follow_up_with_its_history(
    bot: Office,
) -> None:
    first = await bot.ask("How much leave?")
    ts = await bot.slack.post(
        bot.general, bot.ana, "And for contractors?", thread_ts=first["thread_ts"]
    )
    await bot.slack.wait_for_message(bot.general, thread_ts=first["thread_ts"], after=ts)
    assert bot.answers.asked[1] == (
        "And for contractors?",
        [
            Turn("user", "How much leave?"),
            Turn(
                "assistant",
                "Employees get 25 days of paid leave a year. Short flights are in economy.",
            ),
        ],
    )


async def test_a_follow_up_that_comes_before_the_answer_is_placed_has_it_as_history(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    place_late(office, monkeypatch)
    async with office.running():
        first = await office.ask("How much leave?")
        await office.ask("And for contractors?", thread_ts=first["thread_ts"])
    assert [turn.role for turn in office.answers.asked[1][1]] == ["user", "assistant"]


async def test_a_click_that_comes_before_the_answer_is_placed_has_its_highlight(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    place_late(office, monkeypatch)
    async with office.running():
        message = await office.ask("How much leave?")
        await office.slack.click(office.general, message["ts"], "cite:1", office.ana)
        view = await office.slack.wait_for_view(office.ana)
    assert "*Employees get 25 days of paid leave a year.*" in words_of(view)


async def test_a_mention_in_a_thread_of_people_gets_what_they_said_as_history(bot: Office) -> None:
    top = await bot.slack.post(bot.general, bot.ana, "I fly to Oslo")
    await bot.slack.post(bot.general, bot.ana, "on Monday", thread_ts=top)
    await bot.ask("which class?", thread_ts=top)
    assert bot.answers.asked == [
        ("which class?", [Turn("user", "I fly to Oslo"), Turn("user", "on Monday")])
    ]


async def test_a_direct_message_and_a_reply_to_it_are_answered(bot: Office) -> None:
    ts = await bot.slack.post(bot.dm, bot.ana, "How much leave?")
    await bot.slack.wait_for_message(bot.dm, thread_ts=ts)
    reply = await bot.slack.post(bot.dm, bot.ana, "And flights?", thread_ts=ts)
    await bot.slack.wait_for_message(bot.dm, thread_ts=ts, after=reply)
    assert [question for question, _ in bot.answers.asked] == ["How much leave?", "And flights?"]


async def test_what_is_not_meant_for_the_bot_is_left_alone(bot: Office) -> None:
    other_bot = bot.slack.add_user("deploys", is_bot=True)
    await bot.slack.join(bot.general, other_bot)
    top = await bot.slack.post(bot.general, bot.ana, "Lunch?")
    await bot.slack.post(bot.general, bot.ana, "Yes", thread_ts=top)
    await bot.slack.post(bot.general, other_bot, f"<@{bot.slack.bot_user_id}> deployed")
    await bot.slack.edit(bot.general, top, "Late lunch?")
    await bot.slack.delete(bot.general, top)
    await bot.ask("How much leave?")
    assert bot.answers.asked == [("How much leave?", [])]
    assert len(bot.from_bot()) == 1


async def test_edits_and_deletions_of_a_question_are_not_answered(bot: Office) -> None:
    message = await bot.ask("How much leave?")
    await bot.slack.edit(
        bot.general, message["thread_ts"], f"<@{bot.slack.bot_user_id}> How much pay?"
    )
    await bot.slack.delete(bot.general, message["thread_ts"])
    await bot.ask("And flights?")
    assert [question for question, _ in bot.answers.asked] == ["How much leave?", "And flights?"]


async def test_a_question_delivered_again_is_answered_once(bot: Office) -> None:
    await bot.ask("How much leave?")
    for event in list(bot.slack.events):
        await bot.slack.faults.redeliver(event.event_id)
    await bot.slack.settled()
    await bot.ask("Anything else?")
    assert [question for question, _ in bot.answers.asked] == ["How much leave?", "Anything else?"]
    assert len(bot.from_bot()) == 2


async def test_a_question_delivered_again_after_a_restart_is_answered_once(office: Office) -> None:
    async with office.running():
        await office.ask("How much leave?")
        await office.slack.settled()
    office.restart()
    async with office.running():
        for event in list(office.slack.events):
            await office.slack.faults.redeliver(event.event_id)
        await office.ask("And flights?")
    assert [q for q, _ in office.answers.asked] == ["How much leave?", "And flights?"]


async def test_a_question_that_a_killed_run_left_unanswered_is_answered_when_it_comes_again(
    office: Office,
) -> None:
    ts = await office.mention("How much leave?")
    office.record.claim([f"{office.general}:{ts}"])
    office.restart()
    async with office.running():
        for event in list(office.slack.events):
            await office.slack.faults.redeliver(event.event_id)
        await office.slack.wait_for_message(office.general, thread_ts=ts)
        await office.ask("And flights?")
    assert [q for q, _ in office.answers.asked] == ["How much leave?", "And flights?"]


async def test_a_socket_that_slack_wants_replaced_loses_no_question(bot: Office) -> None:
    await bot.slack.faults.refresh_request()
    await bot.ask("How much leave?")
    await bot.slack.settled()
    assert len(bot.from_bot()) == 1


async def test_a_failure_is_told_with_a_reference_that_the_log_explains(
    bot: Office, caplog: pytest.LogCaptureFixture
) -> None:
    bot.answers.error = RuntimeError("database password is hunter2")
    message = await bot.ask("How much leave?")
    assert message["text"].startswith(
        "Something went wrong, and the question is not answered (ref "
    )
    assert "hunter2" not in json.dumps(message)
    reference = message["text"].split("(ref ")[1][:4]
    assert f"ref {reference}: " in caplog.text
    assert "hunter2" in caplog.text


async def test_a_rate_limited_answer_is_posted_once_it_may_be(bot: Office) -> None:
    bot.slack.faults.rate_limit("chat.postMessage", times=1, retry_after_s=1)
    await bot.ask("How much leave?")
    assert len(bot.from_bot()) == 1


async def test_the_record_holds_what_was_asked_and_cited_and_where_it_stands(
    office: Office,
) -> None:
    async with office.running():
        message = await office.ask("How much leave?")
    stored = office.record.answer_at(office.general, message["ts"])
    assert stored is not None
    assert (stored.kind, stored.question, stored.user) == ("answer", "How much leave?", office.ana)
    assert stored.asked_at == float(message["thread_ts"])
    assert [(c.n, c.passage_id) for c in stored.citations] == [
        (1, "0123456789ab"),
        (2, "ba9876543210"),
    ]


async def test_the_answer_does_not_depend_on_status_or_history(bot: Office) -> None:
    top = await bot.slack.post(bot.general, bot.ana, "I fly to Oslo")
    bot.slack.faults.fail("assistant.threads.setStatus", "internal_error", times=9)
    bot.slack.faults.fail("conversations.replies", "missing_scope", times=1)
    message = await bot.ask("which class?", thread_ts=top)
    assert message["blocks"][0]["text"].startswith("Employees")
    assert bot.answers.asked == [("which class?", [])]


async def test_nothing_in_text_of_people_or_documents_comes_alive(bot: Office) -> None:
    evil = "<!channel> <@U012345> <https://evil.example|bank> [bank](https://evil.example) @here"
    chunk = Chunk("aaaaaaaaaaaa", evil + ".md", f"Title {evil} > {evil}", 0, len(evil), evil)
    bot.shelf.passages[chunk.id] = live(chunk)
    answer = leave_answer()
    bot.answers.outcome = lambda _: type(answer)(
        sentences=(type(answer.sentences[0])(evil, (1,)),),
        citations=(cite(1, chunk, evil),),
        trace=answer.trace,
        quoting=True,
    )
    message = await bot.ask(evil)
    assert bot.slack.live_marks(message) == []
    await bot.slack.click(bot.general, message["ts"], "cite:1", bot.ana)
    view = await bot.slack.wait_for_view(bot.ana)
    assert bot.slack.live_marks(view) == []
    await bot.slack.command(bot.general, bot.ana, "/rag-source", evil)
    assert bot.slack.live_marks(await bot.slack.wait_for_ephemeral(bot.ana)) == []


@pytest.mark.parametrize(
    "typed", ["ba9876543210", " `BA98 7654 3210` ", "[ba9876543210]", "<ba9876543210>"]
)
async def test_rag_source_opens_a_passage_however_its_id_was_pasted(
    bot: Office, typed: str
) -> None:
    await bot.slack.command(bot.general, bot.ana, "/rag-source", typed)
    view = await bot.slack.wait_for_view(bot.ana)
    assert view["title"]["text"] == "Passage"
    assert text_of(view) == ("Flights under six hours are booked in the economy class.")
    assert bot.slack.refusals == []


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        ("", "opens the passage behind a citation"),
        ("  ` ` ", "opens the passage behind a citation"),
        ("help", "opens the passage behind a citation"),
        ("handbook <x>", "is no citation id"),
        ("ffffffffffff", "No passage has the id ffffffffffff"),
    ],
)
async def test_rag_source_tells_its_sender_alone_what_is_wrong(
    bot: Office, typed: str, told: str
) -> None:
    await bot.slack.command(bot.general, bot.ana, "/rag-source", typed)
    message = await bot.slack.wait_for_ephemeral(bot.ana)
    assert told in message["text"]
    assert bot.from_bot() == []
    assert bot.slack.views[bot.ana] == []


async def test_the_button_of_an_answer_whose_source_was_removed_since_tells(
    bot: Office,
) -> None:
    message = await bot.ask("How much leave?")
    gone = kept(TRAVEL, retired_at=datetime(2027, 1, 2, tzinfo=UTC))
    bot.shelf.passages[TRAVEL.id] = Resolved("removed", gone, None)
    await bot.slack.click(bot.general, message["ts"], "cite:2", bot.ana)
    view = await bot.slack.wait_for_view(bot.ana)
    assert text_of(view) == "*Flights under six hours are booked in the economy class.*"
    assert "*Removed on 2027-01-02*, after version 3 of people/travel.md." in words_of(view)
    assert "Nothing took its place." in words_of(view)


async def test_steps_lead_to_the_passages_around_and_back_to_the_marked_one(bot: Office) -> None:
    message = await bot.ask("How much leave?")
    await bot.slack.click(bot.general, message["ts"], "cite:1", bot.ana)
    await bot.slack.wait_for_view(bot.ana)
    await bot.slack.click_in_view(bot.ana, "beside:after")
    await bot.slack.wait_for(lambda: TRAVEL.text in words_of(bot.slack.views[bot.ana][-1]))
    assert bot.slack.views[bot.ana][-1]["title"]["text"] == "Passage"
    await bot.slack.click_in_view(bot.ana, "beside:before")
    marked = "*Employees get 25 days of paid leave a year.*"
    await bot.slack.wait_for(lambda: marked in words_of(bot.slack.views[bot.ana][-1]))
    assert len(bot.slack.views[bot.ana]) == 1
    assert bot.slack.refusals == []


async def test_a_document_on_the_web_is_linked(office: Office) -> None:
    async with office.running(docs_url="https://wiki.example.com/{path}"):
        await office.slack.command(office.general, office.ana, "/rag-source", LEAVE.id)
        view = await office.slack.wait_for_view(office.ana)
        assert "https://wiki.example.com/people/handbook.md" in words_of(view)
        await office.slack.click_in_view(office.ana, "open_doc")


async def test_rag_source_says_since_when_a_cited_passage_is_unchanged(bot: Office) -> None:
    await bot.slack.command(bot.general, bot.ana, "/rag-source", LEAVE.id)
    assert "It stands so in the documents." in words_of(await bot.slack.wait_for_view(bot.ana))
    message = await bot.ask("How much leave?")
    cited = datetime.fromtimestamp(float(message["thread_ts"]), UTC)
    await bot.slack.command(bot.general, bot.ana, "/rag-source", LEAVE.id)
    words = words_of(await bot.slack.wait_for_view(bot.ana))
    assert f"Unchanged since it was cited on {cited:%Y-%m-%d}." in words


async def test_the_long_passage_of_a_citation_is_there_in_full(bot: Office) -> None:
    text = " ".join(f"Rule {n} is <strict> & clear." for n in range(1000))
    bot.shelf.passages[LEAVE.id] = live(Chunk(LEAVE.id, "long.md", "Long", 0, len(text), text))
    await bot.slack.command(bot.general, bot.ana, "/rag-source", LEAVE.id)
    view = await bot.slack.wait_for_view(bot.ana)
    assert text_of(view).replace("\n", " ") == text.replace("&", "&amp;").replace(
        "<", "&lt;"
    ).replace(">", "&gt;")
    assert bot.slack.refusals == []
