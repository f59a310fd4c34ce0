"""The only reader of the environment on this side."""

from typing import Literal

from pydantic import Field, SecretStr, field_validator

from ingest.settings import IngestSettings

CHANNEL = r"^([CG][A-Z0-9]+)?$"
WEB_ADDRESS = r"^(https?://\S+)?$"
DEFAULT_RERANKER = "cross-encoder/ms-marco-MiniLM-L6-v2"


class Settings(IngestSettings):
    """All settings: `FOOTNOTE_<NAME>`, and the names that Slack and Anthropic give theirs."""

    slack_bot_token: SecretStr = Field(
        SecretStr(""), validation_alias="SLACK_BOT_TOKEN", description="The bot token, `xoxb-…`."
    )
    slack_app_token: SecretStr = Field(
        SecretStr(""),
        validation_alias="SLACK_APP_TOKEN",
        description="The app-level token, `xapp-…`.",
    )
    slack_signing_secret: SecretStr = Field(
        SecretStr(""),
        validation_alias="SLACK_SIGNING_SECRET",
        description="For HTTP mode instead of the app-level token.",
    )
    http_port: int = Field(
        0, ge=0, le=65535, description="Port of health checks and metrics; 0: none."
    )
    http_host: str = Field(
        "127.0.0.1", description="Address of that port; 0.0.0.0: reachable from everywhere."
    )
    answer_shared: bool = Field(
        False, description="Answer in Slack Connect channels and people of other companies."
    )
    answer_guests: bool = Field(False, description="Answer guests of the workspace.")
    bystanders: bool = Field(
        True,
        description="What others said in a thread, with their names, is history of a follow-up.",
    )
    mention_only: bool = Field(
        False, description="In a thread, too, answer only posts that mention the bot."
    )
    owners_channel: str = Field(
        "",
        pattern=CHANNEL,
        description="Id of the channel that gets unanswered questions, if somebody asks.",
    )
    gaps_channel: str = Field(
        "",
        pattern=CHANNEL,
        description="Id of the channel that gets the questions without an answer, each Monday.",
    )
    docs_url: str = Field(
        "",
        pattern=r"^(https?://\S*\{path\}\S*)?$",
        description="Where documents are on the web: `https://wiki.example.com/{path}`.",
    )
    slack_api_url: str = Field(
        "https://slack.com/api/",
        pattern=WEB_ADDRESS,
        validation_alias="SLACK_API_URL",
        description="Slack's Web API; a local Slack in tests.",
    )

    anthropic_api_key: SecretStr = Field(
        SecretStr(""),
        validation_alias="ANTHROPIC_API_KEY",
        description="Without it answers quote the documents.",
    )
    anthropic_base_url: str = Field(
        "",
        pattern=WEB_ADDRESS,
        validation_alias="ANTHROPIC_BASE_URL",
        description="Another address of the Messages API.",
    )
    model: str = Field("claude-sonnet-5-5", description="Writes the answers.")
    rewrite_model: str = Field("claude-haiku-5-5", description="Rewrites follow-ups.")
    judge: Literal["on", "log", "off"] = Field(
        "on",
        description="Each sentence that is written is read by a second model beside what it cites:"
        " `on` shows only what it upholds, `log` reports the rest in the log alone.",
    )
    judge_model: str = Field("", description="That model; default: the one that rewrites.")
    verifier: str = Field(
        "",
        description="Judges instead of that model: a cross-encoder for entailment or fact-checking,"
        " by name, `name@revision` or folder.",
    )
    answer_tokens: int = Field(1024, gt=0, description="An answer's largest size, in tokens.")
    model_timeout_s: float = Field(60, gt=0, description="Time limit of one call to the model.")
    model_silence_s: float = Field(20, gt=0, description="Longest pause within an answer.")
    rewrite_tokens: int = Field(200, gt=0, description="A rewritten question's largest size.")
    model_retries: int = Field(2, ge=0, description="Retries of a call that failed in passing.")

    dense_k: int = Field(40, gt=0, description="Candidates from the dense index.")
    lexical_k: int = Field(40, gt=0, description="Candidates from BM25.")
    rerank_budget: int = Field(80, gt=0, description="Candidates that the reranker reads at most.")
    top_k: int = Field(5, gt=0, description="Passages that an answer is made from.")

    reranker: str = Field(
        DEFAULT_RERANKER,
        description="A cross-encoder's name, `name@revision` or folder, or `late-interaction`.",
    )
    reranker_download: bool = Field(True, description="Try once, at start, to fetch its weights.")
    download_timeout_s: float = Field(120, gt=0, description="Time limit of that download.")
    min_score: float | None = Field(
        None, ge=0, le=1, description="Gate: less evidence is refused; default: reranker's."
    )
    sure_score: float | None = Field(
        None, ge=0, le=1, description="Gate: least evidence to quote as the answer."
    )

    keep_answers: str = Field(
        "", pattern=r"^([1-9]\d{0,4}d)?$", description="How long, as 365d; default: for good."
    )
    max_question_chars: int = Field(
        2000,
        gt=0,
        description="Longer questions are declined, longer plain replies ignored.",
    )
    history_tokens: int = Field(2000, gt=0, description="Earlier messages given to the rewrite.")
    concurrency: int = Field(4, gt=0, description="Questions worked on at once.")
    queue: int = Field(50, ge=0, description="Questions that wait at most; more are declined.")

    @field_validator("judge", mode="before")
    @classmethod
    def _as_it_was_named(cls, given: object) -> object:
        """`strict` was what is `on` now."""
        return "on" if given == "strict" else given
