from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.localslack.limits import check_view
from bot.slack.prose import to_mrkdwn
from bot.slack.views import Opened, build_message_view, build_passage_view, find_quotes
from bot.stored import StoredCitation
from bot.types import Quote
from ingest.types import Chunk, Context, Span
from tests.slack.conftest import LEAVE, live
from tests.slack.test_app import text_of


def cited(chunk: Chunk, quote: str, *, moved_by: int = 0) -> StoredCitation:
    start = chunk.start - moved_by
    at = chunk.text.find(quote)
    return StoredCitation(
        n=1,
        passage_id=chunk.id,
        doc=chunk.doc,
        heading=chunk.heading,
        start=start,
        end=start + len(chunk.text),
        text=chunk.text,
        quotes=(Quote(chunk.id, quote, start + at, start + at + len(quote)),),
    )


def requote(citation: StoredCitation, text: str, start: int, end: int) -> StoredCitation:
    return replace(citation, quotes=(Quote(citation.passage_id, text, start, end),))


def shown(chunk: Chunk, citation: StoredCitation | None = None) -> Any:
    return build_passage_view(Opened(live(chunk), citation))


def notes_of(view: Any) -> str:
    return "\n".join(b["elements"][0]["text"] for b in view["blocks"] if b["type"] == "context")


@pytest.mark.parametrize(
    ("text", "quote", "shown"),
    [
        ("One. Two. Three.", "Two.", "One. *Two.* Three."),
        ("Up to **10 days** a year.", "Up to **10 days** a year.", "*Up to 10 days a year.*"),
        (
            "A rule\nover two lines. More.",
            "A rule\nover two lines.",
            "*A rule*\n*over two lines.* More.",
        ),
        ("2*3 and *not* bold", "", "2*3 and _not_ bold"),
        ("see [the form](https://x.y) & <b>", "", "see the form (https://x.y) &amp; &lt;b&gt;"),
        ("use `a*b` here", "use `a*b` here", "*use `a∗b` here*"),
        ("a\\_b and 1 \\* 2", "", "a_b and 1 * 2"),
        ("- one\n- two\n\nend", "- two", "- one\n*- two*\n\nend"),
        ("```py\nx = 1\ny < 2\n```\nend", "", "```\nx = 1\ny &lt; 2\n```\nend"),
        ("```py\nx = 1\ny = 2\n```", "y = 2", "```\n  x = 1\n▸ y = 2\n```"),
        (
            "| Plan | Price |\n|---|--:|\n| Pro | 10 |\n| Enter- | 2000 |",
            "| Pro | 10 |",
            "```\n  Plan   | Price\n  -------+------\n▸ Pro    | 10\n  Enter- | 2000\n```",
        ),
        (
            "Plan | Price\n--- | ---\nPro | 10\n\nend",
            "",
            "```\nPlan | Price\n-----+------\nPro  | 10\n```\nend",
        ),
        ("a\r\nb\rc", "", "a\nb\nc"),
        ("mark \ue000 here", "", "mark \ufffd here"),
    ],
)
def test_markdown_reads_well_in_slack(text: str, quote: str, shown: str) -> None:
    start = text.find(quote)
    pieces = to_mrkdwn(text, [(start, start + len(quote))] if quote else [])
    assert "\n".join(pieces) == shown


def test_a_wide_table_is_not_padded() -> None:
    row = "| " + "word " * 20 + "| b |"
    [piece] = to_mrkdwn(f"| A | B |\n|---|---|\n{row}")
    assert piece.splitlines()[1] == "A   | B"


def test_a_long_line_is_cut_at_words_and_its_highlight_goes_on() -> None:
    text = "word & " * 2_000
    pieces = to_mrkdwn(text, [(0, len(text))])
    assert all(len(piece) <= 3_000 for piece in pieces)
    assert len(pieces) > 4
    assert all(piece.startswith("*") and piece.strip().endswith("*") for piece in pieces)
    assert "".join(pieces).count("&amp;") == 2_000


def test_no_escape_is_cut_in_two() -> None:
    pieces = to_mrkdwn("<" * 5_000)
    assert all(len(piece) <= 3_000 for piece in pieces)
    assert all(set(piece.split(";")) <= {"&lt", ""} for piece in pieces)


def test_long_code_is_fenced_in_each_piece() -> None:
    pieces = to_mrkdwn("```\n" + "a line of code\n" * 500 + "```")
    assert len(pieces) > 1
    assert all(p.startswith("```\n") and p.endswith("\n```") for p in pieces)
    assert sum(p.count("a line of code") for p in pieces) == 500


def test_code_cannot_close_its_fence_early() -> None:
    [piece] = to_mrkdwn("~~~\na ``` <!here>\n~~~")
    assert piece.count("```") == 2


def test_the_quote_is_found_though_the_passage_moved_in_its_file() -> None:
    moved = replace(LEAVE, start=LEAVE.start + 500, end=LEAVE.end + 500)
    citation = cited(moved, "Contractors get 10 days.", moved_by=500)
    [(start, end)] = find_quotes(moved, citation)
    assert moved.text[start:end] == "Contractors get 10 days."


def test_the_second_of_two_equal_sentences_is_marked_where_it_was_cited() -> None:
    chunk = replace(LEAVE, text="Yes. No. Yes.", end=LEAVE.start + 13)
    citation = requote(cited(chunk, "Yes."), "Yes.", chunk.start + 9, chunk.start + 13)
    assert text_of(shown(chunk, citation)) == "Yes. No. *Yes.*"


def test_all_sentences_that_an_answer_cites_are_marked() -> None:
    chunk = replace(LEAVE, text="One. Two. Three. Four.", end=LEAVE.start + 22)
    quotes = [q for text in ("Four.", "One.") for q in cited(chunk, text).quotes]
    citation = replace(cited(chunk, "One."), quotes=tuple(quotes))
    assert text_of(shown(chunk, citation)) == "*One.* Two. Three. *Four.*"


def test_marks_that_overlap_are_one() -> None:
    assert to_mrkdwn("One. Two. Three.", [(5, 9), (0, 9), (3, 7)]) == ["*One. Two.* Three."]


def test_a_sentence_that_is_gone_is_not_marked() -> None:
    view = shown(LEAVE, requote(cited(LEAVE, "Contractors"), "x y", 0, 3))
    assert "*" not in text_of(view)
    assert "is marked" not in notes_of(view)


def test_a_split_table_is_shown_with_its_header() -> None:
    header = Context(0, 24, "| Plan | Price |\n|---|---|")
    chunk = replace(LEAVE, text="| Pro | 10 |", context=(header,))
    view = shown(chunk, cited(chunk, "| Pro | 10 |"))
    assert text_of(view) == "```\n  Plan | Price\n  -----+------\n▸ Pro  | 10\n```"
    assert "Shown below the lines of its page that it continues." in notes_of(view)


def test_a_sentence_cited_from_the_context_is_marked_there() -> None:
    lead = Context(0, 17, "Contractors get:\n")
    chunk = replace(LEAVE, text="- ten days", context=(lead,))
    citation = requote(cited(chunk, "x"), "Contractors get:", 0, 16)
    assert text_of(shown(chunk, citation)) == "*Contractors get:*\n- ten days"


def test_a_cited_heading_is_told() -> None:
    citation = requote(cited(LEAVE, ""), "", LEAVE.start, LEAVE.start)
    assert "This answer cites the heading." in notes_of(shown(LEAVE, citation))


def test_what_is_hidden_in_a_file_is_not_shown() -> None:
    text = "Ten days.<!-- secret -->"
    chunk = replace(LEAVE, text=text, hidden=(Span(LEAVE.start + 9, LEAVE.start + len(text)),))
    assert text_of(shown(chunk)) == "Ten days."


def test_a_title_is_cut_to_slacks_limit() -> None:
    view: Any = build_passage_view(Opened(live(LEAVE)), "A title of much more than that")
    assert len(view["title"]["text"]) <= 24
    check_view(view, "modal")


def test_a_message_view_is_escaped_and_taken() -> None:
    view: Any = build_message_view("No passage has the id <x>.")
    check_view(view, "modal")
    assert view["blocks"][0]["text"]["text"] == "No passage has the id &lt;x&gt;."


LINES = st.sampled_from(
    [
        *(
            "text ",
            "# head",
            "- item",
            "| a | b |",
            "|---|---|",
            "```",
            "~~~",
            "\n",
            "\n",
            "<!here>",
        ),
        *("&", "*", "**b**", "`c`", "[l](u)", "\n" + "y" * 700 + "\n", "\r\n", "    code", "> q"),
        *("\u2028", "\\|"),
    ]
)


@settings(max_examples=150, deadline=None)
@given(st.lists(LINES, min_size=1, max_size=40).map("".join), st.data())
def test_slack_takes_whatever_a_passage_is_made_of(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    chunk = replace(LEAVE, text=text, start=0, end=len(text))
    citation = requote(cited(chunk, ""), text[start:end], start, end)
    view = shown(chunk, citation)
    check_view(view, "modal")
    seen = text_of(view)
    assert "<" not in seen
    assert seen.count("y") == text.count("y")
