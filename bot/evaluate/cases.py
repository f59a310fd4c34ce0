"""Cases: questions with what answers them, one JSON object a line."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import (
    AliasChoices,
    BaseModel,
    BeforeValidator,
    Field,
    ValidationError,
    model_validator,
)

from bot.types import Turn
from ingest.errors import FootnoteError

Answerable = bool | Literal["partial"] | None


@dataclass(frozen=True, slots=True)
class Place:
    """A document that answers the question where it holds one of some exact substrings."""

    doc: str
    spans: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Case:
    """A question and what is known of its answer.

    Gold is named in one of three ways: `gold_ids` that were printed, `places` (they survive another
    chunking; each of them alone is enough), or `gold_docs`. `answerable` is None when nobody judged
    it. `values` are short texts one of which a right answer's source holds. `kind` groups cases.
    """

    line: int
    q: str
    answerable: Answerable = True
    gold_ids: tuple[str, ...] = ()
    places: tuple[Place, ...] = ()
    gold_docs: tuple[str, ...] = ()
    history: tuple[Turn, ...] = ()
    standalone: str = ""
    note: str = ""
    kind: str = ""
    values: tuple[str, ...] = ()


class _Turn(BaseModel):
    role: Literal["user", "assistant"]
    text: str


class _Place(BaseModel):
    file: str
    span: str = ""


def _place(value: object) -> object:
    """A file's name alone stands for any of the spans there, a pair for file and span."""
    if isinstance(value, str):
        return {"file": value}
    if isinstance(value, list) and len(value) == 2:  # noqa: PLR2004 - a pair
        return {"file": value[0], "span": value[1]}
    return value


class _Line(BaseModel):
    """A line as people write it; keys that are not named here are passed over."""

    q: str = Field(min_length=1)
    gold: list[str] = []
    file: str | None = None
    span: str | None = None
    also_ok: list[str | _Place] = []
    also_in: list[Annotated[_Place, BeforeValidator(_place)]] = []
    gold_docs: list[str] = []
    answerable: Answerable = True
    history: list[_Turn] = []
    standalone: str = ""
    note: str = ""
    kind: str = Field("", validation_alias=AliasChoices("kind", "lang"))
    gold_text: str = ""
    alternative_answers: list[str] = []

    @model_validator(mode="after")
    def _agrees(self) -> Self:
        if bool(self.file) != bool(self.span):
            raise ValueError("file and span belong together")
        if (self.also_ok or self.also_in) and not self.file:
            raise ValueError("also_ok and also_in need file and span")
        return self

    def case(self, line: int) -> Case:
        spans = tuple(s for s in (self.span, *self.also_ok) if s and isinstance(s, str))
        places = [Place(self.file, spans)] if self.file else []
        places += [
            Place(p.file, (p.span,) if p.span else spans)
            for p in self.also_ok
            if isinstance(p, _Place)
        ]
        places += [Place(p.file, (p.span,) if p.span else spans) for p in self.also_in]
        values = spans if self.file else (self.gold_text, *self.alternative_answers)
        return Case(
            line=line,
            q=self.q,
            answerable=self.answerable,
            gold_ids=tuple(self.gold),
            places=tuple(places),
            gold_docs=tuple(self.gold_docs),
            history=tuple(Turn(turn.role, turn.text) for turn in self.history),
            standalone=self.standalone,
            note=self.note,
            kind=self.kind,
            values=tuple(value for value in values if value),
        )


def read_cases(file: Path) -> list[Case]:
    """Read a file of cases; blank lines are passed over.

    Raises:
        FootnoteError: it cannot be read, holds no case, or a line (named by its number) is none.
    """
    try:
        lines = file.read_text(encoding="utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise FootnoteError(f"{file} cannot be read as UTF-8 text ({error}).") from error
    cases = [_case(file, n, line) for n, line in enumerate(lines, start=1) if line.strip()]
    if not cases:
        raise FootnoteError(f"{file} holds no case.")
    return cases


def _case(file: Path, number: int, line: str) -> Case:
    try:
        return _Line.model_validate(json.loads(line)).case(number)
    except json.JSONDecodeError as error:
        raise FootnoteError(f"{file}, line {number}: no JSON object ({error.msg}).") from error
    except ValidationError as error:
        raise FootnoteError(f"{file}, line {number}: {_explain(error)}.") from error


def _explain(error: ValidationError) -> str:
    first = error.errors(include_input=False, include_url=False)[0]
    where = ".".join(str(part) for part in first["loc"] if isinstance(part, int | str))
    told = first["msg"].removeprefix("Value error, ")
    return f"{where}: {told}" if where else told


def kinds(cases: Sequence[Case]) -> list[str]:
    """The kinds, in the order in which they first come."""
    return list(dict.fromkeys(case.kind for case in cases if case.kind))
