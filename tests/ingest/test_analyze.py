import time

import pytest

from ingest.analyze import analyze, identifiers
from ingest.languages import language_of


@pytest.mark.parametrize("text", ["ERR_4013?", "(`ERR_4013`)", "**ERR_4013:**", "…err_4013."])
def test_an_identifier_is_found_whatever_punctuation_surrounds_it(text: str) -> None:
    assert "err_4013" in analyze(text)


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("#4821:**", ["#4821", "4821"]),
        ("--dry-run", ["dry-run", "dri", "run"]),
        ("v2.3.1", ["2.3.1", "2.3"]),
        ("foo_bar", ["foo_bar", "foo", "bar"]),
        ("DiffExecutor", ["diffexecutor", "diff", "executor"]),
        ("HTTPServer", ["httpserver", "http", "server"]),
        ("std::mem::swap", ["std::mem::swap", "std", "mem", "swap"]),
        ("1,200", ["1200"]),
    ],
)
def test_an_identifier_is_a_token_as_a_whole_and_in_its_parts(text: str, tokens: list[str]) -> None:
    assert analyze(text) == tokens


def test_words_are_folded_stemmed_and_freed_of_function_words() -> None:
    assert analyze("What were the Contractors' HOLIDAYS?") == ["contractor", "holiday"]
    assert analyze("ﬁle") == analyze("files")
    assert analyze("they don't") == []


def test_a_language_is_stemmed_by_its_own_rules() -> None:
    assert language_of("Wie viele Urlaubstage habe ich im Jahr?") == "german"
    assert analyze("Wie viele Häuser gibt es und wo?") == analyze("das Haus ist nicht im Dorf")[:1]
    assert language_of("¿Cuántos días de vacaciones tengo al año?") == "spanish"
    assert language_of("Сколько дней отпуска у меня в году?") == "russian"
    assert analyze("Сколько у меня отпуска?") == analyze("отпуск")


def test_names_and_code_without_function_words_are_taken_for_english() -> None:
    assert language_of("ERR_4013") == "english"
    assert language_of("Kubernetes RBAC tokens") == "english"
    assert language_of("Los Angeles office") == "english"
    assert language_of("Is the Bank of La Rioja open on the 3rd?") == "english"
    assert language_of("") == "english"


def test_a_short_question_in_another_language_is_known_as_such() -> None:
    assert language_of("Was hat Lady Gaga gesungen?") == "german"
    assert language_of("In welchem Jahr starb Tesla?") == "german"
    assert language_of("¿Qué cantó Lady Gaga?") == "spanish"


def test_a_question_word_at_the_beginning_tells_the_language() -> None:
    assert language_of("Wann startete Sky Digital?") == "german"
    assert language_of("cuánto cuesta Sky Digital") == "spanish"
    assert language_of("Pourquoi Tesla partit?") == "french"
    assert language_of("Sky Digital, wann?") == "english"
    assert language_of("Die Cast Models") == "english"


def test_code_is_english_whatever_its_variables_are_called() -> None:
    assert (
        language_of("for (int i = 0; i < n; i++) { e = d[i]; if (e > o) return e; }") == "english"
    )
    imports = "import com.firm.io.File; import com.firm.io.Path; import com.firm.net.Socket;"
    assert language_of(imports + " static int hash(byte[] salt) throws IOException;") == "english"
    links = '<a href="https://firm.no/de/pages/12">issue</a><a href="/no/die/da/12">rounds</a>'
    assert language_of(links) == "english"


def test_scripts_without_spaces_give_pairs_of_characters() -> None:
    assert analyze("东京是首都") == ["东京", "京是", "是首", "首都"]
    assert set(analyze("首都")) <= set(analyze("东京是首都"))


def test_identifiers_name_one_thing() -> None:
    text = (
        "Does ERR_4013 in v2.3.1 (#77, run_target) affect P2 on GitHub in 24h, full-time, e.g. 7?"
    )
    assert identifiers(text) == ["err_4013", "2.3.1", "#77", "run_target", "p2"]


def test_an_address_says_where_and_is_no_identifier() -> None:
    text = "@ada_l in #hr_team: https://wiki.example.com/x_1/PAY-22?a_b=1, www.a_b.example"
    assert identifiers(f"{text}, a_l@b.example") == []
    assert identifiers("`@run_target` and #c1007, #77, ERR_4013@build") == [
        "run_target",
        "c1007",
        "#77",
        "err_4013@build",
    ]


def test_a_code_with_a_hyphen_is_an_identifier_and_a_hyphenated_word_is_none() -> None:
    assert identifiers("E-1001, e-1003 and ISO-27001") == ["e-1001", "e-1003", "iso-27001"]
    assert identifiers("e-mail, top-10, Covid-19, mid-2024, full-time") == []


def test_per_is_as_english_as_it_is_italian() -> None:
    assert analyze("two hotels per night") == ["two", "hotel", "per", "night"]
    assert analyze("a hotels per night") == ["hotel", "per", "night"]


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("What was removed in 4.2.0?", ["4.2.0"]),
        ("What is new in version 4.3?", ["4.3"]),
        ("release v3.6.0", ["3.6.0"]),
        ("what is new in 3.6", ["3.6"]),
        ("it takes 1.5 days", []),
        ("on 12.10.2026", []),
    ],
)
def test_a_version_names_one_thing_with_and_without_its_v(text: str, named: list[str]) -> None:
    assert identifiers(text) == named
    assert set(named) <= set(analyze(text))


@pytest.mark.parametrize("word", ["a-", "__"])
def test_a_word_without_an_end_takes_time_by_its_length_not_by_its_square(word: str) -> None:
    few, many = 10_000, 320_000
    short = min(_seconds(word * (few + i)) for i in range(3))
    assert _seconds(word * many) < 8 * (many / few) * short  # its square: 32 times that ratio


def _seconds(text: str) -> float:
    begun = time.perf_counter()
    analyze(text)
    return time.perf_counter() - begun
