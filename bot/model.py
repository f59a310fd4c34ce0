"""The Messages API: the one place that talks to the anthropic SDK."""

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING, Self

from bot.errors import BrokenStreamError, ModelError, PermanentModelError, TransientModelError
from bot.settings import Settings

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic, AsyncStream
    from anthropic.types import (
        MessageParam,
        RawMessageStreamEvent,
        SearchResultBlockParam,
        TextBlockParam,
    )
    from anthropic.types import Usage as ApiUsage

# What a retry may cure. Everything else that the API calls an error asks for a person.
_PASSING = frozenset({"overloaded_error", "rate_limit_error", "api_error", "timeout_error"})
_PASSING_STATUS = frozenset({408, 409, 429})
_SERVER_ERROR = 500


@dataclass(frozen=True, slots=True)
class SearchResult:
    """A source as the model sees it; each block can be cited on its own, none may be blank."""

    source: str
    title: str
    blocks: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Text:
    """A piece of the answer's text."""

    text: str


@dataclass(frozen=True, slots=True)
class Cited:
    """A citation of the text block that is being written: blocks `[start, end)` of a source."""

    source: str
    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class BlockEnd:
    """The text block is complete, and so are its citations."""


@dataclass(frozen=True, slots=True)
class Stop:
    """The answer is complete, for the reason that the API gives (`end_turn`, `max_tokens` …)."""

    reason: str


Piece = Text | Cited | BlockEnd | Stop


@dataclass(slots=True)
class Usage:
    """Tokens so far, those read from a cache included."""

    read: int = 0
    written: int = 0


class MessagesModel:
    """An async context around one client. `usage` adds up what its calls took.

    Errors come out as `TransientModelError` or `PermanentModelError`, whatever they were. A call's
    time limit includes the SDK's own retries.
    """

    def __init__(self, settings: Settings) -> None:
        self.usage = Usage()
        self._settings = settings
        self._client: AsyncAnthropic | None = None

    async def __aenter__(self) -> Self:
        from anthropic import AsyncAnthropic

        self._client = AsyncAnthropic(
            api_key=self._settings.anthropic_api_key.get_secret_value(),
            base_url=self._settings.anthropic_base_url or None,
            timeout=self._settings.model_timeout_s,
            max_retries=self._settings.model_retries,
        )
        return self

    async def __aexit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        client, self._client = self._client, None
        if client is not None:
            await client.close()

    @property
    def _open(self) -> "AsyncAnthropic":
        if self._client is None:
            raise RuntimeError("the model is used outside its context")
        return self._client

    async def complete(self, system: str, user: str, *, model: str, max_tokens: int) -> str:
        """The model's whole answer to one text.

        Raises:
            ModelError: it failed, or the answer did not fit in `max_tokens`.
        """
        with _classified():
            async with asyncio.timeout(self._settings.model_timeout_s):
                message = await self._open.messages.create(
                    model=model,
                    max_tokens=max_tokens,
                    system=system,
                    messages=[{"role": "user", "content": user}],
                )
        self._count_read(message.usage)
        self.usage.written += message.usage.output_tokens
        if message.stop_reason != "end_turn":
            raise PermanentModelError(f"the answer ended with {message.stop_reason}")
        return "".join(block.text for block in message.content if block.type == "text")

    async def stream(
        self,
        system: str,
        sources: Sequence[SearchResult],
        user: str,
        *,
        model: str,
        max_tokens: int,
        deadline_s: float,
    ) -> AsyncGenerator[Piece, None]:
        """The answer's pieces as they come; `Stop` is the last one.

        Args:
            system: the instructions.
            sources: shown as search results with citations, in this order.
            user: the text after them.
            model: its name.
            max_tokens: of the answer.
            deadline_s: by the loop's clock, when all has to be over.

        Raises:
            BrokenStreamError: the answer had begun and did not end.
            ModelError: it did not begin.
        """
        with _classified():
            async with asyncio.timeout_at(deadline_s):
                events = await self._open.messages.create(
                    model=model,
                    max_tokens=max_tokens,
                    system=system,
                    messages=[_message(sources, user)],
                    stream=True,
                )
        try:
            async for event in self._watched(events, deadline_s):
                self._count(event)
                for piece in _pieces(event):
                    yield piece
                    if isinstance(piece, Stop):
                        return
        except ModelError as error:
            raise _broken(error) from error
        finally:
            await events.close()
        raise BrokenStreamError("the stream ended before the answer did")

    def _count(self, event: "RawMessageStreamEvent") -> None:
        """What was read is told at the start of a stream, what was written at its end."""
        if event.type == "message_start":
            self._count_read(event.message.usage)
        elif event.type == "message_delta" and event.delta.stop_reason:
            self.usage.written += event.usage.output_tokens

    def _count_read(self, usage: "ApiUsage") -> None:
        cached = (usage.cache_read_input_tokens or 0) + (usage.cache_creation_input_tokens or 0)
        self.usage.read += usage.input_tokens + cached

    async def _watched(
        self, events: "AsyncStream[RawMessageStreamEvent]", deadline_s: float
    ) -> AsyncIterator["RawMessageStreamEvent"]:
        """The events, none awaited longer than the limit for silence or past the deadline.

        The limits stand around each wait alone: what the reader does in between is its own time.
        """
        clock = asyncio.get_running_loop()
        iterator = aiter(events)
        while True:
            silent_until_s = clock.time() + self._settings.model_silence_s
            with _classified():
                async with asyncio.timeout_at(min(silent_until_s, deadline_s)):
                    event = await anext(iterator, None)
            if event is None:
                return
            yield event


def _broken(error: ModelError) -> ModelError:
    if isinstance(error, TransientModelError):
        return BrokenStreamError(str(error))
    return error


def _message(sources: Sequence[SearchResult], user: str) -> "MessageParam":
    content: list[SearchResultBlockParam | TextBlockParam] = [
        {
            "type": "search_result",
            "source": source.source,
            "title": source.title,
            "content": [{"type": "text", "text": block} for block in source.blocks],
            "citations": {"enabled": True},
        }
        for source in sources
    ]
    content.append({"type": "text", "text": user})
    return {"role": "user", "content": content}


def _pieces(event: "RawMessageStreamEvent") -> Iterator[Piece]:
    if event.type == "content_block_delta":
        if event.delta.type == "text_delta":
            yield Text(event.delta.text)
        elif event.delta.type == "citations_delta":
            citation = event.delta.citation
            if citation.type == "search_result_location":
                yield Cited(
                    citation.source,
                    citation.cited_text,
                    citation.start_block_index,
                    citation.end_block_index,
                )
    elif event.type == "content_block_stop":
        yield BlockEnd()
    elif event.type == "message_delta" and event.delta.stop_reason:
        yield Stop(event.delta.stop_reason)


@contextmanager
def _classified() -> Iterator[None]:
    """Whatever goes wrong with a call comes out as one of two errors, fit for the log."""
    import anthropic
    import httpx2

    try:
        yield
    except TimeoutError as error:
        raise TransientModelError("no answer within the time limit") from error
    except anthropic.APIStatusError as error:
        kind = error.type or f"status {error.status_code}"
        text = f"{kind}: {error.api_message or error.message} (request {error.request_id})"
        raise _error_class(error.type, error.status_code)(text) from error
    except (anthropic.APIConnectionError, httpx2.HTTPError, httpx2.StreamError) as error:
        raise TransientModelError(f"{type(error).__name__}: {error}") from error
    except (anthropic.APIError, json.JSONDecodeError) as error:
        raise TransientModelError(f"no API answer: {type(error).__name__}") from error
    except anthropic.AnthropicError as error:
        raise PermanentModelError(f"{type(error).__name__}: {error}") from error


def _error_class(kind: str | None, status: int) -> type[ModelError]:
    if kind in _PASSING or status in _PASSING_STATUS or status >= _SERVER_ERROR:
        return TransientModelError
    return PermanentModelError
