import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.localslack import LocalSlack
from bot.slack.text import clip, close_fence, escape_mrkdwn, read_text, tame_markdown

PIECES = st.sampled_from(
    [
        *("<!here>", "<@U1>", "[a](http://x.y)", "](", "[", "`", "``", "```\n", "<", ">", "&", "("),
        *(")", "https://e.vil/a_(b)", "![i](u)", "\n", " ", "word", "|", "~~~\n", "\\"),
        "[1]: http://x.y",
    ]
)


def test_mrkdwn_is_escaped_with_the_ampersand_first() -> None:
    assert escape_mrkdwn("a & b <!here> &lt;") == "a &amp; b &lt;!here&gt; &amp;lt;"


@pytest.mark.parametrize(
    ("text", "tamed"),
    [
        ("R&D <!channel> > all", "R&D &lt;!channel&gt; &gt; all"),
        ("see [the form](https://x.example/a)", "see the form (`https://x.example/a`)"),
        ('[a](<https://x.example> "title")', "a (`https://x.example`)"),
        ("[f](https://x.example/a_(b))", "f (`https://x.example/a_(b)`)"),
        ("![chart](img/chart.png)", "chart (img/chart.png)"),
        ("[https://a.b](https://a.b)", "`https://a.b`"),
        ("Go to https://x.example/a.", "Go to `https://x.example/a`."),
        ("<https://x.example|bank>", "&lt;`https://x.example`|bank&gt;"),
        ("[1]: https://x.example", "\\[1\\]: `https://x.example`"),
        ("**bold** and *it*", "**bold** and *it*"),
        ("call `f(<T>)` or `[x](y)`", "call `f(&lt;T&gt;)` or `[x](y)`"),
        ("```\n[x](https://y.example)\n```", "```\n[x](https://y.example)\n```"),
        ("| a | <b> |", "| a | &lt;b&gt; |"),
    ],
)
def test_markdown_keeps_its_looks_and_loses_its_links(text: str, tamed: str) -> None:
    assert tame_markdown(text) == tamed


@given(st.lists(PIECES, max_size=12).map("".join))
def test_no_angle_bracket_survives_in_markdown(text: str) -> None:
    tamed = tame_markdown(text)
    assert "<" not in tamed
    assert ">" not in tamed


@given(st.lists(PIECES.filter(lambda p: "`" not in p and "~" not in p), max_size=12).map("".join))
def test_no_link_or_mention_survives_in_markdown_without_code(text: str) -> None:
    block = {"type": "markdown", "text": tame_markdown(text)}
    marks = LocalSlack.live_marks({"blocks": [block]})
    assert [mark for mark in marks if not mark.startswith(("[](", "![]("))] == []


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("<@U0BOT> how much?", "how much?"),
        ("ask <@U1|ana> &amp; <@U2>", "ask"),
        ("<@U1> asks: how much?", "how much?"),
        ("how much? cc <@U1> <@U2|ben_l>", "how much?"),
        ("in <#C1|general> or <#C2> or <#C3|>", "in #general or or"),
        ("what, <@U0BOT>, may it cost, <@U0BOT|footnote>?", "what, , may it cost, ?"),
        ("until <!date^1392734382^{date}|18 Feb> or <!date^1^{date}>", "until 18 Feb or"),
        ("<!channel> <!subteam^S1> how <!everyone> much? :wave:", "how much?"),
        ("<https://x.example|the form> <https://y.example>", "the form https://y.example"),
        ("<mailto:a@b.example|a@b.example>", "a@b.example"),
        ("<!here> <!subteam^S1|@office>", "@office"),
        ("if a &lt; b &amp;&amp; c", "if a < b && c"),
        ("  <@U0BOT>   \n  two   lines ", "two lines"),
        ("<@U0BOT>", ""),
    ],
)
def test_what_slack_sends_is_read_as_it_was_written(text: str, read: str) -> None:
    assert read_text(text, "U0BOT") == read


def test_a_text_is_clipped_to_one_line() -> None:
    assert clip("a\n b", 10) == "a b"
    assert clip("abcdef ghij", 8) == "abcdef…"
    assert clip("abcdefgh", 8) == "abcdefgh"


def test_an_open_fence_is_closed() -> None:
    assert close_fence("```py\nx = 1") == "```py\nx = 1\n```"
    assert close_fence("~~~~\nx\n~~~~") == "~~~~\nx\n~~~~"
    assert close_fence("no fence") == "no fence"
