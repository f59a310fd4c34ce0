"""What a running bot counts and times, in Prometheus' form."""

import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol, get_args

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, ProcessCollector
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.exposition import generate_latest
from prometheus_client.registry import Collector

from bot.slack.ports import Answers, OnSentence, OnStage
from bot.types import Answer, JudgeVerdict, Outcome, Turn
from ingest.types import Report

STAGE_BUCKETS_S = (0.01, 0.03, 0.1, 0.3, 1, 2, 3, 5, 10, 30, 60, 180)
VERDICTS: tuple[JudgeVerdict, ...] = get_args(JudgeVerdict)
SYNC_BUCKETS_S = (0.1, 1, 5, 15, 60, 300, 1800, 7200)


class Load(Protocol):
    """The questions in hand."""

    @property
    def waiting(self) -> int:
        """How many wait."""

    @property
    def running(self) -> int:
        """How many are worked on."""

    @property
    def refused(self) -> int:
        """How many were declined, since the start, because too many waited."""


class Link(Protocol):
    """The connection to Slack."""

    @property
    def up(self) -> bool:
        """Whether it stands."""


class Metrics:
    """One registry; may be told from any thread."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        ProcessCollector(registry=self._registry)
        self._questions = self._counter("questions", "Questions that were begun.")
        self._answers = self._counter("answers", "Answers, by what wrote them.", "generator")
        self._abstentions = self._counter("abstentions", "Abstentions, by reason.", "reason")
        self._failures = self._counter("failures", "Questions that ended in an error.")
        self._dropped = self._counter(
            "sentences_dropped", "Sentences that verification kept back, by rule.", "rule"
        )
        self._stages = self._histogram(
            "stage_seconds", "Time of each stage, and of all.", "stage", STAGE_BUCKETS_S
        )
        self._syncs = self._histogram(
            "sync_seconds",
            "Time of each sync, by outcome: ok or failed.",
            "outcome",
            SYNC_BUCKETS_S,
        )
        self._documents = self._gauge("documents", "Documents after the last sync.")
        self._passages = self._gauge("passages", "Passages after the last sync.")
        self._synced_at = self._gauge("last_sync_timestamp_seconds", "When a sync last went well.")

    def watch(self, load: Load, link: Link | None) -> None:
        """Read these whenever the metrics are asked for; without a link nothing is said of it."""
        self._registry.register(_Watched(load, link))

    def watch_judge(self, verdicts: Mapping[JudgeVerdict, int]) -> None:
        """Read the verdicts so far whenever the metrics are asked for."""
        self._registry.register(_Verdicts(verdicts))

    def begun(self) -> None:
        """A question is begun."""
        self._questions.inc()

    def ended(self, outcome: Outcome, seconds: float) -> None:
        """It has its answer, or an abstention."""
        if isinstance(outcome, Answer):
            self._answers.labels(outcome.trace.generator).inc()
        else:
            self._abstentions.labels(outcome.reason).inc()
        for dropped in outcome.trace.dropped:
            self._dropped.labels(dropped.rule).inc()
        for stage, ms in outcome.trace.timings_ms.items():
            self._stages.labels(stage).observe(ms / 1000)
        self._stages.labels("total").observe(seconds)

    def failed(self) -> None:
        """It ended in an error."""
        self._failures.inc()

    def synced(self, report: Report | None, seconds: float) -> None:
        """A sync ended; None: it failed."""
        self._syncs.labels("failed" if report is None else "ok").observe(seconds)
        if report is not None:
            self._documents.set(report.documents)
            self._passages.set(report.chunks)
            self._synced_at.set_to_current_time()

    def write(self) -> bytes:
        """All of it as text."""
        return generate_latest(self._registry)

    def _counter(self, name: str, about: str, *labels: str) -> Counter:
        return Counter(f"footnote_{name}", about, labels, registry=self._registry)

    def _gauge(self, name: str, about: str) -> Gauge:
        return Gauge(f"footnote_{name}", about, registry=self._registry)

    def _histogram(self, name: str, about: str, label: str, buckets: Sequence[float]) -> Histogram:
        return Histogram(
            f"footnote_{name}", about, (label,), buckets=buckets, registry=self._registry
        )


class Measured:
    """Answers that are counted and timed."""

    def __init__(self, answers: Answers, metrics: Metrics) -> None:
        self._answers = answers
        self._metrics = metrics

    async def answer(
        self,
        question: str,
        history: Sequence[Turn] = (),
        *,
        on_stage: OnStage | None = None,
        on_sentence: OnSentence | None = None,
    ) -> Outcome:
        """As the answers that are measured."""
        begun = time.perf_counter()
        self._metrics.begun()
        try:
            outcome = await self._answers.answer(
                question, history, on_stage=on_stage, on_sentence=on_sentence
            )
        except Exception:
            self._metrics.failed()
            raise
        self._metrics.ended(outcome, time.perf_counter() - begun)
        return outcome


class _Verdicts(Collector):
    """How often a judge upheld a sentence, did not, or gave no verdict."""

    def __init__(self, verdicts: Mapping[JudgeVerdict, int]) -> None:
        self._verdicts = verdicts

    def collect(self) -> Iterator[Metric]:
        about = "Sentences that were judged, by verdict."
        family = CounterMetricFamily("footnote_sentences_judged", about, labels=["verdict"])
        for verdict in VERDICTS:
            family.add_metric([verdict], self._verdicts.get(verdict, 0))
        yield family


class _Watched(Collector):
    """Figures that somebody else keeps."""

    def __init__(self, load: Load, link: Link | None) -> None:
        self._load = load
        self._link = link

    def collect(self) -> Iterator[Metric]:
        load = self._load
        yield GaugeMetricFamily("footnote_queue_length", "Questions that wait.", load.waiting)
        yield GaugeMetricFamily(
            "footnote_questions_running", "Questions that are worked on.", load.running
        )
        yield CounterMetricFamily(
            "footnote_questions_declined", "Questions for which there was no room.", load.refused
        )
        if self._link is not None:
            about = "Whether the Socket Mode connection stands."
            yield GaugeMetricFamily("footnote_socket_up", about, int(self._link.up))
