import asyncio
import logging
import time
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from bot import hub
from bot.ranking.evidence import Feature, fitted
from bot.ranking.order import ALONE, MARKS, SCORES, fitted_order, less_likely
from bot.rerank import (
    CrossEncoderReranker,
    LateInteractionReranker,
    Reranker,
    choose_reranker,
    reranker_at_hand,
)
from bot.settings import Settings
from bot.tokens import TokenCache, best_matches, idf_shares, smoothed
from bot.types import Candidate, Query
from ingest.analyze import normal
from ingest.embed import Embedder, TokenVectors
from ingest.lexical import LexicalIndex
from ingest.types import Chunk

PASSAGES = {
    "4013": ("Errors > ERR_4013", "The file is larger than the plan allows."),
    "4014": ("Errors > ERR_4014", "The file has no name."),
    "4015": ("Errors > ERR_4015", "The file could not be read."),
    "leave": ("Benefits > Leave", "Employees get 28 days of paid leave a year."),
    "hotel": ("Travel > Hotels", "We pay up to 120 EUR a night."),
    "haus": ("Gebäude", "Das Haus wird um 22 Uhr geschlossen und der Alarm ist dann an."),
}
CHUNKS = {
    i: Chunk(i, "handbook.md", heading, 0, len(text), text)
    for i, (heading, text) in PASSAGES.items()
}


@pytest.fixture(scope="module")
def pool() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(2) as executor:
        yield executor


@pytest.fixture(scope="module")
def lexical() -> LexicalIndex:
    index = LexicalIndex()
    index.update(list(CHUNKS.values()))
    return index


@pytest.fixture(scope="module")
def late(
    embedder: Embedder, lexical: LexicalIndex, pool: ThreadPoolExecutor
) -> LateInteractionReranker:
    return LateInteractionReranker(embedder, lexical.idf, pool)


@pytest.fixture(scope="module")
def tiny_cross_encoder(tmp_path_factory: pytest.TempPathFactory, embedder: Embedder) -> Path:
    """A checkpoint with random weights: it exercises the path and says nothing of quality."""
    from transformers import BertConfig, BertForSequenceClassification

    folder = tmp_path_factory.mktemp("cross-encoder")
    config = BertConfig(
        vocab_size=30522,
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=16,
        num_labels=1,
    )
    BertForSequenceClassification(config).save_pretrained(folder)
    embedder._loaded.tokenizer.save_pretrained(folder)
    return folder


def candidates(embedder: Embedder, lexical: LexicalIndex, query: Query) -> list[Candidate]:
    vector = np.mean([embedder.embed_query(text) for text in query.texts], axis=0)
    vectors = embedder.embed_passages([c.embedded for c in CHUNKS.values()])
    scores = lexical.scores(query.texts, CHUNKS)
    return [
        Candidate(chunk, cosine=float(row @ vector), bm25=scores[i])
        for (i, chunk), row in zip(CHUNKS.items(), vectors, strict=True)
    ]


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("What does error ERR_4013 mean?", "4013"),
        ("What does error ERR_4015 mean?", "4015"),
        ("how long is the vacation", "leave"),
        ("how much may a room cost on a trip", "hotel"),
        ("Wann wird das Haus geschlossen?", "haus"),
    ],
)
async def test_the_passage_that_answers_comes_first(
    question: str,
    first: str,
    late: LateInteractionReranker,
    embedder: Embedder,
    lexical: LexicalIndex,
) -> None:
    query = Query(question)
    hits = await late.rerank(query, candidates(embedder, lexical, query))
    assert hits[0].chunk.id == first
    assert len(hits) == len(CHUNKS)
    assert [h.score for h in hits] == sorted((h.score for h in hits), reverse=True)


async def test_of_two_languages_the_readers_own_comes_first(late: LateInteractionReranker) -> None:
    texts = {
        "1": "Lady Gaga sang the national anthem at the stadium in front of all the fans.",
        "2": "Lady Gaga sang die Nationalhymne vor allen Fans in dem Stadion.",
    }
    pool = [
        Candidate(Chunk(id_, f"{id_}.md", "", 0, len(text), text), cosine=0.5, bm25=2.0)
        for id_, text in texts.items()
    ]
    hits = await late.rerank(Query("Was hat Lady Gaga vor den Fans gesungen?"), pool)
    assert [hit.chunk.id for hit in hits] == ["2", "1"]
    hits = await late.rerank(Query("What did Lady Gaga sing in front of the fans?"), pool)
    assert [hit.chunk.id for hit in hits] == ["1", "2"]


async def test_evidence_is_the_fitted_probability_of_what_a_hit_reports(
    late: LateInteractionReranker, embedder: Embedder, lexical: LexicalIndex
) -> None:
    query = Query("how long is the paid leave of employees")
    hits = await late.rerank(query, candidates(embedder, lexical, query))
    assert hits[0].features["words"] == 4
    assert hits[0].evidence == fitted("late-interaction").probability(hits[0].features)


def test_a_fitted_feature_counts_in_spreads_from_its_mean_and_no_more_than_two() -> None:
    made = fitted("late-interaction").model_copy(
        update={"features": {"maxsim": Feature(mean=0.5, spread=0.1, weight=1.0)}, "bias": 0.0}
    )
    assert made.probability({"maxsim": 0.5}) == 0.5
    assert made.probability({"maxsim": 0.6}) == pytest.approx(0.731, abs=0.001)
    assert made.probability({"maxsim": 0.9}) == pytest.approx(0.881, abs=0.001)


async def test_the_best_of_a_hopeless_pool_has_little_evidence(
    late: LateInteractionReranker, embedder: Embedder, lexical: LexicalIndex
) -> None:
    evidence = []
    for question in ("how many days of paid leave do employees get", "who won the football match"):
        query = Query(question)
        hits = await late.rerank(query, candidates(embedder, lexical, query))
        assert all(0 <= h.evidence <= 1 for h in hits)
        evidence.append(hits[0].evidence)
    assert evidence[0] > 0.7
    assert evidence[1] < fitted("late-interaction").perhaps


async def test_a_passage_that_was_read_out_whole_steps_back(
    late: LateInteractionReranker, embedder: Embedder, lexical: LexicalIndex
) -> None:
    first = Query("what does the error say about the file?")
    best, second, *_ = await late.rerank(first, candidates(embedder, lexical, first))
    told = Query(first.text, told=("As it says:", best.chunk.embedded))
    assert (await late.rerank(told, candidates(embedder, lexical, told)))[0].chunk == second.chunk
    part = Query(first.text, told=(best.chunk.text[:12],))
    assert (await late.rerank(part, candidates(embedder, lexical, part)))[0].chunk == best.chunk


async def test_the_order_is_by_the_fitted_weights_of_what_the_hits_report(
    late: LateInteractionReranker, embedder: Embedder, lexical: LexicalIndex
) -> None:
    order = fitted_order("late-interaction")
    for text in ("how long is the paid leave of ERR_4013", "Wann wird das Haus geschlossen?"):
        hits = await late.rerank(Query(text), candidates(embedder, lexical, Query(text)))
        columns = {
            name: np.array([hit.features[name] for hit in hits], np.float32)
            for name in hits[0].features
        }
        assert [hit.score for hit in hits] == pytest.approx(order.scores(columns), abs=1e-4)


def test_every_weight_of_the_shipped_order_comes_from_a_fit_that_the_file_names() -> None:
    order = fitted_order("late-interaction")
    assert order.weights.keys() == {*SCORES, ALONE, *MARKS}
    assert len(order.sets) == 12
    assert order.one_set == {"told": "trec_cast"}
    assert order.figures.keys() == {"recall@1", "recall@5", "nDCG@10"}
    assert order.weights["told"] < 0 < order.weights["same_language"]


def test_log_odds_make_a_probability_less() -> None:
    assert less_likely(0.5, 0.0) == 0.5
    assert less_likely(0.5, -2.0) == pytest.approx(0.119, abs=0.001)
    assert less_likely(1.0, -2.0) == 1.0
    assert less_likely(0.0, -2.0) == 0.0


async def test_a_cross_encoder_puts_back_what_was_read_out_whole_and_keeps_its_evidence(
    tiny_cross_encoder: Path, embedder: Embedder, lexical: LexicalIndex, pool: ThreadPoolExecutor
) -> None:
    chosen = choose(Settings(_env_file=None, reranker=str(tiny_cross_encoder)), embedder, pool)
    first = Query("paid leave")
    best, *_ = await chosen.rerank(first, candidates(embedder, lexical, first))
    told = Query(first.text, told=(best.chunk.embedded,))
    *_, last = await chosen.rerank(told, candidates(embedder, lexical, told))
    assert (last.chunk, last.evidence) == (best.chunk, best.evidence)
    assert last.score < best.score


async def test_no_candidates_give_no_hits(late: LateInteractionReranker) -> None:
    assert await late.rerank(Query("anything"), []) == []


async def test_a_question_of_signs_alone_breaks_nothing(
    late: LateInteractionReranker, embedder: Embedder, lexical: LexicalIndex
) -> None:
    for text in ("?!", "the of and", "🙂", "\x00"):
        hits = await late.rerank(Query(text), candidates(embedder, lexical, Query(text)))
        assert len(hits) == len(CHUNKS)
        assert all(np.isfinite(h.score) and 0 <= h.evidence <= 1 for h in hits)


async def test_the_event_loop_goes_on_during_a_rerank(
    late: LateInteractionReranker, embedder: Embedder, lexical: LexicalIndex
) -> None:
    query = Query("paid leave")
    every = candidates(embedder, lexical, query) * 200
    ticks = 0

    async def tick() -> None:
        nonlocal ticks
        while True:
            await asyncio.sleep(0.001)
            ticks += 1

    beating = asyncio.create_task(tick())
    await late.rerank(query, every)
    beating.cancel()
    assert ticks >= 3


class CountingEmbedder:
    """One token a word; counts what it is asked for."""

    multilingual = False

    def __init__(self) -> None:
        self.asked: list[str] = []

    def embed_tokens(self, texts: Iterable[str]) -> list[tuple[list[int], TokenVectors]]:
        texts = list(texts)
        self.asked += texts
        return [([0] * n, np.ones((n, 4), np.float16)) for n in (len(t.split()) for t in texts)]

    def token_spans(self, text: str) -> list[tuple[int, int]]:
        raise NotImplementedError


def test_the_cache_computes_once_and_forgets_the_oldest() -> None:
    embedder = CountingEmbedder()
    cache = TokenCache(embedder, size=30)
    cache.vectors(["a", "b", "a"])
    assert embedder.asked == ["a", "b"]
    cache.vectors(["a", "c d"])
    assert cache.size == 28
    cache.vectors(["a", "c d"])
    assert embedder.asked == ["a", "b", "c d"]
    cache.vectors(["b"])
    assert embedder.asked == ["a", "b", "c d", "b"]


def test_a_text_larger_than_the_cache_is_given_and_not_kept() -> None:
    cache = TokenCache(CountingEmbedder(), size=8)
    assert cache.vectors(["one two three"])[0].shape == (3, 4)
    assert cache.size == 0


def test_each_token_takes_its_best_match_in_each_passage() -> None:
    east, north = [1.0, 0.0], [0.0, 1.0]
    question = np.array([east, north], np.float16)
    passages: Sequence[TokenVectors] = [
        np.array([east, east], np.float16),
        np.zeros((0, 2), np.float16),
        np.array([[0.6, 0.8], north], np.float16),
    ]
    assert best_matches(question, passages) == pytest.approx(
        np.array([[1, 0, 0.6], [0, 0, 1]]), abs=1e-3
    )


def test_rare_words_weigh_more_and_function_words_nothing(embedder: Embedder) -> None:
    text = normal("What is the hotel's unobtainable price?")
    spans = embedder.token_spans(text)
    weights = idf_shares(text, spans, {"hotel": 1.0, "unobtain": 3.0, "price": 1.0}.__getitem__)
    by_word: dict[str, float] = {}
    for (start, end), weight in zip(spans, weights, strict=True):
        by_word[text[start:end]] = by_word.get(text[start:end], 0.0) + float(weight)
    assert by_word["What"] == by_word["the"] == by_word["?"] == 0
    assert by_word["hotel"] == by_word["price"] > 0
    assert weights.sum() == pytest.approx(1)
    rare = [w for (start, _), w in zip(spans, weights, strict=True) if start >= text.index("unob")]
    assert sum(rare) == pytest.approx(4 * by_word["hotel"])  # its own three, and that of the price


def test_a_word_on_every_page_keeps_some_weight() -> None:
    assert smoothed(lambda _: 0.0)("desk") == pytest.approx(0.693, abs=0.001)
    assert smoothed(lambda _: 8.0)("kayak") == pytest.approx(8.0, abs=0.001)


async def test_a_cross_encoder_gives_probabilities(
    tiny_cross_encoder: Path,
    embedder: Embedder,
    lexical: LexicalIndex,
    pool: ThreadPoolExecutor,
) -> None:
    chosen = choose(Settings(_env_file=None, reranker=str(tiny_cross_encoder)), embedder, pool)
    assert isinstance(chosen, CrossEncoderReranker)
    assert chosen.name == str(tiny_cross_encoder)
    query = Query("paid leave")
    hits = await chosen.rerank(query, candidates(embedder, lexical, query))
    assert {h.chunk.id for h in hits} == set(CHUNKS)
    assert all(0 < h.evidence < 1 and h.score == h.evidence for h in hits)
    assert hits == sorted(hits, key=lambda h: -h.score)
    assert await chosen.rerank(query, []) == []


def choose(settings: Settings, embedder: Embedder, pool: ThreadPoolExecutor) -> Reranker:
    return choose_reranker(settings, embedder, lambda _: 1.0, pool)


def test_offline_late_interaction_is_chosen_within_seconds(
    embedder: Embedder, pool: ThreadPoolExecutor, caplog: pytest.LogCaptureFixture
) -> None:
    begun = time.monotonic()
    with caplog.at_level(logging.INFO):
        assert choose(Settings(_env_file=None), embedder, pool).name == "late-interaction"
    assert time.monotonic() - begun < 30
    (told,) = caplog.messages
    assert told == (
        "The cross-encoder cross-encoder/ms-marco-MiniLM-L6-v2 is not on this machine and was not"
        " fetched: the packaged model ranks instead (late interaction)."
    )


def test_a_download_that_hangs_ends_at_its_time_limit(
    embedder: Embedder,
    pool: ThreadPoolExecutor,
    monkeypatch: pytest.MonkeyPatch,
    silent_hub: str,
) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "0")
    monkeypatch.setenv("HF_ENDPOINT", silent_hub)
    begun = time.monotonic()
    settings = Settings(_env_file=None, download_timeout_s=1.5)
    assert choose(settings, embedder, pool).name == "late-interaction"
    assert time.monotonic() - begun < 10


def test_no_download_is_tried_when_the_setting_forbids_it(
    embedder: Embedder, pool: ThreadPoolExecutor, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError

    monkeypatch.setattr("subprocess.run", refuse)
    settings = Settings(_env_file=None, reranker_download=False)
    assert choose(settings, embedder, pool).name == "late-interaction"


def test_a_damaged_checkpoint_gives_way_to_late_interaction(
    tmp_path: Path, embedder: Embedder, pool: ThreadPoolExecutor
) -> None:
    (tmp_path / "config.json").write_text("{}")
    settings = Settings(_env_file=None, reranker=str(tmp_path))
    assert choose(settings, embedder, pool).name == "late-interaction"


def test_what_would_run_is_told_without_loading_it(tiny_cross_encoder: Path) -> None:
    here = Settings(_env_file=None, reranker=str(tiny_cross_encoder))
    assert reranker_at_hand(here) == str(tiny_cross_encoder)
    assert reranker_at_hand(Settings(_env_file=None)) == "late-interaction"


@pytest.fixture
def silent_hub() -> Iterator[str]:
    """The address of a hub that accepts and never answers."""
    import socket

    with socket.create_server(("127.0.0.1", 0)) as server:
        yield f"http://127.0.0.1:{server.getsockname()[1]}"


def test_the_default_cross_encoder_is_pinned_and_another_file_is_refused(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    name = "cross-encoder/ms-marco-MiniLM-L6-v2"
    assert hub.split(name) == (name, "c5ee24cb16019beea0893ab7796b1df96625c6b8")
    assert hub.split("some/model@abc") == ("some/model", "abc")
    assert hub.split("some/model") == ("some/model", "main")
    (tmp_path / "config.json").write_text("{}")
    assert not hub.is_published(name, tmp_path)
    assert (
        "config.json is not that of cross-encoder/ms-marco-MiniLM-L6-v2 at c5ee24cb" in caplog.text
    )
    assert hub.is_published("some/model", tmp_path)
    assert hub.is_published(str(tmp_path), tmp_path)
