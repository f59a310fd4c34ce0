import asyncio
import logging

import pytest

from bot.errors import TransientModelError
from bot.rewrite import ModelRewriter, RuleRewriter
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


@pytest.mark.parametrize(
    "reply", ["Interns get 10 days.", "How many days do interns get?\nThey get 10.", "  \n "]
)
async def test_the_rule_stands_in_for_a_reply_that_is_not_one_question(reply: str) -> None:
    query = await model(reply).rewrite("and for interns?", HISTORY)
    assert query == await RULE.rewrite("and for interns?", HISTORY)


@pytest.mark.parametrize(
    ("asked", "rewritten"),
    [
        ("PTO, not FMLA", "How many days of PTO do contractors get?"),
        ("and in DC?", "How many days of leave do contractors get in Washington?"),
        ("for contracters?", "How many days of leave do contractors get?"),
        ("what of ERR_4013", "What does the error mean?"),
    ],
)
async def test_a_rewrite_may_respell_names_and_is_searched_beside_the_persons_own_words(
    asked: str, rewritten: str
) -> None:
    async def complete(_system: str, _user: str) -> str:
        return f" {rewritten}\n"

    query = await ModelRewriter(complete, "", RULE, timeout_s=5).rewrite(asked, HISTORY)
    assert (query.text, query.spoken) == (rewritten, asked)
    assert query.standalone == rewritten
    assert query.texts == (rewritten, asked)


async def test_a_question_that_a_model_leaves_alone_is_searched_once() -> None:
    query = await model("and for interns?").rewrite("and for interns?", HISTORY)
    assert query.texts == ("and for interns?",)
