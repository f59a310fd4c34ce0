import pytest

from ingest.errors import DocumentError
from ingest.parse import parse, supported
from ingest.types import Parsed, blank, spoken


def read(text: str, path: str = "page.md") -> Parsed:
    return parse(path, text.encode())


def seen_of(parsed: Parsed) -> str:
    """The file as a reader sees it."""
    return spoken(blank(parsed.text, 0, parsed.hidden))


def outline(parsed: Parsed) -> list[tuple[str, list[str]]]:
    """Each section's heading path, and its blocks as they stand in the file."""
    return [
        (" > ".join(s.heading), [parsed.text[b.start : b.end] for b in s.blocks])
        for s in parsed.sections
    ]


@pytest.mark.parametrize(
    "path",
    ["a.md", "a/B.MD", "a.markdown", "a.mdx", "a.md.erb", "x/a.html.md.erb", "a.md.njk", "a.txt"],
)
def test_these_names_are_read(path: str) -> None:
    assert supported(path)


@pytest.mark.parametrize("path", ["a.pdf", "a.html.erb", "layout.erb", "a.njk", "md", ".md", "a"])
def test_these_names_are_not_supported(path: str) -> None:
    assert not supported(path)


def test_a_file_of_an_unsupported_kind_is_an_error_that_names_it() -> None:
    with pytest.raises(DocumentError, match=r"a\.pdf: this kind of file is not supported yet"):
        parse("a.pdf", b"")


def test_bytes_that_are_not_utf8_are_named_with_their_place() -> None:
    with pytest.raises(DocumentError, match=r"a\.md: not UTF-8 \(byte 7, line 2\)"):
        parse("a.md", b"line 1\n\xff")


def test_headings_nest_under_the_page_title() -> None:
    parsed = read("# Handbook\nA\n## Benefits\nB\n### Leave\nC\n## Pay\nD\n")
    assert outline(parsed) == [
        ("Handbook", ["A"]),
        ("Handbook > Benefits", ["B"]),
        ("Handbook > Benefits > Leave", ["C"]),
        ("Handbook > Pay", ["D"]),
    ]


def test_the_front_matter_title_leads_and_an_equal_h1_is_not_repeated() -> None:
    parsed = read("---\ntitle: Handbook\nowner: people\ntags: [a, b]\n---\n# handbook\nA\n")
    assert outline(parsed) == [("Handbook", ["A"])]
    assert parsed.metadata == {"title": "Handbook", "owner": "people", "tags": "a, b"}
    assert not parsed.warning


def test_another_h1_than_the_title_stays_in_the_path() -> None:
    assert outline(read("---\ntitle: T\n---\n# H\nA\n")) == [("T > H", ["A"])]
    assert outline(read("# T\nA\n# U\nB\n")) == [("T", ["A"]), ("T > U", ["B"])]


def test_without_title_or_h1_the_name_of_the_file_is_the_title() -> None:
    assert read("A\n", "guides/annual-leave_2.html.md.erb").title == "Annual leave 2"


def test_front_matter_values_stay_as_they_are_written() -> None:
    parsed = read("---\nreviewed: 2026-03-20\nlive: no\nv: 1.10\ndeep: {a: b}\n---\nA\n")
    assert parsed.metadata == {"reviewed": "2026-03-20", "live": "no", "v": "1.10"}


def test_broken_front_matter_is_read_line_by_line_and_said() -> None:
    parsed = read("---\ntitle: Leave: the rules\nowner: x\n---\nA\n")
    assert parsed.title == "Leave: the rules"
    assert outline(parsed) == [("Leave: the rules", ["A"])]
    assert parsed.warning == (
        "page.md: front matter, line 2: mapping values are not allowed here;"
        " it was read line by line."
    )


def test_front_matter_that_is_never_closed_is_text_and_said() -> None:
    parsed = read("---\ntitle: T\n\nA\n")
    assert [block for _, blocks in outline(parsed) for block in blocks][1:] == ["title: T", "A"]
    assert parsed.warning.startswith("page.md: front matter opens at line 1")


def test_text_between_two_rules_is_text() -> None:
    parsed = read("---\nJust a line.\n---\nA\n")
    assert "Just a line." in str(outline(parsed))
    assert not parsed.warning


def test_a_comment_in_a_fence_is_no_heading() -> None:
    parsed = read("# T\n```sh\n# install\nmake\n```\n\n~~~\n# x\n~~~\n\n    # y\n")
    assert [heading for heading, _ in outline(parsed)] == ["T"]
    assert [block.kind for block in parsed.sections[0].blocks] == ["fence"] * 3


def test_headings_in_quotes_and_list_items_do_not_divide() -> None:
    parsed = read("# T\n> ## Q\n> q\n\n- # I\n\n  i\n")
    assert outline(parsed) == [("T", ["> ## Q\n> q", "- # I\n\n  i"])]


def test_setext_headings_divide() -> None:
    parsed = read("Hand\nbook\n====\nA\n\nLeave\n-----\nB\n")
    assert outline(parsed) == [("Hand book", ["A"]), ("Hand book > Leave", ["B"])]


def test_an_all_caps_line_is_no_heading_in_markdown() -> None:
    assert outline(read("# T\nLEAVE\n\nA\n")) == [("T", ["LEAVE", "A"])]


def test_a_heading_with_nothing_under_it_is_text_of_the_section_above() -> None:
    text = (
        "# Canteen\n\n## Soup on Mondays\n\n---\n\n## Hours\n\n### Kitchen\n\nTill two.\n\n"
        "## Cash only\n"
    )
    assert outline(read(text)) == [
        ("Canteen", ["## Soup on Mondays"]),
        ("Canteen > Hours > Kitchen", ["Till two."]),
        ("Canteen", ["## Cash only"]),
    ]


def test_of_headings_alone_each_stands_by_itself() -> None:
    text = (
        "# Canteen\n\n## Prices\n\n### Soup: 3 EUR\n\n### Bread: 1 EUR\n\n<!-- x -->\n\n## Closed\n"
    )
    assert outline(read(text)) == [
        ("Canteen > Prices", ["### Soup: 3 EUR"]),
        ("Canteen > Prices", ["### Bread: 1 EUR"]),
        ("Canteen", ["## Closed"]),
    ]


def test_a_page_of_its_title_alone_has_it_as_its_text() -> None:
    assert outline(read("# Closed on Friday\n")) == [("Closed on Friday", ["# Closed on Friday"])]
    assert outline(read("Closed\n======\n")) == [("Closed", ["Closed\n======"])]
    assert outline(read("CLOSED ON FRIDAY\n", "t.txt")) == [
        ("CLOSED ON FRIDAY", ["CLOSED ON FRIDAY"])
    ]


def test_a_line_of_capitals_with_nothing_under_it_is_text() -> None:
    text = "NOTICES\n\nGATE CLOSED TILL MAY\n\nSHOP\n\nOpen.\n\nPARKING IS FREE\n"
    assert outline(read(text, "t.txt")) == [
        ("NOTICES", ["GATE CLOSED TILL MAY"]),
        ("NOTICES > SHOP", ["Open."]),
        ("NOTICES", ["PARKING IS FREE"]),
    ]


def test_markup_in_headings_is_not_in_the_path() -> None:
    parsed = read("# `--dry-run` *and* [more](x) <b>b</b> &amp; {#dry}\nA\n## Hash #\nB\n")
    assert outline(parsed)[1][0] == "--dry-run and more b & > Hash"


def test_a_bom_hides_no_heading_and_no_front_matter() -> None:
    assert outline(read("\ufeff# T\nA\n")) == [("T", ["A"])]
    assert outline(read("\ufeff---\ntitle: T\n---\nA\n")) == [("T", ["A"])]
    assert outline(read("\ufeffA\n", "t.txt")) == [("T", ["A"])]
    assert read("\ufeffA").text == "\ufeffA"


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_all_line_ends_of_markdown_count(end: str) -> None:
    text = end.join(["# T", "", "A", "b", "", "## U", "C", ""])
    assert outline(read(text)) == [("T", [f"A{end}b"]), ("T > U", ["C"])]


@pytest.mark.parametrize("odd", ["\u2028", "\u2029", "\f", "\v", "\x85", "\x1c"])
def test_other_separators_are_no_line_ends(odd: str) -> None:
    parsed = read(f"# T\n\nA{odd}b\n\nC{odd}\n\n## U\nD\n")
    assert outline(parsed) == [("T", [f"A{odd}b", "C"]), ("T > U", ["D"])]
    text = read(f"A{odd}b\n\nC\n", "t.txt")
    assert outline(text) == [("T", [f"A{odd}b", "C"])]


def test_link_definitions_are_no_blocks_but_notes_are() -> None:
    parsed = read("# T\nA [x] [^1].\n\n[x]: http://example.org\n\n[^1]: http://note.example\n")
    assert outline(parsed) == [("T", ["A [x] [^1].", "[^1]: http://note.example"])]


def test_comments_are_hidden_wherever_they_stand_but_in_code() -> None:
    text = "# T\nA <!-- x --> b `<!-- c -->`\n\n<!--\n## No\n\nno\n-->\n\n```\n<!-- d -->\n```\n"
    parsed = read(text)
    assert outline(parsed) == [
        ("T", ["A <!-- x --> b `<!-- c -->`", "```\n<!-- d -->\n```"]),
    ]
    assert [text[s.start : s.end] for s in parsed.hidden] == [
        "<!-- x -->",
        "<!--\n## No\n\nno\n-->",
    ]


def test_a_comment_may_begin_in_a_line_and_span_blocks() -> None:
    parsed = read("# T\nA <!-- x\n\n## No\n\n--> b\n\nC\n")
    assert [heading for heading, _ in outline(parsed)] == ["T"]
    assert "No" not in seen_of(parsed)


def test_an_unclosed_comment_swallows_nothing() -> None:
    assert outline(read("# T\n<!-- A\n\n## U\nB\n")) == [("T", ["A"]), ("T > U", ["B"])]


def test_erb_tags_are_hidden_in_code_too_and_make_no_headings() -> None:
    text = (
        "---\ntitle: T\n---\n# <%= current_page.data.title %>\n\n<% if x %>\n"
        "A <%= partial 'a' %> b\n<% end %>\n\n    <%= y %>\n\n```\n<%%= z %>\n<%= w %>\n```\n"
    )
    parsed = read(text, "a.html.md.erb")
    assert outline(parsed) == [
        ("T", ["A <%= partial 'a' %> b", "```\n<%%= z %>\n<%= w %>\n```"]),
    ]
    seen = seen_of(parsed)
    assert "<%%= z %>" in seen
    assert "<%=" not in seen.replace("<%%=", "")


def test_a_tag_at_the_start_of_a_line_leaves_no_code_block() -> None:
    parsed = read("# T\n<%= a_long_tag %> text\n", "a.md.erb")
    assert [block.kind for block in parsed.sections[0].blocks] == ["paragraph"]


def test_nunjucks_tags_are_hidden_and_raw_text_is_not() -> None:
    text = "# T\n{% set a = 1 %}\nA {{ a }} {# c #}\n\n{% raw %}{{ b }}{% endraw %}\n"
    parsed = read(text, "a.md.njk")
    assert seen_of(parsed).split() == ["#", "T", "A", "{{", "b", "}}"]


def test_braces_in_plain_markdown_are_text_and_shortcodes_are_hidden() -> None:
    text = (
        "# T\nUse {{ name }} and `{% x %}`.\n\n{% include a.html %}\n\n{{< note >}}N{{< /note >}}\n"
    )
    parsed = read(text)
    seen = seen_of(parsed).split()
    assert seen == ["#", "T", "Use", "{{", "name", "}}", "and", "`{%", "x", "%}`.", "N"]


def test_mdx_imports_and_components_are_hidden() -> None:
    text = (
        "import A from './a'\nimport B from 'b'\n\n# T\n\n"
        '<Tabs>\n<Tab title="x">\n\nA\n\n</Tab>\n'
        "</Tabs>\n\n{/* no */}\n\n```js\nimport C from 'c'\n```\n"
    )
    assert outline(read(text, "a.mdx")) == [
        ("T", ['<Tab title="x', "A", "```js\nimport C from 'c'\n```"])
    ]


def test_a_list_knows_its_lead_in_and_its_items() -> None:
    parsed = read("# T\nSome words. You need:\n\n1. a\n2. b\n   - c\n   - d\n")
    lead, items = parsed.sections[0].blocks
    assert lead.opens
    assert items.glued
    assert [parsed.text[s.start : s.end] for s in items.context] == ["You need:"]
    assert [parsed.text[p.start : p.end] for p in items.parts] == ["1. a", "2. b\n   - c\n   - d"]
    nested = items.parts[1].parts[1]
    assert [parsed.text[s.start : s.end] for s in nested.parts[1].context] == ["You need:", "2. b"]


def test_table_rows_carry_their_header() -> None:
    parsed = read("# T\n| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\n")
    (table,) = parsed.sections[0].blocks
    assert [parsed.text[p.start : p.end] for p in table.parts] == [
        "| a | b |\n|---|---|",
        "| 1 | 2 |",
        "| 3 | 4 |",
    ]
    assert [parsed.text[s.start : s.end] for s in table.parts[2].context] == ["| a | b |"]


def test_an_html_table_is_one_block_across_blank_lines() -> None:
    text = (
        "# T\n<table>\n<tr><th>A</th></tr>\n\n    <tr><td>1</td></tr>\n\n# x\n</table>\n\n"
        "<div>\n</div>\n\n<p>See <a href='u'>u</a></p>\n"
    )
    parsed = read(text)
    table, words = parsed.sections[0].blocks
    assert (table.kind, words.kind) == ("html", "html")
    assert text[table.start : table.end].endswith("</table>")
    assert [text[s.start : s.end] for s in table.parts[1].context] == ["<tr><th>A</th></tr>"]
    seen = seen_of(parsed).split()
    assert seen == ["#", "T", "A", "1", "#", "x", "See", "u"]


def test_scripts_and_styles_are_no_text() -> None:
    assert outline(read("# T\n<style>\n.a { b: c }\n</style>\n\nA\n")) == [("T", ["A"])]


def test_capitals_head_a_section_of_a_text_file() -> None:
    text = (
        "TRAVEL POLICY\n\nA\nB\n\nMEALS:\nThe limit.\n\n"
        "NOT A HEADING, REALLY.\n\nmore\nCAPS INSIDE\n"
    )
    assert outline(read(text, "t.txt")) == [
        ("TRAVEL POLICY", ["A\nB"]),
        ("TRAVEL POLICY > MEALS", ["The limit.", "NOT A HEADING, REALLY.", "more\nCAPS INSIDE"]),
    ]


@pytest.mark.parametrize("text", ["", "\ufeff", " \n\n", "#\n\n##\n", "---\na: b\n---\n"])
def test_files_without_text_have_no_sections(text: str) -> None:
    assert outline(read(text)) == []
    assert read(text).text == text


TWO_TABS = """# Probe

<Tabs>
  <TabItem value="d" label="Desert">

Set the dial to 4.

### Nights

Cover it.

  </TabItem>
  <TabItem
    value="s"
    label="Sea &amp; shore">

Set the dial to 9.

  </TabItem>
</Tabs>

Send the log.
"""


def test_the_labels_of_blocks_side_by_side_divide_a_page_as_headings_do() -> None:
    parsed = read(TWO_TABS, "probe.mdx")
    assert outline(parsed) == [
        ("Probe > Desert", ["Set the dial to 4."]),
        ("Probe > Desert > Nights", ["Cover it."]),
        ("Probe > Sea & shore", ["Set the dial to 9."]),
        ("Probe", ["Send the log."]),
    ]
    assert "<" not in seen_of(parsed)


FOLDS = """<details><summary>A b</summary>

X.
</details>
<details>
<summary>C</summary>
Y.
</details>"""


@pytest.mark.parametrize(
    "text",
    [
        '{% tabs %}\n{% tab title="A b" %}\nX.\n{% endtab %}\n{% tab title="C" %}\nY.{% endtab %}',
        '{{< tab "A b" >}}\nX.\n{{< /tab >}}\n{{< tab "C" >}}\nY.\n{{< /tab >}}',
        '{{% tab name="A b" %}}\nX.\n{{% /tab %}}\n{{% tab name="C" %}}\nY.\n{{% /tab %}}',
        '=== "A b"\n\n    X.\n\n=== "C"\n\n    Y.',
        "::: tabs\n@tab A b\nX.\n\n@tab C\nY.\n\n:::",
        FOLDS,
        '<Tab title="A b">X.</Tab>\n\n<Tab title="C">Y.</Tab>',
    ],
)
def test_each_generators_tabs_are_told_apart(text: str) -> None:
    assert outline(read(f"# T\n\n{text}\n\nEnd.\n")) == [
        ("T > A b", ["X."]),
        ("T > C", ["Y."]),
        ("T", ["End."]),
    ]


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        (":::warning Keep the lid on\nHot.\n:::\n\nB", "###### Keep the lid on\nHot.\n\n\nB"),
        (":::tip[Keep it]\n\nHot.\n\n:::\n\nB", "###### Keep it\n\nHot.\n\n\n\nB"),
        ("::: danger\nHot.\n:::\n", "## danger\nHot.\n\n"),
        ('!!! note "Keep it"\n    Hot.\n\n    - b\n\nB', "###### Keep it\nHot.\n\n- b\n\nB"),
        ("??? danger\n    Hot.\n", "### danger\nHot.\n"),
        ('<Callout title="Keep it">\n\nHot.\n\n</Callout>', "###### Keep it\n\nHot.\n\n"),
        ('<Callout title="Keep it">Hot.</Callout>', "Keep it: Hot."),
        ('{% hint title="Keep it" %}\nHot.\n{% endhint %}', "###### Keep it\nHot.\n"),
        ("> [!CAUTION]\n> Hot.", "> CAUTION:\n> Hot."),
    ],
)
def test_the_title_of_a_notice_is_shown_with_it_and_its_tags_are_not(text: str, seen: str) -> None:
    parsed = read(f"# T\n\n{text}")
    assert seen_of(parsed).removeprefix("# T\n\n") == seen
    assert len(parsed.sections) == 1


def test_what_stands_under_a_notices_title_has_it_as_context() -> None:
    parsed = read("# T\n\n:::warning Keep the lid on\nHot.\n\n- b\n:::\n\nB\n")
    title, hot, items, after = parsed.sections[0].blocks
    contexts = [
        [parsed.text[c.start : c.end] for c in b.context] for b in (title, hot, items, after)
    ]
    assert contexts == [[], [":::warning Keep the lid on"], [":::warning Keep the lid on"], []]


def test_tags_of_site_generators_in_code_are_code() -> None:
    text = '# T\n\n```\n<Tab title="x">\n:::note\n=== "A"\n:::\n```\n\n`<Tab title="y">`\n'
    assert seen_of(read(text)) == text


def test_what_a_template_tag_prints_is_shown_where_it_is_prose() -> None:
    text = (
        "# T\n\n<%= warn('Never open the hatch') %>\n\n"
        "Ask in <%= link '#hatch-help' %> <%= part 'a/b' %>now.\n"
    )
    assert seen_of(read(text, "a.md.erb")) == (
        "# T\n\nNever open the hatch\n\nAsk in #hatch-help now.\n"
    )
    text = '# T\n\n{{ warn({ text: "Never open the hatch", class: "w-1 big" }) }}\n'
    assert seen_of(read(text, "a.md.njk")) == "# T\n\nNever open the hatch\n"


def test_tags_and_entities_within_a_line_are_shown_as_what_they_mean() -> None:
    text = (
        "# T\n\nHold <kbd>Esc</kbd>+<kbd>F1</kbd>, drink H<sub>2</sub>O.<br>Pay 3&nbsp;EUR &mdash; "
        "A&amp;B `&amp; <br>` to <name>.\n\n"
        "| A | B |\n|---|---|\n| one<br>two &#124; six | <b>x</b> |\n\n"
        '<p>See <a href="https://a.example/b">it</a>, <a href="/c">that</a>'
        ' <img src="a.png" alt="a map">.<br/>End&#46;</p>\n'
    )
    lines = [" ".join(line.split()) for line in seen_of(read(text)).splitlines()]
    assert [line for line in lines if line] == [
        "# T",
        "Hold Esc+F1, drink H2O.",
        "Pay 3 EUR — A&B `&amp; <br>` to <name>.",
        "| A | B |",
        "|---|---|",
        "| one two \\| six | x |",
        "See <https://a.example/b> it, that a map.",
        "End.",
    ]
