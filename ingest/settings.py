"""The only reader of the environment on this side."""

import os
from pathlib import Path
from typing import Literal

from pydantic import Field
from pydantic_settings import BaseSettings, SettingsConfigDict

PACKAGED_MODEL = "all-MiniLM-L6-v2"


class IngestSettings(BaseSettings):
    """Settings of ingestion: `FOOTNOTE_<NAME>` in the environment or in `.env`."""

    model_config = SettingsConfigDict(
        env_prefix="FOOTNOTE_", env_file=".env", env_ignore_empty=True, extra="ignore"
    )

    docs: str = Field("docs", description="Folders of documents, split on the path separator.")
    data: Path = Field(Path(".footnote"), description="Where the ledger and the indexes live.")
    exclude: str = Field(
        "", description="Patterns as in .gitignore, one a line or comma-separated."
    )
    max_file_mb: float = Field(10, gt=0, description="Larger files are reported, not read.")

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
