import json
from dataclasses import replace
from datetime import date
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.localslack.limits import check_message_blocks
from bot.slack.body import join_sentences, size_of
from bot.slack.render import MESSAGE_CHARS, build_message, lead_of
from bot.types import Answer, Citation, Conflict, Disputed, Hit, Quote, Sentence
from ingest.types import Chunk
from tests.slack.conftest import LEAVE, TRAVEL, abstention, leave_answer


def answer_of(*sentences: Sentence, citations: int = 1, chunk: Chunk = LEAVE) -> Answer:
    cited = [Citation(n, replace(chunk, id=f"{n:012x}"), ()) for n in range(1, citations + 1)]
    return replace(leave_answer(), sentences=sentences, citations=tuple(cited))


def markdown(blocks: list[Any]) -> str:
    return next(str(b["text"]) for b in blocks if b["type"] == "markdown")


def buttons(blocks: list[Any]) -> list[Any]:
    return [e for b in blocks if b["type"] == "actions" for e in b["elements"]]


def shown_text(block: Any) -> str:
    text = block.get("text") or block.get("elements", [{}])[0]
    return str(text["text"] if isinstance(text, dict) else text)


@pytest.mark.parametrize(
    ("texts", "joined"),
    [
        (["One.", "Two."], "One. [1] Two. [1]"),
        (["These:", "- a", "- b", "After."], "These: [1]\n\n- a [1]\n- b [1]\n\nAfter. [1]"),
        (["1. a", "2. b"], "1. a [1]\n2. b [1]"),
        (["| a | b |\n|---|---|\n| 1 | 2 |"], "| a | b |\n|---|---|\n| 1 | 2 [1] |"),
        (["| 1 | 2 |", "| 3 | 4 |"], "| 1 | 2 [1] |\n| 3 | 4 [1] |"),
        (
            ["Run:", "```\nmake\n```", "Then wait."],
            "Run: [1]\n\n```\nmake\n```\n[1]\n\nThen wait. [1]",
        ),
        (["Run:", "```\nmake"], "Run: [1]\n\n```\nmake\n```\n[1]"),
        (["One.", "\n\nTwo."], "One. [1]\n\nTwo. [1]"),
    ],
)
def test_sentences_are_joined_as_their_kinds_ask_for(texts: list[str], joined: str) -> None:
    assert join_sentences([Sentence(text, (1,)) for text in texts]) == joined


def test_a_sentence_with_two_sources_shows_both() -> None:
    assert join_sentences([Sentence("Both.", (1, 2))]) == "Both. [1] [2]"


def quoting(*cited: Citation) -> Answer:
    sentences = [Sentence(c.quotes[0].text, (c.n,)) for c in cited]
    return replace(answer_of(*sentences), citations=tuple(cited), quoting=True)


def cited(n: int, text: str, decides: str, **more: Any) -> Citation:
    chunk = Chunk(f"{n:012}", f"page{n}.md", "Page > Rules", 100, 100 + len(text), text)
    at = 100 + text.index(decides)
    return Citation(n, chunk, (Quote(chunk.id, decides, at, at + len(decides)),), **more)


def test_without_a_model_each_passage_is_shown_whole_and_what_decides_is_bold() -> None:
    wood = cited(1, "Oak is dried.\n\n- Dry it for 9 weeks.\n- Then saw it.", "Dry it for 9 weeks.")
    glue = cited(2, "Glue needs a day.", "Glue needs a day.")
    blocks = build_message(quoting(wood, glue)).blocks
    assert [str(shown_text(block)) for block in blocks[:5]] == [
        "Quoted from the documents; what decides is bold.",
        "*[1]* page1.md › Page › Rules",
        "Oak is dried.\n\n- *Dry it for 9 weeks.*\n- Then saw it.",
        "*[2]* page2.md › Page › Rules",
        "*Glue needs a day.*",
    ]
    assert [b["action_id"] for b in buttons(blocks)] == ["cite:1", "cite:2"]


def test_a_list_that_goes_on_in_the_next_passage_is_shown_to_its_end() -> None:
    after = Chunk("9" * 12, "page1.md", "Page > Rules", 200, 222, "- Do not reboot now.\n- c")
    card = cited(1, "- Do not remove your card.", "Do not remove your card.", after=(after,))
    text = shown_text(build_message(quoting(card)).blocks[2])
    assert text == "- *Do not remove your card.*\n- Do not reboot now.\n- c"


def test_passages_that_a_message_has_no_room_for_are_left_to_their_buttons() -> None:
    long = [cited(n, f"Rule {n}. " + "& so on. " * 220, f"Rule {n}.") for n in (1, 2, 3, 4, 5)]
    message = build_message(quoting(*long))
    check_message_blocks(message.blocks)
    told = json.dumps(message.blocks)
    assert "*Rule 1.*" in told
    assert "*Rule 5.*" not in told
    assert "longer than a message can be" in told
    assert len(buttons(message.blocks)) == 5


def test_an_incomplete_answer_says_so() -> None:
    blocks = build_message(replace(leave_answer(), incomplete=True)).blocks
    assert "The answer is incomplete" in json.dumps(blocks)
    assert "The answer is incomplete" not in json.dumps(build_message(leave_answer()).blocks)


def test_a_long_answer_is_cut_at_a_sentence_end_says_so_and_keeps_all_its_sources() -> None:
    sentences = [Sentence(f"Rule {n} " + "& so <on> " * 20 + "ends.", (n,)) for n in range(1, 26)]
    blocks: Any = build_message(answer_of(*sentences * 2, citations=25)).blocks
    text = markdown(blocks)
    assert text.startswith("Rule 1 & so &lt;on&gt; & so")
    assert text.endswith("& so &lt;on&gt; ends. [15]")
    assert "it is cut here" in json.dumps(blocks)
    assert [b["action_id"] for b in buttons(blocks)] == [f"cite:{n}" for n in range(1, 26)]
    assert len(json.dumps(blocks, ensure_ascii=False)) <= 10_000
    check_message_blocks(blocks)


def test_a_single_sentence_over_the_limit_is_cut_at_a_word() -> None:
    blocks = build_message(answer_of(Sentence("```\n" + "<code> line\n" * 2_000, (1,)))).blocks
    text = markdown(blocks)
    assert text.endswith("…\n```")
    assert not text.removesuffix("…\n```").endswith(("&", "&l", "&lt"))
    check_message_blocks(blocks)


def test_a_label_names_file_and_heading_within_slacks_limit() -> None:
    chunk = replace(
        LEAVE, doc="a/b/" + "very-long-name-" * 9 + ".md", heading="T > " + "Head " * 40
    )
    [button] = buttons(build_message(answer_of(Sentence("One.", (1,)), chunk=chunk)).blocks)
    label = button["text"]["text"]
    assert len(label) <= 75
    assert label.startswith("1 · very-long-name-very")
    assert "… › Head Head" in label
    assert label.endswith("…")


def test_a_passage_without_a_heading_is_named_by_its_file() -> None:
    chunk = replace(LEAVE, heading="")
    [button] = buttons(build_message(answer_of(Sentence("One.", (1,)), chunk=chunk)).blocks)
    assert button["text"]["text"] == "1 · handbook.md"


def test_the_fallback_text_is_short_and_escaped() -> None:
    message = build_message(answer_of(Sentence("<!here> " + "long " * 100, (1,))))
    assert message.text.startswith("&lt;!here&gt; long long")
    assert message.text.endswith("…")
    assert len(message.text) < 200


def test_an_abstention_without_places_is_its_message_alone() -> None:
    block, thumbs = build_message(replace(abstention(), nearest=())).blocks
    assert thumbs["type"] == "context_actions"
    assert block["text"] == {
        "type": "mrkdwn",
        "text": "The documents do not say.",
        "verbatim": True,
    }


def test_places_are_buttons_of_their_own_without_numbers() -> None:
    hits = tuple(Hit(replace(TRAVEL, id=f"{n:012x}"), 0.1, 0.1) for n in range(9))
    blocks: Any = build_message(replace(abstention(), nearest=hits)).blocks
    places = [b for b in blocks if "accessory" in b]
    assert [p["accessory"]["action_id"] for p in places] == [f"place:{n}" for n in range(1, 6)]
    assert places[0]["text"]["text"] == "• people/travel.md › Travel › Flights"
    assert places[0]["accessory"]["text"]["text"] == "Look there"


def test_a_passage_that_may_answer_is_shown_whole_and_opened_and_is_no_further_place() -> None:
    start = LEAVE.start + LEAVE.text.index("25 days")
    cited = Citation(1, LEAVE, (Quote(LEAVE.id, "25 days", start, start + 7),))
    blocks: Any = build_message(replace(abstention(), perhaps=cited)).blocks
    assert blocks[1]["accessory"]["value"] == LEAVE.id
    assert "*25 days* of paid leave" in blocks[2]["text"]["text"]
    assert [b["accessory"]["value"] for b in blocks if "accessory" in b] == [LEAVE.id, TRAVEL.id]


def test_a_passage_without_an_end_leaves_the_message_within_its_limit() -> None:
    long = replace(LEAVE, text='Leave is <given> & "taken". ' * 400)
    blocks = build_message(replace(abstention(), perhaps=Citation(1, long, ()))).blocks
    assert size_of(blocks) < MESSAGE_CHARS
    assert "The passage goes on: “Look there” opens it whole." in json.dumps(
        blocks, ensure_ascii=False
    )


def test_an_answer_says_what_was_checked_and_what_was_not() -> None:
    def told(answer: Answer) -> str:
        return json.dumps(build_message(answer).blocks)

    two, one = leave_answer(), answer_of(Sentence("One.", (1,)))
    assert (
        "Checked against 2 sources, 2 sentences: citations, figures and rows. Whether the wording"
        " follows was not judged." in told(two)
    )
    assert (
        "Checked against 1 source, 1 sentence: citations, figures and rows; the wording judged by"
        " claude-haiku-5-5." in told(replace(one, judge="claude-haiku-5-5"))
    )
    assert "judged by claude-haiku-5-5, but for 2." in told(
        replace(two, judge="claude-haiku-5-5", unjudged=2)
    )
    assert "Quoted word for word from 1 passage." in told(replace(one, quoting=True))


def test_what_stands_in_the_place_of_a_sentence_is_marked_as_quoted() -> None:
    said = [
        Sentence("Staff get leave.", (1,)),
        Sentence("- 27 days\n- 3 more", (2,), quoted=True),
        Sentence("Ask first.", (1,)),
    ]
    assert join_sentences(said) == (
        "Staff get leave. [1]\n\n"
        "> _The document says:_\n> - 27 days\n> - 3 more [2]\n\n"
        "Ask first. [1]"
    )


def test_a_table_is_a_table_block_and_the_next_one_lines() -> None:
    table = "| Plan | **Price** |\n|---|---|\n| Pro <x> | 10 |"
    answer = answer_of(Sentence(f"Plans:\n\n{table}", (1,)), Sentence(f"\n\n{table}", (1,)))
    blocks: Any = build_message(answer).blocks
    assert blocks[0] == {"type": "markdown", "text": "Plans:"}
    assert [[cell["text"] for cell in row] for row in blocks[1]["rows"]] == [
        ["Plan", "Price"],
        ["Pro <x>", "10 [1]"],
    ]
    assert blocks[2]["text"] == (
        "```\nPlan    | **Price**\n--------+----------\nPro &lt;x&gt; | 10 [1]   \n```"
    )
    check_message_blocks(blocks)


def test_a_table_cannot_close_its_fence_and_call_a_channel() -> None:
    table = "| A | B |\n|---|---|\n| ``` | x |\n| <!channel> | y |"
    answer = answer_of(Sentence(table, (1,)), Sentence(f"\n\n{table}", (1,)))
    lines: Any = build_message(answer).blocks[1]["text"]
    assert lines.count("```") == 2
    assert "<!channel>" not in lines
    assert "&lt;!channel&gt;" in lines


def test_a_table_too_large_for_a_block_becomes_lines() -> None:
    rows = "\n".join(f"| plan {n} | {n} |" for n in range(60))
    blocks: Any = build_message(answer_of(Sentence(f"| A | B |\n|---|---|\n{rows}", (1,)))).blocks
    assert blocks[0]["text"].startswith("```\nA       | B")
    assert "plan 59 | 59 [1]" in blocks[0]["text"]
    check_message_blocks(blocks)


def test_pipes_in_code_are_no_table() -> None:
    blocks: Any = build_message(answer_of(Sentence("```\n| a |\n|---|\n| b |\n```", (1,)))).blocks
    assert blocks[0]["text"] == "```\n| a |\n|---|\n| b |\n```\n[1]"


def test_an_address_that_stands_in_the_source_is_a_link_and_no_other() -> None:
    chunk = replace(LEAVE, text="The form is at https://hr.example/form.")
    words = "Use [the form](https://hr.example/form), not https://hr.example/for or https://x.y."
    [block, *_] = build_message(answer_of(Sentence(words, (1,)), chunk=chunk)).blocks
    assert block["text"] == (
        "Use the form (https://hr.example/form), not `https://hr.example/for` or `https://x.y`. [1]"
    )


WORDS = st.sampled_from(
    [
        "a",
        "`",
        "é",
        "字",
        "<!channel>",
        "&",
        "```\n",
        "\n",
        "- ",
        "| a |",
        "word " * 50,
        '"',
        "\\",
        "😀",
    ]
)


@settings(max_examples=60, deadline=None)
@given(
    drafts=st.lists(
        st.tuples(st.lists(WORDS, min_size=1, max_size=30), st.integers(1, 12)), min_size=1
    ),
    name=st.text(max_size=300),
    quoting=st.booleans(),
)
def test_slack_takes_whatever_an_answer_is_made_of(
    drafts: list[tuple[list[str], int]], name: str, *, quoting: bool
) -> None:
    chunk = replace(LEAVE, doc=name or "x", heading=name)
    sentences = [Sentence("x" + "".join(words), (n,)) for words, n in drafts]
    answer = replace(answer_of(*sentences, citations=12, chunk=chunk), quoting=quoting)
    message = build_message(answer)
    check_message_blocks(message.blocks)
    assert len(json.dumps(message.blocks, ensure_ascii=False)) <= 10_000
    assert len(buttons(message.blocks)) == 12
    assert len(message.text) <= 5 * 150
    leads = [
        lead_of(sentences[:count], answer.citations, sources=12)
        for count in range(1, len(sentences) + 1)
        if not quoting
    ]
    assert all(message.lead.startswith(lead) for lead in leads)
    assert all(after.startswith(before) for before, after in pairwise(leads))


DISPUTE = Conflict(
    Disputed(1, "Employees get 27 days. See <!here> & more.", "Leave", date(2026, 2, 3)),
    Disputed(2, "Employees get 25 days.", "Leave FAQ"),
)


def test_a_conflict_is_one_line_under_the_answer_and_both_sides_have_a_button() -> None:
    answer = answer_of(Sentence("Employees get 27 days.", (1,)), citations=2)
    blocks = build_message(replace(answer, conflicts=(DISPUTE,))).blocks
    assert blocks[1] == {
        "type": "context",
        "elements": [
            {
                "type": "plain_text",
                "text": "⚠ Two documents disagree: [1] Leave (3 Feb 2026) says “Employees get 27"
                " days. See <!here> & more”; [2] Leave FAQ says “Employees get 25 days”.",
                "emoji": False,
            }
        ],
    }
    assert [b["action_id"] for b in buttons(blocks)] == ["cite:1", "cite:2"]
    assert "Checked against 1 source, 1 sentence: " in json.dumps(blocks)


def test_how_a_question_was_read_is_said_under_an_answer_and_under_an_abstention() -> None:
    note = "“PTO” was read as “paid time off”."
    for outcome in (answer_of(Sentence("One.", (1,))), abstention()):
        read = replace(outcome, trace=replace(outcome.trace, notes=(note,)))
        blocks: Any = build_message(read).blocks
        assert note in [b["elements"][0]["text"] for b in blocks if b["type"] == "context"]


def test_a_part_without_an_answer_is_said() -> None:
    answer = replace(answer_of(Sentence("One.", (1,))), unanswered=("who approves it?",))
    assert "The documents do not say: who approves it." in json.dumps(build_message(answer).blocks)


def test_an_answer_with_conflicts_begins_with_what_was_shown_of_it() -> None:
    side = Disputed(1, '"\\' * 400, '"\\' * 100, date(2026, 2, 3))
    sentences = [Sentence("A sentence of the answer. " * 12, (1,)) for _ in range(40)]
    answer = answer_of(*sentences, citations=7)
    message = build_message(replace(answer, conflicts=(Conflict(side, side),) * 2))
    check_message_blocks(message.blocks)
    lead = lead_of(sentences, answer.citations, sources=5)
    assert lead
    assert message.lead.startswith(lead)


def test_how_a_follow_up_was_read_is_said_beside_the_answer_and_beside_a_refusal() -> None:
    for outcome in (leave_answer(), abstention()):
        read = replace(outcome.trace, question="and <DC>?", standalone="What of <Washington>?")
        told = json.dumps(build_message(replace(outcome, trace=read)).blocks)
        assert "Searched for: What of <Washington>?" in told
        assert "Searched for" not in json.dumps(build_message(outcome).blocks)
