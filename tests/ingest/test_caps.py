"""What is stored of a document is bounded, whatever its lines, titles and values are."""

import pytest

from ingest.chunk import MAX_CHARS, chunk
from ingest.parse import parse
from ingest.parse.markdown import MAX_HEADING_CHARS
from ingest.types import Chunk, Sizes

GAP = " " * 1_000 + "\t" * 1_000 + "\u3000" * 1_000


def passages(text: str, path: str = "page.md") -> tuple[Chunk, ...]:
    parsed = parse(path, text.encode())
    return chunk("docs", path, path, parsed, lambda t: len(t.split()), Sizes(200, 256))


@pytest.mark.parametrize(
    "text",
    [
        f"One two three.{GAP}{GAP}Four five six.\n",
        f"| a | b |\n|---|---|\n| one{GAP} | two |\n" * 3,
        f"| a{GAP}{GAP} | b |\n|---|---|\n| one | two |\n",
        f"Before.<!--{'x' * 9_000}-->After.\n",
        "x" * 30_000,
    ],
)
def test_no_passage_is_longer_than_the_limit_and_each_is_a_slice_of_the_file(text: str) -> None:
    found = passages(text)
    assert MAX_CHARS == 4_000
    assert max(len(p.text) for p in found) <= 4_000
    assert max((len(c.text) for p in found for c in p.context), default=0) <= 4_000
    assert all(text[p.start : p.end] == p.text for p in found)


def test_words_on_both_sides_of_a_long_gap_are_kept() -> None:
    found = passages(f"One two three.{GAP}{GAP}Four five six.\n")
    assert [p.text for p in found] == ["One two three.", "Four five six."]


def test_a_heading_of_the_length_of_a_text_is_text_and_the_path_stays_short() -> None:
    long = "word " * 20_000
    found = passages(f"# {long}\n\n## Part\n\nBody.\n\n{long}\n---\n\nEnd.\n")
    assert max(len(p.heading) for p in found) == len("Page > Part")
    assert sum(p.text.count("word") for p in found) == 40_000


def test_a_title_and_values_of_front_matter_are_cut() -> None:
    values = "".join(f"k{n}: {'v' * 5_000}\n" for n in range(300))
    parsed = parse("page.md", f"---\ntitle: {'t' * 100_000}\n{values}---\nText.\n".encode())
    assert len(parsed.title) == MAX_HEADING_CHARS == 400
    assert len(parsed.metadata) == 200
    assert max(map(len, parsed.metadata.values())) == 2_000


@pytest.mark.parametrize("path", ["page.md", "page.txt"])
def test_of_a_run_of_one_sign_a_line_is_read_and_the_words_around_it_stay(path: str) -> None:
    found = passages(f"Before.\n\nAt {'.' * 40_000} the end.\n", path)
    assert [p.visible.split() for p in (found[0], found[-1])] == [
        ["Before.", "At", "." * 120],
        ["the", "end."],
    ]
    assert len(found) == 2
