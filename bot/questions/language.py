"""A question in a language that the embedding model does not know. Pure."""

from ingest.languages import ENGLISH, language_of

BY_WORDS_ALONE = (
    "The model here knows English alone: a question in another language finds what shares its"
    " words. Ask in English, or have an admin name a multilingual model as FOOTNOTE_EMBEDDER."
)


def language_notes(question: str, *, multilingual: bool) -> tuple[str, ...]:
    """What people are told of the question's language; nothing where the model knows it."""
    known = multilingual or language_of(question) == ENGLISH
    return () if known else (BY_WORDS_ALONE,)
