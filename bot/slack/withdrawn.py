"""Posts that their authors changed or deleted, as far as answers to them are being written."""

from collections import OrderedDict

KEPT = 1_000  # posts


class Withdrawn:
    """What became of posts, by their keys, and with which words they were answered."""

    def __init__(self) -> None:
        self._now: OrderedDict[str, str | None] = OrderedDict()
        self._answered: OrderedDict[str, str | None] = OrderedDict()

    def note(self, key: str, words: str | None) -> bool:
        """A post was changed to `words`, or deleted (None). Whether an answer to others stands.

        An edit that makes a post a question comes as a change too, perhaps after the answer.
        """
        _keep(self._now, key, words)
        return key not in self._answered or self._answered[key] != words

    def answered(self, key: str, words: str) -> None:
        """An answer to these words goes on record."""
        _keep(self._answered, key, words)

    def is_deleted(self, key: str) -> bool:
        """Whether its author has deleted it."""
        return self._now.get(key, "") is None

    def is_changed(self, key: str, words: str) -> bool:
        """Whether it says something else by now, or nothing."""
        return self._now.get(key, words) != words


def _keep(texts: OrderedDict[str, str | None], key: str, text: str | None) -> None:
    texts[key] = text
    texts.move_to_end(key)
    while len(texts) > KEPT:
        texts.popitem(last=False)
