import json
from pathlib import Path

import pytest

from bot.evaluate.cases import Case, Place, read_cases
from bot.evaluate.gold import Library
from bot.evaluate.originals import Originals
from bot.types import Turn
from ingest.errors import FootnoteError
from ingest.types import Chunk

QUALITY = Path(__file__).parents[1] / "quality" / "cases.jsonl"


def read(tmp_path: Path, *lines: object) -> list[Case]:
    file = tmp_path / "cases.jsonl"
    written = [line if isinstance(line, str) else json.dumps(line) for line in lines]
    file.write_text("\n".join(written) + "\n")
    return read_cases(file)


def test_a_case_names_its_gold_by_ids_by_span_or_by_documents(tmp_path: Path) -> None:
    by_id, by_span, by_doc = read(
        tmp_path,
        {"q": "a", "gold": ["123456789abc"]},
        {
            "q": "b",
            "file": "leave.md",
            "span": "25 days",
            "also_ok": ["five weeks", {"file": "new.md", "span": "26 days"}],
            "also_in": ["faq.md", {"file": "old.md", "span": "24 days"}],
        },
        {"q": "c", "gold_docs": ["leave.md"], "gold_text": "25"},
    )
    assert by_id == Case(1, "a", gold_ids=("123456789abc",))
    assert by_span.places == (
        Place("leave.md", ("25 days", "five weeks")),
        Place("new.md", ("26 days",)),
        Place("faq.md", ("25 days", "five weeks")),
        Place("old.md", ("24 days",)),
    )
    assert by_span.values == ("25 days", "five weeks")
    assert (by_doc.gold_docs, by_doc.values) == (("leave.md",), ("25",))


def test_a_follow_up_keeps_its_history_and_unknown_keys_are_passed_over(tmp_path: Path) -> None:
    history = [{"role": "user", "text": "How long is leave?"}]
    (case,) = read(
        tmp_path,
        {"q": "and for interns?", "history": history, "standalone": "Leave of interns?", "x": 1},
    )
    assert case.history == (Turn("user", "How long is leave?"),)
    assert case.standalone == "Leave of interns?"


def test_answerable_is_true_false_partial_or_unjudged(tmp_path: Path) -> None:
    values = [True, False, "partial", None]
    cases = read(tmp_path, *({"q": "a", "answerable": value} for value in values), {"q": "b"})
    assert [case.answerable for case in cases] == [True, False, "partial", None, True]


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("{", "line 3: no JSON object"),
        ('{"question": "a"}', "line 3: q: Field required"),
        ('{"q": "a", "answerable": "perhaps"}', "line 3: answerable"),
        ('{"q": "a", "file": "leave.md"}', "line 3: file and span belong together"),
        ('{"q": "a", "also_in": ["leave.md"]}', "line 3: also_ok and also_in need file and span"),
        ('["a"]', "line 3: "),
    ],
)
def test_a_bad_line_is_an_error_with_its_number(tmp_path: Path, line: str, told: str) -> None:
    with pytest.raises(FootnoteError, match=told):
        read(tmp_path, {"q": "fine"}, "", line)


def test_a_file_that_is_missing_or_holds_no_case_says_so(tmp_path: Path) -> None:
    with pytest.raises(FootnoteError, match="cannot be read"):
        read_cases(tmp_path / "none.jsonl")
    with pytest.raises(FootnoteError, match="holds no case"):
        read(tmp_path, "")


def test_the_handbooks_cases_are_cases() -> None:
    assert len(read_cases(QUALITY)) == len(QUALITY.read_text().splitlines())


TEXT = "# Leave\n\nStaff get 25 days.\n\nAsk your\nlead first.\n"
FIRST = Chunk("aaa", "leave.md", "Leave", 9, 27, TEXT[9:27])
SECOND = Chunk("bbb", "leave.md", "Leave", 29, 49, TEXT[29:49])
COPY = Chunk("ccc", "faq.md", "Questions > Staff get 25 days", 5, 24, "Staff get 25 days.\n")
LIBRARY = Library([FIRST, SECOND, COPY], Originals([]))


def by_span(span: str, doc: str = "leave.md") -> Case:
    return Case(1, "q", places=(Place(doc, (span,)),))


def test_gold_by_span_is_every_passage_that_the_span_touches() -> None:
    assert LIBRARY.gold(by_span("25 days.")).ids == {"aaa"}
    assert LIBRARY.gold(by_span("days.\n\nAsk your lead")).ids == {"aaa", "bbb"}


def test_gold_by_span_holds_under_a_heading_that_says_it() -> None:
    assert LIBRARY.gold(by_span("Staff get", "faq.md")).ids == {"ccc"}


def test_alternatives_need_one_right_passage_and_documents_each_one_of_theirs() -> None:
    assert LIBRARY.gold(by_span("days.\n\nAsk")).needed == 1
    docs = LIBRARY.gold(Case(1, "q", gold_docs=("leave.md", "faq.md")))
    assert (docs.needed, docs.by_doc, docs.ids) == (2, True, {"aaa", "bbb", "ccc"})
    assert docs.right([SECOND, FIRST, COPY]) == [True, True]
    assert docs.rank([COPY, FIRST]) == 1


def test_gold_that_exists_no_more_is_reported_by_name() -> None:
    ids = LIBRARY.gold(Case(1, "q", gold_ids=("aaa", "zzz")))
    assert (ids.ids, ids.missing) == ({"aaa"}, ("no passage has the id zzz",))
    spans = LIBRARY.gold(by_span("30 days"))
    assert (spans.ids, spans.missing) == (set(), ("no passage holds '30 days'",))
    docs = LIBRARY.gold(by_span("25 days", "gone.md"))
    assert docs.missing == ("no document is called gone.md", "no passage holds '25 days'")


def test_a_span_that_stands_in_one_of_its_places_is_not_lost() -> None:
    places = (
        Place("leave.md", ("lead first", "get 25")),
        Place("faq.md", ("lead first", "get 25")),
    )
    gold = LIBRARY.gold(Case(1, "q", places=places))
    assert (gold.ids, gold.missing) == ({"aaa", "bbb", "ccc"}, ())


def test_copies_are_passages_of_equal_text_or_with_one_of_the_spans() -> None:
    assert LIBRARY.copies({"aaa"}, []) == {"aaa", "ccc"}
    assert LIBRARY.copies({"aaa"}, ["lead first"]) == {"aaa", "bbb", "ccc"}
