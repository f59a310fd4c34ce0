"""Pictures of a real run for the README: `python -m tests.page.screenshots DIR`."""

import asyncio
import re
import sys
import tempfile
from pathlib import Path

from playwright.async_api import Browser, expect

from tests.page.chromium import find_chromium, open_browser
from tests.page.conftest import ANSWER_MS, Screen
from tests.page.demo_run import running_demo

QUESTION = "how much may a hotel in London cost per night?"
FOLLOW_UP = "and in Berlin?"
SIZE = {"width": 1360, "height": 820}
DOCUMENT = "people/travel-and-expenses.md"
SETTLE_MS = 400


async def take(url: str, folder: Path) -> None:
    path = find_chromium()
    if path is None:
        sys.exit("There is no Chromium on this machine.")
    async with open_browser(path) as browser:
        for scheme in ("light", "dark"):
            await take_in(browser, url, folder, scheme)


async def take_in(browser: Browser, url: str, folder: Path, scheme: str) -> None:
    context = await browser.new_context(viewport=SIZE, color_scheme=scheme)  # type: ignore[arg-type]
    page = await context.new_page()
    await page.goto(url)
    screen = Screen(page)

    async def shoot(name: str) -> None:
        await page.mouse.move(SIZE["width"] // 2, 8)
        await page.wait_for_timeout(SETTLE_MS)
        await page.screenshot(path=folder / f"{name}-{scheme}.png")

    await screen.ask(QUESTION)
    await screen.write(FOLLOW_UP, "Reply…")
    await expect(screen.citations).to_have_count(2, timeout=ANSWER_MS)
    await shoot("answer")
    await screen.citations.first.click()
    await expect(screen.dialog.get_by_text("characters")).to_be_visible()
    await shoot("citation")
    await page.keyboard.press("Escape")
    await edit(screen, "£195", "£210")
    await screen.citations.first.click()
    await expect(screen.dialog.get_by_text("210", exact=True)).to_be_visible()
    await shoot("changed")
    await page.keyboard.press("Escape")
    await edit(screen, "£210", "£195")
    await context.close()


async def edit(screen: Screen, old: str, new: str) -> None:
    panel = screen.page.get_by_role("complementary", name="Sample documents")
    if not await panel.is_visible():
        await screen.page.get_by_role("button", name="Docs").click()
        await panel.get_by_role("combobox", name="Document").select_option(DOCUMENT)
    editor = panel.get_by_role("textbox")
    await expect(editor).to_have_value(re.compile(old))
    await editor.fill((await editor.input_value()).replace(old, new))
    await panel.get_by_role("button", name="Save").click()
    await expect(panel.get_by_text("Taken in")).to_be_visible(timeout=ANSWER_MS)
    await panel.get_by_role("button", name=re.compile("Hotels > London")).click()


def main() -> None:
    """Start the demo, take the pictures, end it."""
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as data, running_demo(Path(data)) as demo:
        asyncio.run(take(demo.wait(), folder))


if __name__ == "__main__":
    main()
