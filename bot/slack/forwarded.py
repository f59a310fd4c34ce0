"""What somebody forwards with a message, which Slack sends beside its text. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Forwarded:
    """The words of another message as Slack sends them, who wrote them, and their post's key."""

    text: str
    author: str
    source: str


def read_forwarded(event: Mapping[str, object]) -> Forwarded | None:
    """The first message with words that a post forwards, if there is one."""
    attachments = event.get("attachments")
    for attachment in attachments if isinstance(attachments, list) else []:
        if not isinstance(attachment, Mapping):
            continue
        if attachment.get("is_share") or attachment.get("is_msg_unfurl"):
            text = attachment.get("text") or words_of(attachment.get("message_blocks"))
            if str(text).strip():
                place, ts = attachment.get("channel_id"), attachment.get("ts")
                source = f"{place}:{ts}" if place and ts else ""
                return Forwarded(str(text), str(attachment.get("author_id") or ""), source)
    return None


def words_of(node: object) -> str:
    """The words of blocks, for a message that carries no text of its own."""
    if isinstance(node, Mapping):
        own = node.get("text")
        if isinstance(own, str):
            return own
        if node.get("type") == "user":
            return f"<@{node.get('user_id')}>"
        parts = [words_of(value) for value in node.values() if isinstance(value, Mapping | list)]
        return " ".join(part for part in parts if part)
    if isinstance(node, list):
        return " ".join(part for part in map(words_of, node) if part)
    return ""
