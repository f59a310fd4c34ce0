"""The gate's thresholds as `calibrate` leaves them: `gate.json` in the data folder."""

import json
from datetime import UTC, datetime
from pathlib import Path

from pydantic import BaseModel, TypeAdapter, ValidationError

from bot.gate import Thresholds
from bot.ranking.evidence import evidence_name
from ingest.errors import SettingsError
from ingest.private import create_private

FILE = "gate.json"


class Calibrated(BaseModel):
    """Thresholds of one reranker, and how they came about. `made_at` is in ISO 8601, UTC.

    `evidence` names what the evidence was fitted by then: thresholds hold for that alone.
    """

    thresholds: Thresholds
    cases: str
    made_at: str
    max_false_answers: float
    evidence: str = ""


_FILE = TypeAdapter(dict[str, Calibrated])


def calibration_of(data: Path, reranker: str) -> Calibrated | None:
    """Give what was chosen for a reranker, or None when nothing was for its evidence of today.

    Raises:
        SettingsError: the file cannot be read.
    """
    found = _read(data / FILE).get(reranker)
    return found if found and found.evidence == evidence_name(reranker) else None


def is_outdated(data: Path, reranker: str) -> bool:
    """Whether what was chosen was chosen for another evidence than today's, and so is left alone.

    Raises:
        SettingsError: the file cannot be read.
    """
    return reranker in _read(data / FILE) and calibration_of(data, reranker) is None


def read_calibrated(data: Path, reranker: str) -> Thresholds | None:
    """Give the thresholds chosen for a reranker; see `calibration_of`."""
    found = calibration_of(data, reranker)
    return found.thresholds if found else None


def write_calibrated(
    data: Path, reranker: str, thresholds: Thresholds, *, cases: str, max_false_answers: float
) -> Path:
    """Keep thresholds for a reranker beside those of others, and give the file.

    Raises:
        SettingsError: the file that is there cannot be read.
    """
    file = data / FILE
    made_at = datetime.now(UTC).isoformat(timespec="seconds")
    kept = _read(file)
    kept[reranker] = Calibrated(
        thresholds=thresholds,
        cases=cases,
        made_at=made_at,
        max_false_answers=max_false_answers,
        evidence=evidence_name(reranker),
    )
    beside = file.with_suffix(".new")
    create_private(beside)
    beside.write_text(json.dumps(_FILE.dump_python(kept, mode="json"), indent=2), encoding="utf-8")
    beside.replace(file)
    return file


def _read(file: Path) -> dict[str, Calibrated]:
    try:
        return _FILE.validate_json(file.read_bytes())
    except FileNotFoundError:
        return {}
    except (OSError, ValidationError) as error:
        raise SettingsError(
            f"{file} cannot be read ({type(error).__name__}): calibrate again, or remove it."
        ) from error
