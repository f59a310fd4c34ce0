"""A run as JSON and back."""

import json
from pathlib import Path

from pydantic import BaseModel, TypeAdapter, ValidationError

from bot.evaluate.figures import Figures
from bot.evaluate.types import Run
from ingest.errors import FootnoteError

_FIGURES = TypeAdapter(Figures)
_RUN = TypeAdapter(Run)


class _Saved(BaseModel):
    run: Run


def to_json(run: Run, figures: Figures) -> str:
    """`{"figures", "run"}` on one line; a figure of no question is null."""
    parts = {
        "figures": _FIGURES.dump_python(figures, mode="json"),
        "run": _RUN.dump_python(run, mode="json"),
    }
    return json.dumps(parts, ensure_ascii=False)


def read_run(file: Path) -> Run:
    """Read back what `to_json` wrote.

    Raises:
        FootnoteError: the file is none.
    """
    try:
        return _Saved.model_validate_json(file.read_bytes()).run
    except OSError as error:
        raise FootnoteError(f"{file} cannot be read ({error.strerror}).") from error
    except ValidationError as error:
        raise FootnoteError(f"{file} is no output of `eval --json` of this version.") from error
