import asyncio
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from bot.choices import choices
from bot.errors import NotInSources
from bot.extract import ExtractiveGenerator
from bot.types import Draft, Verified
from bot.verify import verify
from ingest.embed import Embedder
from ingest.parse import parse
from ingest.types import Chunk

LEAVE = """Full-time employees get 27 days of paid leave a year. However, in year one it is 20 days.

You ask for leave in Rostera. It sends your manager a message.

How many days can I carry over?

You can carry over up to 5 unused days.
"""
PLANS = """| Plan | Storage | Price |
|------|---------|-------|
| Pro | 100 GB | €9 |
| Team | 1 TB |  |
"""
PACKING = """For a visa you need:

- a passport
- two photos
- a letter of the people team

Run this to begin:

```sh
visa start
```
"""
ERRORS = """- **ERR_4013**: the key was revoked by an admin.
- **ERR_4014**: the key has expired.
"""


def passage(text: str, heading: str, id_: str = "aaa111") -> Chunk:
    return Chunk(id_, "page.md", heading, 0, len(text), text)


@pytest.fixture(scope="session")
def generator(embedder: Embedder) -> Iterator[ExtractiveGenerator]:
    embedder.load()
    with ThreadPoolExecutor(1) as pool:
        yield ExtractiveGenerator(embedder, pool)


async def answer(generator: ExtractiveGenerator, question: str, *chunks: Chunk) -> list[Draft]:
    drafts = [draft async for draft in generator.draft(question, chunks)]
    by_id = {chunk.id: chunk for chunk in chunks}
    for draft in drafts:
        assert isinstance(verify(draft, by_id), Verified)
        for quote in draft.quotes:
            assert by_id[quote.passage_id].text[quote.start : quote.end] == quote.text
    return drafts


PASSAGES = (
    passage(LEAVE, "Handbook > Leave", "aaa111"),
    passage(PLANS, "Product > Plans", "bbb222"),
    passage(PACKING, "Travel > Visa", "ccc333"),
    passage(ERRORS, "API > Error codes", "ddd444"),
)


def texts(chunk: Chunk) -> list[str]:
    return [choice.text for choice in choices(chunk)]


def test_each_sentence_can_be_quoted_but_for_questions_and_what_leads_on() -> None:
    assert texts(PASSAGES[0]) == [
        "Full-time employees get 27 days of paid leave a year.",
        "However, in year one it is 20 days.",
        "You ask for leave in Rostera.",
        "It sends your manager a message.",
        "You can carry over up to 5 unused days.",
    ]


def test_a_row_is_read_by_its_header_and_quotes_it() -> None:
    assert texts(PASSAGES[1]) == [
        "Plan Pro — Storage: 100 GB; Price: €9",
        "Plan Team — Storage: 1 TB",
    ]
    pro = next(iter(choices(PASSAGES[1])))
    assert [quote.text for quote in pro.draft().quotes] == [
        "| Pro | 100 GB | €9 |",
        "| Plan | Storage | Price |",
    ]


def test_an_item_has_its_lead_in_and_a_lead_in_its_whole_list() -> None:
    assert texts(PASSAGES[2]) == [
        "For a visa you need:\n- a passport\n- two photos\n- a letter of the people team",
        "For a visa you need: a passport",
        "For a visa you need: two photos",
        "For a visa you need: a letter of the people team",
        "Run this to begin: `visa start`",
    ]


def test_a_yes_or_no_is_quoted_under_the_question_that_it_answers() -> None:
    dogs = passage("Yes. Dogs are allowed on Fridays.", "Office > Can I bring my dog?")
    assert texts(dogs)[0] == "Can I bring my dog? Yes. Dogs are allowed on Fridays."
    kiln = passage("**Q: Is the kiln locked?**\nA: No.\n\n**Q: Who cleans?**\nA: Staff.", "Kiln")
    assert texts(kiln)[0] == "**Q: Is the kiln locked?** A: No."


async def test_what_holds_on_the_other_side_of_a_limit_is_not_quoted(
    generator: ExtractiveGenerator,
) -> None:
    crates = passage("Crates under 30 kg are carried by one person.", "Crates")
    with pytest.raises(NotInSources):
        await answer(generator, "How many people carry crates over 30 kg?", crates)
    drafts = await answer(generator, "How many people carry crates under 30 kg?", crates)
    assert [draft.text for draft in drafts] == ["Crates under 30 kg are carried by one person."]


def test_a_bare_yes_without_a_question_is_no_answer() -> None:
    assert texts(passage("Yes.", "Dogs")) == []


def test_a_row_of_an_html_table_is_quoted_with_its_header() -> None:
    text = (
        "<table>\n<tr><th>Bay</th><th>Load</th></tr>\n"
        "<tr><td>East</td><td>4 t</td></tr>\n<tr><td>West</td><td>7 t</td></tr>\n</table>\n"
    )
    ramp = replace(passage(text, "Ramp"), hidden=parse("ramp.md", text.encode()).hidden)
    assert texts(ramp) == ["Bay East — Load: 4 t", "Bay West — Load: 7 t"]


def test_a_blank_cell_is_read_as_the_one_above_it() -> None:
    text = "| Crew | Turn | Desk |\n|---|---|---|\n| Dock | Day | 31 |\n| | Night | 32 |\n"
    assert texts(passage(text, "Rota"))[1] == "Crew Dock — Turn: Night; Desk: 32"


def test_questions_and_lead_ins_without_their_list_are_no_answers() -> None:
    text = "Is it open?\n\nWe sell:\n\n---\n\nOK."
    assert texts(passage(text, "Shop")) == ["OK."]


async def test_the_sentence_that_answers_comes_first(generator: ExtractiveGenerator) -> None:
    drafts = await answer(generator, "How many unused days can I carry over?", *PASSAGES)
    assert drafts[0].text == "You can carry over up to 5 unused days."


async def test_a_table_answers_with_its_row(generator: ExtractiveGenerator) -> None:
    drafts = await answer(generator, "How much storage does the Pro plan have?", *PASSAGES)
    assert drafts[0].text == "Plan Pro — Storage: 100 GB; Price: €9"


async def test_a_question_for_a_list_gets_the_list(generator: ExtractiveGenerator) -> None:
    drafts = await answer(generator, "What do I need for a visa?", *PASSAGES)
    assert drafts[0].text.startswith("For a visa you need:\n- a passport\n- two photos\n")


async def test_a_code_gets_its_own_line_not_its_neighbours(generator: ExtractiveGenerator) -> None:
    first, *_ = await answer(generator, "What does error ERR_4013 mean?", *PASSAGES)
    assert first.text == "**ERR_4013**: the key was revoked by an admin."


async def test_passages_as_likely_as_the_best_are_quoted_and_none_says_what_another_said(
    generator: ExtractiveGenerator,
) -> None:
    said = ["20 days", "21 days", "22 days", "22 days", "24 days", "25 days"]
    chunks = [
        passage(f"Team {i} gets {days} of leave.", f"Leave {i}", f"{i}aa111")
        for i, days in enumerate(said)
    ]
    drafts = await answer(generator, "How many days of leave does a team get?", *chunks)
    assert {draft.quotes[0].passage_id for draft in drafts} == {"0aa111", "1aa111"}
    same = [passage(LEAVE, "Handbook > Leave", f"{i}aa111") for i in range(3)]
    assert len(await answer(generator, "How many days of paid leave do I get?", *same)) == 1


async def test_a_passage_that_surely_answers_is_quoted_alone(
    generator: ExtractiveGenerator,
) -> None:
    drafts = await answer(generator, "What does error ERR_4013 mean?", PASSAGES[3], PASSAGES[2])
    assert [draft.quotes[0].passage_id for draft in drafts] == ["ddd444"]


async def test_passages_without_a_sentence_give_none(generator: ExtractiveGenerator) -> None:
    with pytest.raises(NotInSources):
        await answer(generator, "What is open?", passage("Is it open?", "Shop"))


async def test_the_event_loop_goes_on_meanwhile(generator: ExtractiveGenerator) -> None:
    beats = 0

    async def beat() -> None:
        nonlocal beats
        while True:
            await asyncio.sleep(0.005)
            beats += 1

    heart = asyncio.create_task(beat())
    await answer(generator, "How many days of paid leave do I get?", *PASSAGES)
    heart.cancel()
    assert beats >= 2


async def test_both_parts_of_a_question_are_answered_in_their_order(
    generator: ExtractiveGenerator,
) -> None:
    drafts = await answer(
        generator, "How much is the Pro plan and how many unused days carry over?", *PASSAGES
    )
    assert [draft.text for draft in drafts] == [
        "Plan Pro — Storage: 100 GB; Price: €9",
        "You can carry over up to 5 unused days.",
    ]


async def test_a_part_that_nothing_answers_is_told_after_the_others(
    generator: ExtractiveGenerator,
) -> None:
    question = "How many unused days carry over, and who repairs the coffee machine?"
    drafts: list[Draft] = []

    async def collect() -> None:
        async for draft in generator.draft(question, PASSAGES):
            drafts.append(draft)  # noqa: PERF401 - what came before the word counts

    with pytest.raises(NotInSources) as word:
        await collect()
    assert [draft.text for draft in drafts] == ["You can carry over up to 5 unused days."]
    assert word.value.parts == ("who repairs the coffee machine?",)
