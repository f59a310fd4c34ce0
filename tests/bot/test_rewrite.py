import asyncio
import logging

import pytest

from bot.errors import TransientModelError
from bot.rewrite import ModelRewriter, RuleRewriter, keeps_names
from bot.types import Query, Turn

HISTORY = (
    Turn("user", "How many days of leave do contractors get?"),
    Turn("assistant", "Contractors get no paid leave."),
)


def idf(token: str) -> float:
    return {"contractor": 5.0, "leav": 3.0, "paid": 2.5, "day": 1.0}.get(token, 0.5)


RULE = RuleRewriter(idf)


def model(reply: str | Exception, *, delay_s: float = 0.0) -> ModelRewriter:
    async def complete(system: str, user: str) -> str:
        assert system == "the prompt"
        assert user.endswith("and for interns?") or "ERR_4013" in user
        await asyncio.sleep(delay_s)
        if isinstance(reply, Exception):
            raise reply
        return reply

    return ModelRewriter(complete, "the prompt", RULE, timeout_s=0.2)


async def test_a_first_question_is_left_alone() -> None:
    assert await RULE.rewrite("What is leave?", ()) == Query("What is leave?")
    assert await model("other").rewrite("What is leave?", ()) == Query("What is leave?")


async def test_the_rule_carries_topic_words_along_and_keeps_the_question() -> None:
    query = await RULE.rewrite("is that so for interns?", HISTORY)
    assert query.text == "is that so for interns?"
    assert {"Contractors", "leave", "paid"} <= set(query.expansion.split())
    assert "do" not in query.expansion.split()
    assert query.texts == (query.text, f"{query.text} {query.expansion}")


async def test_the_rule_completes_a_fragment_and_carries_nothing_along() -> None:
    query = await RULE.rewrite("and for interns?", HISTORY)
    assert query.text == query.standalone == "How many days of leave do interns get?"


async def test_the_rule_leaves_a_new_topic_alone() -> None:
    question = "Can I bring my dog to the office?"
    assert (await RULE.rewrite(question, HISTORY)).standalone == question


async def test_the_words_of_an_abstention_are_not_carried_along() -> None:
    history = (Turn("user", "Do we have a gym?"), Turn("assistant", "The documents do not say."))
    assert (await RULE.rewrite("and is it free?", history)).expansion == "gym"


async def test_after_a_refusal_it_stands_for_what_was_refused() -> None:
    history = (
        Turn("user", "What is the hotel limit in Warsaw?"),
        Turn("assistant", "PLN 520 a night."),
        Turn("user", "what about Rome?"),
        Turn("assistant", "The documents do not say."),
    )
    query = await RULE.rewrite("does it include breakfast?", history)
    assert query.text == "does it include breakfast, Rome?"
    assert (await RULE.rewrite("how do I book a desk in Berlin?", history)).text == (
        "how do I book a desk in Berlin?"
    )


async def test_the_reply_to_a_clarifying_question_completes_what_was_unclear() -> None:
    history = (
        Turn("user", "how long is it?"),
        Turn("assistant", "What do you mean: Trials (Plans) or Sabbatical (Leave)?"),
    )
    assert (await RULE.rewrite("the trial", history)) == Query("the trial: how long is it?")


async def test_words_that_the_question_says_itself_are_not_carried() -> None:
    query = await RULE.rewrite("is leave of contractors paid?", HISTORY)
    assert query.expansion == "get days"


async def test_earlier_answers_are_remembered() -> None:
    assert (await RULE.rewrite("and?", HISTORY)).told == ("Contractors get no paid leave.",)


async def test_the_models_rewrite_is_taken() -> None:
    query = await model("How many days of leave do interns get?").rewrite(
        "and for interns?", HISTORY
    )
    assert query.text == query.standalone == "How many days of leave do interns get?"


@pytest.mark.parametrize("reply", ["", "x" * 1000, TransientModelError("overloaded")])
async def test_the_rule_stands_in_for_a_model_that_fails(
    reply: str | Exception, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING):
        query = await model(reply).rewrite("and for interns?", HISTORY)
    assert query == await RULE.rewrite("and for interns?", HISTORY)
    assert "fell back to the rule" in caplog.text


async def test_the_rule_stands_in_for_a_model_that_is_slow() -> None:
    query = await model("How many?", delay_s=5).rewrite("and for interns?", HISTORY)
    assert query.text == "How many days of leave do interns get?"


async def test_a_rewrite_that_loses_a_code_is_not_taken() -> None:
    query = await model("What does the error mean?").rewrite("and what of ERR_4013", HISTORY)
    assert query.text == "and what of ERR_4013"


@pytest.mark.parametrize(
    ("question", "rewritten", "kept"),
    [
        ("and for plan Pro?", "What does plan Pro cost?", True),
        ("and for plan Pro?", "What does the plan cost?", False),
        ("and in 2024?", "What was the limit in 2024?", True),
        ("and in 2024?", "What was the limit in 2023?", False),
        ("What about it?", "What about parental leave?", True),
        ("why do NASA and the EU?", "Why do NASA and the EU agree?", True),
        ("why do NASA and the EU?", "Why do they agree?", False),
    ],
)
def test_names_and_numbers_of_the_question_are_kept(
    question: str,
    rewritten: str,
    kept: bool,  # noqa: FBT001
) -> None:
    assert keeps_names(question, rewritten) is kept
