"""`python -m bot ask` and `chat`: the pipeline in a terminal."""

import asyncio
import logging
import time
from collections.abc import Sequence

from rich.text import Text

from bot.cli.shared import out, outcome_json, print_json, print_outcome, readable, waiting
from bot.cli.source import print_resolved
from bot.questions.smalltalk import is_chatter, is_help
from bot.record import Record
from bot.source import BadIdError, Passages, clean_id
from bot.stored import Asked, plain_text
from bot.types import Abstention, Outcome, Trace, Turn
from bot.wiring import Parts
from ingest.errors import FootnoteError
from ingest.ledger import Ledger

log = logging.getLogger(__name__)

STAGES = {
    "generate": "Writing the answer",
    "quote": "Choosing what to quote",
}
WHAT = (
    "I answer questions from the documents, every sentence with its source; what they do not say,"
    " I do not answer. Ask a question about them."
)
ENDS = frozenset({"", "quit", "exit", "bye"})
TERMINAL = "terminal"  # stands where a channel's id stands for a question from Slack


class Conversation:
    """Questions from one terminal, each with those before it as history."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._record = Record(parts.index.ledger.engine)
        self._history: list[Turn] = []
        self._started = f"{time.time():.6f}"

    async def ask(self, question: str) -> Outcome:
        """Answer, remember, and keep what was answered."""
        asked_at = time.time()
        with waiting("Looking it up") as show:

            async def on_stage(stage: str, _count: int) -> None:
                if stage in STAGES:
                    show(STAGES[stage])

            answer = self._parts.pipeline.answer
            outcome = await answer(question, self._history, on_stage=on_stage)
        self._history += [Turn("user", question), Turn("assistant", plain_text(outcome))]
        asked = Asked(TERMINAL, self._started, TERMINAL, asked_at, private=False)
        try:
            await asyncio.to_thread(self._keep, outcome, asked)
        except FootnoteError as error:
            log.warning("The answer could not be kept on record: %s", error)
        return outcome

    def _keep(self, outcome: Outcome, asked: Asked) -> None:
        answer_id = self._record.save(outcome, asked)
        self._record.place(answer_id, f"{asked.asked_at:.6f}", ())


async def ask(parts: Parts, question: str, *, as_json: bool) -> None:
    """Answer one question; a greeting or thanks is told what to ask, and is not kept."""
    asked = readable(question)
    small = _is_small_talk(asked)
    outcome = _no_question(parts, asked) if small else await Conversation(parts).ask(asked)
    if as_json:
        print_json(outcome_json(outcome))
    else:
        print_outcome(outcome)


def _is_small_talk(text: str) -> bool:
    return is_chatter(text) or (is_help(text) and any(c.isalnum() for c in text))


def _no_question(parts: Parts, said: str) -> Outcome:
    pipeline = parts.pipeline
    generator = (pipeline.generator or pipeline.quoter).name
    trace = Trace(said, said, 0.0, pipeline.reranker.name, generator, {})
    return Abstention("empty_question", WHAT, (), trace)


async def chat(parts: Parts, opening: Sequence[str] = (), *, interactive: bool = True) -> None:
    """Ask the opening questions, then those that the person types until the input ends."""
    conversation = Conversation(parts)
    out.print(Text(f"Reranker: {parts.pipeline.reranker.name}.", style="dim"))
    for question in opening:
        out.print(Text(f"\n> {question}", style="bold"))
        print_outcome(await conversation.ask(question))
    if not interactive:
        return
    hint = "Ask on; an id shows its passage; an empty line, `quit` or Ctrl-D ends."
    out.print(Text(f"\n{hint}", style="dim"))
    while (question := await asyncio.to_thread(_read_line)).casefold() not in ENDS:
        if is_help(question) or is_chatter(question):
            out.print(Text(hint, style="dim"))
        elif not _shown_passage(parts.index.ledger, question):
            print_outcome(await conversation.ask(question))


def _read_line() -> str:
    try:
        return out.input(Text("\n> ", style="bold")).strip()
    except EOFError:
        return ""


def _shown_passage(ledger: Ledger, line: str) -> bool:
    """Show what an id stands for; False for a line that is no id."""
    try:
        passage_id = clean_id(line)
    except BadIdError:
        return False
    if (found := Passages(ledger).resolve(passage_id)) is None:
        out.print(Text("No passage has that id."))
    else:
        print_resolved(found, Record(ledger.engine).first_cited(passage_id))
    return True
