"""A passage that begins in the middle of a row, and tables as HTML."""

from bot.reading.units import units
from ingest.parse import parse
from ingest.types import Chunk, Context

FILE = """\
| Pier | Duties | Toll |
|---|---|---|
| Mole | Sweep. Paint. | 7 EUR |
| Quay | b | 9 EUR |"""


def passage(begins: str, column: str) -> Chunk:
    start, head = FILE.index(begins), FILE.index(column)
    key = FILE.index("| Mole |")
    contexts = [(0, head - 1), (head, FILE.index("\n")), (key, key + 8)]
    context = tuple(Context(a, b, FILE[a:b]) for a, b in contexts)
    return Chunk("a", "d.md", "T", start, len(FILE), FILE[start:], context)


def test_a_row_that_goes_on_is_read_by_its_columns_and_so_are_the_rows_after_it() -> None:
    for begins, column, cells in (
        ("Paint.", "Duties", ("Mole", "Paint.", "7 EUR")),
        ("7 EUR", "Toll", ("Mole", "", "7 EUR")),
    ):
        found = units(passage(begins, column))
        header, row, following = (u for u in found if u.kind in ("header", "row"))
        assert header.cells == ("Pier", "Duties", "Toll")
        assert row.cells == cells
        assert row.text == FILE[row.start : row.end]
        assert row.text.startswith(begins)
        assert following.cells == ("Quay", "b", "9 EUR")


def test_an_html_table_in_a_sample_of_code_is_code_and_no_rows() -> None:
    sample = "<table><tr><th>Bay</th></tr><tr><td>West</td></tr></table>"
    text = f"Write:\n\n```html\n{sample}\n```\n\nor\n\n    {sample}\n\n{sample}\n"
    hidden = parse("page.md", text.encode()).hidden
    found = units(Chunk("a", "page.md", "T", 0, len(text), text, hidden=hidden))
    assert [(u.kind, u.text.strip()) for u in found] == [
        ("prose", "Write:"),
        ("code", sample),
        ("prose", "or"),
        ("code", sample),
        ("header", "Bay"),
        ("row", "West"),
    ]
