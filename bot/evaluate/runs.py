"""Cases through the pipeline: what each stage found, and what the gate said."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from textwrap import shorten

from bot.evaluate.answers import Answering
from bot.evaluate.cases import Case
from bot.evaluate.gold import Gold, Library
from bot.evaluate.metrics import ndcg
from bot.evaluate.types import Place, Question, Shown, Stage, Trial, Way
from bot.evaluate.withdraw import EvaluationIndex
from bot.found import Found
from bot.model import Usage
from bot.pipeline import Pipeline
from bot.stages import Judge
from bot.types import Candidate, Hit, Turn
from ingest.types import Chunk

HITS_KEPT = 10
SHOWN_CHARS = 240

OnFound = Callable[[Case, Way, Found], None]


@dataclass(frozen=True, slots=True)
class Runner:
    """Runs cases one after the other.

    Args:
        withdraw: also search without the documents, and without only the passages, that answer.
        answers: also let an answer be written.
        usage: counts the tokens of the language model that writes.
        judge: says whether a sentence follows from what it cites; None: nobody is asked.
        on_found: told of every search.
    """

    pipeline: Pipeline
    index: EvaluationIndex
    library: Library
    withdraw: bool = False
    answers: bool = False
    judge: Judge | None = None
    usage: Usage = field(default_factory=Usage)
    on_found: OnFound = lambda *_: None

    async def run(self, case: Case) -> Question:
        """All trials of a case."""
        gold = self.library.gold(case)
        trials: dict[Way, Trial] = {
            "asked": await self._search(case, "asked", gold, case.q, case.history)
        }
        if case.history:
            trials["raw"] = await self._search(case, "raw", gold, case.q)
            if case.standalone:
                trials["standalone"] = await self._search(case, "standalone", gold, case.standalone)
        for way, ids in self._withdrawals(case, gold).items():
            with self.index.without(ids):
                trials[way] = await self._search(case, way, Gold(), case.q, case.history)
        reply = None
        if self.answers:
            answering = Answering(self.pipeline, self.library, self.usage, self.judge)
            reply = await answering.reply_to(case, gold)
        return Question(
            line=case.line,
            q=case.q,
            kind=case.kind,
            answerable=case.answerable,
            note=case.note,
            follow_up=bool(case.history),
            gold=tuple(sorted(gold.ids)),
            missing=gold.missing,
            unreachable=gold.unreachable,
            trials=trials,
            reply=reply,
        )

    async def _search(
        self, case: Case, way: Way, gold: Gold, question: str, history: Sequence[Turn] = ()
    ) -> Trial:
        found = await self.pipeline.search(question, history)
        self.on_found(case, way, found)
        return Trial(
            standalone=found.standalone,
            evidence=round(found.verdict.evidence, 6),
            passed=found.verdict.zone == "answer",
            reason=found.verdict.reason,
            places=places_of(found, gold) if gold.known else {},
            hits=tuple(_shown(hit, gold) for hit in found.hits[:HITS_KEPT]),
        )

    def _withdrawals(self, case: Case, gold: Gold) -> Mapping[Way, set[str]]:
        """What to withdraw so that an answerable question becomes one that nothing answers.

        Copies of the right passages go too. Where the documents hold nothing else, to withdraw the
        passages alone would be the same again.
        """
        if not (self.withdraw and case.answerable is True and gold.ids):
            return {}
        near = self.library.copies(
            gold.ids, [span for place in case.places for span in place.spans]
        )
        page = near | {c.id for doc in gold.docs for c in self.library.by_doc[doc]}
        if near == page:
            return {"page_withdrawn": page}
        return {"page_withdrawn": page, "passage_withdrawn": near}


def places_of(found: Found, gold: Gold) -> dict[Stage, Place]:
    """Where each stage put the right passages."""
    hits = [hit.chunk for hit in found.hits]
    candidates = [hit.candidate for hit in found.hits if hit.candidate is not None]
    perfect = sorted(hits, key=lambda chunk: chunk.id not in gold.ids)
    shown = [_best_of(one.chunks, one.hit.chunk, gold) for one in found.shown]
    return {
        "dense": _place(_ordered(candidates, lambda c: c.dense_rank), gold),
        "bm25": _place(_ordered(candidates, lambda c: c.lexical_rank), gold),
        "union": _place(perfect, gold),
        "reranked": _place(hits, gold),
        "shown": _place([*shown, *hits[len(shown) :]], gold),
    }


def _best_of(chunks: Sequence[Chunk], own: Chunk, gold: Gold) -> Chunk:
    """What stands for a hit that is shown with its neighbours: a right one if there is any."""
    return next((chunk for chunk in chunks if chunk.id in gold.ids), own)


def _ordered(
    candidates: Sequence[Candidate], rank: Callable[[Candidate], int | None]
) -> list[Chunk]:
    found = [(n, c.chunk) for c in candidates if (n := rank(c)) is not None]
    return [chunk for _, chunk in sorted(found, key=lambda pair: pair[0])]


def _place(ranking: Sequence[Chunk], gold: Gold) -> Place:
    return Place(gold.rank(ranking), round(ndcg(gold.right(ranking), gold.needed), 6))


def _shown(hit: Hit, gold: Gold) -> Shown:
    chunk, found = hit.chunk, hit.candidate
    return Shown(
        id=chunk.id,
        doc=chunk.doc,
        heading=chunk.heading,
        start=chunk.start,
        end=chunk.end,
        text=shorten(chunk.visible, SHOWN_CHARS, placeholder=" …"),
        score=round(hit.score, 4),
        evidence=round(hit.evidence, 4),
        right=chunk.id in gold.ids,
        dense_rank=found.dense_rank if found else None,
        lexical_rank=found.lexical_rank if found else None,
        features={name: round(value, 4) for name, value in hit.features.items()},
    )
