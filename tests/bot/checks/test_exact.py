"""The exact checks, in any language: values, rows, labels and the sign of an answer."""

import pytest

from bot.checks.exact import exact_fault
from ingest.parse import parse
from ingest.types import Chunk, Context


def passage(text: str, heading: str = "Page", *context: str, id_: str = "aaa111") -> Chunk:
    contexts = tuple(Context(0, len(c), c) for c in context)
    hidden = parse("page.md", text.encode()).hidden if not context else ()
    return Chunk(id_, "page.md", heading, 0, len(text), text, contexts, hidden)


def broken(claim: str, *cited: Chunk | str, question: str = "") -> str | None:
    chunks = [c if isinstance(c, Chunk) else passage(c) for c in cited]
    found = exact_fault(claim, chunks, question)
    return found[0] if found else None


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("It opens at 7:45am.", "It opens at 7.45am."),
        ("It opens at 7:45 a.m.", "It opens at 7.45 am."),
        ("It opens at 19:45.", "It opens at 19h45."),
        ("It closes at half past four.", "It closes at 16:30."),
        ("It closes at 4:30 pm.", "It closes at half past four."),
        ("It closes at a quarter to six.", "It closes at 5:45pm."),
        ("It is open from 9am to 11am.", "It is open 9-11am."),
        ("It runs from 1:30pm.", "It runs from 1:30 to 3pm."),
        ("Der Kurs beginnt um 8:15 Uhr.", "Der Kurs beginnt um 8.15 Uhr."),
        ("Der Kurs endet um 17:00 Uhr.", "Der Kurs endet um 17 Uhr."),
        ("Der Kurs endet um 16:30 Uhr.", "Der Kurs endet um halb fünf."),
        ("Ein Kran hebt 2500 kg.", "Ein Kran hebt nicht mehr als 2.500 kg."),
        ("A crane lifts 2,500 kg.", "Ein Kran hebt nicht mehr als 2.500 kg."),
        ("Die Miete ist 1200,50 €.", "Die Miete ist nicht mehr als 1.200,50 €."),
        ("Es gibt zwölf Plätze.", "Es gibt 12 Plätze im Saal und in der Halle."),
        ("Two months' notice is needed.", "Two (2) months' notice is needed."),
        ("There are a hundred and five seats.", "There are 105 seats."),
        ("PRs are reviewed.", "Each PR is reviewed."),
        ("Set core.editor to vim.", "```\n[core]\n  editor = vim\n```"),
        ("Set `core.editor` to vim.", "```\n[core]\n  editor = vim\n```"),
        ("It is closed, i.e. shut.", "It is closed."),
        ("BuildKit is used.", "Build-Kit is used."),
        ("Update version 7 to 8.", "Update version 7 to version 8."),
    ],
)
def test_one_value_in_two_notations_is_one_value(claim: str, source: str) -> None:
    assert broken(claim, source) is None


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("It opens at 9:45am.", "It opens at 9.45pm."),
        ("It closes at half past five.", "It closes at 16:30."),
        ("Ein Kran hebt 2,5 kg.", "Ein Kran hebt nicht mehr als 2.500 kg."),
        ("A crane lifts 2500 kg.", "A crane lifts 2.500 kg."),
        ("Es gibt elf Plätze für die Gäste.", "Es gibt 12 Plätze im Saal und in der Halle."),
        ("Set core.pager to vim.", "```\n[core]\n  editor = vim\n```"),
    ],
)
def test_another_value_in_a_like_notation_is_another(claim: str, source: str) -> None:
    assert broken(claim, source) == "hard_facts"


KEYS = "Keys have 2048 bits as a minimum. They are kept for 9 months."


@pytest.mark.parametrize(
    ("claim", "question"),
    [
        ("No, 1024 bits are too few: 2048 bits is the minimum.", "Are 1024 bits enough?"),
        ("No, a key of 1024 bits is too weak.", "Are 1024 bits enough?"),
        ("After 6 months you are below the 9 months.", "It is 6 months old. Is it kept?"),
        ("In v4.7.1 the 7 is no number of bits.", "What is the 7 of v4.7.1?"),
        ("For your 3 projects a key has to be made.", "We have 3 projects. Is one key enough?"),
    ],
)
def test_a_value_of_the_question_may_be_repeated(claim: str, question: str) -> None:
    assert broken(claim, KEYS, question=question) is None
    assert broken(claim, KEYS) == "hard_facts"


@pytest.mark.parametrize(
    ("claim", "question"),
    [
        ("Keys have 1024 bits as a minimum.", "Are 1024 bits enough?"),
        ("Keys are kept for 6 months.", "Are keys kept for 6 months?"),
    ],
)
def test_a_value_of_the_question_is_not_told_of_the_source(claim: str, question: str) -> None:
    assert broken(claim, KEYS, question=question) == "hard_facts"


def test_an_identifier_of_the_question_is_not_told_of_its_neighbour() -> None:
    source = "ERR_4014 means that the region is closed."
    asked = "What does ERR_4013 mean?"
    assert broken("ERR_4013 means that the region is closed.", source, question=asked)


PIPES = """| Hall | Day | Fee | Contact |
|---|---|---|---|
| Larch | Monday | 40 EUR | Front desk |
| | Tuesday | 45 EUR | Front desk |
| Spruce | Monday | 60 EUR | Caretaker |
| | Tuesday | 65 EUR | Caretaker |
"""
HTML = """<table>
<tr><th>Hall</th><th>Day</th><th>Fee</th><th>Contact</th></tr>
<tr><td rowspan="2">Larch</td><td>Monday</td><td>40 EUR</td><td>Front desk</td></tr>
<tr><td>Tuesday</td><td>45 EUR</td><td>Front desk</td></tr>
<tr><td rowspan="2">Spruce</td><td>Monday</td><td>60 EUR</td><td>Caretaker</td></tr>
<tr><td>Tuesday</td><td>65 EUR</td><td>Caretaker</td></tr>
</table>
"""


@pytest.mark.parametrize("table", [PIPES, HTML])
@pytest.mark.parametrize(
    ("claim", "rule"),
    [
        ("On Tuesday the hall Spruce costs 65 EUR.", None),
        ("On Tuesday the hall Spruce costs 45 EUR.", "rows"),
        ("On Tuesday Larch costs 60 EUR.", "rows"),
        ("Larch costs 40 EUR or 45 EUR.", None),
        ("Ask the caretaker about Larch.", "rows"),
        ("Ask the front desk about Larch.", None),
        ("On Monday Larch costs 40 EUR and Spruce 60 EUR.", None),
        ("On Monday Larch costs 60 EUR and Spruce 40 EUR.", "rows"),
        ("Am Dienstag kostet die Halle Spruce 45 EUR.", "rows"),
    ],
)
def test_a_cell_belongs_to_its_row_merged_and_blank_cells_included(
    table: str, claim: str, rule: str | None
) -> None:
    assert broken(claim, table) == rule


def test_the_row_may_be_named_by_the_question_alone() -> None:
    asked = "What does Spruce cost on Tuesday?"
    assert broken("It costs 65 EUR.", PIPES, question=asked) is None
    assert broken("It costs 45 EUR.", PIPES, question=asked) == "rows"


def test_a_row_without_its_header_in_the_text_is_read_with_that_of_the_context() -> None:
    rows = passage("| Larch | 40 |\n| Spruce | 60 |", "Halls", "| Hall | Seats |\n|---|---|")
    assert broken("Larch has 40 seats.", rows) is None
    assert broken("Larch has 60 seats.", rows) == "rows"


def test_an_item_of_a_list_belongs_to_its_label() -> None:
    listed = "Answers come within:\n\n- Low priority: 24 hours\n- High priority: 4 hours\n"
    assert broken("With high priority an answer comes within 4 hours.", listed) is None
    assert broken("With high priority an answer comes within 24 hours.", listed) == "rows"


def test_a_value_belongs_to_the_part_under_its_heading() -> None:
    night = passage("Logs are kept for 7 days.", "Backups > Nightly dumps", id_="aaa111")
    live = passage("Logs are kept for 90 days.", "Backups > Live copies", id_="bbb222")
    assert broken("Of live copies the logs are kept for 90 days.", night, live) is None
    assert broken("Of live copies the logs are kept for 7 days.", night, live) == "rows"


FAQ = passage("No.", "Bikes > May I park a bike in the hall?")
ONLY = passage("No, only trainers.", "Gym > Can members use the pool?")
LINES = passage("**Q: Do I need a pass for the attic?**\nA: No.\n\n**Q: Is it heated?**\nA: Yes.")
LABELS = passage("- Parking: yes\n- Smoking in the yard: no\n")
TICKS = passage("| Plan | Export | Audit log |\n|---|---|---|\n| Basic | yes | ✗ |\n")
GERMAN = passage("Nein.", "Darf ich im Hof grillen?")


@pytest.mark.parametrize(
    ("source", "right", "wrong"),
    [
        (FAQ, "You may not park a bike in the hall.", "You may park a bike in the hall."),
        (FAQ, "No, you may not park a bike in the hall.", "Yes, you can park a bike in the hall."),
        (ONLY, "Members cannot use the pool.", "Members can use the pool."),
        (ONLY, "Only trainers can use the pool.", "Members may use the pool."),
        (LINES, "You need no pass for the attic.", "You need a pass for the attic."),
        (LABELS, "Smoking in the yard is not allowed.", "Smoking in the yard is allowed."),
        (TICKS, "Basic has no audit log.", "Basic has an audit log."),
        (TICKS, "Basic has an export.", "Basic does not have an export."),
        (GERMAN, "Im Hof darf man nicht grillen.", "Im Hof darf man grillen."),
    ],
)
def test_a_yes_or_no_belongs_to_its_question_label_or_cell(
    source: Chunk, right: str, wrong: str
) -> None:
    assert broken(right, source) is None
    assert broken(wrong, source) == "yes_no"


def test_a_sentence_on_the_other_side_of_a_limit_is_not_told() -> None:
    source = "Crates under 30 kg are carried by one person."
    assert broken("Crates over 30 kg are carried by one person.", source) == "limits"
    assert broken("Crates of less than 30 kg are carried by one person.", source) is None
