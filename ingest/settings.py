"""The only reader of the environment on this side."""

import difflib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Literal, TypeVar

from dotenv import dotenv_values
from pydantic import Field, ValidationError
from pydantic_core import ErrorDetails
from pydantic_settings import BaseSettings, SettingsConfigDict

from ingest.errors import SettingsError

PACKAGED_MODEL = "all-MiniLM-L6-v2"
PREFIX = "FOOTNOTE_"
ENV_FILE = ".env"


class IngestSettings(BaseSettings):
    """Settings of ingestion: `FOOTNOTE_<NAME>` in the environment or in `.env`."""

    model_config = SettingsConfigDict(
        env_prefix=PREFIX, env_file=ENV_FILE, env_ignore_empty=True, extra="ignore"
    )

    docs: str = Field("docs", description="Folders of documents, split on the path separator.")
    data: Path = Field(Path(".footnote"), description="Where the ledger and the indexes live.")
    exclude: str = Field(
        "", description="Patterns as in .gitignore, one a line or comma-separated."
    )
    max_file_mb: float = Field(10, gt=0, description="Larger files are reported, not read.")
    parse_timeout_s: float = Field(
        30, gt=0, description="Longest that reading one file may take; it is reported then."
    )
    parse_memory_mb: int = Field(
        1000, ge=200, description="Memory that reading one file may take; it is reported then."
    )

    embedder: str = Field(
        PACKAGED_MODEL, description="The packaged model, or any sentence-transformers name or path."
    )
    query_prompt: str = Field(
        "", description="Put before a question (BGE, E5); default: the model's."
    )
    passage_prompt: str = Field("", description="Put before a passage; default: the model's own.")
    dtype: Literal["auto", "float32", "bfloat16"] = Field(
        "auto", description="auto: bfloat16 where the CPU has matrix instructions for it (AMX)."
    )
    threads: int = Field(0, ge=0, description="Threads of the models; 0: as many as cores.")

    target_tokens: int = Field(200, ge=16, description="Passages are grouped up to this size.")
    max_tokens: int = Field(256, ge=32, description="No passage is larger, headings included.")

    sync_every: str = Field("15m", description="2s, 15m, 1h, or a cron line of five fields.")
    max_vanished: float = Field(
        0.5,
        gt=0,
        le=1,
        description="A sync that would remove a larger share of the documents stops.",
    )
    keep_versions: str = Field(
        "",
        pattern=r"^([1-9]\d{0,4}d)?$",
        description="How long the text of passages that are no more, as 365d; default: for good.",
    )

    log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = Field(
        "INFO", description="How much is logged, on stderr."
    )

    def folders(self) -> list[Path]:
        """The source folders, in the order given."""
        return [Path(part).expanduser() for part in self.docs.split(os.pathsep) if part.strip()]

    def excluded(self) -> list[str]:
        """The exclusion patterns, one an entry."""
        parts = self.exclude.replace(",", "\n").splitlines()
        return [part.strip() for part in parts if part.strip()]


S = TypeVar("S", bound=IngestSettings)


def load_settings(kind: type[S]) -> S:
    """Read the settings; what is wrong becomes a sentence a setting.

    Raises:
        SettingsError: a setting makes no sense, or `.env` cannot be read.
    """
    try:
        return kind()
    except ValidationError as error:
        wrong = error.errors(include_input=False, include_url=False)
        raise SettingsError("\n".join(_explain(kind, each) for each in wrong)) from error
    except UnicodeDecodeError as error:
        raise SettingsError(".env is not UTF-8 text: save it as UTF-8.") from error


def unknown_settings(kind: type[IngestSettings]) -> Iterator[str]:
    """A sentence for each name that looks like a setting and is none, in the order of names."""
    known = {name.upper() for name in kind.model_fields}
    names = {name.upper() for name in (*os.environ, *dotenv_values(ENV_FILE))}
    given = {name.removeprefix(PREFIX) for name in names if name.startswith(PREFIX)}
    for name in sorted(given - known):
        like = difflib.get_close_matches(name, known, n=1)
        meant = f": did you mean {PREFIX}{like[0]}?" if like else "."
        yield f"{PREFIX}{name} is no setting and changes nothing{meant}"


# What each kind of error says; `{gt}` and the like are the limits that were not kept.
_WORDS = {
    "int_parsing": "it must be a whole number",
    "int_from_float": "it must be a whole number",
    "float_parsing": "it must be a number",
    "bool_parsing": "it must be true or false",
    "greater_than": "it must be more than {gt:g}",
    "greater_than_equal": "it must be at least {ge:g}",
    "less_than_equal": "it must be at most {le:g}",
    "literal_error": "it must be {expected}",
}


def _explain(kind: type[IngestSettings], wrong: ErrorDetails) -> str:
    """Which setting is wrong and what it is for, without its value: it could be a secret."""
    given = str(wrong["loc"][0])
    field = given.removeprefix(PREFIX).lower()
    name = given if given.isupper() else f"{PREFIX}{field.upper()}"
    words = _WORDS.get(wrong["type"], "it does not have the form that is asked for")
    meant = kind.model_fields.get(field)
    purpose = f" ({meant.description.rstrip('.')})" if meant and meant.description else ""
    return f"{name} is wrong: {words.format(**wrong.get('ctx', {}))}{purpose}."
