"""A headless Chromium of the machine's own, driven by Playwright."""

import os
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from playwright.async_api import Browser, async_playwright

REQUIRED = os.environ.get("CI") == "true"
NAMES = ("chromium", "chromium-browser", "google-chrome")
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


def find_chromium() -> str | None:
    return next((found for name in NAMES if (found := shutil.which(name))), None)


def demand_chromium() -> str:
    """Its path; skips the test where there is none, fails it in CI."""
    path = find_chromium()
    if path is None and REQUIRED:
        pytest.fail("Chromium is required in CI: install the package chromium")
    if path is None:
        pytest.skip("no Chromium on this machine (Debian: apt-get install chromium)")
    return path


@asynccontextmanager
async def open_browser(path: str, **more: Any) -> AsyncIterator[Browser]:
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=path, args=FLAGS, **more)
        try:
            yield browser
        finally:
            await browser.close()
