from datetime import date

import pytest

from bot.editions import by_edition, edition_of
from bot.types import Hit
from ingest.types import Chunk, Imprint

DAY = 24 * 60 * 60
RULE = "The meal allowance on a trip is {} EUR a day in every country."
OLD, NEW = RULE.format(35), RULE.format(45)


def hit(doc: str, text: str, heading: str = "Meals > Allowance", score: float = 1.0) -> Hit:
    return Hit(Chunk(f"{doc} {text[:9]}", doc, heading, 0, len(text), text), score, 0.5)


def order(
    *hits: Hit, imprints: list[Imprint] | None = None, question: str = "what is the meal allowance"
) -> list[str]:
    known = {imprint.doc: imprint for imprint in imprints or []}
    return [found.chunk.doc for found in by_edition(question, hits, known)[0]]


def dated(doc: str, updated: str) -> Imprint:
    return Imprint(doc, doc, {"updated": updated})


@pytest.mark.parametrize(
    ("older", "newer", "imprints"),
    [
        pytest.param("v1/meals.md", "v2/meals.md", [], id="version in the path"),
        pytest.param("meals-v9.md", "meals-v10.md", [], id="versions are numbers"),
        pytest.param("meals-2023.md", "meals-2024.md", [], id="year in the path"),
        pytest.param("archive/meals.md", "meals.md", [], id="an archive"),
        pytest.param("meals-old.md", "meals.md", [], id="an old file"),
        pytest.param(
            "a.md",
            "b.md",
            [Imprint("a.md", "Meals 2023"), Imprint("b.md", "Meals 2024")],
            id="title",
        ),
        pytest.param("a.md", "b.md", [Imprint("a.md", "Meals (deprecated)")], id="deprecated"),
        pytest.param("a.md", "b.md", [Imprint("a.md", "", {"status": "superseded"})], id="status"),
        pytest.param("a.md", "b.md", [Imprint("a.md", "", {"superseded_by": "b.md"})], id="by"),
        pytest.param(
            "a.md",
            "b.md",
            [Imprint("a.md", "", {}, "This page has been replaced by b.")],
            id="notice",
        ),
        pytest.param(
            "a.md", "b.md", [dated("a.md", "2024-01-15"), dated("b.md", "2026-02-02")], id="date"
        ),
        pytest.param(
            "a.md",
            "b.md",
            [
                Imprint("a.md", "", {}, "Meals\nLast updated: 3 May 2024."),
                Imprint("b.md", "", {}, "Meals\nEffective from 1 May 2026."),
            ],
            id="date in the text",
        ),
        pytest.param(
            "a.md",
            "b.md",
            [Imprint("a.md", "", modified=10 * DAY), Imprint("b.md", "", modified=20 * DAY)],
            id="time of the file",
        ),
    ],
)
def test_of_two_that_speak_of_the_same_the_newer_comes_first(
    older: str, newer: str, imprints: list[Imprint]
) -> None:
    assert order(hit(older, OLD), hit(newer, NEW), imprints=imprints) == [newer, older]
    assert order(hit(newer, NEW), hit(older, OLD), imprints=imprints) == [newer, older]


def test_files_written_together_are_of_one_time() -> None:
    written = [Imprint("a.md", "", modified=10 * DAY), Imprint("b.md", "", modified=10.5 * DAY)]
    assert order(hit("a.md", OLD), hit("b.md", NEW), imprints=written) == ["a.md", "b.md"]


def test_the_files_time_says_nothing_against_a_documents_word() -> None:
    known = [dated("a.md", "2024-01-15"), Imprint("b.md", "", modified=10 * DAY)]
    assert order(hit("a.md", OLD), hit("b.md", NEW), imprints=known) == ["a.md", "b.md"]


def test_newer_is_no_merit_of_its_own() -> None:
    known = [dated("a.md", "2024-01-15"), dated("b.md", "2026-02-02")]
    other = hit("b.md", "Parking in Berlin costs nothing.", "Parking")
    assert order(hit("a.md", OLD), other, imprints=known) == ["a.md", "b.md"]


@pytest.mark.parametrize(
    "question",
    ["what was the meal allowance", "meal allowance in 2023", "the old meal allowance"],
)
def test_a_question_for_what_was_once_is_left_its_order(question: str) -> None:
    known = [Imprint("meals-2023.md", "Meals 2023"), Imprint("meals-2024.md", "Meals 2024")]
    hits = (hit("meals-2023.md", OLD), hit("meals-2024.md", NEW))
    assert order(*hits, imprints=known, question=question)[0] == "meals-2023.md"


@pytest.mark.parametrize("question", ["meal allowance in v1", "meal allowance, version 1?"])
def test_a_question_that_names_the_older_version_gets_that_one(question: str) -> None:
    assert order(hit("v2/meals.md", NEW), hit("v1/meals.md", OLD), question=question) == [
        "v1/meals.md",
        "v2/meals.md",
    ]


def test_the_year_of_a_documents_date_is_named_as_well() -> None:
    known = [dated("a.md", "2024-01-15"), dated("b.md", "2026-02-02")]
    hits = (hit("b.md", NEW), hit("a.md", OLD))
    assert order(*hits, imprints=known, question="meal allowance 2024") == ["a.md", "b.md"]


NEWS = "- API keys now expire. The meal allowance went up."


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("what is the meal allowance", "meals.md"),
        ("since when is there a new meal allowance", "notes.md"),
        ("how long do keys live", "notes.md"),
    ],
)
def test_news_stand_behind_the_page_that_they_announce(question: str, first: str) -> None:
    news = hit("notes.md", NEWS, "Release notes > v3.4.0 (15 June 2026)")
    assert order(news, hit("meals.md", NEW), question=question)[0] == first


def test_a_hit_that_moves_takes_the_score_of_its_place() -> None:
    moved, _ = by_edition(
        "meals", [hit("v1/m.md", OLD, score=3.0), hit("v2/m.md", NEW, score=2.0)], {}
    )
    assert [(h.chunk.doc, h.score) for h in moved] == [("v2/m.md", 3.0), ("v1/m.md", 2.0)]


def test_archived_things_as_a_topic_do_not_make_a_page_old() -> None:
    assert not edition_of("projects.md", Imprint("projects.md", "Archived projects")).ended
    assert edition_of("projects.md", Imprint("projects.md", "[Archived] Projects")).ended


def test_a_date_is_only_what_says_of_when_the_document_is() -> None:
    opening = "The office opened on 3 May 2020. Owner: a@example.com. Version 7, 1 March 2026."
    assert edition_of("a.md", Imprint("a.md", "A", {}, opening)).dated == date(2026, 3, 1)
    assert edition_of("a.md", Imprint("a.md", "A", {"updated": "soon"})).dated is None


def test_an_edition_of_a_year_to_come_is_not_the_newer_one_yet() -> None:
    names = ("holidays-2026.md", "holidays-2027.md")
    this_year = [edition_of(name, None, today=date(2026, 11, 30)) for name in names]
    assert this_year[0].newer_than(this_year[1]) is True
    assert this_year[1].newer_than(this_year[0]) is False
    next_year = [edition_of(name, None, today=date(2027, 1, 1)) for name in names]
    assert next_year[1].newer_than(next_year[0]) is True


def test_of_two_entries_of_a_changelog_that_speak_alike_the_newer_goes_first() -> None:
    text = "The upload limit is now {} (was {})."
    old = hit("notes.md", text.format("1 GB", "500 MB"), "Release notes > 4.9.0 (3 July 2026)")
    new = hit("notes.md", text.format("2 GB", "1 GB"), "Release notes > v4.10.0 (12 October 2026)")
    for question, first in (
        ("What is the upload limit?", new),
        ("What was the upload limit in 4.9.0?", old),
    ):
        found, _ = by_edition(question, [old, new], {})
        assert found[0].chunk.heading == first.chunk.heading


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("Was ist das Tagegeld für Mahlzeiten?", "mahlzeiten-2024.md"),
        ("Wie hoch war das Tagegeld für Mahlzeiten früher?", "mahlzeiten-2023.md"),
    ],
)
def test_a_german_question_gets_the_newer_page_unless_it_asks_for_what_was(
    question: str, first: str
) -> None:
    rule = "Das Tagegeld für Mahlzeiten beträgt in jedem Land {} EUR."
    hits = (hit("mahlzeiten-2023.md", rule.format(35)), hit("mahlzeiten-2024.md", rule.format(45)))
    assert order(*hits, question=question)[0] == first


def test_a_german_page_says_that_it_is_outdated_or_of_when_it_is() -> None:
    assert edition_of("a.md", Imprint("a.md", "A", {}, "Diese Seite ist veraltet.")).ended
    told = edition_of("a.md", Imprint("a.md", "A", {}, "Reisen\nStand: 2026-05-03"))
    assert told.dated == date(2026, 5, 3)
