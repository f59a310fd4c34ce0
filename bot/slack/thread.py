"""A thread's earlier messages as the history of a question."""

import logging
import math
from collections import deque
from collections.abc import AsyncIterator, Mapping

from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from bot.slack.route import Post
from bot.slack.text import read_text
from bot.types import Turn

log = logging.getLogger(__name__)

PAGE = 200
PAGES = 20  # 4,000 messages; a page comes oldest first, so the newest are on the last one
KEPT = 100  # messages
CHARS_PER_TOKEN = 4  # of English, roughly: the bound is one of cost, not of a window


async def read_history(
    client: AsyncWebClient,
    post: Post,
    *,
    bot_user_id: str,
    answers: Mapping[str, str],
    max_tokens: int,
) -> list[Turn]:
    """What was said in the post's thread before it, oldest first, the newest within `max_tokens`.

    Args:
        client: of the bot.
        post: the question.
        bot_user_id: whose messages are the assistant's.
        answers: the full text of the bot's answers by their ts; its other messages are no turns.
        max_tokens: how much history to give.
    """
    if not post.in_thread:
        return []
    kept: deque[Turn] = deque(maxlen=KEPT)
    async for message in _earlier(client, post):
        turn = _turn(message, bot_user_id, answers)
        if turn is not None:
            kept.append(turn)
    return _newest(kept, max_tokens)


async def _earlier(client: AsyncWebClient, post: Post) -> AsyncIterator[Mapping[str, object]]:
    cursor: str | None = None
    last = 0.0
    for _ in range(PAGES):
        try:
            page = await client.conversations_replies(
                channel=post.channel,
                ts=post.thread_ts,
                latest=post.ts,
                inclusive=False,
                limit=PAGE,
                cursor=cursor,
            )
        except SlackApiError as error:
            # Without its history a follow-up can still be answered as it stands.
            log.warning("No history of %s: %s", post.key, error.response.get("error"))
            return
        for message in page.get("messages") or []:
            ts = float(message.get("ts", 0))
            if last < ts < float(post.ts):  # each page begins with the thread's first message
                last = ts
                yield message
        cursor = (page.get("response_metadata") or {}).get("next_cursor")
        if not cursor:
            return


def _turn(
    message: Mapping[str, object], bot_user_id: str, answers: Mapping[str, str]
) -> Turn | None:
    if message.get("user") == bot_user_id:
        answer = answers.get(str(message.get("ts")))
        return Turn("assistant", answer) if answer else None
    if message.get("bot_id") or message.get("subtype"):
        return None
    text = read_text(str(message.get("text") or "") or _text_of(message.get("blocks")), bot_user_id)
    return Turn("user", text) if text else None


def _text_of(node: object) -> str:
    """The words of blocks, for a message that carries no text of its own."""
    if isinstance(node, Mapping):
        own = node.get("text")
        if isinstance(own, str):
            return own
        if node.get("type") == "user":
            return f"<@{node.get('user_id')}>"
        parts = [_text_of(value) for value in node.values() if isinstance(value, Mapping | list)]
        return " ".join(part for part in parts if part)
    if isinstance(node, list):
        return " ".join(part for part in map(_text_of, node) if part)
    return ""


def _newest(turns: deque[Turn], max_tokens: int) -> list[Turn]:
    left = max_tokens
    chosen: list[Turn] = []
    for turn in reversed(turns):
        left -= math.ceil(len(turn.text) / CHARS_PER_TOKEN)
        if left < 0:
            break
        chosen.append(turn)
    return chosen[::-1]
