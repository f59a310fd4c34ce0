"""A question in hand: a post that was taken on."""

from dataclasses import asdict, dataclass, fields, replace
from typing import Self

from bot.slack.route import Post
from bot.slack.text import escape_mrkdwn
from bot.slack.thread import Line
from bot.stored import Owed


@dataclass(frozen=True, slots=True)
class Question:
    """A post that was taken on, and the keys it was claimed under.

    `shared` says that another company listens, or asks; `begun` is the message in which an earlier
    run began to answer, by ts.
    """

    post: Post
    keys: tuple[str, ...]
    shared: bool
    begun: str | None = None

    @classmethod
    def of(cls, owed: Owed) -> Self:
        """What an earlier run left."""
        post = Post(**{f.name: getattr(owed, f.name) for f in fields(Post)})
        return cls(post, owed.keys, owed.shared)

    def in_words_of(self, line: Line) -> Self:
        """The question as another message asks it."""
        post, text = self.post, escape_mrkdwn(line.text)
        source = f"{post.channel}:{line.ts}"
        return replace(self, post=replace(post, text=text, author=line.user, source=source))

    @property
    def owed(self) -> Owed:
        """As the record keeps it."""
        return Owed(**asdict(self.post), shared=self.shared, keys=self.keys)
