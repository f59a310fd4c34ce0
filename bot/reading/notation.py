"""Numbers of other languages in the notation that the readers know: 1.250,5 and "zwölf". Pure."""

import re

from bot.lexicon import either, numbered
from ingest.languages import ENGLISH, STOP_WORDS

COMMA_LANGUAGES = frozenset(STOP_WORDS) - {ENGLISH}  # they write 1.250,5 for a thousand and more
_GROUPED = re.compile(r"(?<![\w.,])(\d{1,3}(?:\.\d{3}){1,2})(,\d+)?(?![\w,]|\.\d)")
_DECIMAL = re.compile(r"(?<![\w.,])(\d+),(\d{3})(?![\w,]|\.\d)")
_NUMBERS = {
    language: numbered("numbers", language, first=0)
    | {word: 10 * n for word, n in numbered("tens", language, first=2).items()}
    for language in COMMA_LANGUAGES
}
_NAMED = {
    language: re.compile(rf"\b(?:{either(words)})\b", re.IGNORECASE)
    for language, words in _NUMBERS.items()
    if words
}


def plain_notation(text: str, language: str) -> str:
    """The text with its numbers in digits, without marks of thousands and with a decimal point.

    A text in English, or in a language that is not known, is left alone.
    """
    if language not in COMMA_LANGUAGES:
        return text
    text = _GROUPED.sub(lambda m: m[1].replace(".", "") + (m[2] or "").replace(",", "."), text)
    text = _DECIMAL.sub(r"\1.\2", text)
    if named := _NAMED.get(language):
        text = named.sub(lambda m: str(_NUMBERS[language][m.group().lower()]), text)
    return text
