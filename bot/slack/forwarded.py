"""What somebody forwards with a message, which Slack sends beside its text. Pure."""

from collections.abc import Mapping


def forwarded_text(event: Mapping[str, object]) -> str:
    """The words of the first message that a post forwards, as Slack sends them; or none."""
    attachments = event.get("attachments")
    for attachment in attachments if isinstance(attachments, list) else []:
        if not isinstance(attachment, Mapping):
            continue
        if attachment.get("is_share") or attachment.get("is_msg_unfurl"):
            text = attachment.get("text") or words_of(attachment.get("message_blocks"))
            if str(text).strip():
                return str(text)
    return ""


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
