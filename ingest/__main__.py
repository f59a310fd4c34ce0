"""`python -m ingest`: one sync with progress, or a look at what is known."""

import dataclasses
import io
import json
import logging
import os
import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn
from rich.progress import Progress as Bar

from ingest.errors import BusyError, FootnoteError, SettingsError
from ingest.printable import OneLineFormatter, PlainConsole, counted, not_read, one_line
from ingest.settings import IngestSettings, load_settings
from ingest.sync import Progress
from ingest.types import Report

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)
INTERRUPTED = 130
NOT_LOST = "Interrupted; nothing is lost, run it again to go on."

err = PlainConsole(stderr=True, highlight=False, soft_wrap=True)


def json_line(data: object) -> str:
    """Data as JSON that is one line to every reader, whatever it takes for a line's end."""
    line = json.dumps(data, ensure_ascii=False)
    for mark in "\x85\u2028\u2029":
        line = line.replace(mark, f"\\u{ord(mark):04x}")
    return line


@app.command()
def ingest(
    paths: Annotated[
        list[Path] | None,
        typer.Argument(
            help="Only what is at or below these; nothing elsewhere is retired. With --purge: ids"
            " of passages, or documents as --list names them."
        ),
    ] = None,
    *,
    as_json: Annotated[bool, typer.Option("--json", help="Print data alone on stdout.")] = False,
    list_: Annotated[
        bool, typer.Option("--list", help="List live passages; no sync.", show_default=False)
    ] = False,
    rebuild: Annotated[
        bool, typer.Option("--rebuild", help="Make the indexes anew from the ledger; no sync.")
    ] = False,
    backup: Annotated[
        Path | None,
        typer.Option("--backup", help="Write a consistent copy of the ledger; no sync."),
    ] = None,
    accept_removals: Annotated[
        bool, typer.Option("--accept-removals", help="It is right that most documents are gone.")
    ] = False,
    reread: Annotated[
        bool, typer.Option("--reread", help="Read unchanged files as well, whatever their times.")
    ] = False,
    purge: Annotated[
        bool, typer.Option("--purge", help="Remove passages or documents for good; no sync.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="With --purge: only show what would go.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", help="With --purge: do not ask.")] = False,
) -> None:
    """Take in what changed in the folders named by FOOTNOTE_DOCS."""
    settings = load_settings(IngestSettings)
    handler = logging.StreamHandler()
    handler.setFormatter(OneLineFormatter(logging.BASIC_FORMAT))
    level = "DEBUG" if settings.log_level == "DEBUG" else "WARNING"
    logging.basicConfig(level=level, handlers=[handler])
    if purge:
        _purge(settings, [*map(str, paths or ())], as_json=as_json, dry_run=dry_run, yes=yes)
    elif dry_run or yes:
        raise SettingsError("--dry-run and --yes go with --purge.")
    elif list_:
        _list(settings, as_json=as_json)
    elif backup is not None:
        _backup(settings, backup, as_json=as_json)
    elif rebuild:
        _rebuild(settings, as_json=as_json)
    else:
        below = [Path(os.path.abspath(path)) for path in paths] if paths else None  # noqa: PTH100
        _sync(settings, below, as_json=as_json, accept_removals=accept_removals, reread=reread)


def _sync(
    settings: IngestSettings,
    below: list[Path] | None,
    *,
    as_json: bool,
    accept_removals: bool,
    reread: bool,
) -> None:
    from ingest.index import Index

    with Index(settings) as index, _bar() as bar:
        progress = show_on(bar)
        report = index.sync(
            below, accept_removals=accept_removals, reread=reread, progress=progress
        )
    if as_json:
        print(json_line(dataclasses.asdict(report)))  # noqa: T201
    else:
        _print_report(report)


def _print_report(report: Report) -> None:
    out = PlainConsole(highlight=False, soft_wrap=True)
    out.print(
        f"{counted(report.documents, 'document')}, {counted(report.chunks, 'passage')}:"
        f" {report.added} added, {report.changed} changed, {report.removed} removed,"
        f" {report.unchanged} unchanged; {counted(report.embedded, 'passage')} embedded"
        f" in {report.seconds:.1f} s."
    )
    if report.unsupported:
        out.print(not_read(report.unsupported), markup=False)
    for failure in report.failed:
        out.print(f"Not taken in: {one_line(failure.doc)}: {failure.error}", markup=False)
    for warning in report.warnings:
        out.print(f"Taken in, but: {one_line(warning.doc)}: {warning.error}", markup=False)
    if not report.documents and not report.failed:
        out.print("The folders hold no document: Markdown (.md, .markdown, .mdx) or text (.txt).")


def _list(settings: IngestSettings, *, as_json: bool) -> None:
    from ingest.ledger import Ledger

    ledger = Ledger.existing(settings.data)
    try:
        for c in ledger.all_live():
            row = {"id": c.id, "doc": c.doc, "heading": c.heading, "start": c.start, "end": c.end}
            line = one_line(f"{c.id}  {c.doc}  {c.heading}  {c.start}-{c.end}")
            print(json_line(row) if as_json else line)  # noqa: T201
    finally:
        ledger.close()


def _backup(settings: IngestSettings, file: Path, *, as_json: bool) -> None:
    from ingest.ledger import Ledger

    ledger = Ledger.existing(settings.data)
    try:
        ledger.backup(file)
    finally:
        ledger.close()
    told = json.dumps({"backup": str(file)}) if as_json else f"Wrote {file}."
    print(told)  # noqa: T201


def _rebuild(settings: IngestSettings, *, as_json: bool) -> None:
    from ingest.index import Index

    with Index(settings) as index, _bar() as bar:
        count = index.rebuild(show_on(bar))
    told = json.dumps({"chunks": count}) if as_json else f"Rebuilt: {count} passages."
    print(told)  # noqa: T201


def _purge(
    settings: IngestSettings, targets: list[str], *, as_json: bool, dry_run: bool, yes: bool
) -> None:
    from ingest.purge_command import plan_json, print_plan, purge_command

    planned, gone = purge_command(settings, targets, dry_run=dry_run, yes=yes)
    if as_json:
        print(json_line(plan_json(planned, gone=gone)))  # noqa: T201
    else:
        print_plan(planned, gone=gone)


def _bar() -> Bar:
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    return Bar(*columns, console=err, transient=True, disable=not err.is_terminal)


def show_on(bar: Bar) -> Progress:
    """Show a pass's progress on a rich bar, a line a stage."""
    tasks: dict[str, object] = {}

    def progress(stage: str, done: int, total: int) -> None:
        if stage not in tasks:
            tasks[stage] = bar.add_task(stage, total=total)
        bar.update(tasks[stage], completed=done, total=total)  # type: ignore[arg-type]

    return progress


def run(cli: typer.Typer) -> None:
    """Run a command line so that no traceback reaches a person.

    Exit codes: 0 done; 1 it could not be done; 2 a setting or an argument is wrong; 3 another
    process owns the indexes; 130 interrupted.
    """
    _tolerate_small_alphabets()
    try:
        cli()
    except BusyError as error:
        code = _say(str(error), 3)
    except SettingsError as error:
        code = _say(str(error), 2)
    except FootnoteError as error:
        code = _say(str(error), 1)
    except SystemExit as stop:
        if stop.code == INTERRUPTED:
            _say(NOT_LOST, INTERRUPTED)
        raise
    except KeyboardInterrupt:
        code = _say(NOT_LOST, INTERRUPTED)
    except OSError as error:
        code = _say(f"{error.strerror or error} ({error.filename or 'no file'})", 1)
    except Exception as error:
        logging.getLogger(__name__).debug("unexpected", exc_info=True)
        how = "FOOTNOTE_LOG_LEVEL=DEBUG shows where."
        code = _say(f"Something unexpected went wrong ({type(error).__name__}: {error}). {how}", 1)
    else:
        return
    sys.exit(code)


def _tolerate_small_alphabets() -> None:
    """Substitute what a terminal's encoding has no character for."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


def _say(text: str, code: int) -> int:
    err.print(text, style="red", markup=False)
    return code


def main() -> None:
    """Entry point of `python -m ingest`."""
    run(app)


if __name__ == "__main__":
    main()
