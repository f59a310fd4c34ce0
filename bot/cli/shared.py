"""What the commands share: settings, opened parts, and outcomes as JSON or as text."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TypeVar

from rich.logging import RichHandler
from rich.text import Text

from bot.cli.plain import plain_words
from bot.disputes import in_words
from bot.perhaps import whole_text
from bot.settings import Settings
from bot.types import (
    Abstention,
    Answer,
    Citation,
    Conflict,
    Hit,
    Outcome,
    checked_in_words,
    not_said,
    searched_for,
)
from bot.wiring import Parts, open_parts
from ingest.__main__ import json_line
from ingest.index import Index
from ingest.printable import OneLineFormatter, PlainConsole, one_line
from ingest.settings import load_settings as load
from ingest.settings import unknown_settings
from ingest.types import Chunk

T = TypeVar("T")

READ_IN_PLACE = 2  # passages beside the one that may answer
QUOTED = "The document says:"  # before what stands in the place of a sentence

out = PlainConsole(highlight=False, soft_wrap=True)
err = PlainConsole(stderr=True, highlight=False, soft_wrap=True)


def load_settings() -> Settings:
    """Read the settings; a name that is none is told on stderr.

    Raises:
        SettingsError: a setting makes no sense, or `.env` cannot be read.
    """
    settings = load(Settings)
    for sentence in unknown_settings(Settings):
        err.print(Text(sentence))
    return settings


def readable(text: str) -> str:
    """An argument without the bytes that are not UTF-8."""
    return text.encode(errors="surrogateescape").decode(errors="replace")


def quiet(settings: Settings) -> str:
    """The level for commands: warnings alone, unless somebody looks for a fault."""
    return "DEBUG" if settings.log_level == "DEBUG" else "WARNING"


def set_up_logging(level: str) -> None:
    """Log to stderr: coloured in a terminal, plain lines elsewhere."""
    if err.is_terminal:
        handler: logging.Handler = RichHandler(console=err, show_path=False, markup=False)
        form, dates = "%(message)s", "%X"
    else:
        handler = logging.StreamHandler()
        form, dates = "%(asctime)s %(levelname)s %(name)s: %(message)s", None
    handler.setFormatter(OneLineFormatter(form, dates))
    logging.basicConfig(level=level, handlers=[handler])
    for noisy in (
        "httpx",
        "httpcore",
        "chromadb",
        "sentence_transformers",
        "markdown_it",
        "apscheduler",
    ):
        logging.getLogger(noisy).setLevel(logging.WARNING)


def with_parts(settings: Settings, work: Callable[[Parts], Awaitable[T]]) -> T:
    """Open the indexes and models, do the work, close them.

    Raises:
        BusyError: another process owns the indexes.
    """

    async def run() -> T:
        with waiting("Loading the models and the indexes"):
            parts_at_hand = open_parts(settings, index)
            parts = await parts_at_hand.__aenter__()
        try:
            return await work(parts)
        finally:
            await parts_at_hand.__aexit__(None, None, None)

    with Index(settings) as index:
        if mended := index.repair():
            err.print(mended, markup=False)
        return asyncio.run(run())


@contextmanager
def waiting(what: str) -> Iterator[Callable[[str], None]]:
    """Show that something goes on, in a terminal; gives what shows another word."""
    if err.is_terminal:
        with err.status(what + " …") as status:
            yield lambda other: status.update(other + " …")
    else:
        yield lambda _: None


def print_json(data: object) -> None:
    """Print one line of data on stdout."""
    print(json_line(data), flush=True)  # noqa: T201


def place(chunk: Chunk) -> str:
    """Say where a passage stands: `handbook.md (Benefits > Leave, chars 2847-3201) id`."""
    doc, heading = one_line(chunk.doc), one_line(chunk.heading)
    return f"{doc} ({heading}, chars {chunk.start}-{chunk.end}) {chunk.id}"


def chunk_json(chunk: Chunk) -> dict[str, object]:
    """Give a passage as the commands print it."""
    return {
        "id": chunk.id,
        "doc": chunk.doc,
        "heading": chunk.heading,
        "start": chunk.start,
        "end": chunk.end,
        "text": chunk.text,
    }


def hit_json(hit: Hit) -> dict[str, object]:
    """Give a hit as the commands print it."""
    return chunk_json(hit.chunk) | {"score": round(hit.score, 6)}


def citation_json(citation: Citation, *, whole: bool = False) -> dict[str, object]:
    """Give a citation as the commands print it; `whole` with all that is shown of its passage."""
    quoted = {
        "quote": citation.quotes[0].text,
        "quote_start": citation.quotes[0].start,
        "quote_end": citation.quotes[0].end,
        "quotes": [{"text": q.text, "start": q.start, "end": q.end} for q in citation.quotes],
    }
    told = {"n": citation.n} | chunk_json(citation.chunk) | quoted
    return told | ({"shown": whole_text(citation)[0]} if whole else {})


def perhaps_json(cited: Citation) -> dict[str, object]:
    """Give a passage that may answer, and what would be quoted of it."""
    quotes = [{"text": q.text, "start": q.start, "end": q.end} for q in cited.quotes]
    return chunk_json(cited.chunk) | {"quotes": quotes, "shown": whole_text(cited)[0]}


def conflict_json(conflict: Conflict) -> dict[str, object]:
    """Give a conflict as the commands print it: both sides, the newer first."""
    return {
        name: {
            "n": side.n,
            "title": side.title,
            "text": side.text,
            "dated": side.dated.isoformat() if side.dated else None,
        }
        for name, side in (("first", conflict.first), ("second", conflict.second))
    }


def marked(text: str, citations: Sequence[int]) -> str:
    """Put the markers of a sentence behind it."""
    return text.rstrip() + "".join(f" [{n}]" for n in citations)


def outcome_json(outcome: Outcome) -> dict[str, object]:
    """Give an answer or an abstention as `ask --json` prints it."""
    trace = outcome.trace
    answered = isinstance(outcome, Answer)
    sentences = outcome.sentences if isinstance(outcome, Answer) else ()
    citations = outcome.citations if isinstance(outcome, Answer) else ()
    conflicts = outcome.conflicts if isinstance(outcome, Answer) else ()
    nearest = outcome.nearest if isinstance(outcome, Abstention) else ()
    perhaps = outcome.perhaps if isinstance(outcome, Abstention) else None
    quoting = isinstance(outcome, Answer) and outcome.quoting
    return {
        "question": trace.question,
        "standalone": trace.standalone,
        "abstained": not answered,
        "reason": outcome.reason if isinstance(outcome, Abstention) else None,
        "answer": " ".join(marked(s.text, s.citations) for s in sentences),
        "sentences": [
            {"text": s.text, "citations": list(s.citations), "quoted": s.quoted} for s in sentences
        ],
        "citations": [citation_json(c, whole=quoting) for c in citations],
        "unanswered": list(outcome.unanswered) if isinstance(outcome, Answer) else [],
        "conflicts": [conflict_json(c) for c in conflicts],
        "perhaps": perhaps_json(perhaps) if perhaps else None,
        "nearest": [hit_json(hit) for hit in nearest],
        "dropped": [{"text": d.text, "rule": d.rule, "detail": d.detail} for d in trace.dropped],
        "judged": [{"text": j.text, "verdict": j.verdict} for j in trace.judged],
        "judge": outcome.judge if isinstance(outcome, Answer) else "",
        "unjudged": outcome.unjudged if isinstance(outcome, Answer) else 0,
        "incomplete": isinstance(outcome, Answer) and outcome.incomplete,
        "notes": list(trace.notes),
        "zone": trace.zone,
        "evidence": round(trace.evidence, 6),
        "reranker": trace.reranker,
        "generator": trace.generator,
        "timings_ms": dict(trace.timings_ms),
    }


def print_outcome(outcome: Outcome) -> None:
    """Print an answer with its sources, or an abstention with the nearest places."""
    if read := searched_for(outcome.trace):
        out.print(Text(read, style="dim"))
    if isinstance(outcome, Answer):
        _print_answer(outcome)
    else:
        _print_abstention(outcome)


def _print_answer(answer: Answer) -> None:
    if answer.quoting:
        _print_passages(answer)
    else:
        _print_sentences(answer)
    if answer.incomplete:
        out.print(Text("(The model stopped here; the answer is incomplete.)", style="yellow"))
    if answer.unanswered:
        out.print(Text(not_said(answer.unanswered), style="yellow"))
    for conflict in answer.conflicts:
        out.print(Text(in_words(conflict), style="yellow"))
    out.print()
    read = _cited(answer) if answer.quoting else set[int]()
    for citation in (c for c in answer.citations if c.n not in read):
        out.print(Text(f"[{citation.n}] {place(citation.chunk)}", style="cyan"))
    out.print(Text(checked_in_words(answer), style="dim"))


def _print_passages(answer: Answer) -> None:
    out.print(Text("In the documents' own words:", style="dim"))
    for citation in (c for c in answer.citations if c.n in _cited(answer)):
        out.print()
        _print_whole(citation, f"[{citation.n}] ")


def _cited(answer: Answer) -> set[int]:
    return {n for sentence in answer.sentences for n in sentence.citations}


def _print_sentences(answer: Answer) -> None:
    for sentence in answer.sentences:
        if sentence.quoted:
            out.print(Text(QUOTED, style="dim"))
        said = plain_words(sentence.text, [(0, len(sentence.text))])  # addresses stay
        out.print(Text(marked(said.text, sentence.citations)))


def _print_abstention(abstention: Abstention) -> None:
    out.print(Text(abstention.message, style="yellow"))
    if abstention.reason == "no_passages":
        out.print("`python -m ingest` takes them in, from the folders of FOOTNOTE_DOCS.")
    if abstention.perhaps:
        _print_whole(abstention.perhaps)
    read = abstention.further[:READ_IN_PLACE] if abstention.perhaps else ()
    if read:
        out.print(Text("Or these, which are less near:", style="dim"))
    for hit in read:
        _print_whole(Citation(0, hit.chunk, ()))
    rest = abstention.further[len(read) :]
    if rest:
        out.print(Text("Closest, but not an answer:", style="dim"))
    for hit in rest:
        out.print(Text(f"  - {place(hit.chunk)}", style="dim"))


def _print_whole(cited: Citation, before: str = "") -> None:
    out.print(Text(before + place(cited.chunk), style="cyan"))
    said = plain_words(*whole_text(cited)).styled
    said.rstrip()
    for line in said.split("\n", allow_blank=True):
        out.print(Text("  ").append_text(line) if line else line)
