import pytest

from bot.checks.claims import contradiction
from bot.reading.statements import statements
from ingest.types import Chunk


def broken(claim: str, source: str) -> str | None:
    chunk = Chunk("aaa111", "page.md", "Page", 100, 100 + len(source), source)
    found = contradiction(claim, statements(chunk))
    return found[0] if found else None


LISTED = """Deleted files stay in the trash:

- Starter: 14 days
- Team: 30 days
"""
TABLE = """| Plan | Price | Uptime |
|------|-------|--------|
| Starter | €6 | none |
| Team | €12 | 99.5% |
"""


@pytest.mark.parametrize(
    ("rule", "claim", "source"),
    [
        ("negation", "Expired keys count.", "Expired keys do not count."),
        ("negation", "There is a company rate in Berlin.", "There is no company rate in Berlin."),
        ("quantifiers", "All plans have it.", "Team and Business have it."),
        ("quantifiers", "You can change it at any time.", "You can change it once a quarter."),
        (
            "joined",
            "We pay 4% of your salary when you pay 8%.",
            "We pay 8% of your salary when you pay 4% yourself.",
        ),
        (
            "negation",
            "Store keys in chats.",
            "Keep keys in the vault, never in documents or chats.",
        ),
        ("subject", "A hotel in Dublin is dear.", "A hotel in London is dear."),
        ("subject", "On Linux run the agent.", "Run the agent and wait."),
        ("negation", "The shop has a terrace.", "parking: yes. terrace: no. delivery: yes."),
    ],
)
def test_a_sentence_that_turns_its_source_round_breaks_a_rule(
    rule: str, claim: str, source: str
) -> None:
    assert broken(claim, source) == rule


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("Expired keys are not counted.", "Expired keys do not count."),
        ("Revoked keys are left out.", "Revoked keys do not count."),
        ("You pay no more than €5.", "You pay up to €5."),
        ("Purchases over €500 go to the board.", "Up to €500 is yours; above that, ask the board."),
        ("Approval is not needed below €50.", "Approval is needed only above €50."),
        ("Change it at once after a leak.", "It is not changed on a schedule, but after a leak."),
        ("Staff get 27 days.", "You get 27 days."),
        ("It is open in the UK.", "It is open in the United Kingdom."),
        ("Every plan has it.", "All plans have it."),
        ("Team costs €12 and Starter €6.", TABLE),
        ("Starter has no uptime promise.", TABLE),
        ("Files stay 30 days in the trash on Team.", LISTED),
        ("A room costs €150 a night.", "A room costs €150 per night."),
        ("You are told 30 days before it ends.", "You are told 30, 7 and 1 days before it ends."),
        (
            "You may go for up to 25 days if you ask the team four weeks ahead.",
            "You may go for up to 25 days. Ask the people team at least four weeks ahead.",
        ),
        ("Type from China is old; Chinese type was of clay.", "In China type was made of clay."),
        ("Books belong in the vault rather than in chats.", "Store books in the vault, not chats."),
        (
            "Ferries do not run before Friday.",
            "Ferries are expected to run on Friday at the earliest.",
        ),
        ("Anyone who asks gets a key.", "Those who ask get a key."),
        ("There is no terrace.", "parking: yes. terrace: no. delivery: yes."),
        ("If you do not pay in time, it ends.", "It ends if you fail to pay in time."),
        ("Tell us no later than 15 weeks before.", "Tell us at least 15 weeks before."),
        ("It costs €30 monthly.", "It costs €30 a month."),
        ("Marketing was asked by finance.", "Finance asked marketing."),
        (
            "The kingdom took the mines.",
            "The duchy lost the war. The kingdom occupied the mines again.",
        ),
        ("There is no office in Dublin.", "The only office is in London."),
        ("Work with the Ad-Trav team.", "Work with AdTrav."),
        ("Keys may be rotated.", "You can rotate keys."),
        (
            "Paletten dürfen höchstens 1250 kg wiegen.",
            "Paletten dürfen höchstens 1.250 kg wiegen. Das Lager öffnet um 6.30 Uhr.",
        ),
        ("Das gilt für alle Verträge nicht.", "Dies gilt nur für den Vertrag, der endet."),
    ],
)
def test_a_sentence_that_says_the_same_in_other_words_breaks_none(claim: str, source: str) -> None:
    assert broken(claim, source) is None


@pytest.mark.parametrize(
    "text",
    [
        "Nobody but the owner may do it.",
        "Not all plans have it, and no key is ever shown twice.",
        "Full-time employees get 27 days. No intern does.",
        "Ask first:\n- not on Fridays\n- never twice",
        "Plan Team — Price: €12; Uptime: 99.5%",
    ],
)
def test_what_repeats_the_source_word_for_word_breaks_none(text: str) -> None:
    source = (
        "Nobody but the owner may do it. Not all plans have it, and no key is ever shown twice.\n\n"
        "Full-time employees get 27 days. No intern does.\n\n"
        "Ask first:\n\n- not on Fridays\n- never twice\n\n" + TABLE
    )
    assert broken(text, source) is None


def test_a_part_of_a_sentence_is_no_repetition_of_it() -> None:
    assert broken("Employees carry days over.", "No employees carry days over.") == "negation"
