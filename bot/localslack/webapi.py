"""The Web API over HTTP: bodies, tokens, scopes, rates and faults around the methods."""

import asyncio
import json
from collections.abc import Mapping

from aiohttp import web

from bot.localslack.faults import Failing, Faults, HangUp, RateLimited, Rates
from bot.localslack.methods import METHODS, Method
from bot.localslack.respond import respond
from bot.localslack.types import Call, Json, RefusedError
from bot.localslack.workspace import Workspace

_JSON_ARGS = ("attachments", "blocks", "chunks", "loading_messages", "metadata", "prompts", "view")
_TEXT_ARGS = {
    *("channel", "channel_id", "cursor", "external_id", "hash", "latest", "markdown_text"),
    *("message_ts", "oldest", "recipient_team_id", "recipient_user_id", "status", "text"),
    *("thread_ts", "token", "trigger_id", "ts", "user", "user_id", "users", "view_id"),
}
_CONNECT = "apps.connections.open"


class WebApi:
    """Answers every call, and keeps a record of each."""

    def __init__(
        self, ws: Workspace, faults: Faults, tokens: Mapping[str, str], *, real_rates: bool
    ) -> None:
        self.calls: list[Call] = []
        self.open_connection: Method | None = None
        self._ws, self._faults = ws, faults
        self._tokens = tokens  # token -> "bot" or "app"
        self._rates = Rates(ws.store.clock) if real_rates else None

    async def serve(self, request: web.Request) -> web.StreamResponse:
        """One call of a method."""
        name = request.match_info["method"]
        try:
            args = await _read(request)
        except RefusedError as refused:
            return self._refuse(name, {}, refused)
        token = request.headers.get("Authorization", "").removeprefix("Bearer ")
        token = token or str(args.pop("token", ""))
        if delay_s := self._faults.next_delay_s(name):
            await asyncio.sleep(delay_s)
        match self._faults.next_fault(name):
            case RateLimited(retry_after_s):
                return self._limit(name, args, retry_after_s)
            case Failing(error, status):
                return self._refuse(name, args, RefusedError(error), status)
            case HangUp():
                return self._hang_up(request, name, args)
        return self._call(name, args, token)

    async def serve_response_url(self, request: web.Request) -> web.StreamResponse:
        """One POST to a response_url. Refusals come as 404, or as 500 for the content."""
        try:
            args = await _read(request)
            respond(self._ws, request.match_info["key"], args)
        except RefusedError as refused:
            gone = refused.error in {"expired_url", "used_url"}
            return self._refuse("response_url", {}, refused, 404 if gone else 500)
        self._record("response_url", args, None)
        return web.Response(text="ok")

    def _call(self, name: str, args: Json, token: str) -> web.Response:
        method = self.open_connection if name == _CONNECT else METHODS.get(name)
        try:
            method = _known(name, method)
            self._check_token(token, method)
            if wait_s := self._over_rate(name, method, args):
                return self._limit(name, args, wait_s)
            if method.scopes:
                self._ws.check_scope(*method.scopes)
            answer = method.run(self._ws, args)
        except RefusedError as refused:
            return self._refuse(name, args, refused)
        self._record(name, args, None)
        return web.json_response({"ok": True, **answer}, headers=self._scopes(method))

    def _check_token(self, token: str, method: Method) -> None:
        if not token:
            raise RefusedError("not_authed")
        if token not in self._tokens:
            raise RefusedError("invalid_auth")
        if self._tokens[token] != method.caller:
            raise RefusedError("not_allowed_token_type")

    def _over_rate(self, name: str, method: Method, args: Json) -> int:
        if self._rates is None or method.most is None:
            return 0
        key = str(args.get("channel", "")) if method.per_channel else ""
        return self._rates.admit(name, key, method.most, method.window_s)

    def _scopes(self, method: Method) -> dict[str, str]:
        return {
            "x-oauth-scopes": ",".join(sorted(self._ws.manifest.scopes)),
            "x-accepted-oauth-scopes": ",".join(method.scopes),
        }

    def _refuse(
        self, name: str, args: Json, refused: RefusedError, status: int = 200
    ) -> web.Response:
        self._record(name, args, refused.error)
        body = {"ok": False, "error": refused.error, **refused.more}
        return web.json_response(body, status=status)

    def _limit(self, name: str, args: Json, retry_after_s: int) -> web.Response:
        self._record(name, args, "ratelimited")
        body = {"ok": False, "error": "ratelimited"}
        return web.json_response(body, status=429, headers={"Retry-After": str(retry_after_s)})

    def _hang_up(self, request: web.Request, name: str, args: Json) -> web.Response:
        self._record(name, args, "connection_cut")
        if request.transport is not None:
            request.transport.abort()
        return web.Response()

    def _record(self, name: str, args: Json, error: str | None) -> None:
        at = self._ws.store.clock.now()
        self.calls.append(Call(name, args, error is None, error, at))
        self._ws.store.changes.notify()


def _known(name: str, method: Method | None) -> Method:
    if method is None:
        raise RefusedError("unknown_method", req_method=name)
    return method


async def _read(request: web.Request) -> Json:
    """The arguments, from the query string and a form or JSON body.

    Raises:
        RefusedError: `invalid_json`, `json_not_object`, `invalid_post_type`, `invalid_arguments`.
    """
    args: Json = dict(request.query)
    if request.method == "POST" and request.can_read_body:
        kind = request.content_type
        if kind == "application/json":
            args |= await _read_json(request)
        elif kind in {"application/x-www-form-urlencoded", "multipart/form-data"}:
            args |= dict(await request.post())
        else:
            raise RefusedError("invalid_post_type")
    args = {key: value for key, value in args.items() if value is not None}
    for key in _TEXT_ARGS & args.keys():
        if not isinstance(args[key], str):
            where = f"must be a string [json-pointer:/{key}]"
            raise RefusedError("invalid_arguments", (where,))
    for key in _JSON_ARGS:
        if isinstance(args.get(key), str):
            try:
                args[key] = json.loads(args[key])
            except ValueError:
                continue  # the method says what is wrong with it
    return args


async def _read_json(request: web.Request) -> Json:
    try:
        body = json.loads(await request.read())
    except ValueError:
        raise RefusedError("invalid_json") from None
    if not isinstance(body, dict):
        raise RefusedError("json_not_object")
    return body
