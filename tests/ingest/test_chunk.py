from hashlib import sha1

import pytest

from ingest.chunk import chunk, normalise
from ingest.embed import Embedder
from ingest.parse import parse
from ingest.types import PAD, Chunk, Sizes, spoken

SIZES = Sizes(200, 256)


def count_words(text: str) -> int:
    return len(text.split())


def cut(text: str, path: str = "page.md", sizes: Sizes = SIZES) -> tuple[Chunk, ...]:
    """Passages with words for tokens."""
    parsed = parse(path, text.encode())
    return chunk("docs", path, f"docs/{path}", parsed, count_words, sizes)


def prose(words: int, name: str = "w") -> str:
    """Sentences of ten words, each word once."""
    sentences = [
        " ".join(f"{name}{n}" for n in range(at, min(at + 10, words))).capitalize() + "."
        for at in range(0, words, 10)
    ]
    return " ".join(sentences)


def contexts(passage: Chunk) -> list[str]:
    return [context.text for context in passage.context]


def test_blocks_of_one_heading_are_joined_and_a_passage_never_crosses_a_heading() -> None:
    passages = cut("# T\n\nA\n\n- b\n- c\n\n## U\n\nD\n\n## V\n")
    assert [(p.doc, p.heading, p.text) for p in passages] == [
        ("docs/page.md", "T", "A\n\n- b\n- c"),
        ("docs/page.md", "T > U", "D"),
        ("docs/page.md", "T", "## V"),
    ]


def test_two_sections_of_one_name_stay_apart() -> None:
    assert [p.text for p in cut("# T\n\n## Example\nA\n\n## Example\nB\n")] == ["A", "B"]


@pytest.mark.parametrize("text", ["", "---\n\n***\n", "---\ntitle: T\n---\n", "##\n\n<!-- x -->\n"])
def test_a_page_without_text_has_no_passages(text: str) -> None:
    assert cut(text) == ()


def test_a_passage_is_its_slice_with_bom_and_carriage_returns() -> None:
    text = "\ufeff# T\r\n\r\nA\r\nb\r\n\r\nC\r\n"
    (passage,) = cut(text)
    assert (passage.start, passage.end, passage.text) == (8, 17, "A\r\nb\r\n\r\nC")
    assert text[passage.start : passage.end] == passage.text


def test_tags_and_comments_stay_in_the_slice_and_are_not_embedded() -> None:
    (passage,) = cut("# T\n\nA <%= tag %> b\n", "page.md.erb")
    assert passage.text == "A <%= tag %> b"
    assert passage.visible == f"A {PAD * 10} b"
    assert spoken(passage.visible) == "A  b"
    assert passage.embedded == "T\nA  b"


def test_a_long_paragraph_is_divided_between_sentences() -> None:
    passages = cut(f"# T\n\n{prose(600)}\n")
    assert len(passages) >= 3
    assert all(p.text.endswith(".") and p.text[0] == "W" for p in passages)
    assert " ".join(p.text for p in passages) == prose(600)


def test_one_endless_sentence_is_divided_between_words() -> None:
    text = " ".join(f"w{n}" for n in range(700))
    passages = cut(f"# T\n\n{text}\n")
    assert " ".join(p.text for p in passages) == text
    assert max(count_words(p.embedded) for p in passages) <= 254


def test_one_endless_word_is_divided_too() -> None:
    passages = cut(f"# T\n\n{'x' * 20_000}\n")
    assert "".join(p.text for p in passages) == "x" * 20_000
    assert max(len(p.text) for p in passages) < 3_100


def test_a_table_is_divided_between_rows_and_each_part_has_the_header() -> None:
    rows = [f"| {name} | {prose(30, name)} |" for name in "abcdefghijklmnopqrst"]
    first, *rest = cut("# T\n\n| Name | Words |\n|---|---|\n" + "\n".join(rows) + "\n\nEnd.\n")
    assert first.text.startswith("| Name | Words |\n|---|---|\n| a |")
    assert contexts(first) == []
    assert rest
    assert {tuple(contexts(p)) for p in rest} <= {("| Name | Words |",), ()}
    assert all(p.text.startswith("| ") and p.embedded.startswith("T\n| Name") for p in rest[:-1])


def test_an_html_table_is_divided_between_rows_and_each_part_has_the_header() -> None:
    rows = [f"<tr><td>{name}</td>\n<td>{prose(30, name)}</td></tr>" for name in "abcdefghijklmnop"]
    text = "# T\n\n<table>\n<tr><th>Name</th></tr>\n" + "\n\n".join(rows) + "\n</table>\n"
    first, *rest = cut(text)
    assert first.text.startswith("<table>\n<tr><th>Name</th></tr>\n<tr><td>a</td>")
    assert rest
    for passage in rest:
        assert passage.text.startswith("<tr><td>")
        assert contexts(passage) == ["<tr><th>Name</th></tr>"]
        assert [spoken(text).strip() for text in passage.visible_context] == ["Name"]
    assert rest[-1].text.endswith("</table>")


def test_a_list_is_divided_between_items_and_each_part_has_its_lead_in() -> None:
    items = [f"- {prose(30, name)}" for name in "abcdefghijklmnop"]
    first, *rest = cut("# T\n\nRead this. You need:\n\n" + "\n".join(items) + "\n")
    assert first.text.startswith("Read this. You need:\n\n- A0")
    assert contexts(first) == []
    assert rest
    for passage in rest:
        assert passage.text.startswith("- ")
        assert contexts(passage) == ["You need:"]
        assert passage.embedded.startswith("T\nYou need:\n- ")


def test_the_parts_of_a_long_item_have_the_lists_lead_in() -> None:
    passages = cut(f"# T\n\nYou need:\n\n- {prose(600, 'q')}\n- b\n")
    assert len(passages) >= 3
    assert all(contexts(p) == ["You need:"] for p in passages[1:])


def test_the_parts_of_a_long_row_have_its_first_cell_and_the_header() -> None:
    row = f"| Mole | {prose(400, 'm')} | 7 EUR |"
    table = f"| Pier | Duties | Toll |\n|---|---|---|\n{row}\n| Quay | b | 9 EUR |\n"
    passages = cut(f"# T\n\n{table}")
    led = [contexts(p) for p in passages if contexts(p)[-1:] == ["| Mole |"]]
    assert len(led) >= 2
    assert all(" ".join(parts[:2]) == "| Pier | Duties | Toll |" for parts in led)
    assert passages[-1].text.endswith("7 EUR |\n| Quay | b | 9 EUR |")


def test_an_html_rows_parts_have_its_first_cell_and_the_header() -> None:
    row = f"<tr><td>Mole</td><td>{prose(400, 'm')}</td><td>7 EUR</td></tr>"
    passages = cut(f"# T\n\n<table>\n<tr><th>Pier</th></tr>\n{row}\n</table>\n")
    led = [contexts(p) for p in passages[1:] if not p.text.startswith("<tr")]
    assert led
    assert set(map(tuple, led)) == {("<tr><th>Pier</th></tr>", "<tr><td>Mole</td>")}


def test_a_line_of_code_is_one_passage_up_to_its_limit() -> None:
    line = "ferry load " + " ".join(f"-deck{n}" for n in range(300))
    passages = cut(f"# T\n\nRun this:\n\n```\n{line}\n```\n\nIt sails at noon.\n")
    assert [p.text for p in passages if "ferry" in p.text] == [line]
    longer = "ferry load " + " ".join(f"-deck{n}" for n in range(700))
    first, second = [p for p in cut(f"# T\n\n```\n{longer}\n```\n") if "-deck" in p.text]
    assert len(first.text) > 3_900
    assert contexts(second)[-1].startswith("ferry load -deck0 -deck1 ")


def test_nested_items_carry_the_item_above_them() -> None:
    items = "\n".join(f"  - {prose(30, name)}" for name in "abcdefghijklmnop")
    passages = cut(f"# T\n\nYou need:\n\n- Tools\n{items}\n")
    assert passages[0].text.startswith("You need:\n\n- Tools\n  - A0")
    assert all(contexts(p) == ["You need:", "- Tools"] for p in passages[1:])


def test_a_fence_is_divided_between_lines_at_blank_ones_first() -> None:
    parts = ["\n".join(f"{name}{n} = {n}" for n in range(25)) for name in "abcdefgh"]
    passages = cut("# T\n\n```\n" + "\n\n".join(parts) + "\n```\n")
    assert len(passages) >= 3
    for passage in passages[1:]:
        assert passage.text.split()[0] in {f"{name}0" for name in "abcdefgh"}


def test_a_bold_lead_or_a_lead_in_opens_a_passage_before_a_plain_block_does() -> None:
    blocks = [prose(40, name) for name in "abcdef"]
    for opener in ("**Contractors** have it too.", "They get:\n\n- leave"):
        text = "\n\n".join([*blocks[:3], opener, *blocks[3:]])
        assert any(p.text.startswith(opener) for p in cut(f"# T\n\n{text}\n"))


def test_a_heading_path_too_long_to_embed_is_cut_from_the_left_there_only() -> None:
    path = [f"Level {n} " + "long " * 14 + "name" for n in range(1, 5)]
    text = "\n\n".join(f"{'#' * n} {name}" for n, name in enumerate(path, 1))
    (passage,) = cut(f"{text}\n\nA\n")
    assert passage.heading == " > ".join(path)
    assert passage.embedded == f"{' > '.join(path[2:])}\nA"


def test_a_small_window_holds_even_under_a_long_heading() -> None:
    passages = cut(f"# {prose(30, 'h')}\n\n{prose(100)}\n", sizes=Sizes(20, 32))
    assert max(count_words(p.embedded) for p in passages) <= 30
    assert " ".join(p.text for p in passages) == prose(100)


def test_ids_are_made_of_source_path_heading_text_and_ordinal() -> None:
    first, second, other = cut("# T\n\n## U\nA\n\n## U\nA\n\n## V\nA\n")
    assert first.digest == sha1(b"docs\0page.md\0T > U\0A\x000", usedforsecurity=False).hexdigest()
    assert second.digest == sha1(b"docs\0page.md\0T > U\0A\x001", usedforsecurity=False).hexdigest()
    assert first.id == first.digest[:12] == "e0d67debd321"
    assert len({first.id, second.id, other.id}) == 3
    parsed = parse("page.md", b"# T\n\n## U\nA\n")
    assert chunk("docs", "page.md", "x", parsed, count_words, SIZES)[0].id == first.id
    assert chunk("wiki", "page.md", "x", parsed, count_words, SIZES)[0].id != first.id
    assert chunk("docs", "other.md", "x", parsed, count_words, SIZES)[0].id != first.id


def test_ids_see_no_line_ends_and_no_white_space_around_text() -> None:
    assert normalise("\r\n A  b \t\r\nc\rd \n\n") == "A  b\nc\nd"
    plain = cut("# T\n\nA\nb\n\nC\n")
    assert [p.id for p in cut("# T  \r\n\r\n\r\nA \r\nb\r\n\r\nC\t\r\n")] == [p.id for p in plain]


def test_front_matter_and_text_above_leave_ids_alone() -> None:
    text = "# T\n\n## U\nA\n\n## V\nB\n"
    ids = [p.id for p in cut(text)]
    assert [p.id for p in cut(f"---\nowner: x\n---\n{text}")] == ids
    assert [p.id for p in cut(text.replace("## U", "## New\nN\n\n## U"))][1:] == ids


def test_the_models_own_window_is_never_exceeded(embedder: Embedder) -> None:
    table = "\n".join(f"| `ERR_{n}` | {prose(20)} | see § {n}.{n} |" for n in range(60))
    text = (
        f"# {'Überschrift ' * 20}\n\n{prose(500)}\n\n| Code | Meaning | More |\n|--|--|--|\n{table}"
        f"\n\n{'今年の休暇は二十五日です。' * 80}\n\n{'中' * 700}\n\n{'a.b/c=' * 300}\n\n"
        + "\n".join(f"- {word} 😀 {prose(40)}" for word in ("a", "b", "c", "d", "e"))
    )
    passages = chunk("s", "p", "p", parse("p.md", text.encode()), embedder.token_counter, SIZES)
    assert max(embedder.token_counter(p.embedded) for p in passages) <= 254
    assert "".join("".join(p.text for p in passages).split()) == "".join(
        text.split("\n", 2)[2].split()
    )
