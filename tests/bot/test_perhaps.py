from bot.perhaps import perhaps_message, whole_text
from bot.types import Citation, Quote
from ingest.types import Chunk, Context

BIKES = Chunk("0" * 12, "cars.md", "Cars > Pool", 0, 40, "There are 12 company cars in the garage.")


def test_the_words_of_the_question_that_a_passage_lacks_are_named() -> None:
    question = "How many company bicycles are in the pool?"
    assert perhaps_message(question, BIKES) == (
        "This passage may answer it, but it does not mention “bicycles”."
    )


def test_where_every_word_is_there_a_reader_decides() -> None:
    assert perhaps_message("How many company cars are there?", BIKES) == (
        "This passage may answer it; read it before you rely on it."
    )


def test_a_passage_is_read_with_its_header_row_and_without_what_is_hidden() -> None:
    row = Chunk(
        "1" * 12,
        "a.md",
        "A",
        30,
        43,
        "| Basalt | 10 |",
        context=(Context(0, 17, "| Room | Seats |"),),
    )
    assert whole_text(Citation(1, row, ())) == ("| Room | Seats |\n| Basalt | 10 |", [])


def test_what_would_be_quoted_is_told_by_its_place_in_what_is_read() -> None:
    quotes = (Quote(BIKES.id, "12 company cars", 10, 25), Quote(BIKES.id, "", 0, 0))
    text, ranges = whole_text(Citation(1, BIKES, quotes))
    assert [text[start:end] for start, end in ranges] == ["12 company cars"]
