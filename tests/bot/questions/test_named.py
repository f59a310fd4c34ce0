import pytest

from bot.questions.named import about_the_named
from ingest.analyze import analyze
from ingest.types import Chunk

TEXTS = {
    "germany": ("Travel > Per diem", "The per diem in Germany is EUR 28 a day."),
    "london": ("Travel > Hotels", "A hotel in London may cost GBP 190 a night."),
    "notice": ("Leaving > Notice", "The notice period is six weeks."),
    "interns": ("People > Interns", "Interns get a buddy on their first day."),
    "plans": ("Plans", "| Plan | Price |\n|---|---|\n| Silver | 9 |\n| Gold | 19 |\n"),
    "new": ("Release notes > 4.2.0", "New: an audit log."),
    "old": ("Release notes > 4.1.0", "Removed: the old editor."),
}
CHUNKS = [Chunk(i, f"{i}.md", heading, 0, len(t), t) for i, (heading, t) in TEXTS.items()]
TOKENS = {chunk.id: frozenset(analyze(chunk.embedded)) for chunk in CHUNKS}


@pytest.mark.parametrize(
    ("question", "about"),
    [
        ("what is the per diem for London?", ["london"]),
        ("what is the per diem for london?", ["london"]),
        ("per diem in germany or london", ["germany", "london"]),
        ("What is the notice period for interns?", ["interns"]),
        ("price of silver", ["plans"]),
        ("What was removed in 4.2.0?", ["new"]),
        ("What was removed in version 4.3?", []),
        ("How long is the notice period?", list(TEXTS)),
    ],
)
def test_only_passages_that_speak_of_what_is_named_are_meant(
    question: str, about: list[str]
) -> None:
    assert [chunk.id for chunk in about_the_named(question, CHUNKS, TOKENS)] == about
