"""Numbers of other languages in the notation that the readers know: 1.250,5 and "zwölf". Pure."""

import re

from ingest.languages import ENGLISH, STOP_WORDS

COMMA_LANGUAGES = frozenset(STOP_WORDS) - {ENGLISH}  # they write 1.250,5 for a thousand and more
_GROUPED = re.compile(r"(?<![\w.,])(\d{1,3}(?:\.\d{3}){1,2})(,\d+)?(?![\w,]|\.\d)")
_DECIMAL = re.compile(r"(?<![\w.,])(\d+),(\d{3})(?![\w,]|\.\d)")
_WORDS = {
    "german": "null _ zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn"
    " fünfzehn sechzehn siebzehn achtzehn neunzehn zwanzig",
    "spanish": "cero _ dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce"
    " quince dieciséis diecisiete dieciocho diecinueve veinte",
    "french": "zéro _ deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze"
    " quinze seize dix-sept dix-huit dix-neuf vingt",
}
_TENS = {"german": "dreißig vierzig fünfzig sechzig siebzig achtzig neunzig hundert"}
_NUMBERS = {
    language: {word: i for i, word in enumerate(words.split()) if word != "_"}
    | {word: 10 * i for i, word in enumerate(_TENS.get(language, "").split(), 3)}
    for language, words in _WORDS.items()
}
_NAMED = {
    language: re.compile(
        rf"\b(?:{'|'.join(sorted(words, key=len, reverse=True))})\b", re.IGNORECASE
    )
    for language, words in _NUMBERS.items()
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
