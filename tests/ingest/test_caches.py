from ingest.caches import ENTRY_CHARS, cached


def test_a_value_is_computed_once_and_the_oldest_go_when_the_characters_are_too_many() -> None:
    computed: list[str] = []

    @cached(chars=3 * (10 + ENTRY_CHARS))
    def length(text: str) -> int:
        computed.append(text[0])
        return len(text)

    for letter in "abcab":
        assert length(letter * 10) == 10
    assert computed == ["a", "b", "c"]
    length("d" * 10)
    length("a" * 10)
    length("c" * 10)
    assert computed == ["a", "b", "c", "d", "c"]


def test_a_text_that_is_larger_than_the_cache_leaves_the_others_in_it() -> None:
    computed: list[str] = []

    @cached(chars=500)
    def length(text: str) -> int:
        computed.append(text[0])
        return len(text)

    length("a")
    length("b" * 1_000)
    length("b" * 1_000)
    length("a")
    assert computed == ["a", "b", "b"]
