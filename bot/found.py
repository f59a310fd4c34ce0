"""What was found for a question, or for each of several, before anything is written."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import TypeVar

from bot.given import filled
from bot.types import Hit, Shown, Verdict
from ingest.types import Chunk, Imprint

Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class Found:
    """Passages for a question, before anything is written.

    `twins` are hits that say what a better one says, by id, each with the better one's, and
    `other_editions` those of another edition's passages, with what stands for them; `imprints` are
    of the documents of the first hits. `notes` tell people how the question was read.
    """

    question: str
    standalone: str
    hits: tuple[Hit, ...]
    verdict: Verdict
    timings_ms: Mapping[str, float]
    shown: tuple[Shown, ...] = ()
    twins: Mapping[str, str] = field(default_factory=dict)
    imprints: Mapping[str, Imprint] = field(default_factory=dict)
    other_editions: Mapping[str, str] = field(default_factory=dict)
    parts: tuple["Found", ...] = ()
    notes: tuple[str, ...] = ()

    @classmethod
    def of_parts(cls, question: str, standalone: str, parts: Sequence["Found"]) -> "Found":
        """What was found for all questions of a message."""
        rows = zip_longest(*(part.hits for part in parts))
        hits = {hit.chunk.id: hit for row in reversed(list(rows)) for hit in reversed(row) if hit}
        laps: dict[str, float] = {}
        for part in parts:
            for name, took in part.timings_ms.items():
                laps[name] = round(laps.get(name, 0.0) + took, 1)
        return cls(
            question=question,
            standalone=standalone,
            hits=tuple(reversed(hits.values())),
            verdict=max((part.verdict for part in parts), key=strength),
            timings_ms=laps,
            shown=tuple(shown for part in parts for shown in part.shown),
            twins=_joined(part.twins for part in parts),
            imprints=_joined(part.imprints for part in parts),
            other_editions=_joined(part.other_editions for part in parts),
            parts=tuple(parts),
            notes=tuple(dict.fromkeys(note for part in parts for note in part.notes)),
        )

    @property
    def questions(self) -> tuple["Found", ...]:
        """Of several questions each by itself, in their order; else itself."""
        return tuple(leaf for part in self.parts for leaf in part.questions) or (self,)

    @property
    def passages(self) -> dict[str, Chunk]:
        """What an answer is made from, by id: the hits' own passages, then their neighbours.

        A passage of which another edition is asked for is none of them.
        """
        own = [shown.hit.chunk for shown in self.shown]
        beside = [chunk for shown in self.shown for chunk in shown.chunks]
        return {c.id: c for c in (*own, *beside) if c.id not in self.other_editions}

    @property
    def given(self) -> dict[str, Chunk]:
        """What a model is given: those, and what they cannot be read without."""
        near = (chunk for shown in self.shown for chunk in shown.near)
        return filled(self.passages, (c for c in near if c.id not in self.other_editions))


def strength(verdict: Verdict) -> tuple[int, float]:
    """What orders verdicts, weakest first: by zone, then by evidence."""
    return ("refused", "perhaps", "answer").index(verdict.zone), verdict.evidence


def _joined(mappings: Iterable[Mapping[str, Value]]) -> dict[str, Value]:
    return {key: value for mapping in mappings for key, value in mapping.items()}
