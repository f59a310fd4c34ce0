"""The bot itself while a file that would stop it is taken in."""

import asyncio
import json
from pathlib import Path

from bot.localslack import Json, LocalSlack
from tests.commands import finish, start
from tests.slack.test_serve import settings_of

STOOD_STILL_S = 20  # a loop that is held up by the file's line stands still for longer
LOG = (
    f"Nightly run {'.' * 40_000} done\n\nThe nightly run needs 18 GB of memory on the build host.\n"
)


async def test_a_file_with_an_endless_line_is_taken_in_while_events_are_acknowledged_in_time(
    manifest: Json, tmp_path: Path
) -> None:
    async with LocalSlack(manifest=manifest) as slack:
        ana = slack.add_user("ana")
        general = slack.add_channel("general", [ana])
        process = start(settings_of(slack, tmp_path) | {"FOOTNOTE_SYNC_EVERY": "2s"}, "-m", "bot")
        try:
            await slack.connected(timeout_s=100)
            (tmp_path / "docs" / "tests.txt").write_text(LOG)
            text = ""
            async with asyncio.timeout(60):
                while "18 GB" not in text:
                    ts = await slack.post(
                        general,
                        ana,
                        f"<@{slack.bot_user_id}> How much memory does the nightly run need?",
                    )
                    message = await slack.wait_for_message(general, thread_ts=ts, timeout_s=30)
                    text = json.dumps(message["blocks"])
        finally:
            process.terminate()
            code, _, err = await asyncio.to_thread(finish, process)
        slowest = max(ack.latency_s for ack in slack.acks)
    assert slowest < STOOD_STILL_S
    assert (code, "Traceback" in err) == (0, False), err
