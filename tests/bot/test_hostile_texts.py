"""What reads questions and passages has a bound on any text: runs of one sign, of one word."""

from collections.abc import Callable
from itertools import cycle, islice, product
from time import thread_time

import pytest

from bot.checks.exact import exact_fault
from bot.choices import choices
from bot.conflicts import disagree, statements_of
from bot.distinct import same_text
from bot.questions.asked import names_in
from bot.questions.ellipsis import own_words, points_back
from bot.questions.marks import without_marks
from bot.questions.parts import parts_of
from bot.questions.smalltalk import is_chatter, is_help
from bot.reading.facts import facts
from bot.reading.sentences import sentence_spans
from bot.reading.statements import statements
from bot.rewrite import is_question
from bot.source import compare
from ingest.analyze import analyze, identifiers
from ingest.languages import language_of
from ingest.types import Chunk

RUNS = (
    *(
        " ",
        "a",
        "A",
        "0",
        ".",
        ",",
        "-",
        "_",
        "|",
        "*",
        "`",
        "(",
        "[",
        "<",
        '"',
        "/",
        ":",
        "#",
        "?",
    ),
    *("a ", "A ", "0 ", ". ", "a.", "0.", "é", "。", "[x](", "(a ", "**a", "- a\n", "a\n\n"),
    *("Jan 5 ", "$5 ", "5 days, ", "you may 5 days; ", "must not a, ", "if a, ", "and who is "),
    *("what is a? ", "for the ", "http://a ", "a@b.c ", ":a: ", "| a | b |\n", "London ", "one "),
)
QUESTION_CHARS = 2_000
QUESTION_S = 0.2  # of the processor, in all that reads a question
PASSAGE_CHARS = 4_000
PASSAGE_S = 2.0  # two passages, each way of reading and comparing them: a slow machine's


def _question(text: str) -> None:
    for read in (parts_of, names_in, own_words, points_back, without_marks, is_chatter, is_help):
        read(text)
    for read in (analyze, identifiers, language_of, facts, sentence_spans):
        read(text)
    is_question(text, text)


def _passage(text: str, doc: str = "a.md") -> Chunk:
    return Chunk("abc123abc123", doc, "Page", 0, len(text), text)


def _read(text: str) -> None:
    chunk = _passage(text)
    for read in (statements_of, statements, choices):
        list(read(chunk))


def _compared(text: str) -> None:
    one, other = _passage(text), _passage(f"{text} b 7 more", "b.md")
    for ours, its in product(statements_of(one), statements_of(other)):
        disagree(text[:QUESTION_CHARS], ours, its)
    same_text(one, other)


def _least_s(work: Callable[[str], None], text: str) -> float:
    """The less of two runs, each of a text that no cache knows."""
    taken = []
    for end in ("", "x"):
        start = thread_time()
        work(text + end)
        taken.append(thread_time() - start)
    return min(taken)


@pytest.mark.parametrize("run", RUNS)
def test_a_question_of_one_run_is_read_in_a_fifth_of_a_second(run: str) -> None:
    assert _least_s(_question, _long(run, QUESTION_CHARS - 1)) < QUESTION_S


@pytest.mark.parametrize("run", RUNS)
def test_a_passage_of_one_run_is_read_and_compared_within_a_bound(run: str) -> None:
    text = _long(run, PASSAGE_CHARS)
    assert _least_s(_read, text) < PASSAGE_S
    assert _least_s(_compared, text) < PASSAGE_S


@pytest.mark.parametrize("run", RUNS)
def test_a_sentence_of_one_run_is_held_against_a_passage_of_it_within_a_bound(run: str) -> None:
    passage = _long(run, PASSAGE_CHARS)
    held = lambda text: exact_fault(text, [_passage(passage)], text)  # noqa: E731 - as above
    assert _least_s(held, _long(run, QUESTION_CHARS)) < PASSAGE_S


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (". " * 2_000, ".  " * 2_000),
        ("a b " * 1_000, "b  a," * 800),
        (
            " ".join(f"a{i % 13}" for i in range(1_000)),
            " ".join(f"a{i * 7 % 13}" for i in range(1_000)),
        ),
    ],
)
def test_versions_of_one_word_repeated_are_compared_within_a_bound(old: str, new: str) -> None:
    assert _least_s(lambda text: compare(text, new), old) < PASSAGE_S
    kept = "".join(piece.text for piece in compare(old, new) if piece.kind != "added")
    assert kept == old


def _long(run: str, chars: int) -> str:
    return "".join(islice(cycle(run), chars))
