"""Which message answers a post: a mark in the message, and the search for it in the thread.

A process that dies between Slack's taking a message and its own noting that leaves a message of
which the record knows nothing. What it answers is written in the message itself.
"""

from collections.abc import AsyncIterator, Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any

from slack_sdk.web.async_client import AsyncWebClient

from bot.slack.render import Message
from bot.slack.route import Post

PREFIX = "answers:"
PAGE = 200
PAGES = 10
NO_IDS = frozenset({"markdown"})  # Slack does not keep the block_id of these


@dataclass(frozen=True, slots=True)
class Shown:
    """A message of the bot; not `whole`: a stream that nobody ended, to be overwritten."""

    ts: str
    whole: bool


def mark(message: Message, post: Post) -> Message:
    """The message with a mark that tells which post it answers."""
    blocks = list(message.blocks)
    for n in reversed(range(len(blocks))):
        if blocks[n]["type"] not in NO_IDS:
            blocks[n] = {**blocks[n], "block_id": PREFIX + post.ts}
            break
    return replace(message, blocks=blocks)


async def look_back(
    client: AsyncWebClient, post: Post, me: str, taken: Collection[str]
) -> Shown | None:
    """Find the message that answers the post, or a stream that may have been meant to.

    Args:
        client: to read the thread with.
        post: the question.
        me: the bot's user id.
        taken: streams that will become the answers to other posts, by ts.

    Raises:
        SlackClientError: the thread cannot be read.
    """
    begun: Shown | None = None
    async for message in _after(client, post):
        ts, mine = str(message.get("ts")), message.get("user") == me
        if not mine or float(ts) <= float(post.ts):
            continue
        marks = {str(b.get("block_id")) for b in message.get("blocks") or []}
        if PREFIX + post.ts in marks:
            return Shown(ts, whole=True)
        if begun is None and ts not in taken and not any(m.startswith(PREFIX) for m in marks):
            begun = Shown(ts, whole=False)
    return begun


async def _after(client: AsyncWebClient, post: Post) -> AsyncIterator[Mapping[str, Any]]:
    cursor: str | None = None
    for _ in range(PAGES):
        page = await client.conversations_replies(
            channel=post.channel, ts=post.thread_ts, oldest=post.ts, limit=PAGE, cursor=cursor
        )
        for message in page.get("messages") or []:
            yield message
        cursor = (page.get("response_metadata") or {}).get("next_cursor")
        if not cursor:
            return
