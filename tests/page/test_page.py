"""What the page shows of a local Slack, and what a press on it does."""

import asyncio
import re
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any

import pytest
import pytest_asyncio
from playwright.async_api import expect
from slack_sdk.web.async_client import AsyncWebClient

from tests.page.conftest import Screen, Workspace
from tests.slack.small_app import app_of, client_of, running

pytestmark = pytest.mark.asyncio(loop_scope="session")

Json = dict[str, Any]


def plain(text: str) -> Json:
    return {"type": "plain_text", "text": text}


def button(action_id: str, text: str, **more: Any) -> Json:
    return {"type": "button", "action_id": action_id, "text": plain(text), "value": "v", **more}


def section(text: str, **more: Any) -> Json:
    return {"type": "section", "text": {"type": "mrkdwn", "text": text, "verbatim": True}, **more}


def modal(title: str, blocks: list[Json], **more: Any) -> Json:
    return {"type": "modal", "title": plain(title), "blocks": blocks, **more}


@dataclass
class Bot:
    """A small app that opens, pushes and takes forms, and remembers what it was told."""

    client: AsyncWebClient
    told: list[Json] = field(default_factory=list)
    forms: list[Json] = field(default_factory=list)
    events: list[Json] = field(default_factory=list)
    hold: asyncio.Event | None = None


FORM = modal(
    "What was wrong?",
    [
        {
            "type": "input",
            "block_id": "why",
            "label": plain("Reason"),
            "element": {
                "type": "radio_buttons",
                "action_id": "reason",
                "options": [
                    {"text": plain("Wrong"), "value": "wrong"},
                    {"text": plain("Outdated"), "value": "outdated"},
                ],
            },
        },
        {
            "type": "input",
            "block_id": "more",
            "optional": True,
            "label": plain("Details"),
            "element": {"type": "plain_text_input", "action_id": "text", "multiline": True},
        },
    ],
    submit=plain("Send"),
    callback_id="why",
)


@pytest_asyncio.fixture(loop_scope="session")
async def bot(workspace: Workspace) -> AsyncIterator[Bot]:
    app, made = app_of(workspace.slack), Bot(client_of(workspace.slack))

    @app.event(re.compile(".*"))
    async def hear(event: Json) -> None:
        made.events.append(event)

    @app.action("slow")
    async def slow(ack: Any) -> None:
        if made.hold is not None:
            await made.hold.wait()
        await ack()

    @app.action("form")
    async def form(ack: Any, body: Json, client: AsyncWebClient) -> None:
        await ack()
        made.told += body["actions"]
        await client.views_open(trigger_id=body["trigger_id"], view=FORM)

    @app.action("first")
    async def first(ack: Any, body: Json, client: AsyncWebClient) -> None:
        await ack()
        view = modal("First", [{"type": "actions", "elements": [button("second", "Go on")]}])
        await client.views_open(trigger_id=body["trigger_id"], view=view)

    @app.action("second")
    async def second(ack: Any, body: Json, client: AsyncWebClient) -> None:
        await ack()
        view = modal("Second", [section("on top")])
        await client.views_push(trigger_id=body["trigger_id"], view=view)

    @app.view("why")
    async def submitted(ack: Any, view: Json) -> None:
        values = view["state"]["values"]
        made.forms.append(values)
        if not values["more"]["text"]["value"]:
            await ack(response_action="errors", errors={"more": "Please say more."})
        else:
            await ack()

    async with running(app, workspace.slack):
        yield made


async def test_text_stays_text_wherever_it_comes_from(
    screen: Screen, workspace: Workspace, bot: Bot
) -> None:
    evil = "<img src=x onerror=alert(1)><script>alert(2)</script>"
    wire = evil.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    await screen.write(f"{evil} & &amp; [a](javascript:alert(3))")
    await bot.client.chat_postMessage(
        channel=workspace.general,
        text="x",
        blocks=[
            section(f"{wire} <javascript:alert(5)|c>"),
            {"type": "markdown", "text": f"{wire} [b](javascript:alert(4)) {evil}"},
            {"type": "context", "elements": [plain(evil)]},
            {"type": "header", "text": plain(evil)},
            {"type": "actions", "elements": [button("a", evil[:75])]},
            {"type": "table", "rows": [[{"type": "raw_text", "text": evil}]]},
        ],
    )
    log = screen.page.get_by_role("log", name="Messages")
    await expect(log.get_by_text("& &amp; [a](javascript:alert(3))")).to_be_visible()
    await expect(log.get_by_text(evil)).not_to_have_count(0)
    for tag in ("script", "img[src=x]", "a[href^=javascript]"):
        await expect(log.locator(tag)).to_have_count(0)
    stored = workspace.slack.messages(workspace.general)[0]["text"]
    assert stored == f"{wire} &amp; &amp;amp; [a](javascript:alert(3))"


async def test_markdown_tables_code_and_lists_are_drawn(
    screen: Screen, workspace: Workspace, bot: Bot
) -> None:
    text = (
        "**bold** and `code` [1]\n\n- one\n- two\n\n```\nx = 1\n```\n\n"
        "| a | b |\n|---|---|\n| 1 | 2 |"
    )
    await bot.client.chat_postMessage(
        channel=workspace.general, text="x", blocks=[{"type": "markdown", "text": text}]
    )
    row = screen.page.get_by_role("article", name="Footnote")
    await expect(row.locator("strong", has_text="bold")).to_be_visible()
    await expect(row.get_by_role("listitem")).to_have_count(2)
    await expect(row.get_by_role("cell", name="2")).to_be_visible()
    await expect(row.locator("pre")).to_have_text("x = 1")


async def test_a_message_appears_as_it_is_written_and_can_be_stopped(
    screen: Screen, workspace: Workspace, bot: Bot
) -> None:
    await screen.write("@Footnote go")
    await expect(screen.thread).to_be_visible()
    ts = workspace.slack.messages(workspace.general)[0]["ts"]
    place = {"channel": workspace.general, "thread_ts": ts}
    await bot.client.assistant_threads_setStatus(
        channel_id=workspace.general, thread_ts=ts, status="is searching"
    )
    await expect(screen.thread.get_by_text("Footnote is searching")).to_be_visible()
    started = await bot.client.chat_startStream(
        **place,
        recipient_user_id=workspace.ana,
        recipient_team_id=workspace.slack.team_id,
        markdown_text="The first sentence. ",
    )
    answer = screen.thread.locator(f'[data-ts="{started["ts"]}"]')
    await expect(answer).to_have_attribute("aria-busy", "true")
    await expect(screen.thread.get_by_text("Footnote is searching")).to_have_count(0)
    await bot.client.chat_appendStream(
        channel=workspace.general, ts=started["ts"], markdown_text="The second."
    )
    await expect(answer.get_by_text("The first sentence. The second.")).to_be_visible()
    await screen.thread.get_by_role("button", name="Stop the answer").click()
    await expect(answer).not_to_have_attribute("aria-busy", "true")
    await workspace.slack.settled()
    assert bot.events[-1]["type"] == "agent_session_stopped"
    assert bot.events[-1]["streaming_message_ts"] == [started["ts"]]


async def test_a_press_is_pending_until_it_is_acknowledged(
    screen: Screen, workspace: Workspace, bot: Bot
) -> None:
    bot.hold = asyncio.Event()
    await bot.client.chat_postMessage(
        channel=workspace.general,
        text="x",
        blocks=[{"type": "actions", "elements": [button("slow", "Slowly")]}],
    )
    pressed = screen.page.get_by_role("button", name="Slowly")
    await pressed.click()
    await expect(pressed).to_have_attribute("aria-busy", "true")
    bot.hold.set()
    await expect(pressed).to_have_attribute("aria-busy", "false")


async def test_a_press_that_nobody_acknowledges_is_told(
    screen: Screen, workspace: Workspace
) -> None:
    client = client_of(workspace.slack)
    await client.chat_postMessage(
        channel=workspace.general,
        text="x",
        blocks=[section("Look", accessory=button("gone", "There"))],
    )
    await screen.page.get_by_role("button", name="There").click()
    told = screen.page.get_by_role("alert")
    await expect(told).to_have_text("the app did not respond in time")


async def test_a_form_is_filled_in_refused_and_taken(
    screen: Screen, workspace: Workspace, bot: Bot
) -> None:
    feedback = {
        "type": "context_actions",
        "elements": [
            {
                "type": "feedback_buttons",
                "action_id": "form",
                "positive_button": {"text": plain("Good answer"), "value": "up"},
                "negative_button": {"text": plain("Bad answer"), "value": "down"},
            }
        ],
    }
    await bot.client.chat_postMessage(
        channel=workspace.general, text="x", blocks=[section("Ten days."), feedback]
    )
    await screen.page.get_by_role("button", name="Bad answer").click()
    await screen.dialog.get_by_role("radio", name="Outdated").check()
    await screen.dialog.get_by_role("button", name="Send").click()
    await expect(screen.dialog.get_by_text("Please say more.")).to_be_visible()
    await screen.dialog.get_by_role("textbox", name="Details").fill("it is 12 days")
    await screen.dialog.get_by_role("button", name="Send").click()
    await expect(screen.dialog).to_have_count(0)
    assert bot.told[0]["value"] == "down"
    assert bot.forms[1]["why"]["reason"]["selected_option"]["value"] == "outdated"
    assert bot.forms[1]["more"]["text"]["value"] == "it is 12 days"


async def test_modals_lie_on_each_other_and_escape_closes_the_top_one(
    screen: Screen, workspace: Workspace, bot: Bot
) -> None:
    await bot.client.chat_postMessage(
        channel=workspace.general,
        text="x",
        blocks=[{"type": "actions", "elements": [button("first", "Open")]}],
    )
    await screen.page.get_by_role("button", name="Open").click()
    await screen.dialog.get_by_role("button", name="Go on").click()
    await expect(screen.dialog.get_by_role("heading", name="Second")).to_be_visible()
    await screen.page.keyboard.press("Escape")
    await expect(screen.dialog.get_by_role("heading", name="First")).to_be_visible()
    await screen.page.keyboard.press("Escape")
    await expect(screen.dialog).to_have_count(0)
    assert workspace.slack.views[workspace.ana] == []


async def test_a_modal_is_gone_after_a_reload(
    screen: Screen, workspace: Workspace, bot: Bot
) -> None:
    await bot.client.chat_postMessage(
        channel=workspace.general,
        text="x",
        blocks=[{"type": "actions", "elements": [button("first", "Open")]}],
    )
    await screen.page.get_by_role("button", name="Open").click()
    await expect(screen.dialog).to_be_visible()
    await screen.page.reload()
    await expect(screen.page.get_by_role("button", name="Open")).to_be_visible()
    await expect(screen.dialog).to_have_count(0)


async def test_an_ephemeral_message_is_seen_by_one_person_until_a_reload(
    screen: Screen, workspace: Workspace, bot: Bot
) -> None:
    await bot.client.chat_postEphemeral(
        channel=workspace.general, user=workspace.ana, text="between us"
    )
    secret = screen.page.get_by_text("between us")
    await expect(secret).to_be_visible()
    await screen.become("ben")
    await expect(secret).to_have_count(0)
    await screen.become("ana")
    await expect(secret).to_be_visible()
    await screen.page.reload()
    await expect(screen.page.get_by_role("textbox", name="Message #general")).to_be_visible()
    await expect(secret).to_have_count(0)


async def test_the_home_tab_is_what_was_published_for_the_person(
    screen: Screen, workspace: Workspace, bot: Bot
) -> None:
    await bot.client.views_publish(
        user_id=workspace.ana,
        view={
            "type": "home",
            "blocks": [
                section("*18* documents"),
                {"type": "actions", "elements": [button("slow", "Look again")]},
            ],
        },
    )
    await screen.page.get_by_role("button", name="Footnote", exact=True).click()
    await screen.page.get_by_role("tab", name="Home").click()
    await expect(screen.page.get_by_text("18 documents")).to_be_visible()
    pressed = screen.page.get_by_role("button", name="Look again")
    await pressed.click()
    await expect(pressed).to_have_attribute("aria-busy", "false")
    await workspace.slack.settled()
    assert [e["tab"] for e in bot.events if e["type"] == "app_home_opened"] == ["messages", "home"]


async def test_suggested_prompts_ask_their_question(
    screen: Screen, workspace: Workspace, bot: Bot
) -> None:
    await bot.client.assistant_threads_setSuggestedPrompts(
        channel_id=workspace.dm, prompts=[{"title": "Leave", "message": "How much leave is there?"}]
    )
    await screen.page.get_by_role("button", name="Footnote", exact=True).click()
    await screen.page.get_by_role("button", name="Leave", exact=True).click()
    await expect(screen.page.get_by_text("How much leave is there?").first).to_be_visible()


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        ("/nonsense", "/nonsense is not a valid command"),
        ("/rag-source 1", "/rag-source is not a valid command"),  # nobody registered it here
    ],
)
async def test_a_command_that_is_none_is_told(screen: Screen, typed: str, words: str) -> None:
    await screen.write(typed)
    await expect(screen.page.get_by_role("alert")).to_have_text(words)
    await expect(screen.page.get_by_role("textbox", name="Message #general")).to_have_value(typed)


async def test_what_others_write_elsewhere_is_marked_unread(
    screen: Screen, workspace: Workspace
) -> None:
    other = workspace.slack.add_channel("other", [workspace.ana, workspace.ben])
    await workspace.slack.post(other, workspace.ben, "over here")
    await screen.page.get_by_role("button", name=re.compile("^other.*unread$")).click()
    await expect(screen.page.get_by_text("over here")).to_be_visible()
    await expect(screen.page.get_by_role("button", name="other", exact=True)).to_be_visible()


@pytest.mark.parametrize("width", [360, 800, 1360])
async def test_nothing_sticks_out_of_a_narrow_window(
    screen: Screen, workspace: Workspace, bot: Bot, width: int
) -> None:
    await screen.page.set_viewport_size({"width": width, "height": 700})
    await bot.client.chat_postMessage(
        channel=workspace.general,
        text="x",
        blocks=[
            section("long " * 100 + "x" * 300),
            {"type": "actions", "elements": [button("a", "w" * 75), button("b", "Two")]},
        ],
    )
    await expect(screen.page.get_by_role("button", name="Two")).to_be_visible()
    wide = await screen.page.evaluate(
        "[...document.querySelectorAll('body *')].filter(e => !e.closest('.sidebar, .hidden')"
        " && e.getBoundingClientRect().right > innerWidth + 1).map(e => e.outerHTML.slice(0, 200))"
    )
    assert wide == []


@pytest.mark.usefixtures("bot")
async def test_every_control_has_a_name(screen: Screen) -> None:
    await screen.write("@Footnote hello")
    await screen.page.get_by_role("button", name="Docs").click()
    await expect(screen.page.get_by_role("textbox", name="Text of the document")).to_be_visible()
    nameless = await screen.page.evaluate(
        "[...document.querySelectorAll('button, textarea, input, select, a')].filter(e =>"
        " !(e.getAttribute('aria-label') || e.textContent.trim() || e.labels?.length))"
        ".map(e => e.outerHTML)"
    )
    assert nameless == []


async def test_a_document_is_saved_and_its_passages_compared(
    screen: Screen, workspace: Workspace
) -> None:
    await screen.page.get_by_role("button", name="Docs").click()
    panel = screen.page.get_by_role("complementary", name="Sample documents")
    editor = panel.get_by_role("textbox")
    await expect(editor).to_have_value("# Leave\n\n25 days.\n")
    await panel.get_by_role("button", name="Leave").click()
    assert (
        await editor.evaluate("e => e.value.slice(e.selectionStart, e.selectionEnd)") == "25 days."
    )
    await editor.fill("# Leave\n\n250 days.\n")
    async with screen.page.expect_response("**/page/document"):
        await editor.press("Control+s")
    await expect(panel.get_by_text("Saved. The schedule looks")).to_be_visible()
    assert workspace.papers.texts == {"leave.md": "# Leave\n\n250 days.\n"}
    workspace.api.documents_changed()
    await expect(panel.get_by_text("Taken in: 1 new, 1 retired, 0 kept their id.")).to_be_visible()
    await expect(panel.get_by_text("retired", exact=True)).to_be_visible()
