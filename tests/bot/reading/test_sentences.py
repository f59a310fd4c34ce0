from itertools import pairwise
from time import thread_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.reading.sentences import sentence_spans
from bot.reading.units import Unit, units
from ingest.types import Chunk, Context, Span


def sentences(text: str) -> list[str]:
    return [text[start:end] for start, end in sentence_spans(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One here. Two there! Three?", ["One here.", "Two there!", "Three?"]),
        (
            "Use a tool, e.g. Make, daily. Then stop.",
            ["Use a tool, e.g. Make, daily.", "Then stop."],
        ),
        ("It costs 3.5 EUR. Pay now.", ["It costs 3.5 EUR.", "Pay now."]),
        ("Ask J. Doe first. She knows.", ["Ask J. Doe first.", "She knows."]),
        ("Open until 5 p.m. The door locks.", ["Open until 5 p.m.", "The door locks."]),
        ("Open until 5 p.m. on Mondays.", ["Open until 5 p.m. on Mondays."]),
        ("Run `a. B`. Done.", ["Run `a. B`.", "Done."]),
        ("It works (see there. Or here). Good.", ["It works (see there. Or here).", "Good."]),
        ("**Stop.** Now go.", ["**Stop.**", "Now go."]),
        ("Wait... what is it? No.", ["Wait... what is it?", "No."]),
        ("One\n\nTwo", ["One", "Two"]),
        ("Bring:\n- a pass\n- a pen", ["Bring:", "- a pass", "- a pen"]),
        ("1. Open it. 2. Close it.", ["1. Open it.", "2. Close it."]),
        ("Line one  \nLine two", ["Line one", "Line two"]),
        ("这是第一句。这是第二句。", ["这是第一句。", "这是第二句。"]),
        ("", []),
        ("  \n ", []),
    ],
)
def test_a_text_is_cut_at_the_ends_of_its_sentences(text: str, expected: list[str]) -> None:
    assert sentences(text) == expected


@given(st.text(alphabet="aB1 .!?()`*\n-。", max_size=80))
def test_the_sentences_hold_every_character_that_is_not_white_space_once(text: str) -> None:
    spans = sentence_spans(text)
    assert all(text[a:b] == text[a:b].strip() != "" for a, b in spans)
    assert all(one[1] <= two[0] for one, two in pairwise(spans))
    assert "".join("".join(text[a:b].split()) for a, b in spans) == "".join(text.split())


PAGE = """Before. You need:

- a passport,
  signed
- a visa, for
  - China

> Quoted one. Quoted
> two.

| Plan | Storage |
|------|---------|
| Pro  | 100 GB  |
| Team | 10 GB   |

Run this:

```sh
# first
uv sync
```
"""


def passage(text: str, start: int = 0, end: int | None = None, *context: str) -> Chunk:
    stop = len(text) if end is None else end
    contexts = tuple(Context(text.index(c), text.index(c) + len(c), c) for c in context)
    return Chunk("abc123abc123", "page.md", "Page", start, stop, text[start:stop], contexts)


def shown(found: tuple[Unit, ...]) -> list[tuple[str, str, tuple[int, ...]]]:
    return [(unit.kind, unit.text, unit.leads) for unit in found]


def test_a_passage_is_cut_into_units_with_what_they_lean_on() -> None:
    assert shown(units(passage(PAGE))) == [
        ("prose", "Before.", ()),
        ("prose", "You need:", ()),
        ("item", "a passport,\n  signed", (1,)),
        ("item", "a visa, for", (1,)),
        ("item", "China", (1, 3)),
        ("prose", "Quoted one.", ()),
        ("prose", "Quoted\n> two.", ()),
        ("header", "| Plan | Storage |", ()),
        ("row", "| Pro  | 100 GB  |", (7,)),
        ("row", "| Team | 10 GB   |", (7,)),
        ("prose", "Run this:", ()),
        ("code", "# first", (10,)),
        ("code", "uv sync", (10,)),
    ]


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
def test_each_unit_is_its_slice_of_the_file_whatever_the_line_ends(line_end: str) -> None:
    file = "\ufeffOther text.\n\n".replace("\n", line_end) + PAGE.replace("\n", line_end)
    found = units(passage(file, file.index("Before")))
    assert len(found) == 13
    assert all(file[unit.start : unit.end] == unit.text for unit in found)


@pytest.mark.parametrize("header", ["| Plan | Storage |\n|------|---------|", "| Plan | Storage |"])
def test_a_row_that_was_parted_from_its_table_finds_its_header_in_the_context(header: str) -> None:
    row = PAGE.index("| Team")
    found = units(passage(PAGE, row, row + 18, header))
    assert [(unit.kind, unit.cells, unit.in_context) for unit in found] == [
        ("header", ("Plan", "Storage"), True),
        ("row", ("Team", "10 GB"), False),
    ]
    assert PAGE[found[0].start : found[0].end] == "| Plan | Storage |"


def test_an_item_that_was_parted_from_its_list_finds_its_lead_in_in_the_context() -> None:
    text = "You need:\n\n3. a pass\n4. a pen\n"
    found = units(passage(text, text.index("4."), None, "You need:"))
    assert shown(found) == [("prose", "You need:", ()), ("item", "a pen", (0,))]


def test_hidden_ranges_are_blank_and_shift_nothing() -> None:
    text = "Ask <b>her</b> first. Then go."
    chunk = Chunk("a", "d", "", 0, len(text), text, (), (Span(4, 7), Span(10, 14)))
    assert [(u.text, u.start, u.end) for u in units(chunk)] == [
        ("Ask    her     first.", 0, 21),
        ("Then go.", 22, 30),
    ]


def test_what_the_parser_takes_for_no_text_is_still_shown() -> None:
    text = "See [it].\n\n[it]: https://example.com/a\n\n<details>Open it</details>\n"
    assert [(u.kind, u.text) for u in units(passage(text))] == [
        ("prose", "See [it]."),
        ("other", "[it]: https://example.com/a"),
        ("other", "<details>Open it</details>"),
    ]


MARKDOWN = st.lists(
    st.sampled_from(
        [
            "A b. C d.",
            "- item",
            "  - inner",
            "1. one",
            "| a | b |",
            "|---|---|",
            "> quote",
            "```",
            "",
            "# H",
        ]
    ),
    max_size=12,
)


@given(MARKDOWN, MARKDOWN)
def test_units_of_any_markdown_are_exact_apart_and_lose_no_word(
    above: list[str], lines: list[str]
) -> None:
    context, text = "\n".join(above), "\n".join(lines)
    file = f"{context}\n\n{text}"
    start = len(context) + 2
    contexts = (Context(0, len(context), context),) if context else ()
    found = units(Chunk("a", "d", "H", start, len(file), text, contexts))
    assert all(file[u.start : u.end] == u.text for u in found)
    ordered = sorted(found, key=lambda u: u.start)
    assert all(one.end <= two.start for one, two in pairwise(ordered))
    words = "".join(c for c in file if c.isalpha())
    assert "".join(c for u in ordered for c in u.text if c.isalpha()) == words
    assert all(0 <= lead < i for i, u in enumerate(found) for lead in u.leads)


@pytest.mark.parametrize("run", ["A (. ", "`a.` ", ". ", ".", "A. (", "a\n", " ", "`"])
def test_a_long_run_of_any_kind_is_divided_within_a_second(run: str) -> None:
    start = thread_time()
    sentence_spans(run * 20_000)
    assert thread_time() - start < 1.0
