"""A loopback Messages API: as strict about a request as the real one, its answers scripted."""

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Literal

from aiohttp import web

KEY = "sk-ant-loopback"
MODELS = ("claude-sonnet-5-5", "claude-haiku-5-5", "claude-opus-5-5")


@dataclass(frozen=True)
class Cite:
    """Blocks `[start, end)` of a source; the cited text is taken from the request unless given."""

    source: str
    start: int
    end: int
    text: str | None = None


@dataclass(frozen=True)
class Block:
    """A text block of an answer and its citations."""

    text: str
    cites: Sequence[Cite] = ()


@dataclass(frozen=True)
class Say:
    """An answer, whole after `pause_s`, or streamed.

    A stream is `piece_chars` characters at a time, `pause_s` before each event.

    `fault` strikes before the event number `fault_at`: an error event inside the stream, a
    connection that is cut, a stream that ends early in good order, or silence.
    """

    blocks: Sequence[Block]
    stop_reason: str = "end_turn"
    piece_chars: int = 12
    pause_s: float = 0.0
    fault: Literal["overloaded", "invalid", "cut", "ends", "silent", "garbage"] | None = None
    fault_at: int = 0


@dataclass(frozen=True)
class Fail:
    """An error instead of an answer."""

    status: int
    kind: str
    message: str = "no"
    retry_after_s: float | None = None


@dataclass
class MessagesApi:
    """Give replies in their order; the last one is repeated. `requests` are the bodies received.

    A judge that is asked about one sentence is answered by `verdicts`, if it has the sentence.
    """

    replies: list[Say | Fail] = field(default_factory=list)
    verdicts: dict[str, str] = field(default_factory=dict)
    requests: list[dict[str, Any]] = field(default_factory=list)
    url: str = ""
    streaming: asyncio.Event = field(default_factory=asyncio.Event)

    def _next(self, body: dict[str, Any]) -> Say | Fail:
        asked = str(body["messages"][-1]["content"])
        for sentence, verdict in self.verdicts.items():
            if f"<sentence>\n{sentence}\n</sentence>" in asked and asked.count("<case ") == 1:
                return Say([Block(f"1 {verdict}")])
        return self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]

    async def handle(self, request: web.Request) -> web.StreamResponse:
        body = await request.json()
        problem = refusal(request.headers.get("x-api-key"), request.headers, body)
        if problem is not None:
            return _error(problem)
        self.requests.append(body)
        reply = self._next(body)
        if isinstance(reply, Fail):
            return _error(reply)
        if body.get("stream"):
            self.streaming.set()
            return await _stream(request, body, reply)
        await asyncio.sleep(reply.pause_s)
        return web.json_response(_message(body, reply))


@asynccontextmanager
async def messages_api(*replies: Say | Fail) -> AsyncIterator[MessagesApi]:
    """Serve on a free port of the loopback address."""
    api = MessagesApi(list(replies))
    app = web.Application()
    app.router.add_post("/v1/messages", api.handle)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    host, port = runner.addresses[0][:2]
    api.url = f"http://{host}:{port}"
    try:
        yield api
    finally:
        await runner.cleanup()


FIELDS = {"model", "max_tokens", "system", "messages", "stream"}


def refusal(key: str | None, headers: Any, body: dict[str, Any]) -> Fail | None:
    """What the real API would refuse in this request."""
    sent = key or headers.get("authorization", "").removeprefix("Bearer ")
    if sent != KEY:
        return Fail(401, "authentication_error", "invalid x-api-key")
    if body.get("model") not in MODELS:
        return Fail(404, "not_found_error", f"model: {body.get('model')}")
    problem = _field_problem(headers, body) or _message_problem(body["messages"])
    return None if problem is None else Fail(400, "invalid_request_error", problem)


def _field_problem(headers: Any, body: dict[str, Any]) -> str | None:
    if "anthropic-version" not in headers:
        return "anthropic-version: header is required"
    if unknown := set(body) - FIELDS:
        return f"{min(unknown)}: Extra inputs are not permitted"
    if not isinstance(body.get("max_tokens"), int) or body["max_tokens"] < 1:
        return "max_tokens: must be a positive integer"
    if not body.get("messages") or body["messages"][0].get("role") != "user":
        return "messages: first message must use the user role"
    return None


def _message_problem(messages: Sequence[dict[str, Any]]) -> str | None:
    for message in messages:
        content = message["content"]
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
        for block in blocks:
            if problem := _block_problem(block):
                return problem
    return None


def _block_problem(block: dict[str, Any]) -> str | None:
    if block.get("type") == "text":
        blank = not block.get("text", "").strip()
        return "messages: text content blocks must contain non-whitespace text" if blank else None
    if block.get("type") != "search_result":
        return f"messages: unexpected block type {block.get('type')}"
    if set(block) != {"type", "source", "title", "content", "citations"}:
        return "search_result: fields are type, source, title, content, citations"
    if not (block["source"] and block["title"] and block["content"]):
        return "search_result: source, title and content must not be empty"
    if block["citations"] != {"enabled": True}:
        return "search_result.citations: not enabled"
    problems = (_block_problem(inner) for inner in block["content"])
    return next((problem for problem in problems if problem), None)


def _error(fail: Fail) -> web.Response:
    headers = {"request-id": "req_loopback"}
    if fail.retry_after_s is not None:
        headers["retry-after"] = str(fail.retry_after_s)
    return web.json_response(
        {"type": "error", "error": {"type": fail.kind, "message": fail.message}},
        status=fail.status,
        headers=headers,
    )


def _shell(body: dict[str, Any]) -> dict[str, Any]:
    return {
        "id": "msg_loopback",
        "type": "message",
        "role": "assistant",
        "model": body["model"],
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": {"input_tokens": 1, "output_tokens": 1},
    }


def _message(body: dict[str, Any], say: Say) -> dict[str, Any]:
    content = [{"type": "text", "text": b.text, "citations": None} for b in say.blocks]
    return {**_shell(body), "content": content, "stop_reason": say.stop_reason}


def _citation(body: dict[str, Any], cite: Cite) -> dict[str, Any]:
    results = [b for b in body["messages"][-1]["content"] if b["type"] == "search_result"]
    index = next((i for i, b in enumerate(results) if b["source"] == cite.source), 0)
    text = cite.text
    if text is None:
        blocks = results[index]["content"][cite.start : cite.end]
        text = "".join(block["text"] for block in blocks)
    return {
        "type": "search_result_location",
        "cited_text": text,
        "source": cite.source,
        "title": results[index]["title"],
        "search_result_index": index,
        "start_block_index": cite.start,
        "end_block_index": cite.end,
    }


def _events(body: dict[str, Any], say: Say) -> list[dict[str, Any]]:
    events: list[dict[str, Any]] = [{"type": "message_start", "message": _shell(body)}]
    events.append({"type": "ping"})
    for i, block in enumerate(say.blocks):
        empty: dict[str, Any] = {"type": "text", "text": ""}
        if block.cites:
            empty["citations"] = []
        events.append({"type": "content_block_start", "index": i, "content_block": empty})
        deltas: list[dict[str, Any]] = [
            {"type": "text_delta", "text": block.text[at : at + say.piece_chars]}
            for at in range(0, len(block.text), say.piece_chars)
        ]
        deltas += [{"type": "citations_delta", "citation": _citation(body, c)} for c in block.cites]
        events += [{"type": "content_block_delta", "index": i, "delta": d} for d in deltas]
        events.append({"type": "content_block_stop", "index": i})
    delta = {"stop_reason": say.stop_reason, "stop_sequence": None}
    events.append({"type": "message_delta", "delta": delta, "usage": {"output_tokens": 9}})
    events.append({"type": "message_stop"})
    return events


async def _stream(request: web.Request, body: dict[str, Any], say: Say) -> web.StreamResponse:
    response = web.StreamResponse(headers={"content-type": "text/event-stream"})
    response.headers["request-id"] = "req_loopback"
    await response.prepare(request)
    for number, event in enumerate(_events(body, say)):
        if say.fault is not None and number == say.fault_at:
            await _strike(request, response, say.fault)
            break
        await asyncio.sleep(say.pause_s)
        await _send(response, event["type"], json.dumps(event))
    return response


async def _send(response: web.StreamResponse, name: str, data: str) -> None:
    await response.write(f"event: {name}\ndata: {data}\n\n".encode())


async def _strike(request: web.Request, response: web.StreamResponse, fault: str) -> None:
    kinds = {"overloaded": "overloaded_error", "invalid": "invalid_request_error"}
    if fault in kinds:
        error = {"type": "error", "error": {"type": kinds[fault], "message": "no"}}
        await _send(response, "error", json.dumps(error))
    elif fault == "garbage":
        await _send(response, "content_block_delta", '{"type": "content_bl')
    elif fault == "silent":
        await asyncio.sleep(30)
    elif fault == "cut" and request.transport is not None:
        request.transport.abort()
