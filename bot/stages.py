"""What the pipeline asks of each stage."""

from collections.abc import AsyncGenerator, Collection, Mapping, Sequence
from typing import Protocol

from bot.types import (
    Candidate,
    Claim,
    Draft,
    Dropped,
    Hit,
    Judged,
    NotAnswered,
    Query,
    Reading,
    Shown,
    Turn,
    Verdict,
    Verified,
)
from ingest.types import Chunk, Imprint


class Rewriter(Protocol):
    """A question, and what came before it, to a query that stands alone."""

    async def rewrite(self, question: str, history: Sequence[Turn]) -> Query:
        """The query; a question without a history is left alone."""


class Reader(Protocol):
    """A question to other ways to read it: what an abbreviation or a misspelt word stands for."""

    async def readings(self, question: str) -> tuple[Reading, ...]:
        """The likeliest first; mostly none."""


class Retriever(Protocol):
    """A question to candidates, unordered."""

    async def retrieve(self, query: Query, also: Collection[str] = ()) -> list[Candidate]:
        """Live passages that may answer, each once, and those of these ids."""


class Reranker(Protocol):
    """Candidates to hits, best first."""

    @property
    def name(self) -> str:
        """What runs, as people are told."""

    async def rerank(self, query: Query, candidates: Sequence[Candidate]) -> list[Hit]:
        """All candidates as hits, best first."""


class Gate(Protocol):
    """Whether the hits are strong enough to answer from."""

    def judge(self, question: str, hits: Sequence[Hit]) -> Verdict:
        """The zone, with the evidence, 0 to 1."""


class Surroundings(Protocol):
    """What stands around a passage in its document, and what the document says of itself."""

    async def near(self, chunk: Chunk) -> list[Chunk]:
        """The live passages close to it in the document's order, its own included."""

    async def imprints(self, docs: Collection[str]) -> Mapping[str, Imprint]:
        """What tells how new each of these documents is; of unknown ones nothing."""


class Widen(Protocol):
    """How much of its section is shown with a hit."""

    def __call__(self, hit: Hit, near: Sequence[Chunk], ranked: Sequence[Hit]) -> Shown:
        """The hit with its neighbours, out of those near it; `ranked` are all hits."""


class Generator(Protocol):
    """Passages to sentences, each with what it quotes."""

    @property
    def name(self) -> str:
        """What writes, as people are told."""

    def draft(
        self, question: str, passages: Sequence[Chunk]
    ) -> AsyncGenerator[Draft | NotAnswered, None]:
        """The answer's sentences, in order, not verified, and what they leave unanswered.

        Raises:
            NotInSources: the passages do not answer.
            ModelError: it failed; what it gave before stands.
        """


class Verify(Protocol):
    """Whether a sentence is held by what it cites."""

    def __call__(
        self, draft: Draft, passages: Mapping[str, Chunk], question: str
    ) -> Verified | Dropped:
        """The sentence with exact quotes, or the rule that it broke."""


class Judge(Protocol):
    """Whether written sentences follow from what they cite, in a reader's judgement."""

    @property
    def name(self) -> str:
        """What judges, as people are told."""

    async def check(self, claims: Sequence[Claim]) -> tuple[Judged, ...]:
        """A word on each, in their order.

        Raises:
            ModelError: it failed.
        """
