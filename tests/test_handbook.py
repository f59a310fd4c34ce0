"""The sample handbook, and the cases that quote it, belong together: they fail together here."""

import json
import re
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent
HANDBOOK = ROOT / "bot" / "demo" / "handbook"
QUALITY = ROOT / "tests" / "quality"

PAGES = {
    path.relative_to(HANDBOOK).as_posix(): path.read_bytes().decode()
    for path in sorted(HANDBOOK.rglob("*"))
    if path.is_file()
}

JUDGED = {"sentence", "file", "heading", "span", "supported", "kind", "note"}


def read_lines(name: str) -> list[dict[str, Any]]:
    text = (QUALITY / name).read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


CASES = read_lines("cases.jsonl")
SENTENCES = read_lines("sentences.jsonl")
QUOTING = [case for case in CASES if case["file"]]

# also_ok: other texts that answer as well, also_in: other files that hold one of the texts,
# parts: all the texts that a whole answer needs, heading: the heading that holds what the text
# under it does not say.
OPTIONAL = {"also_ok", "also_in", "parts", "heading"}


def by_question(case: dict[str, Any]) -> str:
    return str(case["q"])


def handbook_words() -> set[str]:
    return {word for page in PAGES.values() for word in re.findall(r"\w+", page.casefold())}


def test_the_handbook_has_about_fifteen_markdown_pages_and_two_text_files() -> None:
    endings = Counter(Path(doc).suffix for doc in PAGES)
    assert endings == {".md": 16, ".txt": 2}


def test_pages_end_their_lines_with_a_newline_alone_and_end_with_one() -> None:
    for doc, page in PAGES.items():
        assert "\r" not in page, doc
        assert page.endswith("\n"), doc


def test_links_between_pages_lead_to_pages() -> None:
    links = [
        (doc, target)
        for doc, page in PAGES.items()
        for target in re.findall(r"\]\(([^)#\s]+)\)", page)
    ]
    assert links
    for doc, target in links:
        assert (HANDBOOK / doc).parent.joinpath(target).resolve().is_file(), (doc, target)


def test_mail_addresses_are_aliases_in_the_domain_for_examples() -> None:
    found = {m for page in PAGES.values() for m in re.findall(r"[\w.-]+@[\w.-]+\w", page)}
    addresses = found - {"git@code.larkfield.example.com"}
    assert addresses
    assert {address.split("@")[1] for address in addresses} == {"example.com"}


def test_the_playbook_is_long_and_has_headings_four_levels_deep() -> None:
    page = PAGES["support/playbook.md"]
    assert len(page.split()) >= 2500
    assert len(re.findall(r"^#### ", page, re.MULTILINE)) >= 10


def test_one_paragraph_stands_on_two_pages() -> None:
    paragraphs = Counter(
        part for page in PAGES.values() for part in set(page.split("\n\n")) if len(part) > 200
    )
    assert [n for n in paragraphs.values() if n > 1] == [2]


def test_a_page_has_setext_headings_and_fences_hold_comments_that_look_like_headings() -> None:
    assert PAGES["engineering/deployments.md"].startswith("Deployments\n====")
    fences = re.findall(r"```.*?```", PAGES["engineering/onboarding.md"], re.DOTALL)
    assert sum(len(re.findall(r"^# ", fence, re.MULTILINE)) for fence in fences) >= 6


def test_front_matter_names_title_owner_and_date_of_update() -> None:
    with_matter = [page for page in PAGES.values() if page.startswith("---\n")]
    assert len(with_matter) == 6
    for page in with_matter:
        assert re.match(r"---\ntitle: .+\nowner: .+@example.com\nupdated: \d{4}-\d\d-\d\d\n", page)


def test_text_files_have_headings_in_capitals() -> None:
    for doc in ("office/office-guide.txt", "finance/purchasing.txt"):
        assert len(re.findall(r"^[A-Z][A-Z ]+$", PAGES[doc], re.MULTILINE)) >= 6, doc


def test_every_error_code_is_a_row_and_a_section_and_some_between_do_not_exist() -> None:
    page = PAGES["product/error-codes.md"]
    rows = re.findall(r"^\| (ERR_\d+) \|", page, re.MULTILINE)
    assert rows == re.findall(r"^### (ERR_\d+)$", page, re.MULTILINE)
    assert len(rows) == 15
    assert (rows[0], rows[-1]) == ("ERR_4010", "ERR_4031")
    assert not {"ERR_4017", "ERR_4099"} & set(rows)


@pytest.mark.parametrize(
    "word", ["intern", "interns", "internship", "dog", "dogs", "pet", "pets", "tokyo", "silver"]
)
def test_what_the_unanswerable_cases_ask_about_is_in_no_page(word: str) -> None:
    assert word not in handbook_words()


def test_cases_have_one_shape() -> None:
    required = {"q", "kind", "file", "span", "answerable", "history", "standalone", "note"}
    for case in CASES:
        assert required <= case.keys() <= required | OPTIONAL, case["q"]
        assert case["answerable"] in (True, False, "partial")
        assert case["standalone"]
        for turn in case["history"]:
            assert turn.keys() == {"role", "text"}
        roles = ["assistant", *(turn["role"] for turn in case["history"])]
        assert all(a != b for a, b in pairwise(roles))


def test_no_case_is_asked_twice() -> None:
    asked = Counter((case["q"], json.dumps(case["history"])) for case in CASES)
    assert max(asked.values()) == 1


@pytest.mark.parametrize("case", QUOTING, ids=by_question)
def test_what_a_case_quotes_stands_in_its_file(case: dict[str, Any]) -> None:
    files = [case["file"], *case.get("also_in", [])]
    assert PAGES[case["file"]].count(case["span"]) == 1
    for text in (*case.get("also_ok", []), *case.get("parts", [])):
        assert sum(PAGES[file].count(text) for file in files) == 1, text
    quoted = [case["span"], *case.get("also_ok", []), *case.get("parts", [])]
    for file in case.get("also_in", []):
        assert any(text in PAGES[file] for text in quoted), file


def test_a_heading_that_answers_a_case_stands_above_what_the_case_quotes() -> None:
    by_heading = [case for case in CASES if "heading" in case]
    assert len(by_heading) == 5
    for case in by_heading:
        before = PAGES[case["file"]].split(case["span"])[0]
        assert re.findall(r"^#+ (.+)$", before, re.MULTILINE)[-1] == case["heading"]


def test_a_case_quotes_a_file_exactly_when_the_documents_answer_some_of_it() -> None:
    for case in CASES:
        if case["answerable"] is True:
            assert case["file"], case["q"]
        if case["answerable"] is False:
            assert case["file"] is None, case["q"]
            assert case["span"] is None, case["q"]


def test_every_page_is_asked_about() -> None:
    assert {case["file"] for case in QUOTING} == set(PAGES)


def test_cases_are_many_and_of_every_kind() -> None:
    kinds = Counter(case["kind"] for case in CASES)
    assert kinds == {
        "single": 69,
        "near_miss": 20,
        "followup": 19,
        "table": 15,
        "unanswerable": 14,
        "identifier": 10,
        "two_part": 8,
        "release_notes": 6,
        "underspecified": 5,
        "heading_only": 4,
        "conflict": 4,
    }
    assert sum(case["answerable"] is False for case in CASES) == 37
    assert all(case["history"] for case in CASES if case["kind"] == "followup")


def test_a_conflict_shows_the_newer_and_the_older_number() -> None:
    both = [case["parts"] for case in CASES if case["kind"] == "conflict" and "parts" in case]
    assert len(both) == 3
    for newer, older in both:
        assert newer in PAGES["people/travel-and-expenses.md"]
        assert older in PAGES["people/mileage-and-meals-2024.md"]


def test_judged_sentences_cite_what_stands_in_their_file() -> None:
    for judged in SENTENCES:
        assert judged.keys() == JUDGED, judged["sentence"]
        assert PAGES[judged["file"]].count(judged["span"]) == 1, judged["sentence"]
        for part in judged["heading"].split(" > ")[1:]:
            assert part in PAGES[judged["file"]].split(judged["span"])[0], judged["sentence"]


def test_judged_sentences_are_of_every_kind_and_about_half_are_supported() -> None:
    kinds = {
        "verbatim",
        "paraphrase",
        "number",
        "negation",
        "quantifier",
        "unit",
        "currency",
        "date",
        "subject",
        "joined",
        "truncated_list",
        "identifier",
    }
    assert {judged["kind"] for judged in SENTENCES} == kinds
    supported = {judged["kind"] for judged in SENTENCES if judged["supported"]}
    refused = {judged["kind"] for judged in SENTENCES if not judged["supported"]}
    assert supported == kinds
    assert refused == kinds - {"verbatim", "paraphrase"}
    share = sum(judged["supported"] for judged in SENTENCES) / len(SENTENCES)
    assert len(SENTENCES) == 215
    assert 0.4 <= share <= 0.6


def test_a_sentence_is_verbatim_exactly_when_its_words_stand_in_the_passage() -> None:
    for judged in SENTENCES:
        stands = " ".join(judged["sentence"].split()) in " ".join(judged["span"].split())
        assert stands is (judged["kind"] == "verbatim"), judged["sentence"]


def test_the_licence_is_the_whole_apache_licence() -> None:
    text = (ROOT / "LICENSE").read_text(encoding="utf-8")
    assert "Version 2.0, January 2004" in text
    assert "END OF TERMS AND CONDITIONS" in text
    assert "APPENDIX: How to apply the Apache License to your work." in text
