"""The last gate before a sentence is shown: what it cites and what it states stand there.

Deterministic and explainable: each rule has a name, and says what it missed.
"""

from collections.abc import Iterator, Mapping, Sequence

from bot.checks.claims import contradiction
from bot.checks.exact import exact_fault
from bot.reading.fold import fold
from bot.reading.statements import statements
from bot.types import Draft, Dropped, Quote, Verified
from ingest.types import Chunk

BAD_CITATIONS = "bad_citations"
UNCITED_SENTENCES = "uncited_sentences"


def verify(draft: Draft, passages: Mapping[str, Chunk], question: str = "") -> Verified | Dropped:
    """Hold a sentence against the passages it cites.

    A quote comes back with its exact range of the file and the text of that range. A quote of the
    heading path, which stands in no one place of the file, is empty and lies at the passage's
    start.

    Args:
        draft: the sentence and what it claims to quote.
        passages: those that the generator was given, by id.
        question: what the sentence answers.
    """
    if not any(char.isalnum() for char in draft.text):
        return Dropped(draft.text, UNCITED_SENTENCES, "no words")
    if not draft.quotes:
        return Dropped(draft.text, UNCITED_SENTENCES, "no citation")
    quotes: list[Quote] = []
    for quote in draft.quotes:
        found = _find(quote, passages)
        if isinstance(found, str):
            return Dropped(draft.text, BAD_CITATIONS, found)
        if found not in quotes:
            quotes.append(found)
    cited = [passages[id_] for id_ in dict.fromkeys(quote.passage_id for quote in quotes)]
    if (broken := _unsupported(draft.text, cited, question)) is not None:
        return Dropped(draft.text, *broken)
    return Verified(draft.text, tuple(quotes))


def _find(quote: Quote, passages: Mapping[str, Chunk]) -> Quote | str:
    """The quote in its exact place, or what is wrong with it."""
    chunk = passages.get(quote.passage_id)
    if chunk is None:
        return f"{quote.passage_id!r} is the id of no passage that was given"
    return locate(quote, chunk) or f"{quote.text!r} does not stand in {chunk.id}"


def _unsupported(text: str, cited: Sequence[Chunk], question: str) -> tuple[str, str] | None:
    """The rule that a sentence breaks against the passages it cites, and what it missed."""
    said = [statement for chunk in cited for statement in statements(chunk)]
    return exact_fault(text, cited, question) or contradiction(text, said)


def locate(quote: Quote, chunk: Chunk) -> Quote | None:
    """The quote with its exact place in the file; None when the passage does not hold its words.

    Typographic variants and white space do not count. Of several places the one nearest to the
    range that the quote claims is taken.
    """
    wanted = fold(quote.text).text
    if not any(char.isalnum() for char in wanted):
        return None
    places = [
        (start, exact[begin:end], start + begin)
        for start, exact, searched in _sources(chunk)
        for begin, end in _occurrences(wanted, searched)
    ]
    if places:
        _, text, begin = min(places, key=lambda p: abs(p[2] - quote.start))
        return Quote(chunk.id, text, begin, begin + len(text))
    if next(_occurrences(wanted, chunk.heading), None):
        return Quote(chunk.id, "", chunk.start, chunk.start)
    return None


def _sources(chunk: Chunk) -> Iterator[tuple[int, str, str]]:
    """Where each text of a passage begins, its own characters, and those to search in."""
    for context, visible in zip(chunk.context, chunk.visible_context, strict=True):
        yield context.start, context.text, visible
    yield chunk.start, chunk.text, chunk.visible


def _occurrences(wanted: str, text: str) -> Iterator[tuple[int, int]]:
    """Ranges of the text that say the folded words, whole words only."""
    folded = fold(text)
    at = folded.text.find(wanted)
    while at >= 0:
        end = at + len(wanted)
        if not (_joined(folded.text, at) or _joined(folded.text, end)):
            yield folded.offsets[at], folded.offsets[end - 1] + 1
        at = folded.text.find(wanted, at + 1)


def _joined(text: str, at: int) -> bool:
    """Whether a word runs on across this place."""
    return 0 < at < len(text) and text[at - 1].isalnum() and text[at].isalnum()
