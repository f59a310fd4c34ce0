from bot.rewrite import RuleRewriter
from bot.types import Turn


async def test_a_pasted_log_is_not_what_a_follow_up_is_about() -> None:
    rewriter = RuleRewriter(lambda _: 5.0)
    log = "\n".join(f"ERROR worker{n} cannot reach database{n}" for n in range(60))
    history = [Turn("user", "How much is the sauna?"), Turn("user", log)]
    query = await rewriter.rewrite("How long is it valid?", history)
    assert query.expansion == "sauna"


async def test_a_paste_is_the_topic_where_nothing_else_was_said() -> None:
    rewriter = RuleRewriter(lambda _: 5.0)
    query = await rewriter.rewrite("How do I fix it?", [Turn("user", "gateway timeout " * 50)])
    assert "gateway" in query.expansion
