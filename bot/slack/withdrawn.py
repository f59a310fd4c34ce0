"""Posts that their authors changed or deleted, as far as answers to them are being written."""

from collections import OrderedDict

from bot.slack.route import Post

KEPT = 1_000  # posts


class Withdrawn:
    """What became of posts, and with which words they were answered."""

    def __init__(self) -> None:
        self._now: OrderedDict[str, str | None] = OrderedDict()
        self._answered: OrderedDict[str, str | None] = OrderedDict()

    def note(self, key: str, text: str | None) -> bool:
        """A post was changed to `text`, or deleted (None). Whether an answer to other words stands.

        An edit that makes a post a question comes as a change too, perhaps after the answer.
        """
        _keep(self._now, key, text)
        return self._answered.get(key, "") != text

    def answered(self, post: Post) -> None:
        """An answer to these words goes on record."""
        _keep(self._answered, post.key, post.text)

    def is_deleted(self, post: Post) -> bool:
        """Whether its author has deleted it."""
        return self._now.get(post.key, "") is None

    def is_changed(self, post: Post) -> bool:
        """Whether it says something else by now, or nothing."""
        return self._now.get(post.key, post.text) != post.text


def _keep(texts: OrderedDict[str, str | None], key: str, text: str | None) -> None:
    texts[key] = text
    texts.move_to_end(key)
    while len(texts) > KEPT:
        texts.popitem(last=False)
