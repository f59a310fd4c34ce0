"""`python -m bot doctor`: what is set, what runs, and what is wrong."""

import asyncio
import os
import tempfile
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from rich.text import Text

from bot import hub
from bot.calibration import FILE, calibration_of, is_outdated
from bot.cli.shared import out, print_json
from bot.evaluate.probe import probe
from bot.gate import thresholds_for
from bot.rerank import reranker_at_hand
from bot.settings import Settings
from bot.slack.rights import SCOPES, Rights, ask_slack
from ingest.embed import packaged_model
from ingest.errors import FootnoteError
from ingest.index import Index
from ingest.ledger import Ledger
from ingest.lock import holder
from ingest.printable import counted
from ingest.schedule import parse_every
from ingest.settings import PACKAGED_MODEL, PREFIX
from ingest.sources.folder import open_sources

Mark = Literal["ok", "warning", "wrong"]
GATE_SETTINGS = ("min_score", "sure_score")
STYLE: dict[Mark, str] = {"ok": "green", "warning": "yellow", "wrong": "red"}


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing looked at."""

    about: str
    mark: Mark
    text: str


def examine(settings: Settings, *, deep: bool = False) -> list[Finding]:
    """Look at everything; nothing is changed, and a running bot is left alone. Slack is asked.

    `deep` also holds every vector against the ledger's, and lets text lifted out of passages find
    them again.
    """
    findings = [_schedule(settings), _data_folder(settings), *_tokens(settings), *_slack(settings)]
    findings += [_embedder(settings), _reranker(settings), _gate(settings), *_sources(settings)]
    try:
        ledger = Ledger(settings.data)
    except FootnoteError as error:
        return [*findings, Finding("ledger", "wrong", str(error))]
    try:
        findings += [_ledger(ledger), _last_sync(ledger), *_failures(ledger)]
    finally:
        ledger.close()
    findings.append(_indexes(settings))
    if deep and findings[-1].mark == "ok" and not holder(settings.data):
        findings += _deep(settings)
    return findings


def print_findings(findings: list[Finding], *, as_json: bool) -> bool:
    """Print them; whether nothing is wrong."""
    fine = all(finding.mark != "wrong" for finding in findings)
    if as_json:
        rows = [{"about": f.about, "mark": f.mark, "text": f.text} for f in findings]
        print_json({"ok": fine, "findings": rows})
        return fine
    for finding in findings:
        line = Text(f"{finding.mark:8}", style=STYLE[finding.mark])
        out.print(line + Text(f"{finding.about}: {finding.text}", style=""))
    return fine


def _schedule(settings: Settings) -> Finding:
    try:
        parse_every(settings.sync_every)
    except FootnoteError as error:
        return Finding("schedule", "wrong", str(error))
    return Finding("schedule", "ok", f"a sync every {settings.sync_every}")


def _data_folder(settings: Settings) -> Finding:
    data = settings.data.resolve()
    if data.is_relative_to(Path(tempfile.gettempdir()).resolve()):
        text = (
            f"{data} looks ephemeral: citations die with it. Give FOOTNOTE_DATA a lasting folder."
        )
        return Finding("data", "warning", text)
    if os.environ.get("DYNO") or (Path("/.dockerenv").exists() and not _on_volume(data)):
        text = f"{data} is inside a container: mount a volume there, or citations die with it."
        return Finding("data", "warning", text)
    return Finding("data", "ok", str(data))


def _on_volume(folder: Path) -> bool:
    return any(part.is_mount() for part in (folder, *folder.parents) if part != Path("/"))


def _tokens(settings: Settings) -> list[Finding]:
    findings = []
    slack = {
        "SLACK_BOT_TOKEN": (settings.slack_bot_token, "xoxb-"),
        "SLACK_APP_TOKEN": (settings.slack_app_token, "xapp-"),
    }
    for name, (token, prefix) in slack.items():
        value = token.get_secret_value()
        if not value:
            findings.append(Finding(name, "warning", "not set: needed for Slack, not for `ask`"))
        elif not value.startswith(prefix):
            findings.append(Finding(name, "wrong", f"is no token of its kind ({prefix}…)"))
        else:
            findings.append(Finding(name, "ok", "set"))
    key = bool(settings.anthropic_api_key.get_secret_value())
    told = f"set; {settings.model} answers" if key else "not set: answers quote the documents"
    findings.append(Finding("ANTHROPIC_API_KEY", "ok" if key else "warning", told))
    return [*findings, _judge(settings, key=key)]


def _slack(settings: Settings) -> list[Finding]:
    """What Slack says of the tokens, if they can be ones."""
    given = {"SLACK_BOT_TOKEN": (settings.slack_bot_token, "xoxb-")}
    if settings.slack_app_token.get_secret_value():
        given["SLACK_APP_TOKEN"] = (settings.slack_app_token, "xapp-")
    for name, (token, prefix) in given.items():
        if not token.get_secret_value().strip().startswith(prefix):
            return [Finding("Slack", "warning", f"not asked, as {name} has no {prefix}… token")]
    try:
        rights = asyncio.run(ask_slack(settings))
    except FootnoteError as error:
        return [Finding("Slack", "wrong", str(error))]
    return _rights(rights)


def _rights(rights: Rights) -> list[Finding]:
    told = f"it takes the tokens; the workspace is {rights.team}"
    mend = "give the app what manifest.yml lists, and reinstall it"
    return [
        Finding("Slack", "ok", told),
        *(
            Finding(f"scope {scope}", "wrong", f"missing: {SCOPES[scope]}; {mend}")
            for scope in rights.missing
        ),
        *(
            Finding(setting, "wrong", f"nothing can be posted there: {why}")
            for setting, why in rights.out_of_reach.items()
        ),
    ]


def _judge(settings: Settings, *, key: bool) -> Finding:
    name = settings.verifier
    if settings.judge == "off":
        return Finding("FOOTNOTE_JUDGE", "ok", "off: the wording of sentences is not judged")
    if name and hub.on_disk(name) is None:
        told = (
            f"{name} (FOOTNOTE_VERIFIER) is not on this disk: it is fetched at start if it can be"
        )
        return Finding("FOOTNOTE_JUDGE", "warning", told)
    if not key:
        return Finding("FOOTNOTE_JUDGE", "ok", "nothing to judge: answers quote the documents")
    judge = name or settings.judge_model or settings.rewrite_model
    logged = settings.judge == "log"
    what = "what it does not uphold is logged" if logged else "only what it upholds is shown"
    return Finding("FOOTNOTE_JUDGE", "ok", f"{judge} judges each sentence: {what}")


def _embedder(settings: Settings) -> Finding:
    if settings.embedder != PACKAGED_MODEL:
        if hub.on_disk(settings.embedder) is not None:
            return Finding("embedder", "ok", settings.embedder)
        told = f"{settings.embedder} is not on this disk: it is fetched when it is first needed"
        return Finding("embedder", "warning", told)
    try:
        packaged_model()
    except FootnoteError as error:
        return Finding("embedder", "wrong", str(error))
    return Finding("embedder", "ok", f"{PACKAGED_MODEL}, its checksum as published")


def _reranker(settings: Settings) -> Finding:
    name = reranker_at_hand(settings)
    if name == settings.reranker:
        return Finding("reranker", "ok", name)
    return Finding("reranker", "ok", f"{name}, as the weights of {settings.reranker} are not here")


def _gate(settings: Settings) -> Finding:
    """The thresholds in force, and where they come from."""
    reranker = reranker_at_hand(settings)
    try:
        kept = calibration_of(settings.data, reranker)
        outdated = is_outdated(settings.data, reranker)
    except FootnoteError as error:
        return Finding("gate", "wrong", str(error))
    t = thresholds_for(reranker, settings, kept.thresholds if kept else None)
    rule = f"evidence {t.sure_score:.3g} to answer, {t.min_score:.3g} for perhaps"
    origin = f"the defaults for {reranker}"
    if kept:
        file = settings.data / FILE
        origin = f"calibrated on {kept.made_at[:10]} with {kept.cases}; deleting {file} undoes it"
    names = [name for name in GATE_SETTINGS if getattr(settings, name) is not None]
    if names:
        given = ", ".join(f"{PREFIX}{name.upper()}" for name in names)
        others = "" if len(names) == len(GATE_SETTINGS) else f"; the rest: {origin}"
        origin = f"set by {given}{others}"
    if outdated:
        origin += "; what was calibrated before was for another evidence: calibrate again"
    return Finding("gate", "warning" if outdated else "ok", f"{rule} ({origin})")


def _sources(settings: Settings) -> list[Finding]:
    try:
        sources = open_sources(settings)
    except FootnoteError as error:
        return [Finding("FOOTNOTE_DOCS", "wrong", str(error))]
    findings = []
    for source in sources:
        try:
            listing = source.scan()
        except FootnoteError as error:
            findings.append(Finding("FOOTNOTE_DOCS", "wrong", str(error)))
            continue
        count = len(listing.entries)
        others = counted(len(listing.unsupported), "other file")
        told = f"{source.root}: {counted(count, 'document')}, {others}"
        findings.append(Finding("FOOTNOTE_DOCS", "ok" if count else "warning", told))
    return findings


def _ledger(ledger: Ledger) -> Finding:
    documents, passages = ledger.counts()
    if not passages:
        return Finding("ledger", "warning", "no passages yet: run `python -m ingest`")
    return Finding(
        "ledger", "ok", f"{counted(documents, 'document')}, {counted(passages, 'passage')}"
    )


def _last_sync(ledger: Ledger) -> Finding:
    when = ledger.read_note("last_sync")
    error = ledger.read_note("sync_error")
    if error:
        return Finding("sync", "wrong", error)
    if when is None:
        return Finding("sync", "warning", "never")
    return Finding("sync", "ok", f"{datetime.fromtimestamp(float(when), UTC):%Y-%m-%d %H:%M} UTC")


def _failures(ledger: Ledger) -> list[Finding]:
    told = (*ledger.failed(), *ledger.warnings())
    return [Finding("document", "warning", f"{f.doc}: {f.error}") for f in told]


def _indexes(settings: Settings) -> Finding:
    if pid := holder(settings.data):
        return Finding("indexes", "ok", f"held by pid {pid}")
    try:
        with Index(settings) as index:
            missing, stale = index.compare()
    except FootnoteError as error:
        return Finding("indexes", "wrong", str(error))
    if missing or stale:
        counts = f"{len(missing)} passages missing, {len(stale)} stale"
        told = f"{counts}: `python -m ingest --rebuild` mends it"
        return Finding("indexes", "wrong", told)
    return Finding("indexes", "ok", "the dense index agrees with the ledger; BM25 is made from it")


def _deep(settings: Settings) -> list[Finding]:
    with Index(settings) as index:
        index.load_lexical()
        wrong = index.differing()
        found = probe(index)
    told = f"{len(wrong)} vectors are not the ledger's: `python -m ingest --rebuild` mends them"
    same = Finding("vectors", "ok", "each is the ledger's")
    share = (
        f"of {found.passages} passages the dense index finds {found.dense:.1%} by their own text"
    )
    lost = f", and {len(found.lost)} are found by neither index" if found.lost else ""
    mark: Mark = "warning" if found.lost else "ok"
    return [
        Finding("vectors", "wrong", told) if wrong else same,
        Finding("probe", mark, f"{share}, BM25 {found.bm25:.1%}{lost}"),
    ]
