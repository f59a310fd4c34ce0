"""What goes between the process of a sync and the child that reads documents."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from ingest.counting import CountTokens
from ingest.types import Chunk, Sizes

READY = "ready"


@dataclass(frozen=True, slots=True)
class Job:
    """A document to be parsed and divided. `read_as` is the name that tells its format."""

    source: str
    path: str
    doc: str
    read_as: str
    data: bytes = field(repr=False)
    sizes: Sizes


@dataclass(frozen=True, slots=True)
class Reading:
    """What came of a document: see `Parsed`; its chunks' ids are not final."""

    title: str
    front_matter: Mapping[str, str]
    warning: str
    chunks: tuple[Chunk, ...]


@dataclass(frozen=True, slots=True)
class Hello:
    """The first message: what holds for all jobs. `memory_bytes` is of address space."""

    count_tokens: CountTokens
    memory_bytes: int


@dataclass(frozen=True, slots=True)
class Refused:
    """Why a document cannot be taken in, for its owner."""

    error: str


@dataclass(frozen=True, slots=True)
class Exhausted:
    """The limit of memory was met; the process ends."""


Reply = Reading | Refused | Exhausted
