import asyncio
import time
from collections.abc import AsyncIterator

import pytest
from pydantic import SecretStr

from bot import prompts
from bot.errors import BrokenStreamError, PermanentModelError, TransientModelError
from bot.model import BlockEnd, Cited, MessagesModel, Piece, SearchResult, Stop, Text
from bot.settings import Settings
from ingest.errors import SettingsError
from tests.messages_api import KEY, Block, Cite, Fail, MessagesApi, Say, messages_api

SOURCES = (
    SearchResult("aaa111", "leave.md › Leave", ("Leave", "Staff get 25 days.", "Ask first.")),
)


def settings(url: str, **changes: object) -> Settings:
    plain = Settings(_env_file=None)
    given = {
        "anthropic_api_key": SecretStr(KEY),
        "anthropic_base_url": url,
        "model_timeout_s": 5.0,
        "model_silence_s": 1.0,
        "model_retries": 1,
    }
    return plain.model_copy(update={**given, **changes})


async def _gather(pieces: AsyncIterator[Piece], got: list[Piece]) -> None:
    async for piece in pieces:
        got.append(piece)  # noqa: PERF401 - what came before an error counts


async def complete(api: MessagesApi, **changes: object) -> str:
    async with MessagesModel(settings(api.url, **changes)) as model:
        return await model.complete("Rules.", "Hello?", model="claude-haiku-5-5", max_tokens=50)


async def stream(api: MessagesApi, **changes: object) -> AsyncIterator[Piece]:
    async with MessagesModel(settings(api.url, **changes)) as model:
        async for piece in model.stream(
            "Rules.",
            SOURCES,
            "How long?",
            model="claude-sonnet-5-5",
            max_tokens=100,
            deadline_s=asyncio.get_running_loop().time() + float(str(changes.get("limit_s", 5))),
        ):
            yield piece


async def test_a_completion_is_the_text_of_all_blocks() -> None:
    async with messages_api(Say([Block("How long "), Block("is leave?")])) as api:
        assert await complete(api) == "How long is leave?"
    assert api.requests[0]["system"] == "Rules."
    assert api.requests[0]["messages"] == [{"role": "user", "content": "Hello?"}]


async def test_a_completion_that_did_not_fit_is_an_error_not_half_a_question() -> None:
    async with messages_api(Say([Block("How long is")], stop_reason="max_tokens")) as api:
        with pytest.raises(PermanentModelError, match="max_tokens"):
            await complete(api)


@pytest.mark.parametrize(
    ("fail", "error", "calls"),
    [
        (Fail(529, "overloaded_error"), TransientModelError, 2),
        (Fail(500, "api_error"), TransientModelError, 2),
        (Fail(429, "rate_limit_error", retry_after_s=0.01), TransientModelError, 2),
        (Fail(400, "invalid_request_error"), PermanentModelError, 1),
        (Fail(403, "permission_error"), PermanentModelError, 1),
    ],
)
async def test_what_passes_is_tried_again_and_what_does_not_is_not(
    fail: Fail, error: type[Exception], calls: int
) -> None:
    async with messages_api(fail) as api:
        with pytest.raises(error, match=fail.kind) as caught:
            await complete(api)
    assert len(api.requests) == calls
    assert type(caught.value) is error


async def test_a_wrong_key_is_permanent_and_never_told() -> None:
    async with messages_api(Say([Block("Hi")])) as api:
        with pytest.raises(PermanentModelError, match="authentication_error") as caught:
            await complete(api, anthropic_api_key=SecretStr("sk-ant-wrong"))
    assert "sk-ant-wrong" not in str(caught.value)


async def test_an_unknown_model_is_permanent() -> None:
    async with messages_api(Say([Block("Hi")])) as api, MessagesModel(settings(api.url)) as model:
        with pytest.raises(PermanentModelError, match="not_found_error"):
            await model.complete("Rules.", "Hello?", model="claude-none", max_tokens=50)


async def test_nobody_listening_is_transient() -> None:
    async with messages_api(Say([Block("Hi")])) as api:
        pass
    with pytest.raises(TransientModelError, match="Connection"):
        await complete(api, model_retries=0)


async def test_the_time_limit_includes_the_wait_that_the_api_asks_for() -> None:
    async with messages_api(Fail(429, "rate_limit_error", retry_after_s=20)) as api:
        begun = time.monotonic()
        with pytest.raises(TransientModelError, match="time limit"):
            await complete(api, model_timeout_s=0.5)
    assert time.monotonic() - begun < 15


async def test_a_stream_gives_text_and_citations_in_their_order() -> None:
    say = Say([Block("Staff get 25 days.", [Cite("aaa111", 1, 2)])], piece_chars=10)
    async with messages_api(say) as api:
        pieces = [piece async for piece in stream(api)]
    assert pieces == [
        Text("Staff get "),
        Text("25 days."),
        Cited("aaa111", "Staff get 25 days.", 1, 2),
        BlockEnd(),
        Stop("end_turn"),
    ]
    assert api.requests[0]["messages"][0]["content"] == [
        {
            "type": "search_result",
            "source": "aaa111",
            "title": "leave.md › Leave",
            "content": [
                {"type": "text", "text": "Leave"},
                {"type": "text", "text": "Staff get 25 days."},
                {"type": "text", "text": "Ask first."},
            ],
            "citations": {"enabled": True},
        },
        {"type": "text", "text": "How long?"},
    ]


@pytest.mark.parametrize("fault", ["overloaded", "cut", "ends", "silent", "garbage"])
async def test_a_stream_that_breaks_says_so_after_what_it_gave(fault: str) -> None:
    say = Say([Block("Staff get 25 days.")], fault=fault, fault_at=4)  # type: ignore[arg-type]
    got: list[Piece] = []
    begun = time.monotonic()
    async with messages_api(say) as api:
        with pytest.raises(BrokenStreamError):
            await _gather(stream(api, model_silence_s=0.3, limit_s=60), got)
    assert got == [Text("Staff get 25")]
    assert time.monotonic() - begun < 15  # silence is not waited out to the deadline


async def test_an_error_within_a_stream_that_no_retry_cures_is_permanent() -> None:
    async with messages_api(Say([Block("Hi")], fault="invalid", fault_at=2)) as api:
        with pytest.raises(PermanentModelError, match="invalid_request_error"):
            async for _ in stream(api):
                pass


async def test_a_trickle_is_stopped_at_the_deadline() -> None:
    async with messages_api(Say([Block("word " * 100)], piece_chars=1, pause_s=0.05)) as api:
        begun = time.monotonic()
        with pytest.raises(TransientModelError, match="time limit"):
            async for _ in stream(api, limit_s=0.5):
                pass
    assert 0.4 < time.monotonic() - begun < 15  # the whole takes 25


async def test_a_reader_that_is_slow_itself_does_not_run_into_the_limit_for_silence() -> None:
    async with messages_api(Say([Block("Staff get 25 days.")])) as api:
        count = 0
        async for _ in stream(api, model_silence_s=0.2):
            await asyncio.sleep(0.25)
            count += 1
    assert count == 4


async def test_cancelling_a_reader_closes_the_stream() -> None:
    async with messages_api(Say([Block("Hi")], fault="silent", fault_at=3)) as api:

        async def read() -> None:
            async for _ in stream(api, model_silence_s=5.0):
                pass

        task = asyncio.create_task(read())
        await asyncio.wait_for(api.streaming.wait(), 5)
        await asyncio.sleep(0.05)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert task.cancelled()


@pytest.mark.parametrize("name", ["answer", "rewrite"])
def test_the_prompts_load_and_ask_for_no_placeholder(name: str) -> None:
    assert len(prompts.load(name)) > 200


def test_a_prompt_with_another_placeholder_fails_at_load() -> None:
    assert "{question}" in prompts.load("question", "question")
    with pytest.raises(SettingsError, match="placeholders topic: question"):
        prompts.load("question", "topic")
    with pytest.raises(SettingsError, match="cannot be read"):
        prompts.load("nothing")
