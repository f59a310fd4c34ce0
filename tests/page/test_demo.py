"""The demo from end to end: the real bot on the sample handbook, seen in a browser."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Page, expect

from tests.commands import run
from tests.page.chromium import demand_chromium
from tests.page.conftest import ANSWER_MS, Screen
from tests.page.demo_run import Demo, running_demo, settings_for

on_page = pytest.mark.asyncio(loop_scope="session")

HOTEL = "how much may a hotel in London cost per night?"
SYNC_MS = 20_000


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("demo")


@pytest.fixture(scope="module")
def demo(data: Path) -> Iterator[Demo]:
    demand_chromium()
    with running_demo(data) as started:
        yield started


@pytest_asyncio.fixture(loop_scope="session")
async def opened(page: Page, demo: Demo) -> Screen:
    await page.goto(demo.wait())
    await page.get_by_role("textbox", name="Message #general").wait_for()
    return Screen(page)


def test_without_a_terminal_the_demo_answers_three_questions_and_ends(data: Path) -> None:
    ended = run(settings_for(data), "-m", "bot", "demo")
    assert ended.returncode == 0, ended.stderr
    assert "£195 per night." in ended.stdout
    assert ended.stdout.count("\n[1] ") == 2
    assert ended.stdout.count("The documents do not say") == 1
    assert "http://" not in ended.stdout


@on_page
async def test_a_mention_is_answered_and_its_citation_opens(opened: Screen) -> None:
    await opened.ask(HOTEL)
    await expect(opened.thread.locator("strong", has_text="£195 per night.")).to_be_visible()
    await expect(opened.citations).to_have_text("1 · travel-and-expenses.md › London")
    await opened.citations.click()
    await expect(opened.dialog.locator("strong", has_text="£195 per night.")).to_be_visible()
    await opened.page.keyboard.press("Escape")
    await expect(opened.dialog).to_have_count(0)


@on_page
async def test_a_reply_in_the_thread_is_a_follow_up(opened: Screen) -> None:
    await opened.ask(HOTEL)
    await opened.write("and in Berlin?", "Reply…")
    await expect(opened.citations).to_have_count(2, timeout=ANSWER_MS)
    await expect(opened.thread.get_by_text(re.compile("Berlin.*€"))).to_be_visible()


@on_page
async def test_a_slash_command_opens_a_passage_by_its_id(opened: Screen) -> None:
    box = opened.page.get_by_role("textbox", name="Message #general")
    await box.press_sequentially("/rag")
    await expect(opened.page.get_by_role("option", name="/rag-source")).to_be_visible()
    await box.press("Enter")
    await box.press_sequentially("[6A38 08e7976b]")
    await box.press("Enter")
    await expect(opened.dialog.get_by_text("Hotels › London")).to_be_visible()


@on_page
async def test_an_unknown_id_is_told_to_the_one_who_asked_and_gone_after_a_reload(
    opened: Screen,
) -> None:
    await opened.write("/rag-source 000000000000")
    whisper = opened.page.get_by_text("Only visible to you")
    await expect(whisper).to_be_visible()
    await opened.page.reload()
    await opened.page.get_by_role("textbox", name="Message #general").wait_for()
    await expect(whisper).to_have_count(0)


@on_page
async def test_an_edited_document_is_taken_in_and_the_old_citation_says_so(
    opened: Screen,
) -> None:
    await opened.ask(HOTEL)
    await opened.page.get_by_role("button", name="Docs").click()
    panel = opened.page.get_by_role("complementary", name="Sample documents")
    await panel.get_by_role("combobox", name="Document").select_option(
        "people/travel-and-expenses.md"
    )
    editor = panel.get_by_role("textbox", name="Text of the document")
    await expect(editor).to_have_value(re.compile("£195"))
    text = await editor.input_value()
    await editor.fill(text.replace("£195", "£210"))
    await panel.get_by_role("button", name="Save").click()
    told = panel.get_by_text(re.compile(r"Taken in: 1 new, 1 retired, \d+ kept their id"))
    await expect(told).to_be_visible(timeout=SYNC_MS)

    await opened.citations.click()
    await expect(opened.dialog.locator("strong", has_text="£195 per night.")).to_be_visible()
    went, came = (opened.dialog.get_by_text(word, exact=True) for word in ("195", "210"))
    await expect(went).to_have_css("text-decoration-line", "line-through")
    await expect(came).to_have_css("font-weight", "700")
    await opened.page.keyboard.press("Escape")
    await opened.ask_again(HOTEL)
    await expect(opened.thread.locator("strong", has_text="£210 per night.")).to_be_visible()


@on_page
async def test_a_thumb_down_asks_what_was_wrong_and_a_thumb_up_is_kept(opened: Screen) -> None:
    await opened.ask(HOTEL)
    thumbs = opened.thread.get_by_role("group", name="Feedback").get_by_role("button")
    await thumbs.nth(1).click()
    await expect(opened.dialog.get_by_role("radio").first).to_be_visible()
    await opened.dialog.get_by_role("radio").first.check()
    await opened.dialog.locator("button[type=submit]").click()
    await expect(opened.dialog).to_have_count(0)
    await thumbs.nth(0).click()
    await expect(thumbs.nth(0)).to_have_attribute("aria-pressed", "true")


@on_page
async def test_the_other_person_reads_the_same_channel_but_not_the_direct_messages(
    opened: Screen,
) -> None:
    await opened.page.get_by_role("button", name="Footnote", exact=True).click()
    await opened.write("only for the bot", "Message Footnote")
    words = opened.page.get_by_text("only for the bot").first
    await expect(words).to_be_visible()
    await opened.become("Office manager")
    await expect(words).to_have_count(0)
    await opened.page.get_by_role("button", name="general").click()
    await expect(opened.page.get_by_text(HOTEL).first).to_be_visible()


@on_page
async def test_everything_can_be_done_from_the_keyboard(opened: Screen) -> None:
    box = opened.page.get_by_role("textbox", name="Message #general")
    await box.focus()
    await opened.page.keyboard.type("@foo")
    await opened.page.keyboard.press("Tab")
    await opened.page.keyboard.type("how much may a hotel in London cost per night?")
    await opened.page.keyboard.press("Enter")
    button = opened.citations
    await button.wait_for(timeout=ANSWER_MS)
    for _ in range(40):
        await opened.page.keyboard.press("Tab")
        if await button.evaluate("element => element === document.activeElement"):
            break
    await opened.page.keyboard.press("Enter")
    await expect(opened.dialog.get_by_text("characters")).to_be_visible()
    await opened.page.keyboard.press("Escape")
    await expect(button).to_be_focused()
