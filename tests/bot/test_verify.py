import string

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from bot.types import Draft, Dropped, Quote, Verified
from bot.verify import verify
from ingest.types import Chunk, Context, Span

INTRO = "# Rules\n\n"
TEXT = (
    "Full-time employees get **25 days** of paid leave – up to $1,000 more.\n"
    "See the [form](https://example.com/forms/a?id=7) or write to help@example.com.\n"
    "Since v2.3.1 the code ERR_4013 ends on 1 March 2026 at 5:30 pm; use `uv run --frozen`."
)
FILE = INTRO + TEXT
CHUNK = Chunk("aaa111", "leave.md", "Handbook 2025 > Leave", len(INTRO), len(FILE), TEXT)
FIRST = Quote("aaa111", "Full-time employees get **25 days**", len(INTRO), len(INTRO) + 35)


def check(text: str, *quotes: Quote, chunk: Chunk = CHUNK) -> Verified | Dropped:
    return verify(Draft(text, quotes or (FIRST,)), {chunk.id: chunk})


def rule(text: str, *quotes: Quote, chunk: Chunk = CHUNK) -> str | None:
    result = check(text, *quotes, chunk=chunk)
    return result.rule if isinstance(result, Dropped) else None


def holding(text: str, heading: str = "", *context: str) -> Chunk:
    contexts = tuple(Context(0, len(c), c) for c in context)
    return Chunk("bbb222", "page.md", heading, 100, 100 + len(text), text, contexts)


def stands(claim: str, source: str, heading: str = "", *context: str) -> bool:
    chunk = holding(source, heading, *context)
    quote = Quote("bbb222", source, 100, 100 + len(source))
    result = check(claim, quote, chunk=chunk)
    assert isinstance(result, Verified) or result.rule == "hard_facts"
    return isinstance(result, Verified)


def test_a_quote_comes_back_with_its_exact_range_of_the_file() -> None:
    claimed = Quote("aaa111", "leave - up to\u00a0$1,000  more.", 0, 0)
    verified = check("Leave may cost more.", claimed)
    assert isinstance(verified, Verified)
    (quote,) = verified.quotes
    assert quote.text == "leave – up to $1,000 more."
    assert FILE[quote.start : quote.end] == quote.text


def test_of_two_places_that_say_it_the_claimed_one_is_taken() -> None:
    text = "Ask Ada. Then wait. Ask Ada."
    chunk = Chunk("aaa111", "d.md", "", 50, 50 + len(text), text)
    result = check("Ask.", Quote("aaa111", "Ask Ada.", 70, 78), chunk=chunk)
    assert isinstance(result, Verified)
    assert result.quotes == (Quote("aaa111", "Ask Ada.", 70, 78),)


def test_a_quote_of_the_context_comes_back_with_the_contexts_range() -> None:
    chunk = holding("| Pro | 5 |", "", "| Plan | Users |")
    result = check("Plan Pro.", Quote("bbb222", "| Plan | Users |", 0, 0), chunk=chunk)
    assert isinstance(result, Verified)
    assert result.quotes == (Quote("bbb222", "| Plan | Users |", 0, 16),)


def test_a_quote_across_a_hidden_range_has_the_files_own_characters() -> None:
    text = "Ask <% x %>her first."
    chunk = Chunk("aaa111", "d.md", "", 7, 7 + len(text), text, (), (Span(11, 18),))
    result = check("Ask her.", Quote("aaa111", "Ask her first.", 0, 0), chunk=chunk)
    assert isinstance(result, Verified)
    assert result.quotes == (Quote("aaa111", text, 7, 28),)


@pytest.mark.parametrize(
    ("quote", "detail"),
    [
        (Quote("zzz999", "Full-time", 0, 9), "'zzz999' is the id of no passage that was given"),
        (Quote("aaa111", "Part-time employees", 0, 9), "does not stand in aaa111"),
        (Quote("aaa111", "ull-time employees", 0, 9), "does not stand in aaa111"),
        (Quote("aaa111", "", 0, 9), "does not stand in aaa111"),
        (Quote("aaa111", "...", 0, 9), "does not stand in aaa111"),
    ],
)
def test_one_bad_citation_drops_the_sentence(quote: Quote, detail: str) -> None:
    result = check("Employees get leave.", FIRST, quote)
    assert isinstance(result, Dropped)
    assert result.rule == "bad_citations"
    assert detail in result.detail


def test_a_sentence_without_a_citation_is_dropped() -> None:
    result = verify(Draft("Employees get leave.", ()), {"aaa111": CHUNK})
    assert result == Dropped("Employees get leave.", "uncited_sentences", "no citation")


@pytest.mark.parametrize("text", ["", "  ", "- ", "**"])
def test_a_sentence_without_a_word_is_dropped(text: str) -> None:
    assert rule(text) == "uncited_sentences"


@pytest.mark.parametrize(
    "text",
    [
        "You get 25 days, and up to 1000 dollars.",
        "You get twenty-five days and USD 1,000.",
        "**25** days, or *25 days*, see https://example.com/forms/a?id=7.",
        "Write to Help@Example.com.",
        "`ERR_4013` ends on 2026-03-01 at 17:30.",
        "It ended on March 1st, 2026, in version 2.3.1.",
        "Use `uv run --frozen` with --frozen.",
        "The rule of 2025 is in the [form](https://example.com/forms/a?id=7).",
        "1. You get 25 days",
        "One of the rules is this.",
    ],
)
def test_hard_facts_stand_in_whatever_form_the_passage_has_them(text: str) -> None:
    assert rule(text) is None


@pytest.mark.parametrize(
    ("text", "detail"),
    [
        ("You get 26 days.", "number '26 days'"),
        ("You get 25 hours.", "number '25 hours'"),
        ("Up to €1,000.", "number '€1,000'"),
        ("Up to 1,000%.", "number '1,000%'"),
        ("Two days.", "number 'Two days'"),
        ("See https://example.com/forms/b.", "address 'https://example.com/forms/b.'"),
        ("Write to it@example.com.", "address 'it@example.com'"),
        ("The code ERR_4014.", "identifier 'ERR_4014'"),
        ("The code ERR_401.", "identifier 'ERR_401'"),
        ("Since v2.3.", "version 'v2.3'"),
        ("On 2 March 2026.", "date '2 March 2026'"),
        ("On 1 March 2027.", "date '1 March 2027'"),
        ("At 5:30 am.", "time '5:30 am'"),
        ("Use `uv sync --frozen`.", "code 'uv sync --frozen'"),
        ("Use --locked.", "identifier '--locked'"),
        ("Ask #4821.", "identifier '#4821'"),
    ],
)
def test_a_hard_fact_that_the_passage_does_not_hold_drops_the_sentence(
    text: str, detail: str
) -> None:
    result = check(text)
    assert isinstance(result, Dropped)
    assert (result.text, result.rule) == (text, "hard_facts")
    assert result.detail == f"{detail} does not stand in the cited passages"


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("It takes 60 minutes.", "Wait an hour."),
        ("Within 1 hour.", "Within 60 minutes."),
        ("Between 3 and 5 days.", "In 3-5 days."),
        ("At least 3 days.", "In 3 to 5 days."),
        ("Up to 10 EUR.", "It is €5-10."),
        ("It holds 2,000,000 rows.", "It holds 2 million rows."),
        ("It is 10 000 km.", "It is 10000 km."),
        ("It is 10,000 km.", "It is 10\u202f000 km."),
        ("ISO 27001 applies.", "We follow ISO-27001."),
        ("Since 3 May 2026.", "Since 03/05/2026."),
        ("A 24-hour shift.", "It lasts 24 hours."),
        ("At noon.", "At 12:00."),
        ("It is 7.5%.", "It is 7.5 per cent."),
        ("It costs 52 cents.", "It costs 52 cents."),
        ("Dial 007.", "Dial 007."),
        ("The report of 2026.", "Written on 2026-04-01."),
        ("It takes 6 months.", "It takes half a year."),
        ("It is 20 %.", "It is a fifth."),
        ("It is 12.5 %.", "It is 1 in 8."),
        ("Two of them.", "A pair of them."),
        ("It is €400 cheaper.", "It costs €900 and cost €1,300."),
        ("About 50 km.", "It is 49 km."),
        ("It took 6 years.", "From 1838 to 1844."),
        ("There are three reasons.", "It is cheap, small and fast."),
        ("At -8 degrees.", "At minus 8 degrees."),
        ("On Tuesdays.", "From Monday to Friday."),
        ("By 23 December.", "In December until the 23rd."),
    ],
)
def test_the_same_fact_in_another_form_stands(claim: str, source: str) -> None:
    assert stands(claim, source)


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("It takes 1 hour.", "It takes 1 day."),
        ("5 calendar days.", "5 working days."),
        ("It is 7.5%.", "It is 7.5."),
        ("It is 7 GB.", "It is 7 MB."),
        ("Dial 7.", "Dial 007."),
        ("Since 5 May 2026.", "Since 03/05/2026."),
        ("On 3/5/2026.", "On 5/3/2026."),
        ("It is -5.", "It is 5."),
        ("It is 125.", "It is 1,250."),
        ("It is 1.5.", "It is 15."),
        ("It is 3.", "Version 2.3.1."),
        ("In March.", "In April."),
        ("It takes 5 months.", "It takes half a year."),
        ("It is 25 %.", "It is a fifth."),
        ("19 weeks are paid.", "It lasts 26 weeks, 18 of them paid."),
        ("It is €500 cheaper.", "It costs €900 and cost €1,300."),
        ("It is 50 km.", "It is 49 km."),
        ("30 working days.", "30 days."),
        ("Bake at 250 °F.", "Bake at 250 °C."),
        ("340 square miles.", "340 square kilometres."),
        ("On Sundays.", "From Monday to Friday."),
    ],
)
def test_another_fact_in_a_like_form_does_not_stand(claim: str, source: str) -> None:
    assert not stands(claim, source)


def test_the_heading_and_the_header_of_a_table_are_evidence_too() -> None:
    assert stands("It holds 100 GB.", "| Pro | 100 |", "Plans", "| Plan | Storage in GB |")
    assert not stands("It holds 100 TB.", "| Pro | 100 |", "Plans", "| Plan | Storage in GB |")
    assert stands("In 2026 it closes on 1 May 2026.", "It closes on 1 May.", "Holidays 2026")
    assert not stands("It closes on 1 May 2027.", "It closes on 1 May.", "Holidays 2026")


def test_only_the_passages_that_a_sentence_cites_count() -> None:
    other = holding("It costs 70 EUR.")
    quotes = (FIRST, Quote("bbb222", "It costs 70 EUR.", 100, 116))
    passages = {"aaa111": CHUNK, "bbb222": other}
    assert isinstance(verify(Draft("It costs 70 EUR.", quotes), passages), Verified)
    assert isinstance(verify(Draft("It costs 70 EUR.", (FIRST,)), passages), Dropped)


WORDS = st.lists(
    st.sampled_from(["Ask", "the", "25", "team", "on", "1 March", "ERR_4013", ",", "$1,000", "."]),
    min_size=3,
    max_size=12,
).map(" ".join)


@given(WORDS, st.data())
def test_a_mutated_citation_never_passes(text: str, data: st.DataObject) -> None:
    chunk = holding(text)
    at = data.draw(st.integers(0, len(text) - 1))
    sign = data.draw(st.sampled_from(string.ascii_letters + string.digits))
    mutated = text[:at] + sign + text[at + 1 :]
    assume(mutated != text)
    assert rule("Ask.", Quote("bbb222", mutated, 100, 100), chunk=chunk) == "bad_citations"


FACTS = st.sampled_from(
    ["25 days", "$1,000", "12%", "17 March 2026", "v2.13.1", "ERR_4013", "#4821", "https://x.io/12"]
)


@given(FACTS, st.data())
def test_a_mutated_number_never_passes(fact: str, data: st.DataObject) -> None:
    source = f"It is {fact} for all."
    chunk = holding(source)
    quote = Quote("bbb222", source, 100, 100 + len(source))
    places = [i for i, char in enumerate(fact) if char.isdigit()]
    at = data.draw(st.sampled_from(places))
    digit = data.draw(st.sampled_from("123456789"))
    mutated = fact[:at] + digit + fact[at + 1 :]
    assert rule(f"It is {fact} for all.", quote, chunk=chunk) is None
    if mutated != fact:
        assert rule(f"It is {mutated} for all.", quote, chunk=chunk) == "hard_facts"


@given(st.text(max_size=60), st.text(max_size=60))
def test_any_text_is_judged_without_an_error(text: str, source: str) -> None:
    check(text, Quote("bbb222", source, 100, 100), chunk=holding(source))


SICK = Chunk("sick", "sick.md", "Leave > Sick pay", 0, 35, "Sick pay is paid for six months.   ")
PARENT = Chunk(
    "par", "p.md", "Leave > Parental leave", 0, 37, "Parental leave is paid for 120 days. "
)


@pytest.mark.parametrize(
    "sentence",
    [
        "Sick pay is paid for six months, parental leave for only 120 days.",
        "Sick pay lasts longer (six months) than parental leave (120 days).",
        "Parental leave is paid for 120 days, which is less than the six months of sick pay.",
        "Sick pay is paid for 6 months against 120 days for parental leave.",
    ],
)
def test_a_comparison_passes_where_both_sides_are_cited_and_not_where_one_is(
    sentence: str,
) -> None:
    both = (
        Quote("sick", "Sick pay is paid for six months.", 0, 32),
        Quote("par", "Parental leave is paid for 120 days.", 0, 36),
    )
    given = {"sick": SICK, "par": PARENT}
    assert isinstance(verify(Draft(sentence, both), given), Verified)
    assert isinstance(verify(Draft(sentence, both[:1]), given), Dropped)
