"""One browser for all tests of the page, a page of its own for each."""

import re
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any

import pytest_asyncio
from playwright.async_api import Browser, Locator, Page, expect

from bot.localslack import LocalSlack
from bot.localslack.page_api import Page as PageApi
from tests.page.chromium import demand_chromium, open_browser

ANSWER_MS = 60_000
expect.set_options(timeout=15_000)  # a machine that others use too


@dataclass
class Papers:
    """Documents in memory."""

    texts: dict[str, str] = field(default_factory=lambda: {"leave.md": "# Leave\n\n25 days.\n"})

    def list_documents(self) -> list[dict[str, Any]]:
        return [{"doc": doc, "title": doc} for doc in self.texts]

    def read_document(self, doc: str) -> dict[str, Any]:
        text = self.texts[doc]
        passage = {"id": f"{len(text):012x}", "heading": "Leave", "start": 9, "end": len(text) - 1}
        return {"doc": doc, "text": text, "passages": [passage]}

    def save_document(self, doc: str, text: str) -> None:
        if doc not in self.texts:
            raise KeyError(doc)
        self.texts[doc] = text


@dataclass
class Screen:
    """A person before the page."""

    page: Page

    @property
    def thread(self) -> Locator:
        return self.page.get_by_role("complementary", name="Thread")

    @property
    def citations(self) -> Locator:
        """The buttons of first sources in the thread."""
        return self.thread.get_by_role("button", name=re.compile("^1 · "))

    @property
    def dialog(self) -> Locator:
        return self.page.get_by_role("dialog")

    async def become(self, name: str) -> None:
        await self.page.locator("label.person", has_text=name).click()
        await expect(self.page.get_by_role("radio", name=name)).to_be_checked()

    async def write(self, text: str, label: str = "Message #general") -> None:
        box = self.page.get_by_role("textbox", name=label)
        await box.fill(text)
        await box.press("Enter")

    async def ask_again(self, question: str) -> None:
        """In a new thread: the one that is open has its reply already."""
        await self.page.get_by_role("button", name="Close the thread").click()
        await self.ask(question)

    async def ask(self, question: str) -> None:
        """Mention the bot and wait until its answer has its sources."""
        await self.write(f"@Footnote {question}")
        await expect(self.citations).to_have_count(1, timeout=ANSWER_MS)


@dataclass
class Workspace:
    """A local Slack with a page, two people and a channel; no app unless the test runs one."""

    slack: LocalSlack
    papers: Papers
    api: PageApi

    def __post_init__(self) -> None:
        self.ana = self.slack.add_user("ana")
        self.ben = self.slack.add_user("ben")
        self.general = self.slack.add_channel("general", [self.ana, self.ben])
        self.dm = self.slack.open_dm(self.ana)


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def browser() -> AsyncIterator[Browser]:
    async with open_browser(demand_chromium()) as opened:
        yield opened


@pytest_asyncio.fixture(loop_scope="session")
async def page(browser: Browser) -> AsyncIterator[Page]:
    """A page that must not report an error of its own."""
    context = await browser.new_context(viewport={"width": 1360, "height": 860})
    opened = await context.new_page()
    errors: list[str] = []
    opened.on("pageerror", lambda error: errors.append(str(error)))
    yield opened
    await context.close()
    assert errors == []


@pytest_asyncio.fixture(loop_scope="session")
async def workspace() -> AsyncIterator[Workspace]:
    slack, papers = LocalSlack(), Papers()
    api = PageApi(slack, papers)
    slack.mount(api.routes())
    async with slack:
        yield Workspace(slack, papers, api)


@pytest_asyncio.fixture(loop_scope="session")
async def screen(page: Page, workspace: Workspace) -> Screen:
    await page.goto(workspace.slack.url)
    await page.get_by_role("textbox", name="Message #general").wait_for()
    return Screen(page)
