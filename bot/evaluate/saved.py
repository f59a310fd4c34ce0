"""A run as JSON and back."""

from pathlib import Path

from pydantic import BaseModel, TypeAdapter, ValidationError

from bot.evaluate.compare import Comparison
from bot.evaluate.figures import Figures
from bot.evaluate.types import Run
from ingest.errors import FootnoteError

_FIGURES = TypeAdapter(Figures)
_COMPARISON = TypeAdapter(Comparison | None)
_RUN = TypeAdapter(Run)


class _Saved(BaseModel):
    run: Run


def to_data(run: Run, figures: Figures, comparison: Comparison | None = None) -> dict[str, object]:
    """Give `{"figures", "comparison", "run"}` as JSON has it; a figure of no question is null."""
    return {
        "figures": _FIGURES.dump_python(figures, mode="json"),
        "comparison": _COMPARISON.dump_python(comparison, mode="json"),
        "run": _RUN.dump_python(run, mode="json"),
    }


def read_run(file: Path) -> Run:
    """Read back what `to_data` gave.

    Raises:
        FootnoteError: the file is none.
    """
    try:
        return _Saved.model_validate_json(file.read_bytes()).run
    except OSError as error:
        raise FootnoteError(f"{file} cannot be read ({error.strerror}).") from error
    except ValidationError as error:
        raise FootnoteError(f"{file} is no output of `eval --json` of this version.") from error
