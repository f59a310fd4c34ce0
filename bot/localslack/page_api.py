"""The local Slack in a browser: the page, what it sees, and what is done on it.

    GET  /              the page; /page.js and /page.css beside it
    GET  /page/live?user=U…   a WebSocket: the parts of the person's screen, then those that change
    POST /page/act      {"do": "post" | "click" | …}, see `acts`
    GET  /page/documents, /page/document?doc=…     POST /page/document

Everything is for the page alone: whatever is not a plain look must carry the token that stands in
the page. The server refuses other sites' requests.
"""

import asyncio
import hmac
import json
import logging
import secrets
from collections.abc import Sequence
from importlib.resources import files
from typing import Protocol

from aiohttp import WSMsgType, web
from pydantic import ValidationError

from bot.localslack.acts import ACT, SaveDocument
from bot.localslack.server import Handler, LocalSlack
from bot.localslack.types import Json, NotAckedError, RefusedError

TOKEN_MARK = "PAGE_TOKEN"  # noqa: S105 - where the token goes in the page
TOKEN_HEADER = "X-Page-Token"  # noqa: S105
LOOK_AGAIN_S = 5.0  # statuses and streams end by themselves
FRAME_S = 0.03  # changes that come together are drawn together
FILES = {"page.js": "text/javascript", "page.css": "text/css", "icon.svg": "image/svg+xml"}
HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline';"
        " connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none';"
        " frame-ancestors 'none'"
    ),
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}

log = logging.getLogger(__name__)


class Documents(Protocol):
    """The documents that can be edited on the page. Methods block: they read and write files."""

    def list_documents(self) -> Sequence[Json]:
        """Each `{"doc", "title"}`."""
        ...

    def read_document(self, doc: str) -> Json:
        """`{"doc", "text", "passages": [{"id", "heading", "start", "end"}]}`; KeyError: none."""
        ...

    def save_document(self, doc: str, text: str) -> None:
        """Write the file; KeyError: there is none."""
        ...


class Page:
    """The page's own API on top of a local Slack."""

    def __init__(self, slack: LocalSlack, documents: Documents) -> None:
        self._slack, self._documents = slack, documents
        self._token = secrets.token_urlsafe(24)
        self._built = files("bot.localslack") / "page" / "built"
        self._taken_in = 0

    def routes(self) -> list[web.RouteDef]:
        """For `LocalSlack.mount`."""
        return [
            web.get("/", self._index),
            web.get("/{name:page\\.(?:js|css)|icon\\.svg}", self._file),
            web.get("/page/live", self._live),
            web.post("/page/act", self._guard(self._act)),
            web.get("/page/documents", self._guard(self._list)),
            web.get("/page/document", self._guard(self._read)),
            web.post("/page/document", self._guard(self._save)),
        ]

    def documents_changed(self) -> None:
        """A sync took something in: the page looks at the documents again. Call it on the loop."""
        self._taken_in += 1
        self._slack.notify()

    def _guard(self, handler: Handler) -> Handler:
        """Hold a request against the page's token."""

        async def guarded(request: web.Request) -> web.StreamResponse:
            sent = request.headers.get(TOKEN_HEADER, "").encode()
            if not hmac.compare_digest(sent, self._token.encode()):
                return _say(403, "the page is out of date: load it again")
            return await handler(request)

        return guarded

    async def _index(self, _request: web.Request) -> web.Response:
        text = (self._built / "index.html").read_text("utf-8").replace(TOKEN_MARK, self._token)
        return web.Response(text=text, content_type="text/html", headers=HEADERS)

    async def _file(self, request: web.Request) -> web.Response:
        name = request.match_info["name"]
        body = (self._built / name).read_bytes()
        return web.Response(body=body, content_type=FILES[name], charset="utf-8", headers=HEADERS)

    async def _act(self, request: web.Request) -> web.Response:
        try:
            act = ACT.validate_json(await request.read())
            return web.json_response({"answer": await act.run(self._slack)})
        except ValidationError as error:
            return _say(400, str(error))
        except (ValueError, KeyError) as error:
            return _say(400, str(error))
        except NotAckedError:
            return _say(504, "the app did not respond in time")
        except RefusedError as error:
            return _say(502, f"the app's answer was refused: {error}")

    async def _list(self, _request: web.Request) -> web.Response:
        return web.json_response(list(await asyncio.to_thread(self._documents.list_documents)))

    async def _read(self, request: web.Request) -> web.Response:
        doc = request.query.get("doc", "")
        try:
            return web.json_response(await asyncio.to_thread(self._documents.read_document, doc))
        except (KeyError, OSError):
            return _say(404, f"there is no document {doc}")

    async def _save(self, request: web.Request) -> web.Response:
        try:
            wanted = SaveDocument.model_validate_json(await request.read())
            await asyncio.to_thread(self._documents.save_document, wanted.doc, wanted.text)
        except ValidationError as error:
            return _say(400, str(error))
        except KeyError:
            return _say(404, f"there is no document {wanted.doc}")
        except OSError as error:
            return _say(500, f"it could not be saved: {error}")
        return web.json_response({})

    async def _live(self, request: web.Request) -> web.StreamResponse:
        """Send what is seen. The token comes as the subprotocol: no other page knows it."""
        given = request.headers.get("Sec-WebSocket-Protocol", "").encode()
        if "Origin" not in request.headers or not hmac.compare_digest(given, self._token.encode()):
            return _say(403, "this is for the page alone")
        user = request.query.get("user") or self._slack.people()[0]
        if user not in self._slack.people():
            return _say(404, f"nobody has the id {user}")
        socket = web.WebSocketResponse(protocols=(self._token,), heartbeat=20)
        await socket.prepare(request)
        self._slack.views[user].clear()  # a page that is loaded anew has no modal open
        showing = asyncio.create_task(self._show(socket, user))
        try:
            async for message in socket:
                if message.type is WSMsgType.ERROR:
                    break
        finally:
            showing.cancel()
            await asyncio.gather(showing, return_exceptions=True)
        return socket

    async def _show(self, socket: web.WebSocketResponse, user: str) -> None:
        sent: dict[str, str] = {}
        while not socket.closed:
            change = self._slack.next_change
            parts = {
                name: json.dumps(part, ensure_ascii=False)
                for name, part in {
                    **self._slack.screen(user),
                    "documents": self._taken_in,
                }.items()
            }
            new = [n for n, part in parts.items() if sent.get(n) != part]
            if new:
                body = ",".join(f"{json.dumps(name)}:{parts[name]}" for name in new)
                await socket.send_str("{" + body + "}")
                sent = parts
            await asyncio.sleep(FRAME_S)
            await _wait(change)


async def _wait(change: asyncio.Event) -> None:
    try:
        await asyncio.wait_for(change.wait(), LOOK_AGAIN_S)
    except TimeoutError:
        return


def _say(status: int, text: str) -> web.Response:
    return web.json_response({"error": text}, status=status)
