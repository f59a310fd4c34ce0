import asyncio
import logging
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from bot.cli.doctor import examine
from bot.settings import Settings
from ingest.embed import Embedder
from ingest.errors import SettingsError, SourceError
from ingest.schedule import log_report, parse_every, start_schedule
from ingest.types import Failure, Report
from tests.indexes import opened, settings
from tests.trees import write

NOTHING = Report(0, 0, 0, 0, 0, 0, 0, (), (), (), 0.0)
MONDAY = datetime(2024, 1, 1, 12, 7, 30, tzinfo=UTC)


def next_after(every: str, when: datetime) -> datetime:
    trigger = parse_every(every)
    trigger.timezone = UTC  # type: ignore[attr-defined]
    following = trigger.get_next_fire_time(None, when)
    assert isinstance(following, datetime)
    return following


@pytest.mark.parametrize(
    ("every", "seconds"),
    [("2s", 2), ("30s", 30), ("15m", 900), ("1h", 3600), ("1d", 86400), (" 90 m ", 5400)],
)
def test_a_time_between_passes_is_read(every: str, seconds: int) -> None:
    assert parse_every(every).interval == timedelta(seconds=seconds)  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("every", "following"),
    [
        ("*/15 * * * *", datetime(2024, 1, 1, 12, 15, tzinfo=UTC)),
        ("0 6 * * *", datetime(2024, 1, 2, 6, 0, tzinfo=UTC)),
        ("30 6 1 * *", datetime(2024, 2, 1, 6, 30, tzinfo=UTC)),
    ],
)
def test_a_cron_line_is_read(every: str, following: datetime) -> None:
    assert next_after(every, MONDAY) == following


@pytest.mark.parametrize(
    "every",
    ["", "0s", "-5m", "15", "m", "1.5h", "15 minutes", "* * * *", "61 * * * *", "a b c d e"],
)
def test_anything_else_is_an_error_that_names_the_setting_and_both_ways(every: str) -> None:
    with pytest.raises(SettingsError, match=r"FOOTNOTE_SYNC_EVERY='.*' is neither a time like 15m"):
        parse_every(every)


async def scheduled(every: str, sync: Callable[[], Report], seconds: float) -> None:
    """Let the schedule run for a while."""
    with ThreadPoolExecutor(4) as pool:
        scheduler = start_schedule(every, sync, pool)
        try:
            await asyncio.sleep(seconds)
        finally:
            scheduler.shutdown(wait=False)


async def test_the_first_pass_runs_at_start_and_the_next_ones_when_it_is_time() -> None:
    began: list[float] = []

    def sync() -> Report:
        began.append(time.monotonic())
        return NOTHING

    begun = time.monotonic()
    await scheduled("1s", sync, 3.6)
    assert 3 <= len(began) <= 4
    assert began[0] - begun < 0.9


async def test_two_passes_never_run_at_once_and_missed_ones_are_not_made_up_for() -> None:
    running = threading.Semaphore(1)
    overlaps: list[bool] = []

    def slow() -> Report:
        overlaps.append(not running.acquire(blocking=False))
        time.sleep(1.5)
        running.release()
        return NOTHING

    await scheduled("1s", slow, 4)
    assert overlaps in ([False] * 2, [False] * 3)


@pytest.mark.parametrize("error", [SourceError("docs does not exist."), RuntimeError("a bug")])
async def test_a_failed_pass_is_logged_and_tried_again(
    error: Exception, caplog: pytest.LogCaptureFixture
) -> None:
    tries = 0

    def fail() -> Report:
        nonlocal tries
        tries += 1
        raise error

    with caplog.at_level(logging.ERROR, "ingest.schedule"):
        await scheduled("1s", fail, 2.6)
    assert tries >= 2
    assert all(message.startswith("Sync failed") for message in caplog.messages)
    assert len(caplog.messages) == tries


async def test_a_pass_does_not_run_on_the_event_loop() -> None:
    where: list[int] = []

    def sync() -> Report:
        where.append(threading.get_ident())
        return NOTHING

    await scheduled("1h", sync, 0.3)
    assert where
    assert threading.get_ident() not in where


async def test_a_schedule_that_cannot_be_read_starts_nothing() -> None:
    with ThreadPoolExecutor(1) as pool, pytest.raises(SettingsError):
        start_schedule("often", lambda: NOTHING, pool)


async def test_files_of_kinds_that_cannot_be_read_are_named_once(
    caplog: pytest.LogCaptureFixture,
) -> None:
    names = ("broken.pdf", *(f"{n}.docx" for n in range(12)))
    with caplog.at_level(logging.WARNING, "ingest.schedule"):
        await scheduled("1s", lambda: replace(NOTHING, unsupported=names), 2.6)
    (message,) = caplog.messages
    assert message == (
        "Not read, as their kind is not supported: broken.pdf, 0.docx, 1.docx, 2.docx, 3.docx,"
        " 4.docx, 5.docx, 6.docx, 7.docx, 8.docx and 3 others."
    )


def test_a_pass_that_did_something_is_one_line_and_one_for_each_document_it_left_out(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with caplog.at_level(logging.INFO, "ingest.schedule"):
        log_report(NOTHING)
        assert caplog.messages == []
        failed = (Failure("bad.md", "not UTF-8"),)
        log_report(Report(8, 40, 2, 1, 0, 6, 9, failed, (), (), 1.25))
    assert caplog.messages == [
        "Sync: 2 added, 1 changed, 0 removed, 1 failed; 8 documents, 40 passages (1.2 s)",
        "Not taken in: bad.md: not UTF-8",
    ]


async def test_doctor_tells_of_a_failing_schedule_until_a_pass_ends_well(
    tmp_path: Path, embedder: Embedder
) -> None:
    docs = tmp_path / "docs"
    write(docs, {"a.md": "# A\n\nText.\n"})
    chosen = settings(docs)
    asked = Settings(_env_file=None).model_copy(update={"docs": chosen.docs, "data": chosen.data})

    def of_sync() -> tuple[str, str]:
        return next((f.mark, f.text) for f in examine(asked) if f.about == "sync")

    with opened(chosen, embedder) as index:
        await scheduled("1h", index.sync, 3)
        assert (await asyncio.to_thread(of_sync))[0] == "ok"
        docs.rename(tmp_path / "unmounted")
        await scheduled("1h", index.sync, 1)
        mark, text = await asyncio.to_thread(of_sync)
        assert mark == "wrong"
        assert "docs does not exist: name existing folders" in text
        (tmp_path / "unmounted").rename(docs)
        await scheduled("1h", index.sync, 1)
        assert (await asyncio.to_thread(of_sync))[0] == "ok"
