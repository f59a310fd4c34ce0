"""`python -m bot forget`: what one person asked is shown as counts, asked about, then gone."""

import re
from functools import partial

from bot.cli.shared import err, out
from bot.forget import Holdings, forget, held_of
from ingest.erase import scrub
from ingest.errors import SettingsError
from ingest.ledger import Ledger
from ingest.lock import DataLock
from ingest.printable import counted, one_line
from ingest.purge_command import agree
from ingest.settings import IngestSettings

USER = re.compile(r"[UW][A-Z0-9]+")
MENTION = re.compile(r"<@([UW][A-Z0-9]+)(?:\|[^<>]*)?>")
SHOWN_CHARS = 40  # of an argument that is no id
ELSEWHERE = (
    "Copies made with `--backup`, exported cases, and any other copy of the data folder still hold"
    " it: delete them. What was posted in Slack stays there until it is deleted there."
)


def forget_command(settings: IngestSettings, person: str, *, dry_run: bool, yes: bool) -> None:
    """Remove a person's questions, with their answers and ratings, from the record for good.

    Safe to kill at any point: the same command completes it.

    Raises:
        SettingsError: it is no id of a person, nobody can be asked, or the answer is no.
        BusyError: a bot or a sync owns the data folder.
        LedgerError: there is no ledger, or another process reads, so that its log holds a copy.
    """
    user = user_of(person)
    ledger = Ledger.existing(settings.data)
    try:
        if dry_run:
            _tell(user, held_of(ledger.engine, user), gone=False)
            return
        with DataLock(settings.data):
            found = held_of(ledger.engine, user)
            if found.anything and not yes:
                shown = _in_words(user, found, gone=False)
                agree(partial(err.print, shown, markup=False), "Nothing was removed")
            found = forget(ledger.engine, user)
            scrub(ledger.engine)  # with nothing found as well: an earlier run may have been killed
    finally:
        ledger.close()
    _tell(user, found, gone=True)


def user_of(person: str) -> str:
    """The id in an id or a mention.

    Raises:
        SettingsError: it is neither.
    """
    text = person.strip()
    if USER.fullmatch(text):
        return text
    if found := MENTION.fullmatch(text):
        return found[1]
    raise SettingsError(
        f"{one_line(text[:SHOWN_CHARS])!r} is not the id of a person in Slack, so nothing was"
        " removed. Such an id begins with U or W and has capitals and digits alone (in Slack: the"
        " person's profile, ⋮, Copy member ID); a mention <@U…> serves as well."
    )


def _tell(user: str, found: Holdings, *, gone: bool) -> None:
    out.print(_in_words(user, found, gone=gone), markup=False)


def _in_words(user: str, found: Holdings, *, gone: bool) -> str:
    if not found.anything:
        return f"The record holds nothing of {user}."
    kinds = [
        (found.questions, "question", "answered"),
        (found.citations, "citation", "of those answers"),
        (found.ratings, "rating", f"of those answers or by {user}"),
        (found.waiting, "question", "waiting for an answer"),
    ]
    verb = "Removed for good" if gone else "This would go for good"
    lines = [f"{verb}, of {user}:"]
    lines += [f"  {counted(count, noun)} {more}" for count, noun, more in kinds]
    if found.forwarded:
        lines.append(f"  Sent to the owners, and still in their channel: {found.forwarded}.")
    if found.follow_ups:
        lines.append(f"  Follow-ups of others that lose their rewriting: {found.follow_ups}.")
    return "\n".join([*lines, ELSEWHERE])
