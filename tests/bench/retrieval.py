"""Retrieval and the gate's score on evaluation sets, beside both baselines and the goals.

    python -m tests.bench.retrieval --eval FOLDER [SET …]

Each set is a folder with `questions.jsonl` and `docs/` or `corpus.jsonl`. A figure is the mean with
its 95 % bootstrap interval. No language model takes part.
"""

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from bot.types import Hit, Query
from bot.widen import widen
from ingest.embed import Embedder
from ingest.settings import IngestSettings
from ingest.types import Chunk, Sizes
from tests.bench.baselines import Fusion, split
from tests.bench.corpus import Pipeline, chunks_of, embedded
from tests.bench.evalset import Case, EvalSet, load
from tests.bench.metrics import auroc_interval, interval, ndcg, recall

NEEDS_SPLITTER = "needs `pip install langchain-text-splitters`"

GOALS = {
    ("gds_way", "shown@1"): 0.88,
    ("gds_way", "shown@5"): 0.98,
    ("trec_cast", "rule recall@5"): 0.80,
    ("trec_cast", "rule recall@1"): 0.38,
    ("workarena_kb", "recall@1"): 0.94,
    ("workarena_kb", "recall@5"): 0.99,
    ("codebase", "recall@5"): 0.83,
    ("codebase", "nDCG@10"): 0.76,
    ("gds_way", "AUROC own"): 0.85,
    ("gds_way", "AUROC page withdrawn"): 0.92,
    ("gds_way", "AUROC passage withdrawn"): 0.82,
    ("mtrag_un", "AUROC own"): 0.90,
}

Ask = Callable[[Case], Sequence[Chunk]]


def answers(case: Case, chunk: Chunk, text: str) -> bool:
    """Whether a passage of this document, shown as this text, holds what answers."""
    if case.spans:
        return any(span in text for span in case.spans.get(chunk.doc, ()))
    return chunk.doc in case.gold_docs


def shown(
    chunk: Chunk, found: Sequence[Chunk], texts: dict[str, str], order: dict[str, list[Chunk]]
) -> str:
    """The passage with what stands around it: its section first, then below and above."""
    ranked = [Hit(other, 0.0, 0.0) for other in found]
    wide = widen(Hit(chunk, 0.0, 0.0), order[chunk.doc], ranked)
    return texts[chunk.doc][wide.start : wide.end]


class Report:
    """Prints figures beside their goals."""

    def __init__(self, name: str) -> None:
        self.name = name

    def line(self, pipeline: str, measure: str, figure: str) -> None:
        goal = GOALS.get((self.name, measure))
        beside = f"  goal {goal:.2f}" if goal and pipeline == "footnote" else ""
        print(f"{self.name:13} {pipeline:18} {measure:26} {figure}{beside}", flush=True)

    def retrieval(self, pipeline: str, label: str, cases: Sequence[Case], ask: Ask) -> None:
        """Recall and nDCG over documents; a document counts at its first passage."""
        ranks, gains = [], []
        for case in cases:
            found = ask(case)
            right = [answers(case, chunk, chunk.text) for chunk in found]
            ranks.append(right.index(True) + 1 if True in right else None)
            docs = list(dict.fromkeys(chunk.doc for chunk in found))
            gains.append(ndcg([doc in case.gold_docs for doc in docs], len(case.gold_docs)))
        for k in (1, 5):
            self.line(pipeline, f"{label}recall@{k}", interval(recall(ranks, k)))
        self.line(pipeline, f"{label}nDCG@10", interval(gains))


def measure(chosen: EvalSet, embedder: Embedder) -> None:
    report = Report(chosen.name)
    chunks = chunks_of(chosen.docs, embedder, Sizes(200, 256))
    print(f"{chosen.name}: {len(chosen.docs)} documents, {len(chunks)} passages", flush=True)
    pipeline = Pipeline(chunks, embedder)
    answerable = [case for case in chosen.cases if case.answerable]
    first = [case for case in answerable if not case.history]
    baseline = _baseline(chosen, embedder)
    cases = first if chosen.name == "gds_way" else answerable

    def footnote(case: Case) -> Sequence[Chunk]:
        return [h.chunk for h in pipeline.hits(pipeline.rewrite(case.q, case.history))]

    for lang in sorted({case.lang for case in cases}):
        some = [case for case in cases if case.lang == lang]
        label = f"{lang} " if lang else "rule " if any(c.history for c in cases) else ""
        if baseline:
            report.retrieval("splitter + fusion", label, some, baseline)
        report.retrieval("plain pipeline", label, some, _plain(pipeline))
        report.retrieval("footnote", label, some, footnote)
        if lang:
            report.retrieval("BM25 alone", label, some, _lexical(pipeline))
    if any(case.history for case in cases):
        _follow_ups(report, pipeline, cases)
    if any(case.spans for case in cases):
        _shown(report, chosen, chunks, cases, footnote)
    _gate(report, chosen, pipeline)


def _baseline(chosen: EvalSet, embedder: Embedder) -> Ask | None:
    try:
        chunks = split(chosen.docs)
    except ImportError:
        print(f"{chosen.name}: the splitter baseline {NEEDS_SPLITTER}")
        return None
    fusion = Fusion(chunks, embedded([c.text for c in chunks], embedder))
    return lambda case: [c for c, _ in fusion.search(case.q, embedder.embed_query(case.q))]


def _plain(pipeline: Pipeline) -> Ask:
    """Union of both, ordered by late interaction alone; the question as it was typed."""
    return lambda case: [
        h.chunk
        for h in sorted(pipeline.hits(Query(case.q)), key=lambda hit: -hit.features["maxsim"])
    ]


def _lexical(pipeline: Pipeline) -> Ask:
    memory = pipeline.memory
    return lambda case: [memory.chunks[memory.rows[i]] for i, _ in memory.search([case.q], 40)]


def _follow_ups(report: Report, pipeline: Pipeline, cases: Sequence[Case]) -> None:
    forms: dict[str, Callable[[Case], Query]] = {
        "raw": lambda c: Query(c.q),
        "previous turn": lambda c: Query(" ".join([*(t.text for t in c.history[-2:-1]), c.q])),
        "by hand": lambda c: Query(c.standalone),
        "rule, nothing told": lambda c: Query(c.q, pipeline.rewrite(c.q, c.history).expansion),
    }
    for name, form in forms.items():
        report.retrieval("footnote", f"{name} ", cases, _asked(pipeline, form))


def _asked(pipeline: Pipeline, form: Callable[[Case], Query]) -> Ask:
    return lambda case: [h.chunk for h in pipeline.hits(form(case))]


def _shown(
    report: Report, chosen: EvalSet, chunks: Sequence[Chunk], cases: Sequence[Case], ask: Ask
) -> None:
    texts = {doc.name: doc.text for doc in chosen.docs}
    order: dict[str, list[Chunk]] = {}
    for chunk in chunks:
        order.setdefault(chunk.doc, []).append(chunk)
    asked = [(case, ask(case)) for case in cases]
    found = [[answers(c, h, shown(h, hits, texts, order)) for h in hits[:5]] for c, hits in asked]
    for k in (1, 5):
        report.line("footnote", f"shown@{k}", interval([float(any(f[:k])) for f in found]))


def _gate(report: Report, chosen: EvalSet, pipeline: Pipeline) -> None:
    """AUROC of the evidence: answerable questions against three kinds that are not."""
    answerable = [case for case in chosen.cases if case.answerable]
    right = [_evidence(pipeline, case) for case in answerable]
    wrong = {
        "own": [_evidence(pipeline, c) for c in chosen.cases if c.answerable is False],
        "page withdrawn": [],
        "passage withdrawn": [],
    }
    for case in answerable:
        page = {c.id for c in pipeline.memory.chunks if c.doc in case.gold_docs}
        passage = {c.id for c in pipeline.memory.chunks if answers(case, c, c.text)}
        with pipeline.without(page):
            wrong["page withdrawn"].append(_evidence(pipeline, case))
        if case.spans:
            with pipeline.without(passage):
                wrong["passage withdrawn"].append(_evidence(pipeline, case))
    for kind, scores in wrong.items():
        if scores:
            report.line("footnote", f"AUROC {kind}", auroc_interval(right, scores))
            refused = np.quantile(right, 0.2)  # coverage .80
            false = [float(score >= refused) for score in scores]
            report.line("footnote", f"false at .80, {kind}", interval(false))


def _evidence(pipeline: Pipeline, case: Case) -> float:
    hits = pipeline.hits(pipeline.rewrite(case.q, case.history))[:5]
    return pipeline.gate.judge(case.q, hits).evidence


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--eval", type=Path, required=True, help="the folder of the sets")
    parser.add_argument("sets", nargs="*", help="names of sets; default: all")
    given = parser.parse_args()
    embedder = Embedder(IngestSettings(_env_file=None))
    for folder in sorted(p.parent for p in given.eval.glob("*/questions.jsonl")):
        if not given.sets or folder.name in given.sets:
            measure(load(folder), embedder)


if __name__ == "__main__":
    main()
