"""`python -m bot gaps`: what people asked and the documents do not say."""

from rich.text import Text

from bot.cli.shared import err, out, print_json, waiting
from bot.gaps import Gap, count_private, find_gaps, read_unanswered
from ingest.embed import Embedder
from ingest.ledger import Ledger
from ingest.settings import IngestSettings

WORDINGS = 4
PRIVATE = "{count:,} more were asked in private: they are counted, and not shown."


def show_gaps(settings: IngestSettings, *, as_json: bool) -> None:
    """Print the gaps. Reads the ledger alone, so that it works beside a running bot.

    Raises:
        LedgerError: the ledger cannot be read.
    """
    ledger = Ledger.existing(settings.data)
    try:
        unanswered = read_unanswered(ledger.engine)
        private = count_private(ledger.engine)
    finally:
        ledger.close()
    with waiting("Grouping the questions"):
        gaps = find_gaps(unanswered, Embedder(settings).embed_passages)
    if as_json:
        print_json([_json(gap) for gap in gaps])
    elif not gaps:
        out.print("No public question has gone without an answer yet.")
    else:
        for gap in gaps:
            _print(gap)
    if private:
        err.print(PRIVATE.format(count=private))


def _json(gap: Gap) -> dict[str, object]:
    return {
        "question": gap.question,
        "count": gap.count,
        "newest": gap.newest.isoformat(timespec="seconds"),
        "questions": list(gap.wordings),
    }


def _print(gap: Gap) -> None:
    out.print(Text(f"{gap.count:4} x  {gap.question}  ") + Text(f"{gap.newest:%F}", style="dim"))
    for wording in gap.wordings[1 : WORDINGS + 1]:
        out.print(Text(f"        {wording}", style="dim"))
    if (more := len(gap.wordings) - 1 - WORDINGS) > 0:
        out.print(Text(f"        and {more} more", style="dim"))
