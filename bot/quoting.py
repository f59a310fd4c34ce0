"""A sentence that is not upheld, replaced by what it cites, word for word."""

from collections.abc import Mapping, Sequence

from bot.reading.cited import in_its_words
from bot.types import Quote, Verified
from bot.verify import locate
from ingest.types import Chunk


def in_place_of(quotes: Sequence[Quote], passages: Mapping[str, Chunk]) -> Verified | None:
    """The blocks that a sentence cites, as far as they stand in the passages; None: there are none.

    Args:
        quotes: what the sentence claims to quote.
        passages: those that the generator was given, by id.
    """
    standing = [
        found
        for quote in quotes
        if (chunk := passages.get(quote.passage_id)) and (found := locate(quote, chunk))
    ]
    ids = dict.fromkeys(quote.passage_id for quote in standing)
    said = [text for id_ in ids if (text := in_its_words(passages[id_], standing))]
    kept = tuple(dict.fromkeys(quote for quote in standing if quote.text))
    return Verified("\n".join(said), kept) if said else None
