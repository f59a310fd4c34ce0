"""A thread's earlier messages as the history of a question."""

import logging
import math
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from bot.questions.parts import asks
from bot.slack.faults import in_words, name_of
from bot.slack.forwarded import words_of
from bot.slack.people import People
from bot.slack.route import Post
from bot.slack.text import read_text
from bot.stored import Said
from bot.types import Turn

log = logging.getLogger(__name__)

PAGE = 200
PAGES = 5  # a page comes oldest first; of a thread with more the end is looked for
LEAPS = 24  # to find it
KEPT = 100  # messages of a thread
THREADS_KEPT = 500
CHARS_KEPT = 4_000_000  # of all threads together, about 8 MB
SHARE = 8  # of the history, for one message: a pasted log leaves room for what was said before it
LEAST_TURN = 50  # tokens
CUT = " … "
CHARS_PER_TOKEN = 4  # of English, roughly: the bound is one of cost, not of a window


@dataclass(frozen=True, slots=True)
class Line:
    """A message of a thread that can be a turn."""

    ts: str
    user: str
    text: str


@dataclass(frozen=True, slots=True)
class _Page:
    """A page of a thread: its lines, its last message's ts, and whether there are `more` after."""

    lines: list[Line]
    last: str
    more: bool


def _chars_of(lines: Sequence[Line]) -> int:
    return sum(len(line.text) for line in lines)


class Threads:
    """Reads threads, and remembers what it read: a follow-up costs one page of what is new."""

    def __init__(self, client: AsyncWebClient, people: People, bot_user_id: str) -> None:
        self._client = client
        self._people = people
        self._me = bot_user_id
        self._known: OrderedDict[tuple[str, str], list[Line]] = OrderedDict()
        self._chars = 0  # of what is known

    def forget(self, channel: str, thread_ts: str) -> None:
        """Somebody changed or deleted a message there: read it anew next time."""
        self._chars -= _chars_of(self._known.pop((channel, thread_ts), []))

    async def read(
        self, post: Post, said: Sequence[Said], max_tokens: int, *, bystanders: bool = True
    ) -> list[Turn]:
        """What was said in the post's thread before it, oldest first, the newest within a bound.

        Somebody who has asked here before gets on with that: questions of others, and the answers
        to them, are left out. Other messages of other people carry their name.

        Args:
            post: the question.
            said: the bot's answers in the thread; its other messages are no turns.
            max_tokens: how much history to give.
            bystanders: whether other people's messages, with their names, are part of it.
        """
        if not post.in_thread:
            return []
        lines = await self._lines(post)
        mine = not bystanders or any(answer.user == post.user for answer in said)
        answers = {a.message_ts: a.text for a in said if not mine or a.user == post.user}
        skipped = {a.asked_at for a in said if mine and a.user != post.user}
        turns = [
            await self._turn(line, post, answers)
            for line in lines
            if float(line.ts) < float(post.ts)
            and float(line.ts) not in skipped
            and (bystanders or line.user in {post.user, self._me})
        ]
        return _newest([turn for turn in turns if turn], max_tokens)

    async def above(self, post: Post, *, bystanders: bool) -> Line | None:
        """The message right above the post, if a person asks something in it.

        Without `bystanders` it counts only if the post's author wrote it.
        """
        if not post.in_thread:
            return None
        before = [line for line in await self._lines(post) if float(line.ts) < float(post.ts)]
        if not before or not asks(before[-1].text):
            return None
        return before[-1] if bystanders or before[-1].user == post.user else None

    async def _turn(self, line: Line, post: Post, answers: Mapping[str, str]) -> Turn | None:
        if line.user == self._me:
            answer = answers.get(line.ts)
            return Turn("assistant", answer) if answer else None
        if line.user == post.user:
            return Turn("user", line.text)
        return Turn("user", f"{await self._people.name(line.user)}: {line.text}")

    async def _lines(self, post: Post) -> Sequence[Line]:
        """The thread's newest messages up to the post, oldest first."""
        key = (post.channel, post.thread_ts)
        lines = self._known.get(key, [])
        if not lines or float(lines[-1].ts) < float(post.ts):
            since = lines[-1].ts if lines else "0"
            lines = (lines + await self._since(post, since))[-KEPT:]
            self.forget(*key)  # what was known before, which may be more by now
            self._known[key] = lines
            self._chars += _chars_of(lines)
        while len(self._known) > THREADS_KEPT or self._chars > CHARS_KEPT:
            self._chars -= _chars_of(self._known.popitem(last=False)[1])
        return lines

    async def _since(self, post: Post, since: str) -> list[Line]:
        """The thread's messages between that time and the post, oldest first; the newest of many.

        Without its history a follow-up can still be answered as it is.
        """
        found: list[Line] = []
        try:
            for _ in range(PAGES):
                page = await self._page(post, since)
                found += page.lines
                since = page.last
                if not page.more:
                    return found
            return await self._end(post, found, since)
        except SlackApiError as error:
            why = in_words(error) or name_of(error)
            log.warning("Not all history of %s: %s", post.key, why)
            return found

    async def _end(self, post: Post, found: list[Line], since: str) -> list[Line]:
        """The last messages before the post: leap over half of the time that is left, repeatedly.

        A page from too late a time holds too little: then the next leap is shorter. Between the
        leaps a page is read on, so that the two meet.
        """
        late = post.ts
        tail: list[Line] = []
        for _ in range(LEAPS // 2):
            middle = f"{(float(since) + float(late)) / 2:.6f}"
            page = await self._page(post, middle)
            if page.more:
                found, since = page.lines, page.last
            elif len(page.lines) >= KEPT:
                return page.lines
            else:
                late, tail = middle, page.lines
            page = await self._page(post, since)
            found, since = [*found, *page.lines][-KEPT:], page.last
            if not page.more:
                return found
        return [*found, *(line for line in tail if float(line.ts) > float(since))]

    async def _page(self, post: Post, since: str) -> _Page:
        answer = await self._client.conversations_replies(
            channel=post.channel,
            ts=post.thread_ts,
            oldest=since,
            latest=post.ts,
            inclusive=False,
            limit=PAGE,
        )
        lines: list[Line] = []
        last = since
        for message in answer.get("messages") or []:
            ts = str(message.get("ts", 0))
            if float(last) < float(ts) < float(post.ts):  # each page begins with the first message
                last = ts
                if line := self._line(message):
                    lines.append(line)
        more = bool((answer.get("response_metadata") or {}).get("next_cursor")) and last != since
        return _Page(lines, last, more)

    def _line(self, message: Mapping[str, object]) -> Line | None:
        ts, user = str(message.get("ts")), str(message.get("user"))
        if user == self._me:
            return Line(ts, user, "")
        if message.get("bot_id") or message.get("subtype") not in {None, "thread_broadcast"}:
            return None
        text = str(message.get("text") or "") or words_of(message.get("blocks"))
        text = read_text(text, self._me)
        return Line(ts, user, text) if text else None


def _newest(turns: Sequence[Turn], max_tokens: int) -> list[Turn]:
    left = max_tokens
    most = max(max_tokens // SHARE, LEAST_TURN) * CHARS_PER_TOKEN
    chosen: list[Turn] = []
    for turn in (_shorten(turn, most) for turn in reversed(turns)):
        left -= math.ceil(len(turn.text) / CHARS_PER_TOKEN)
        if left < 0:
            break
        chosen.append(turn)
    return chosen[::-1]


def _shorten(turn: Turn, most: int) -> Turn:
    """The beginning and the end of a long turn: a paste is introduced, or asked about below it."""
    if len(turn.text) <= most:
        return turn
    half = (most - len(CUT)) // 2
    return replace(turn, text=turn.text[:half] + CUT + turn.text[-half:])
