"""What a run of the cases found, question by question; figures are made from it alone.

These are also the shape of the JSON that `--json` prints and `--against` reads.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from bot.evaluate.cases import Answerable

Stage = Literal["dense", "bm25", "union", "reranked", "shown"]
STAGES: tuple[Stage, ...] = ("dense", "bm25", "union", "reranked", "shown")

Way = Literal["asked", "raw", "standalone", "page_withdrawn", "passage_withdrawn"]


@dataclass(frozen=True, slots=True)
class Place:
    """Where a stage put the right passages: rank of the first, from 1, and nDCG@10.

    For `union` they are what a perfect order of all candidates would give; for `shown` a hit is
    right when it, or what is shown around it, is.
    """

    rank: int | None
    ndcg: float


@dataclass(frozen=True, slots=True)
class Shown:
    """A hit as the report shows it; `text` is its beginning."""

    id: str
    doc: str
    heading: str
    start: int
    end: int
    text: str
    score: float
    evidence: float
    right: bool
    dense_rank: int | None
    lexical_rank: int | None
    features: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Trial:
    """One search for a question. `places` is empty where nothing can be right."""

    standalone: str
    evidence: float
    passed: bool
    reason: str | None
    places: Mapping[Stage, Place]
    hits: tuple[Shown, ...]


@dataclass(frozen=True, slots=True)
class Spent:
    """Tokens of a language model."""

    read: int = 0
    written: int = 0


@dataclass(frozen=True, slots=True)
class Said:
    """A sentence of an answer, the ids of the passages it cites, and whether the judge upholds it.

    `faithful` is None where no judge was asked; a judge that gave no verdict does not uphold it.
    """

    text: str
    cited: tuple[str, ...]
    faithful: bool | None = None


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer, or an abstention with its reason.

    `unjudged` counts sentences on which the judge that was asked gave no verdict. `invalid` are
    citations whose quoted text does not stand in the passage at its range, or whose number stands
    for no citation. `dropped` are the rules that kept sentences from being shown.
    `cites_gold` and `holds_value` are None where the case does not say what is right.
    """

    abstained: str | None
    generator: str
    sentences: tuple[Said, ...] = ()
    citations: int = 0
    unjudged: int = 0
    invalid: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()
    cites_gold: bool | None = None
    holds_value: bool | None = None
    seconds: float = 0.0
    spent: Spent = Spent()


@dataclass(frozen=True, slots=True)
class Question:
    """A case and what was found for it.

    `asked` is the trial as the bot works; `raw` and `standalone` are those of a follow-up without
    its history and of the hand-written question; the withdrawn ones are without the documents, or
    only the passages, that answer it. Gold that is `missing` exists no more and is not counted;
    what is `unreachable` stands in a document, but ingestion left it out of every passage: a miss.
    """

    line: int
    q: str
    kind: str
    answerable: Answerable
    note: str
    follow_up: bool
    gold: tuple[str, ...]
    missing: tuple[str, ...]
    trials: Mapping[Way, Trial]
    reply: Reply | None = None
    unreachable: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Probe:
    """Of `passages` asked for by their own text, the shares that came back in the top 5, by index.

    `lost` are ids that neither index gave back.
    """

    passages: int
    dense: float
    bm25: float
    lost: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Run:
    """All of it, and what it was measured with. `made_at` is in ISO 8601, UTC.

    `prices` are those of a million tokens, read and written, in any currency.
    """

    cases: str
    made_at: str
    documents: int
    passages: int
    embedder: str
    reranker: str
    generator: str
    top_k: int
    probe: Probe | None
    questions: tuple[Question, ...]
    prices: tuple[float, float] | None = None
