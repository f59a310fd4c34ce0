"""`python -m bot cases draft`: proposed cases, one a line, to be read by a person."""

from bot.cli.shared import print_json
from bot.evaluate.drafts import propose
from ingest.errors import FootnoteError
from ingest.ledger import Ledger
from ingest.settings import IngestSettings


def draft_cases(settings: IngestSettings, count: int) -> None:
    """Print proposals as lines of a case file.

    Raises:
        FootnoteError: there are no passages to propose from.
    """
    ledger = Ledger.existing(settings.data)
    try:
        drafts = propose(ledger.all_live(), count)
    finally:
        ledger.close()
    if not drafts:
        raise FootnoteError("There is nothing to propose from yet: run `python -m ingest`.")
    for draft in drafts:
        told = {"q": draft.q, "file": draft.file, "span": draft.span, "answerable": True}
        print_json(told | {"kind": draft.kind, "note": "proposed: accept, edit or drop"})
