from collections.abc import Sequence

import pytest
from pydantic import SecretStr

from bot.errors import BrokenStreamError, ModelError, NotInSources, PermanentModelError
from bot.generate import ModelGenerator
from bot.model import MessagesModel
from bot.settings import Settings
from bot.types import Draft, Dropped, Quote, Verified
from bot.verify import verify
from ingest.types import Chunk, Context
from tests.messages_api import KEY, Block, Cite, Fail, MessagesApi, Say, messages_api

FILE = """# Leave

Staff get 25 days. Ask Ada first.

| Plan | Storage |
|------|---------|
| Pro  | 100 GB  |
"""
ROW = FILE.index("| Pro")
STAFF = Chunk("aaa111", "leave.md", "Handbook > Leave", 9, 43, FILE[9:43])
PRO = Chunk(
    "bbb222", "leave.md", "Handbook > Plans", ROW, ROW + 18, FILE[ROW : ROW + 18],
    (Context(44, 81, FILE[44:81]),),
)  # fmt: skip
DAYS = Quote("aaa111", "Staff get 25 days.", 9, 27)
ASK = Quote("aaa111", "Ask Ada first.", 28, 42)


async def answer(
    api: MessagesApi,
    got: list[Draft] | None = None,
    passages: Sequence[Chunk] = (STAFF, PRO),
    unanswered: list[str] | None = None,
) -> list[Draft]:
    changes = {
        "anthropic_api_key": SecretStr(KEY),
        "anthropic_base_url": api.url,
        "model_timeout_s": 5.0,
        "model_silence_s": 0.5,
        "model_retries": 1,
    }
    settings = Settings(_env_file=None).model_copy(update=changes)
    drafts = [] if got is None else got
    gaps = [] if unanswered is None else unanswered
    async with MessagesModel(settings) as model:
        async for draft in ModelGenerator(model, settings).draft("How {long}?", passages):
            if isinstance(draft, Draft):
                drafts.append(draft)
            else:
                gaps.append(draft.text)
    return drafts


async def test_each_section_is_a_search_result_of_heading_context_and_units() -> None:
    async with messages_api(Say([Block("Yes.", [Cite("aaa111", 1, 2)])])) as api:
        await answer(api)
    content = api.requests[0]["messages"][0]["content"]
    assert [(block["source"], block["title"]) for block in content[:-1]] == [
        ("aaa111", "leave.md"),
        ("bbb222", "leave.md"),
    ]
    assert [[part["text"] for part in block["content"]] for block in content[:-1]] == [
        ["Handbook > Leave", "Staff get 25 days.", "Ask Ada first."],
        ["Handbook > Plans", "| Plan | Storage |", "| Pro | 100 GB |"],
    ]
    assert content[-1]["text"].endswith("Question: How {long}?")
    assert "NOT_IN_SOURCES" in api.requests[0]["system"]


STEPS = """Do this:

1. Open the [form](https://forms.example/a_(1)).
2. Sign it.
3. Send it.
"""
TWO, THREE = STEPS.index("2."), STEPS.index("3.")
LEAD = Context(0, 8, STEPS[:8])
FIRST = Chunk("ddd444", "steps.md", "Steps", 0, TWO, STEPS[:TWO])
SECOND = Chunk("eee555", "steps.md", "Steps", TWO, THREE, STEPS[TWO:THREE], (LEAD,))
THIRD = Chunk("fff666", "steps.md", "Steps", THREE, len(STEPS), STEPS[THREE:], (LEAD,))


async def test_passages_of_one_section_are_one_search_result_in_the_order_of_the_page() -> None:
    cites = [Cite("fff666", 1, 5), Cite("fff666", 4, 5)]
    async with messages_api(Say([Block("Open, sign and send it.", cites)])) as api:
        (draft,) = await answer(api, passages=(THIRD, STAFF, SECOND, FIRST))
    results = api.requests[0]["messages"][0]["content"][:-1]
    assert [(result["source"], result["title"]) for result in results] == [
        ("fff666", "steps.md"),
        ("aaa111", "leave.md"),
    ]
    assert [part["text"] for part in results[0]["content"]] == [
        "Steps", "Do this:", "Open the form.", "Sign it.", "Send it.",
    ]  # fmt: skip
    assert [(quote.passage_id, quote.text) for quote in draft.quotes] == [
        ("ddd444", "Do this:\n\n1. Open the [form](https://forms.example/a_(1))."),
        ("eee555", "Sign it."),
        ("fff666", "Send it."),
    ]
    assert all(STEPS[quote.start : quote.end] == quote.text for quote in draft.quotes)
    verified = verify(draft, {c.id: c for c in (FIRST, SECOND, THIRD)})
    assert isinstance(verified, Verified)
    assert verified.quotes == draft.quotes


async def test_a_lead_in_of_which_the_own_passage_is_not_given_is_given_once() -> None:
    block = Block("Do this: sign it.", [Cite("eee555", 1, 4)])
    async with messages_api(Say([block])) as api:
        (draft,) = await answer(api, passages=(SECOND, THIRD))
    content = api.requests[0]["messages"][0]["content"][0]["content"]
    assert [part["text"] for part in content] == ["Steps", "Do this:", "Sign it.", "Send it."]
    assert [(quote.passage_id, quote.text, quote.start) for quote in draft.quotes] == [
        ("eee555", "Do this:", 0),
        ("eee555", "Sign it.", TWO + 3),
        ("fff666", "Send it.", THREE + 3),
    ]


@pytest.mark.parametrize("piece_chars", [1, 7, 1000])
async def test_a_sentence_is_the_run_of_blocks_up_to_its_end_with_all_their_citations(
    piece_chars: int,
) -> None:
    blocks = [
        Block("As the page says, "),
        Block("staff get 25 days", [Cite("aaa111", 1, 2)]),
        Block(", if they "),
        Block("ask, e.g. Ada", [Cite("aaa111", 2, 3)]),
        Block(". "),
        Block("Ask Ada first.", [Cite("aaa111", 2, 3), Cite("aaa111", 1, 2)]),
    ]
    async with messages_api(Say(blocks, piece_chars=piece_chars)) as api:
        drafts = await answer(api)
    assert drafts == [
        Draft("As the page says, staff get 25 days, if they ask, e.g. Ada.", (DAYS, ASK)),
        Draft("Ask Ada first.", (ASK, DAYS)),
    ]


async def test_two_sentences_of_one_block_both_have_its_citation() -> None:
    block = Block("Staff get 25 days. Ask Ada.", [Cite("aaa111", 1, 3)])
    async with messages_api(Say([block])) as api:
        drafts = await answer(api)
    both = Quote("aaa111", "Staff get 25 days. Ask Ada first.", 9, 42)
    assert drafts == [Draft("Staff get 25 days.", (both,)), Draft("Ask Ada.", (both,))]


async def test_a_citation_over_heading_header_and_row_quotes_each_place_of_the_file() -> None:
    block = Block("Pro has 100 GB.", [Cite("bbb222", 0, 3)])
    async with messages_api(Say([block])) as api:
        drafts = await answer(api)
    assert drafts[0].quotes == (
        Quote("bbb222", "| Plan | Storage |", 44, 62),
        Quote("bbb222", "| Pro  | 100 GB  |", ROW, ROW + 18),
    )
    assert all(FILE[quote.start : quote.end] == quote.text for quote in drafts[0].quotes)


async def test_a_citation_of_the_heading_alone_is_verified_and_quotes_nothing_of_the_file() -> None:
    async with messages_api(Say([Block("Pro is among the plans.", [Cite("bbb222", 0, 1)])])) as api:
        (draft,) = await answer(api)
    verified = verify(draft, {"bbb222": PRO})
    assert isinstance(verified, Verified)
    assert verified.quotes == (Quote("bbb222", "", ROW, ROW),)


@pytest.mark.parametrize(
    "cite",
    [
        Cite("ccc333", 0, 1, "Staff get 25 days."),
        Cite("aaa111", 1, 2, "Staff get 26 days."),
        Cite("aaa111", 7, 9, "Staff get all days."),
        Cite("aaa111", -1, 9, "Staff get all days."),
        Cite("aaa111", 1, 2, ""),
    ],
)
async def test_a_citation_that_is_not_of_the_blocks_sent_reaches_verification_and_fails(
    cite: Cite,
) -> None:
    async with messages_api(Say([Block("Staff get days.", [cite])])) as api:
        (draft,) = await answer(api)
    result = verify(draft, {"aaa111": STAFF, "bbb222": PRO})
    assert isinstance(result, Dropped)
    assert result.rule == "bad_citations"


@pytest.mark.parametrize(
    "text", ["NOT_IN_SOURCES", "NOT_IN_SOURCES.", "`NOT_IN_SOURCES`\n\nSorry."]
)
async def test_the_model_says_that_the_sources_do_not_answer(text: str) -> None:
    async with messages_api(Say([Block(text)])) as api:
        with pytest.raises(NotInSources):
            await answer(api)


async def test_the_word_for_no_answer_is_never_shown() -> None:
    blocks = [Block("Staff get 25 days.", [Cite("aaa111", 1, 2)]), Block(" NOT_IN_SOURCES")]
    async with messages_api(Say(blocks)) as api:
        assert await answer(api) == [Draft("Staff get 25 days.", (DAYS,))]


FIVE = (DAYS, "Staff get 25 days.")
ADA = (ASK, "Ask Ada.")
LEFT = "NOT_ANSWERED: who pays? And when?"


@pytest.mark.parametrize("piece_chars", [1, 7, 1000])
@pytest.mark.parametrize(
    "blocks",
    [
        [FIVE, f"\n\n{LEFT}\n", ADA],
        [FIVE, " NOT_ANSW", "ERED: who pays? And when?\n\n", ADA],
        [FIVE, " ", (ASK, f"Ask Ada. {LEFT}")],
        [FIVE, " ", ADA, "\n- **NOT_ANSWERED:** who pays? And when? [2]"],
        ["`NOT_ANSWERED`: who pays? And when?\n", FIVE, "\n", ADA],
    ],
)
async def test_what_the_model_leaves_unanswered_is_named_and_no_sentence(
    blocks: list[str | tuple[Quote, str]], piece_chars: int
) -> None:
    said = [
        Block(one)
        if isinstance(one, str)
        else Block(one[1], [Cite("aaa111", *((1, 2) if one[0] is DAYS else (2, 3)))])
        for one in blocks
    ]
    gaps: list[str] = []
    async with messages_api(Say(said, piece_chars=piece_chars)) as api:
        drafts = await answer(api, unanswered=gaps)
    assert drafts == [Draft("Staff get 25 days.", (DAYS,)), Draft("Ask Ada.", (ASK,))]
    assert gaps == ["who pays? And when?"]


async def test_each_line_names_a_part_and_one_without_words_none() -> None:
    lines = "NOT_ANSWERED: who pays\nNOT_ANSWERED:\nNOT_ANSWERED: " + "very " * 60 + "long"
    gaps: list[str] = []
    first = Block("Staff get 25 days.\n", [Cite("aaa111", 1, 2)])
    async with messages_api(Say([first, Block(lines)])) as api:
        await answer(api, unanswered=gaps)
    assert gaps[0] == "who pays"
    assert [len(gap) <= 200 for gap in gaps] == [True, True]


@pytest.mark.parametrize(
    "text", ["NOT_ANSWERED: who pays", "NOT_ANSWERED: who pays\nNOT_IN_SOURCES"]
)
async def test_a_model_that_names_what_is_unanswered_and_answers_nothing_abstains(
    text: str,
) -> None:
    async with messages_api(Say([Block(text)])) as api:
        with pytest.raises(NotInSources):
            await answer(api)


async def test_markers_that_the_model_sets_itself_are_taken_out() -> None:
    block = Block("Staff get 25 days [1], see [there](x) [2, 3].", [Cite("aaa111", 1, 2)])
    async with messages_api(Say([block])) as api:
        drafts = await answer(api)
    assert [draft.text for draft in drafts] == ["Staff get 25 days, see [there](x)."]


async def test_a_sentence_cut_off_by_the_token_limit_is_not_given() -> None:
    blocks = [Block("Staff get 25 days.", [Cite("aaa111", 1, 2)]), Block(" Ask Ada fir")]
    got: list[Draft] = []
    async with messages_api(Say(blocks, stop_reason="max_tokens")) as api:
        with pytest.raises(PermanentModelError, match="max_tokens"):
            await answer(api, got)
    assert got == [Draft("Staff get 25 days.", (DAYS,))]
    assert len(api.requests) == 1


async def test_a_refusal_is_permanent() -> None:
    async with messages_api(Say([], stop_reason="refusal")) as api:
        with pytest.raises(PermanentModelError, match="refusal"):
            await answer(api)


LONG = [
    Block("Staff get 25 days.", [Cite("aaa111", 1, 2)]),
    Block(" "),
    Block("Ask Ada first.", [Cite("aaa111", 2, 3)]),
]


@pytest.mark.parametrize("fault", ["overloaded", "cut", "ends", "silent", "garbage"])
async def test_a_stream_that_breaks_before_its_first_sentence_is_tried_again(fault: str) -> None:
    broken = Say(LONG, fault=fault, fault_at=4)  # type: ignore[arg-type]
    async with messages_api(broken, Say(LONG)) as api:
        drafts = await answer(api)
    assert [draft.text for draft in drafts] == ["Staff get 25 days.", "Ask Ada first."]
    assert len(api.requests) == 2


async def test_a_stream_that_breaks_later_keeps_what_was_complete_and_says_so() -> None:
    got: list[Draft] = []
    broken = Say(LONG, fault="overloaded", fault_at=13)
    async with messages_api(broken, Say(LONG)) as api:
        with pytest.raises(BrokenStreamError, match="overloaded"):
            await answer(api, got)
    assert [draft.text for draft in got] == ["Staff get 25 days."]
    assert len(api.requests) == 1


async def test_an_answer_without_a_word_counts_as_broken() -> None:
    async with messages_api(Say([]), Say(LONG)) as api:
        assert len(await answer(api)) == 2


async def test_an_answer_that_always_breaks_is_given_up() -> None:
    async with messages_api(Say(LONG, fault="cut", fault_at=3)) as api:
        with pytest.raises(BrokenStreamError):
            await answer(api)
    assert len(api.requests) == 2


async def test_a_model_out_of_reach_is_not_tried_beyond_the_clients_own_retries() -> None:
    async with messages_api(Fail(529, "overloaded_error")) as api:
        with pytest.raises(ModelError, match="overloaded"):
            await answer(api)
    assert len(api.requests) == 2


async def test_the_first_sentence_is_given_while_the_rest_is_being_written() -> None:
    got: list[Draft] = []
    async with messages_api(Say(LONG, fault="silent", fault_at=12)) as api:
        with pytest.raises(BrokenStreamError, match="time limit"):
            await answer(api, got)
    assert [draft.text for draft in got] == ["Staff get 25 days."]
