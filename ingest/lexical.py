"""The BM25 index: rank-bm25's class with an idf that is never negative and an inverted matrix.

Terms and parameters are those of BM25Okapi (Robertson and Zaragoza, "The Probabilistic Relevance
Framework", 2009), the idf is Lucene's: log((N - n + 0.5) / (n + 0.5) + 1).
"""

import copy
import threading
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Self

import numpy as np
from numpy.typing import NDArray
from rank_bm25 import BM25Okapi
from rapidfuzz import process
from rapidfuzz.distance import OSA
from scipy import sparse

from ingest.analyze import analyze
from ingest.initials import initials
from ingest.types import Chunk

K1 = 1.5
B = 0.75
MAX_SEGMENTS = 8
MAX_DEAD_SHARE = 0.3
ENDING = 5  # letters at most that a stem lacks of its word: "accommod" of "accommodation"

Floats = NDArray[np.float32]


@dataclass(frozen=True)
class _Segment:
    """Rows added together: counts of shape (rows, vocabulary then), by column."""

    counts: sparse.csc_matrix
    lengths: Floats
    alive: NDArray[np.bool_]

    def postings(self, column: int) -> tuple[NDArray[np.int32], Floats]:
        """Rows that hold a token and how often; dead rows included."""
        if column >= self.counts.shape[1]:
            return np.empty(0, np.int32), np.empty(0, np.float32)
        start, end = self.counts.indptr[column : column + 2]
        return self.counts.indices[start:end], self.counts.data[start:end]


class InvertedBM25(BM25Okapi):  # type: ignore[misc]
    """An immutable corpus of token lists; `extended` gives the next one and shares what stays."""

    def __init__(self, corpus: Iterable[Sequence[str]], k1: float = K1, b: float = B) -> None:
        self._columns: dict[str, int] = {}  # only ever grows, so that versions can share it
        self._segments: tuple[_Segment, ...] = ()
        super().__init__(corpus, k1=k1, b=b)

    def _initialize(self, corpus: Iterable[Sequence[str]]) -> None:
        segment = self._segment(corpus)
        self._hold((segment,) if len(segment.lengths) else ())

    def _calc_idf(self, _: None) -> None:
        """Nothing to do ahead: `idf_of` counts when asked, as rows come and go."""

    def _segment(self, corpus: Iterable[Sequence[str]]) -> _Segment:
        columns, rows, counts, lengths = [], [], [], []
        for row, tokens in enumerate(corpus):
            lengths.append(len(tokens))
            for token, count in Counter(tokens).items():
                columns.append(self._columns.setdefault(token, len(self._columns)))
                rows.append(row)
                counts.append(count)
        matrix = sparse.csc_matrix(
            (np.array(counts, np.float32), (rows, columns)),
            shape=(len(lengths), len(self._columns)),
            dtype=np.float32,
        )
        return _Segment(matrix, np.array(lengths, np.float32), np.ones(len(lengths), np.bool_))

    def _hold(self, segments: tuple[_Segment, ...]) -> None:
        self._segments = segments
        self.corpus_size = sum(int(s.alive.sum()) for s in segments)
        total = sum(float(s.lengths[s.alive].sum()) for s in segments)
        self.avgdl = total / self.corpus_size if self.corpus_size else 0.0

    @property
    def rows(self) -> int:
        """Rows in all, dead ones included: the length of `get_scores`."""
        return sum(len(s.lengths) for s in self._segments)

    @property
    def segments(self) -> int:
        """How many parts a search walks through."""
        return len(self._segments)

    def extended(self, corpus: Iterable[Sequence[str]], dead: Collection[int]) -> Self:
        """A corpus like this one with rows appended and the rows `dead` masked."""
        return self._following((*self._without(dead), *self._appended(corpus)))

    def _following(self, segments: tuple[_Segment, ...]) -> Self:
        follower = copy.copy(self)
        follower._hold(segments)  # noqa: SLF001 - the same class, before anybody sees it
        return follower

    def _appended(self, corpus: Iterable[Sequence[str]]) -> tuple[_Segment, ...]:
        segment = self._segment(corpus)
        return (segment,) if len(segment.lengths) else ()

    def _without(self, dead: Collection[int]) -> Iterator[_Segment]:
        gone = np.array(sorted(dead), dtype=np.int64)
        first = 0
        for segment in self._segments:
            last = first + len(segment.lengths)
            here = gone[(gone >= first) & (gone < last)] - first
            if len(here):
                alive = segment.alive.copy()
                alive[here] = False
                yield replace(segment, alive=alive)
            else:
                yield segment
            first = last

    def compacted(self) -> Self:
        """The same live rows, in order, in one part."""
        width = len(self._columns)
        live = []
        for segment in self._segments:
            rows = sparse.csr_matrix(segment.counts)
            rows.resize((rows.shape[0], width))
            live.append(rows[segment.alive])
        counts = sparse.csc_matrix(sparse.vstack(live)) if live else None
        if counts is None or not counts.shape[0]:
            return self._following(())
        lengths = np.concatenate([s.lengths[s.alive] for s in self._segments])
        return self._following((_Segment(counts, lengths, np.ones(len(lengths), np.bool_)),))

    def _postings(self, token: str) -> tuple[NDArray[np.int64], Floats]:
        """Live rows that hold a token and how often."""
        column = self._columns.get(token)
        rows, counts = [np.empty(0, np.int64)], [np.empty(0, np.float32)]
        first = 0
        for segment in self._segments if column is not None else ():
            found, times = segment.postings(column or 0)
            alive = segment.alive[found]
            rows.append(found[alive].astype(np.int64) + first)
            counts.append(times[alive])
            first += len(segment.lengths)
        return np.concatenate(rows), np.concatenate(counts)

    def idf_of(self, token: str) -> float:
        """Above 0 always; the largest for a token that no row holds."""
        return self._idf(self.holding(token))

    def tokens(self) -> list[str]:
        """All that a row ever held."""
        return list(self._columns)

    def holding(self, token: str) -> int:
        """How many live rows hold a token."""
        return len(self._postings(token)[0])

    def _idf(self, holding: int) -> float:
        return float(np.log((self.corpus_size - holding + 0.5) / (holding + 0.5) + 1))

    def get_scores(self, query: Sequence[str]) -> Floats:
        """BM25 of every row, 0 for dead ones; shape (rows,)."""
        return self.weighted_scores(Counter(query))

    def weighted_scores(self, query: Mapping[str, float]) -> Floats:
        """BM25 of every row for tokens with weights; shape (rows,)."""
        scores = np.zeros(self.rows, np.float32)
        if not self.corpus_size:
            return scores
        lengths = np.concatenate([s.lengths for s in self._segments])
        for token, weight in query.items():
            rows, counts = self._postings(token)
            if len(rows):
                norm = self.k1 * (1 - self.b + self.b * lengths[rows] / self.avgdl)
                gain = weight * self._idf(len(rows)) * (self.k1 + 1)
                scores[rows] += (gain * counts / (counts + norm)).astype(np.float32)
        return scores

    def get_batch_scores(self, query: Sequence[str], doc_ids: Sequence[int]) -> list[float]:
        """BM25 of some rows."""
        scores: list[float] = self.get_scores(query)[list(doc_ids)].tolist()
        return scores


@dataclass(frozen=True)
class _Snapshot:
    """What a search reads: never changed, only replaced."""

    corpus: InvertedBM25
    ids: tuple[str, ...]  # by row, dead ones included
    row_of: Mapping[str, int]  # live ones
    letters: tuple[tuple[str, str], ...]  # by row: see `initials`


class LexicalIndex:
    """Passages by BM25. Readers never wait: a writer swaps the snapshot that they read."""

    def __init__(self) -> None:
        self._writing = threading.Lock()
        self._now = _Snapshot(InvertedBM25(()), (), {}, ())

    def __len__(self) -> int:
        return len(self._now.row_of)

    def ids(self) -> frozenset[str]:
        """The ids that can be found now."""
        return frozenset(self._now.row_of)

    def idf(self, token: str) -> float:
        """Inverse document frequency of a token as `analyze` gives it; above 0."""
        return self._now.corpus.idf_of(token)

    def update(self, added: Sequence[Chunk], removed: Collection[str] = ()) -> None:
        """Take passages in and out at once. An id that is there already is replaced."""
        with self._writing:
            now = self._now
            fresh = {chunk.id: chunk for chunk in added}
            dead_ids = (set(removed) | fresh.keys()) & now.row_of.keys()
            dead = [now.row_of[i] for i in dead_ids]
            corpus = now.corpus.extended((analyze(c.embedded) for c in fresh.values()), dead)
            row_of = {i: row for i, row in now.row_of.items() if i not in dead_ids}
            row_of |= {i: len(now.ids) + n for n, i in enumerate(fresh)}
            letters = (*now.letters, *(initials(c.embedded) for c in fresh.values()))
            self._now = _tidied(_Snapshot(corpus, (*now.ids, *fresh), row_of, letters))

    def search(self, query: str | Sequence[str], k: int) -> list[tuple[str, float]]:
        """Up to `k` ids with their scores (above 0), best first; equal ones by id.

        Several texts count as one question whose score is the average of theirs.
        """
        now = self._now
        scores = now.corpus.weighted_scores(_weights(query))
        found = np.flatnonzero(scores)
        if len(found) > k:
            floor = np.partition(scores[found], -k)[-k]
            found = found[scores[found] >= floor]
        ranked = sorted((-float(scores[row]), now.ids[row]) for row in found)
        return [(i, -score) for score, i in ranked[:k]]

    def with_initials(self, letters: str, k: int) -> list[str]:
        """Up to `k` ids of passages with a run of words that begin with these letters.

        Function words may count or not; equal ones by their place in the index.
        """
        now = self._now
        rows = (r for r, own in enumerate(now.letters) if letters in own[0] or letters in own[1])
        live = (now.ids[row] for row in rows if now.row_of.get(now.ids[row]) == row)
        return list(islice(live, k))

    def near(self, word: str, distance: int) -> list[str]:
        """Live tokens that a word, or its beginning, is within an edit distance of, nearest first.

        They begin alike; swapped neighbours are one edit (optimal string alignment). Of those as
        near the commonest come first. A token is a stem: the ending of the word is not compared.
        """
        corpus = self._now.corpus
        by_length: dict[int, list[str]] = {}
        for token in corpus.tokens():
            if token[:1] == word[:1] and token.isalpha():
                by_length.setdefault(min(len(token), len(word)), []).append(token)
        found = [
            (edits, -corpus.holding(token), token)
            for length, tokens in by_length.items()
            if length >= len(word) - ENDING
            for token, edits, _ in process.extract(
                word[:length], tokens, scorer=OSA.distance, score_cutoff=distance, limit=None
            )
        ]
        return [token for _, rows, token in sorted(found) if rows]

    def scores(self, query: str | Sequence[str], ids: Iterable[str]) -> dict[str, float]:
        """BM25 of given passages; 0 for one that shares no token, and none for one not indexed."""
        now = self._now
        scores = now.corpus.weighted_scores(_weights(query))
        return {i: float(scores[now.row_of[i]]) for i in ids if i in now.row_of}


def _weights(query: str | Sequence[str]) -> Mapping[str, float]:
    """Each token of a text once: saying a word twice does not make it matter more."""
    texts = [query] if isinstance(query, str) else query
    weights: Counter[str] = Counter()
    for text in texts:
        weights.update(set(analyze(text)))
    return {token: count / len(texts) for token, count in sorted(weights.items())}


def _tidied(snapshot: _Snapshot) -> _Snapshot:
    """The snapshot, compacted when it has many parts or many dead rows."""
    corpus = snapshot.corpus
    if corpus.segments <= MAX_SEGMENTS and corpus.corpus_size >= corpus.rows * (1 - MAX_DEAD_SHARE):
        return snapshot
    rows = [row for row, i in enumerate(snapshot.ids) if snapshot.row_of.get(i) == row]
    ids = tuple(snapshot.ids[row] for row in rows)
    letters = tuple(snapshot.letters[row] for row in rows)
    return _Snapshot(corpus.compacted(), ids, {i: row for row, i in enumerate(ids)}, letters)
