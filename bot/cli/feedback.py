"""`python -m bot feedback export`: thumbs as cases for `eval`."""

from dataclasses import asdict

from bot.cli.shared import err, print_json
from bot.ratings import RatedCase, count_private_cases, rated_cases
from ingest.ledger import Ledger
from ingest.settings import IngestSettings

PRIVATE = "{count:,} more rate what was asked in private: they are counted, and not shown."


def export_feedback(settings: IngestSettings, *, as_json: bool) -> None:
    """Print a case a line. Reads the ledger alone, so that it works beside a running bot.

    Raises:
        LedgerError: the ledger cannot be read.
    """
    ledger = Ledger.existing(settings.data)
    try:
        cases = rated_cases(ledger.engine)
        private = count_private_cases(ledger.engine)
    finally:
        ledger.close()
    for case in cases:
        print_json(_json(case))
    if not as_json:
        err.print(f"{len(cases)} cases; those with answerable null are for you to judge.")
    if private:
        err.print(PRIVATE.format(count=private))


def _json(case: RatedCase) -> dict[str, object]:
    """The line, without what is empty; `answerable` null says that nobody has judged it."""
    told = {name: value for name, value in asdict(case).items() if value}
    return told | {"answerable": case.answerable}
