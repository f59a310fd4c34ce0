"""What is a conflict, and above all what is none."""

from datetime import date
from itertools import product

import pytest

from bot.conflicts import disagree as statements_disagree
from bot.conflicts import statements_of
from bot.disputes import in_words, name_conflicts
from bot.types import Citation, Conflict, Disputed, Quote, Sentence
from ingest.types import Chunk, Imprint

POLICY, FAQ = "Travel policy > Hotels", "Travel FAQ > Hotels"
OLD = "Contractors may claim 45 EUR a night."
NEW = "Contractors may claim 60 EUR a night."
TABLE = "| City | Limit |\n|---|---|\n| Dublin | €190 |\n| Paris | €180 |"


def passage(id_: str, doc: str, heading: str, text: str) -> Chunk:
    return Chunk(id_, doc, heading, 0, len(text), text)


def disagree(one: str, other: str, heading: str = POLICY, others: str = FAQ) -> bool:
    return at_odds(passage("a", "a.md", heading, one), passage("b", "b.md", others, other))


def at_odds(one: Chunk, other: Chunk, question: str = "") -> bool:
    both = product(statements_of(one), statements_of(other))
    return any(statements_disagree(question, ours, its) for ours, its in both)


@pytest.mark.parametrize(
    ("one", "other", "heading", "others"),
    [
        (OLD, NEW, POLICY, FAQ),
        (OLD, "Contractors may claim up to €60 a night for a hotel.", POLICY, FAQ),
        (OLD, NEW, "Travel policy (2026)", "Travel FAQ (2024)"),
        (TABLE, TABLE.replace("190", "170"), POLICY, FAQ),
        ("API keys expire after 365 days.", "API keys expire after 90 days.", "Keys", "FAQ"),
        ("The office opens at 08:00.", "The office opens at 9 am.", "Hours", "Office FAQ > Hours"),
        ("Contractors can claim travel.", "Contractors cannot claim travel.", POLICY, FAQ),
        ("Overtime is paid.", "Overtime is not paid.", "Overtime", "Working hours > Overtime"),
        ("USB sticks are forbidden.", "USB sticks are allowed.", "A > Sticks", "B > Sticks"),
        ("USB sticks are prohibited.", "USB sticks are permitted.", "A > Sticks", "B > Sticks"),
        ("USB sticks are not permitted.", "USB sticks are allowed.", "A > Sticks", "B > Sticks"),
        ("USB sticks: forbidden.", "USB sticks are allowed.", "A > Sticks", "B > Sticks"),
        ("It is forbidden to bring dogs.", "It is allowed to bring dogs.", "Dogs", "Pets > Dogs"),
        ("Visitors must wear a badge.", "Visitors need not wear a badge.", "Visits", "Badges"),
        (
            "Visitors must wear a badge.",
            "Visitors are not required to wear a badge.",
            "Visits",
            "Badges",
        ),
        (
            "Visitors have to wear a badge.",
            "Visitors don't have to wear a badge.",
            "Visits",
            "Badges",
        ),
        (
            "Hand in claims within 30 days with receipts in Spendly.",
            "Hand in claims within 60 days with receipts in Spendly.",
            "Travel > Expense claims",
            "Questions > How long do I have to hand in claims?",
        ),
        (
            "Passwords have at least 14 characters.",
            "Passwords have at least 12 characters.",
            "",
            "",
        ),
        (
            "Send supplier invoices for approval to finance@example.com.",
            "Send supplier invoices for approval to billing@example.com.",
            "Invoices",
            "Invoices FAQ",
        ),
    ],
)
def test_two_documents_disagree_on_one_statement(
    one: str, other: str, heading: str, others: str
) -> None:
    assert disagree(one, other, heading, others)
    assert disagree(other, one, others, heading)


@pytest.mark.parametrize(
    ("one", "other", "heading", "others"),
    [
        pytest.param(OLD, OLD, POLICY, FAQ, id="the same value"),
        pytest.param("It lasts 12 months.", "It lasts one year.", "X", "X", id="another unit"),
        pytest.param(OLD, NEW.replace("Contractors", "Employees"), POLICY, FAQ, id="people"),
        pytest.param(OLD, NEW, POLICY, "Contractor travel in Germany", id="a country"),
        pytest.param(
            "In Germany, notice is three months.",
            "In France, notice is one month.",
            "Notice",
            "Notice",
            id="a country in another clause",
        ),
        pytest.param(
            "The notice period is three months.",
            "During probation, the notice period is two weeks.",
            "Leaving > Notice",
            "Notice",
            id="a condition",
        ),
        pytest.param(
            "| Plan | Storage |\n|---|---|\n| Team | 1 TB |",
            "| Plan | Storage |\n|---|---|\n| Gold | 5 TB |",
            "Plans",
            "Plans",
            id="two rows",
        ),
        pytest.param(
            "Storage is 1 TB a workspace.",
            "Storage is 5 TB a workspace.",
            "Gold plan",
            "Silver plan",
            id="two plans",
        ),
        pytest.param(
            "Revenue was 5 million in 2023.",
            "Revenue was 6 million in 2024.",
            "R",
            "R",
            id="two years",
        ),
        pytest.param(
            "Revenue was 5 million euros.",
            "Revenue was 6 million euros.",
            "Report 2023",
            "Report 2024",
            id="two reports",
        ),
        pytest.param(
            "The rate limit is 100 requests a minute.",
            "The rate limit is 300 requests a minute.",
            "API v1 > Limits",
            "API v2 > Limits",
            id="two versions",
        ),
        pytest.param(
            "ERR_4012: try again after 5 minutes.",
            "ERR_4013: try again after 10 minutes.",
            "E",
            "E",
            id="two codes",
        ),
        pytest.param(
            "Passwords have at least 14 characters.",
            "Passwords have at most 64 characters.",
            "IT",
            "IT",
            id="two bounds",
        ),
        pytest.param(
            "A refund takes 5 days.", "A partial refund takes 10 days.", "R", "R", id="one kind"
        ),
        pytest.param(
            "Questions go to a@example.com.",
            "Questions go to b@example.com.",
            "A",
            "B",
            id="owners",
        ),
        pytest.param(
            "Last updated: 3 May 2026.", "Last updated: 4 May 2026.", "A", "A", id="updates"
        ),
        pytest.param(
            "USB sticks are not forbidden.", "USB sticks are allowed.", "S", "S", id="no ban"
        ),
        pytest.param(
            "No USB sticks are banned.", "USB sticks are allowed.", "S", "S", id="none is banned"
        ),
        pytest.param(
            "USB sticks are forbidden.", "USB sticks are not permitted.", "S", "S", id="two bans"
        ),
        pytest.param(
            "Are USB sticks allowed?", "USB sticks are forbidden.", "S", "S", id="a question"
        ),
        pytest.param(
            "If USB sticks are forbidden, burn a disc.",
            "USB sticks are allowed.",
            "S",
            "S",
            id="an if",
        ),
        pytest.param(
            "Visitors may wear a badge.", "Visitors need not wear a badge.", "V", "V", id="may"
        ),
        pytest.param(
            "Storage is 1 TB a workspace.",
            "Storage is 5 TB a workspace.",
            "Silver plan",
            "How much storage does the Gold plan have?",
            id="a question about another plan",
        ),
        pytest.param(
            "Work from home on Fridays.", "No work from home on Mondays.", "H", "H", id="two days"
        ),
    ],
)
def test_what_speaks_of_other_things_is_no_conflict(
    one: str, other: str, heading: str, others: str
) -> None:
    assert not disagree(one, other, heading, others)


def test_pages_with_subjects_of_their_own_do_not_disagree() -> None:
    ours, its = "Oiled every 9 weeks by the night crew.", "Oiled every 4 weeks by the night crew."
    assert not disagree(ours, its, "Gates > Upkeep", "Bridges > Upkeep")
    assert disagree(ours, its, "Gates > Upkeep", "Gates FAQ > Upkeep")
    assert disagree(f"Gates: {ours}", f"Gates: {its}", "Gates > Upkeep", "Night work > Upkeep")


def test_a_page_that_does_not_speak_of_what_is_asked_about_does_not_disagree() -> None:
    text = "The brakes are inspected every {} days by the crane team of the yard, day and night."
    winches = passage("a", "winches.md", "Winches > Inspection", text.format(70))
    others = passage("b", "upkeep.md", "Yard upkeep > Brakes", text.format(55))
    assert not at_odds(winches, others, "How often are the winches inspected?")
    assert at_odds(winches, others, "How often does the crane team inspect the brakes?")


def test_a_statement_that_says_what_it_is_of_may_stand_on_a_page_about_other_things() -> None:
    rule = "A production deployment needs {} approvals from the release team."
    ours, its = rule.format(2), rule.format(3)
    assert disagree(ours, its, "Deployments > Approvals", "Onboarding > The first week")
    assert not disagree(ours, its, "Team North > Approvals", "Team South > Approvals")


def test_german_documents_disagree_on_a_value_as_well() -> None:
    rule = "Die Aufbewahrungsfrist für Rechnungen beträgt {} Jahre ab Ende des Jahres."
    assert disagree(rule.format(8), rule.format(10), "Rechnungen", "Häufige Fragen > Rechnungen")
    assert not disagree(rule.format(8), rule.format(8), "Rechnungen", "Fragen > Rechnungen")


def test_one_document_does_not_disagree_with_itself() -> None:
    assert not at_odds(passage("a", "a.md", POLICY, OLD), passage("b", "a.md", POLICY, NEW))


POLICY_PASSAGE = passage("aaaaaaaaaaaa", "policy.md", POLICY, f"{OLD} Book early.")
FAQ_PASSAGE = passage("bbbbbbbbbbbb", "faq.md", FAQ, f"Keep receipts. {NEW}")
IMPRINTS = {
    "policy.md": Imprint("policy.md", "Travel policy", {"updated": "2024-01-04"}),
    "faq.md": Imprint("faq.md", "Travel FAQ", {"updated": "2026-03-12"}),
}


def cite(n: int, chunk: Chunk, text: str) -> Citation:
    start = chunk.text.index(text)
    return Citation(n, chunk, (Quote(chunk.id, text, start, start + len(text)),))


def named(
    said: str = "Contractors get 45 EUR a night.",
    quoted: str = OLD,
    question: str = "How much?",
    imprints: dict[str, Imprint] = IMPRINTS,
) -> tuple[tuple[Citation, ...], tuple[Conflict, ...]]:
    citation = cite(1, POLICY_PASSAGE, quoted)
    passages = [POLICY_PASSAGE, FAQ_PASSAGE]
    return name_conflicts(question, [Sentence(said, (1,))], [citation], passages, imprints)


def test_the_other_side_is_cited_and_the_newer_comes_first() -> None:
    citations, conflicts = named()
    assert [(c.n, c.chunk.id) for c in citations] == [(1, "aaaaaaaaaaaa"), (2, "bbbbbbbbbbbb")]
    quote = citations[1].quotes[0]
    assert quote.text == FAQ_PASSAGE.text[quote.start : quote.end] == NEW
    assert conflicts == (
        Conflict(
            Disputed(2, NEW, "Travel FAQ", date(2026, 3, 12)),
            Disputed(1, OLD, "Travel policy", date(2024, 1, 4)),
        ),
    )


def test_a_conflict_reads_as_one_calm_line() -> None:
    assert in_words(named()[1][0]) == (
        "⚠ Two documents disagree: [2] Travel FAQ (12 Mar 2026) says “Contractors may claim 60 EUR"
        " a night”; [1] Travel policy (4 Jan 2024) says “Contractors may claim 45 EUR a night”."
    )


def test_without_dates_the_answers_own_side_is_first_and_no_time_is_named() -> None:
    conflict = named(imprints={})[1][0]
    assert (conflict.first.n, conflict.second.n) == (1, 2)
    assert "(" not in in_words(conflict)


def test_what_the_answer_does_not_state_is_no_conflict_of_it() -> None:
    assert named(said="Book early.", quoted="Book early.") == (
        (cite(1, POLICY_PASSAGE, "Book early."),),
        (),
    )


def test_a_question_that_names_one_edition_has_chosen() -> None:
    assert named(question="How much was it in 2024?")[1] == ()


def test_a_mirror_of_the_other_side_is_not_named_again() -> None:
    mirror = passage("cccccccccccc", "mirror/faq.md", FAQ, FAQ_PASSAGE.text)
    sentences = [Sentence(OLD, (1,)), Sentence(NEW, (2,))]
    citations = [cite(1, POLICY_PASSAGE, OLD), cite(2, FAQ_PASSAGE, NEW)]
    found, conflicts = name_conflicts(
        "How much?", sentences, citations, [POLICY_PASSAGE, FAQ_PASSAGE, mirror], IMPRINTS
    )
    assert len(conflicts) == 1
    assert found == tuple(citations)


def test_a_run_of_names_and_values_is_cut_up_like_any_passage() -> None:
    run = "wifi: no. parking: free. desk: yes. badge: no. canteen: noon. garage: 3 EUR a day."
    assert not at_odds(passage("a", "a.md", "Office", run), passage("b", "b.md", "Office", run))


def test_a_cell_that_denies_disagrees_with_one_that_affirms() -> None:
    table = "| Who | May claim travel |\n|---|---|\n| Contractors | {} |"
    assert disagree(table.format("yes"), table.format("no"))
    assert not disagree(table.format("yes"), table.format("yes"))
