"""`python -m bot demo`: the main job on the sample handbook, without a key or a workspace."""

import sys
from pathlib import Path

from rich.text import Text

from bot.cli.ask import chat
from bot.cli.shared import out, waiting, with_parts
from bot.settings import Settings
from bot.wiring import Parts
from ingest.index import Index

HANDBOOK = Path(__file__).parents[1] / "demo" / "handbook"
QUESTIONS = (
    "How much can I spend on a hotel per night in London?",
    "and in Berlin?",
    "Can I bring my dog to the office?",
)


def run_demo(settings: Settings) -> None:
    """Ingest the handbook, answer the three questions, then leave the person in the chat."""
    settings = settings.model_copy(
        update={"docs": str(HANDBOOK), "data": settings.data / "demo", "exclude": ""}
    )
    with Index(settings) as index, waiting("Taking in the sample handbook"):
        report = index.sync()
    told = f"The sample handbook: {report.documents} documents, {report.chunks} passages."
    out.print(Text(told, style="dim"))

    async def work(parts: Parts) -> None:
        await chat(parts, QUESTIONS, interactive=sys.stdin.isatty())

    with_parts(settings, work)
