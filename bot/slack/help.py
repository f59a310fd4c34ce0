"""What the bot can do, in three lines, with questions drawn from the documents' headings. Pure."""

from collections.abc import Sequence

from bot.slack.blocks import section
from bot.slack.render import Message
from bot.slack.text import clip, escape_mrkdwn
from ingest.library import Topic

EXAMPLES = 3
EXAMPLE_CHARS = 150

WHAT = "I answer questions from the company's documents ({documents:,} of them)."
HOW = (
    "Every sentence is checked and cited: press a citation to read the passage, or type"
    " `/rag-source` for those you saw last. What the documents do not say, I do not answer."
)
WHERE = "Mention me in a channel, or write to me here; in a thread I know what was said before."
TRY = "For example:"


def example_questions(topics: Sequence[Topic]) -> list[str]:
    """A question a topic; a heading that is one already stands for itself."""
    questions = []
    for topic in topics[:EXAMPLES]:
        heading = clip(topic.heading, EXAMPLE_CHARS // 2)
        asked = f"What does “{clip(topic.title, EXAMPLE_CHARS // 3)}” say about “{heading}”?"
        questions.append(heading if heading.endswith("?") else asked)
    return questions


def build_help(documents: int, topics: Sequence[Topic]) -> Message:
    """The message for an empty mention, a greeting, and the first sight of the direct messages."""
    lines = [WHAT.format(documents=documents), HOW, WHERE]
    examples = [f"• {escape_mrkdwn(question)}" for question in example_questions(topics)]
    tried = [section("\n".join([TRY, *examples]))] if examples else []
    return Message(lines[0], [section("\n".join(lines)), *tried])
