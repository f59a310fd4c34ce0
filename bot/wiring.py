"""Settings to running parts: the one place that knows which implementation stands for what."""

import asyncio
import logging
from collections.abc import AsyncIterator, Collection, Mapping
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass

from bot import prompts
from bot.abbreviations import Abbreviations
from bot.calibration import read_calibrated
from bot.entail import EntailmentJudge, choose_verifier
from bot.extract import ExtractiveGenerator
from bot.gate import Gate, thresholds_for
from bot.generate import ModelGenerator
from bot.given import NEAR_CHARS
from bot.judge import LanguageJudge
from bot.model import MessagesModel
from bot.pipeline import Pipeline
from bot.rerank import choose_reranker
from bot.retrieve import Retriever
from bot.review import Review
from bot.rewrite import ModelRewriter, RuleRewriter
from bot.settings import Settings
from bot.spellings import Spellings
from bot.stages import Rewriter
from bot.verify import verify
from bot.widen import widen
from ingest.index import Index
from ingest.ledger import Ledger
from ingest.types import Chunk, Imprint

log = logging.getLogger(__name__)

POOL_THREADS = 4
AnyJudge = LanguageJudge | EntailmentJudge


@dataclass(frozen=True, slots=True)
class Parts:
    """What a question needs. `pool` is where all work on the CPU and on files runs.

    `model` is the language model behind the stages that use one, None without a key; `judge` the
    stage that can judge what is written, whether answers are judged or not.
    """

    settings: Settings
    index: Index
    pipeline: Pipeline
    pool: Executor
    model: MessagesModel | None = None
    judge: AnyJudge | None = None


async def choose_judge(
    settings: Settings, model: MessagesModel | None, pool: Executor
) -> AnyJudge | None:
    """The verifier of the settings where it is at hand, else the language model, else none.

    Raises:
        SettingsError: the verifier is a model of another kind.
    """
    if (verifier := await asyncio.to_thread(choose_verifier, settings, pool)) is not None:
        return verifier
    return LanguageJudge(model, settings) if model is not None else None


@asynccontextmanager
async def open_parts(settings: Settings, index: Index) -> AsyncIterator[Parts]:
    """Load the models and BM25 for an opened index; close what was opened in reverse order.

    The loop is free while the models load.
    """
    async with AsyncExitStack() as stack:
        pool = ThreadPoolExecutor(POOL_THREADS, thread_name_prefix="footnote")
        stack.callback(pool.shutdown, wait=True, cancel_futures=True)
        await asyncio.to_thread(index.serving.load)
        await asyncio.to_thread(index.vectors.load)
        await asyncio.to_thread(index.load_lexical)
        idf = index.lexical.idf
        reranker = await asyncio.to_thread(choose_reranker, settings, index.serving, idf, pool)
        calibrated = read_calibrated(settings.data, reranker.name)
        model, review = None, None
        if settings.anthropic_api_key.get_secret_value():
            model = await stack.enter_async_context(MessagesModel(settings))
        judge = await choose_judge(settings, model, pool)
        if settings.judge == "log" and judge is not None:
            review = await stack.enter_async_context(Review(judge))

        def pieces(word: str) -> int:
            return len(index.serving.token_spans(word))

        pipeline = Pipeline(
            rewriter=_rewriter(settings, RuleRewriter(idf), model),
            retriever=Retriever(
                index.serving,
                index,
                index.lexical,
                index,
                dense_k=settings.dense_k,
                lexical_k=settings.lexical_k,
                budget=settings.rerank_budget,
                pool=pool,
            ),
            reranker=reranker,
            gate=Gate(thresholds_for(reranker.name, settings, calibrated)),
            surroundings=_Surroundings(index.ledger, pool),
            widen=widen,
            generator=ModelGenerator(model, settings) if model else None,
            quoter=ExtractiveGenerator(index.serving, pool),
            verify=verify,
            top_k=settings.top_k,
            max_question_chars=settings.max_question_chars,
            multilingual=lambda: index.serving.multilingual,
            judge=judge if settings.judge == "on" else None,
            review=review.begin if review else None,
            readers=(
                Spellings(index.lexical, index, pieces, pool),
                Abbreviations(index.lexical, index, pool),
            ),
        )
        yield Parts(settings, index, pipeline, pool, model, judge)


@dataclass(frozen=True, slots=True)
class _Surroundings:
    """The ledger's passages around one, and its documents, read in the pool."""

    ledger: Ledger
    pool: Executor

    async def near(self, chunk: Chunk) -> list[Chunk]:
        """See `Ledger.near`."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self.pool, self.ledger.near, chunk, NEAR_CHARS)

    async def imprints(self, docs: Collection[str]) -> Mapping[str, Imprint]:
        """See `Ledger.imprints`."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self.pool, self.ledger.imprints, docs)


def _rewriter(settings: Settings, rule: RuleRewriter, model: MessagesModel | None) -> Rewriter:
    if model is None:
        return rule

    async def complete(system: str, user: str) -> str:
        return await model.complete(
            system, user, model=settings.rewrite_model, max_tokens=settings.rewrite_tokens
        )

    return ModelRewriter(
        complete, prompts.load("rewrite"), rule, timeout_s=settings.model_timeout_s
    )
