"""`python -m ingest --purge`: what goes is shown, then asked about, then gone."""

import sys
from collections.abc import Callable, Sequence
from functools import partial

import typer

from ingest.errors import SettingsError
from ingest.printable import PlainConsole, counted, one_line
from ingest.purge import Plan, plan
from ingest.settings import IngestSettings

SHOWN = 20  # passages of each kind that are named in words; --json names all
BACKUPS = (
    "Copies made with `--backup`, and any other copy of the data folder, still hold it: delete"
    " them, or purge there as well."
)


def purge_command(
    settings: IngestSettings, targets: Sequence[str], *, dry_run: bool, yes: bool
) -> tuple[Plan, bool]:
    """Purge what the targets stand for; give what that is, and whether it is gone now.

    Raises:
        SettingsError: nothing, or something unknown, is named; or nobody can be asked.
        BusyError: a bot or a sync owns the data folder.
    """
    from ingest.index import Index
    from ingest.ledger import Ledger

    if not targets:
        raise SettingsError("Name the ids of passages, or documents, after --purge.")
    if dry_run:
        ledger = Ledger.existing(settings.data)
        try:
            return plan(ledger.engine, targets), False
        finally:
            ledger.close()
    Ledger.existing(settings.data).close()  # a folder without a ledger is told, not filled
    with Index(settings) as index:
        if not yes:
            planned = plan(index.ledger.engine, targets)
            agree(partial(print_plan, planned, gone=False, stderr=True), "Nothing was purged")
        return index.purge(targets), True


def agree(show: Callable[[], None], refused: str) -> None:
    """Show what would go, and ask whether it may.

    Raises:
        SettingsError: nobody can be asked, or the answer is no; it begins with `refused`.
    """
    if not sys.stdin.isatty():
        raise SettingsError(
            f"{refused}: say --yes as well where nobody can be asked (--dry-run shows what would"
            " go)."
        )
    show()
    if not typer.confirm("Remove this for good?", err=True):
        raise SettingsError(f"{refused}.")


def print_plan(planned: Plan, *, gone: bool, stderr: bool = False) -> None:
    """What goes or went, in words."""
    out = PlainConsole(stderr=stderr, highlight=False, soft_wrap=True)
    verb = "Removed for good" if gone else "This would go for good"
    out.print(
        f"{verb}: {counted(len(planned.passages), 'passage')};"
        f" the text of {counted(planned.answers, 'answer')}.",
        markup=False,
    )
    for doc in planned.docs:
        out.print(f"  the whole of {one_line(doc)}", markup=False)
    for chunk in planned.passages[:SHOWN]:
        out.print(f"  {chunk.id}  {one_line(chunk.doc)}", markup=False)
    if (more := len(planned.passages) - SHOWN) > 0:
        out.print(f"  and {more} more")
    if planned.alike:
        out.print(f"These stay, and have some of the same words: {_named(planned)}", markup=False)
    out.print(BACKUPS, markup=False)


def _named(planned: Plan) -> str:
    names = [f"{chunk.id} ({one_line(chunk.doc)})" for chunk in planned.alike[:SHOWN]]
    return ", ".join(names) + (" …" if len(planned.alike) > SHOWN else "")


def plan_json(planned: Plan, *, gone: bool) -> dict[str, object]:
    """What goes or went, as data; without its text."""
    return {
        "purged": gone,
        "documents": list(planned.docs),
        "passages": [{"id": c.id, "doc": c.doc} for c in planned.passages],
        "answers": planned.answers,
        "alike": [{"id": c.id, "doc": c.doc} for c in planned.alike],
        "warning": BACKUPS,
    }
