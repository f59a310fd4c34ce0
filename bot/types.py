"""The nouns of answering. Each stage takes and gives these; none of them knows Slack."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Literal

from ingest.types import Chunk

DO_NOT_SAY = "The documents do not say"  # how the word of an abstention begins
ASKS_BACK = "What do you mean"  # how a clarifying question begins


@dataclass(frozen=True, slots=True)
class Turn:
    """One earlier message of the conversation, oldest first in a history."""

    role: Literal["user", "assistant"]
    text: str


@dataclass(frozen=True, slots=True)
class Query:
    """A question as the stages rank by it.

    `expansion` are words of earlier turns that the question leans on, empty for a first question
    and for a model's rewrite. Passages are scored by `text` and by both together, half and half:
    so a new topic is found even when words of the old one are carried along. `told` are the earlier
    answers: a passage that one of them read out whole is not what is asked for next. `spoken` are
    the person's own words where a model rewrote them as `text`: they count as much, so that a
    rewrite on another subject does not lose what was asked about.
    """

    text: str
    expansion: str = ""
    told: tuple[str, ...] = ()
    spoken: str = ""

    @property
    def standalone(self) -> str:
        """The question with what it leans on, for people and models."""
        return f"{self.text} ({self.expansion})" if self.expansion else self.text

    @property
    def texts(self) -> tuple[str, ...]:
        """The one or two texts whose scores are averaged."""
        beside = f"{self.text} {self.expansion}" if self.expansion else self.spoken
        return (self.text, beside) if beside else (self.text,)


@dataclass(frozen=True, slots=True)
class Reading:
    """A question with `said` read as `meant`; `defined` in the documents themselves."""

    text: str
    said: str
    meant: str
    defined: bool


@dataclass(frozen=True, slots=True)
class Candidate:
    """A passage that retrieval found. Ranks count from 1; None: that retriever did not find it.

    Scores are known for every candidate that its index holds, found by it or not.
    """

    chunk: Chunk
    cosine: float | None = None  # -1 to 1
    bm25: float | None = None  # >= 0, unbounded
    dense_rank: int | None = None
    lexical_rank: int | None = None


@dataclass(frozen=True, slots=True)
class Hit:
    """A reranked passage.

    `score` orders the hits of one question (higher is better) and is on the reranker's own scale.
    `evidence` is absolute, 0 to 1, comparable across questions of one reranker: the gate reads it.
    `features` are the named numbers it was made of, for doctor, eval and calibration.
    """

    chunk: Chunk
    score: float
    evidence: float
    features: Mapping[str, float] = field(default_factory=dict)
    candidate: Candidate | None = None


@dataclass(frozen=True, slots=True)
class Shown:
    """A hit with what is shown of its section: passages in the file's order, its own included.

    `near` are those of its document from which they were taken.
    """

    hit: Hit
    chunks: tuple[Chunk, ...]
    near: tuple[Chunk, ...] = ()

    @property
    def start(self) -> int:
        """Where it begins, in characters of the file."""
        return self.chunks[0].start

    @property
    def end(self) -> int:
        """Where it ends."""
        return self.chunks[-1].end


Zone = Literal["answer", "perhaps", "refused"]


@dataclass(frozen=True, slots=True)
class Verdict:
    """The gate's word on a question.

    Quotations are given as the answer in the zone `answer` alone; in `perhaps` the best passage may
    answer. A model decides both. `evidence` is 0 to 1; `reason` is None exactly in `answer`.
    """

    zone: Zone
    evidence: float
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Quote:
    """A quoted stretch of a passage.

    `text` is what was quoted; `start`, `end` are its range in characters of the file. The generator
    reports what the model claimed; only verification says that it stands there.
    """

    passage_id: str
    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Draft:
    """A sentence as a generator wrote it, before verification. `text` may hold Markdown."""

    text: str
    quotes: tuple[Quote, ...]


@dataclass(frozen=True, slots=True)
class NotAnswered:
    """A part of the question that a generator finds no answer to, beside those it answers."""

    text: str


@dataclass(frozen=True, slots=True)
class Verified:
    """A sentence that passed. `quotes` stand in their passages, at exactly their ranges."""

    text: str
    quotes: tuple[Quote, ...]


@dataclass(frozen=True, slots=True)
class Dropped:
    """A sentence that verification, or a judge, kept from being shown; the rule that it broke."""

    text: str
    rule: str
    detail: str


@dataclass(frozen=True, slots=True)
class Sentence:
    """A verified sentence. `citations` are numbers of the answer's citations, in order.

    `quoted`: words of the documents in the place of a sentence that was not upheld.
    """

    text: str
    citations: tuple[int, ...]
    quoted: bool = False


@dataclass(frozen=True, slots=True)
class Citation:
    """One cited passage of an answer: `n` is the number shown, from 1.

    `quotes` are what the answer's sentences quote from it, in the order of the sentences; at least
    one. `after` are the passages that a list, table or listing of it goes on in, where it is shown
    whole.
    """

    n: int
    chunk: Chunk
    quotes: tuple[Quote, ...]
    after: tuple[Chunk, ...] = ()


JudgeVerdict = Literal["yes", "no", "none"]


@dataclass(frozen=True, slots=True)
class Claim:
    """A sentence with the passages that it cites, and what it quotes of them.

    Without `quotes` it cites the passages whole.
    """

    text: str
    passages: tuple[Chunk, ...]
    question: str = ""
    quotes: tuple[Quote, ...] = ()


@dataclass(frozen=True, slots=True)
class Judged:
    """A sentence and a judge's word on it; `none` says that it gave no verdict."""

    text: str
    verdict: JudgeVerdict

    @property
    def supported(self) -> bool:
        """Whether what the sentence cites holds it: without a verdict it does not."""
        return self.verdict == "yes"


def claims_of(sentences: Sequence[Sentence], citations: Sequence[Citation]) -> tuple[Claim, ...]:
    """Each sentence that was written with the passages that it cites, in its order."""
    by_number = {citation.n: citation.chunk for citation in citations}
    return tuple(
        Claim(s.text, tuple(by_number[n] for n in s.citations)) for s in sentences if not s.quoted
    )


@dataclass(frozen=True, slots=True)
class Trace:
    """How an answer or abstention came about; the same for both.

    `zone` and `evidence` are the gate's; `judged` are the sentences that a judge read before they
    were shown, those it kept back too; `notes` are sentences for people: how the question was read.
    """

    question: str
    standalone: str
    evidence: float
    reranker: str
    generator: str
    timings_ms: Mapping[str, float]
    hits: tuple[Hit, ...] = ()
    dropped: tuple[Dropped, ...] = ()
    judged: tuple[Judged, ...] = ()
    zone: Zone = "refused"
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Disputed:
    """One side of a conflict: what citation `n` says, and the page that it stands on.

    `dated` is when the document says that it is of, None where it does not say.
    """

    n: int
    text: str
    title: str
    dated: date | None = None


@dataclass(frozen=True, slots=True)
class Conflict:
    """Two passages that disagree, the newer first; where nothing tells, the answer's own."""

    first: Disputed
    second: Disputed


@dataclass(frozen=True, slots=True)
class Answer:
    """Verified sentences, each cited, and the passages they cite.

    `quoting` says that the sentences are the documents' own; `incomplete` that the model failed
    after some sentences had passed. Both sides of `conflicts` are among the citations: the last of
    these may be cited by no sentence. `unanswered` are parts of the question that the documents
    do not answer, where that is known. `judge` read each sentence that was written before it was
    shown (empty: nobody did); on `unjudged` of them it had no word.
    """

    sentences: tuple[Sentence, ...]
    citations: tuple[Citation, ...]
    trace: Trace
    quoting: bool = False
    incomplete: bool = False
    conflicts: tuple[Conflict, ...] = ()
    unanswered: tuple[str, ...] = ()
    judge: str = ""
    unjudged: int = 0


@dataclass(frozen=True, slots=True)
class Abstention:
    """The documents hold no answer. `nearest` are close, but no answer, best first.

    `perhaps` is the one of them that may answer all the same, to be read whole, with what would be
    quoted of it: in the zones `answer` and `perhaps`, where no model has found that it does not.

    `reason` is a short fixed code (`weak_evidence`, `no_passages`, `not_in_sources`, `unverified`,
    `unclear`, `empty_question`, `long_question`); `message` says it in words.
    """

    reason: str
    message: str
    nearest: tuple[Hit, ...]
    trace: Trace
    perhaps: Citation | None = None

    @property
    def further(self) -> tuple[Hit, ...]:
        """The nearest but for the one that may answer."""
        best = self.perhaps.chunk if self.perhaps else None
        return tuple(hit for hit in self.nearest if hit.chunk != best)


Outcome = Answer | Abstention


def searched_for(trace: Trace) -> str:
    """How a question was read, where it was not searched for as it was asked; else empty."""
    read, asked = (" ".join(text.split()) for text in (trace.standalone, trace.question))
    return " ".join([*trace.notes, *([] if read == asked else [f"Searched for: {read}"])])


def checked_in_words(answer: Answer) -> str:
    """What an answer was held against, and what of it nobody checked."""
    sources = len({n for sentence in answer.sentences for n in sentence.citations})
    count = len(answer.sentences)
    against = (
        f"{sources} {'source' if sources == 1 else 'sources'},"
        f" {count} {'sentence' if count == 1 else 'sentences'}"
    )
    if answer.quoting:
        return f"Quoted word for word from {sources} {'passage' if sources == 1 else 'passages'}."
    told = f"Checked against {against}: citations, figures and rows"
    if not answer.judge:
        return f"{told}. Whether the wording follows was not judged."
    judged = f"{told}; the wording judged by {answer.judge}"
    return f"{judged}, but for {answer.unjudged}." if answer.unjudged else f"{judged}."


def not_said(parts: Sequence[str]) -> str:
    """That the documents do not answer these parts of a question."""
    return f"{DO_NOT_SAY}: {'; '.join(part.strip().rstrip('?.! ') for part in parts)}."
