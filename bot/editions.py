"""Which of two documents is the newer, and which passages that decides between. Pure.

A document's own word counts first: that it is superseded, its version, its date; the file's time
only where nothing is said. It decides between passages that speak of the same, and nowhere else.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime

from bot.conflicts import at_odds
from bot.distinct import said_by, same_text, share_wording
from bot.questions.asked import asked
from bot.reading.dates import Date, dates
from bot.types import Hit
from ingest.analyze import analyze
from ingest.types import SEPARATOR, Chunk, Imprint

LOOKED_AT = 10  # hits from the first; what is below is no answer's
SPOKEN_OF = 2  # words of a question that news must hold to be about it at all
NEWS_REACH = 5  # ranks between news and the page that they announce
MOSTLY = 0.5  # of what the older passage says, up to values
SLACK_S = 24 * 60 * 60  # files that were copied or checked out together differ by less

_UPDATED_KEYS = """
updated last_updated updated_at updated_on lastmod last_modified modified revised last_revised
last_reviewed last_reviewed_on reviewed effective effective_date effective_from valid_from date
published created
"""
_ENDED = r"(?:archived?|deprecated|superseded|obsolete|legacy|outdated|withdrawn|retired|expired)"
_ENDED_WORD = re.compile(rf"\b{_ENDED}\b", re.IGNORECASE)
# "Archived projects" is a title like any other: a mark stands in brackets or apart.
_ENDED_TITLE = re.compile(
    rf"[\[(]\s*{_ENDED}\b|^\W*{_ENDED}\s*[:–—-]|\s[:–—-]\s*{_ENDED}\W*$", re.IGNORECASE
)
_ENDED_PATH = re.compile(
    rf"(?:^|/)_?(?:{_ENDED}|old)(?=/|[._-])|[._-](?:{_ENDED}|old)(?=/|\.\w+$|$)", re.IGNORECASE
)
_ENDED_KEYS = frozenset({"superseded_by", "replaced_by", "deprecated", "archived", "obsolete"})
_ENDED_HERE = re.compile(
    rf"^\W*{_ENDED}\b|\b(?:this|the)\s+(?:page|document|policy|version|guide|article|handbook)"
    rf"\s+(?:is|was|has\s+been)\s+(?:now\s+)?(?:{_ENDED}|replaced|no\s+longer)\b"
    r"|\b(?:superseded|replaced)\s+by\b",
    re.IGNORECASE,
)
_DATED_HERE = re.compile(
    r"\b(?:updated|changed|revised|reviewed|modified|effective|valid|took\s+effect|in\s+force"
    r"|version\s+[\d.]+,|as\s+of)\s*+(?:(?:on|from|since|as\s+of|date)\s*+)?(?::\s*+)?$",
    re.IGNORECASE,
)
_STATE = re.compile(r"\b(?:old|new|current|previous|latest|draft|final)\b")
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_VERSION = re.compile(
    r"(?<![a-z\d])v(?:er(?:sion)?)?[\s._-]?(\d+(?:\.\d+)*)(?![\w])", re.IGNORECASE
)
_DOTTED = re.compile(r"(?<![\w.])v?(\d+(?:\.\d+)+)(?![\w.])", re.IGNORECASE)
_OLDER = re.compile(
    r"\b(?:old|older|previous|previously|former|formerly|earlier|used\s+to|was|were|last\s+year"
    rf"|{_ENDED})\b",
    re.IGNORECASE,
)
_NEWS = re.compile(
    r"\b(?:release\s+notes?|releases|change\s?log|what['’]?s\s+new|news|announcements?"
    r"|newsletter)\b",
    re.IGNORECASE,
)
_ASKS_FOR_NEWS = re.compile(
    r"\b(?:releas\w+|chang\w+|new|news|announc\w+|since|introduc\w+|added|versions?|v?\d+\.\d+"
    r"|fixed|still|no longer|any ?more|when)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Edition:
    """What tells one edition of a document from another.

    `dated` is when the document says that it is of; `years` and `version` stand in its title or
    path; `title` and `path` are without them. `to_come`: it is of a year that has not begun.
    """

    title: str
    path: str
    ended: bool
    years: tuple[int, ...]
    version: tuple[int, ...]
    dated: date | None
    modified: float
    to_come: bool

    def newer_than(self, other: "Edition") -> bool | None:
        """Whether it is the newer one of those in force; None when nothing tells."""
        if self.ended != other.ended:
            return other.ended
        if self.same_page(other):
            if self.to_come != other.to_come:
                return other.to_come
            for ours, its in ((self.version, other.version), (self.years, other.years)):
                if ours and its and ours != its:
                    return ours > its
        if self.dated and other.dated:
            return self.dated > other.dated if self.dated != other.dated else None
        if self.dated or other.dated or abs(self.modified - other.modified) <= SLACK_S:
            return None
        return self.modified > other.modified if self.modified and other.modified else None

    def same_page(self, other: "Edition") -> bool:
        """Whether the two are one page but for what tells editions apart."""
        if self.path == other.path:
            return True
        marked = self.years or self.version or self.ended or other.years or other.version
        return bool(self.title) and self.title == other.title and bool(marked or other.ended)

    def named_in(self, question: str) -> bool:
        """Whether a question names it by its year or version."""
        years = set(self.years) | ({self.dated.year} if self.dated else set())
        asked_years = {int(year) for year in _YEAR.findall(question)}
        return bool(asked_years & years) or _version(question) == self.version != ()


def edition_of(doc: str, imprint: Imprint | None, today: date | None = None) -> Edition:
    """What a document says of itself; of an unknown one its path alone.

    `today` is by the machine's clock where it is not given.
    """
    year_now = (today or datetime.now(UTC).date()).year
    told = imprint or Imprint(doc, "")
    named = f"{told.title} {doc}"
    said = {re.sub(r"[\s-]+", "_", k.strip().lower()): v for k, v in told.front_matter.items()}
    years = tuple(sorted({int(year) for year in _YEAR.findall(named)}))
    return Edition(
        title=_bare(told.title),
        path=_bare(doc),
        ended=_has_ended(told, said),
        years=years,
        version=_version(named) or _version(f"v{said.get('version', '')}"),
        dated=_date_of(said, told.opening),
        modified=told.modified,
        to_come=bool(years) and min(years) > year_now,
    )


def prefer_newer(question: str, hits: Sequence[Hit], imprints: Mapping[str, Imprint]) -> list[Hit]:
    """The hits with a newer passage moved before the older one that speaks of the same.

    A question that names the older edition gets that one; so does one for what was once. Entries
    of a changelog that speak alike stand newest first. News of a change stand behind the page that
    they announce. A hit that moves takes the score of its place.

    Args:
        question: as it was asked, or completed.
        hits: best first.
        imprints: of their documents.
    """
    head = list(hits[:LOOKED_AT])
    editions = {
        hit.chunk.doc: edition_of(hit.chunk.doc, imprints.get(hit.chunk.doc)) for hit in head
    }
    for at in range(1, len(head)):
        for before in range(at):
            pair = head[at].chunk, head[before].chunk
            news = at - before <= NEWS_REACH and announces(question, *reversed(pair))
            if news or _newer_entry(question, *pair) or _goes_before(question, *pair, editions):
                head.insert(before, head.pop(at))
                break
    moved = [*head, *hits[LOOKED_AT:]]
    return [
        hit if hit.score == place.score else replace(hit, score=place.score)
        for hit, place in zip(moved, hits, strict=True)
    ]


def other_editions(
    question: str, hits: Sequence[Hit], imprints: Mapping[str, Imprint]
) -> dict[str, str]:
    """Ids of the passages that another edition's replace, each with the id of the better one.

    Both stand in one place of two editions of a page, or say the same up to values. The newer one
    replaces the older; for a question that names one of the two, that one replaces the other.

    Args:
        question: as it was asked, or completed.
        hits: in the order of `prefer_newer`.
        imprints: of their documents.
    """
    head = [hit.chunk for hit in hits[:LOOKED_AT]]
    editions = {chunk.doc: edition_of(chunk.doc, imprints.get(chunk.doc)) for chunk in head}
    found: dict[str, str] = {}
    for at, chunk in enumerate(head):
        its = editions[chunk.doc]
        for better in head[:at]:
            ours = editions[better.doc]
            if _is_wanted(question, better, chunk, editions) and one_place(
                better, chunk, ours, its
            ):
                found[chunk.id] = better.id
                break
    return found


def _goes_before(
    question: str, later: Chunk, earlier: Chunk, editions: Mapping[str, Edition]
) -> bool:
    return _is_wanted(question, later, earlier, editions) and speak_of_the_same(
        later, earlier, editions[later.doc], editions[earlier.doc]
    )


def _newer_entry(question: str, one: Chunk, other: Chunk) -> bool:
    """Whether of two entries of one changelog, much alike, the one is of the newer version."""
    if one.doc != other.doc or _OLDER.search(question) or _DOTTED.search(question):
        return False
    ours, its = (_DOTTED.search(chunk.heading.rsplit(SEPARATOR, 1)[-1]) for chunk in (one, other))
    if not ours or not its or not share_wording(one, other):
        return False
    return _numbers(ours.group(1)) > _numbers(its.group(1))


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))


def _is_wanted(question: str, one: Chunk, other: Chunk, editions: Mapping[str, Edition]) -> bool:
    """Whether a question is for the one document's edition rather than for the other's."""
    if one.doc == other.doc:
        return False
    ours, its = editions[one.doc], editions[other.doc]
    named = ours.named_in(question), its.named_in(question)
    if named[0] != named[1]:
        return named[0]
    if _YEAR.search(question) or _OLDER.search(question):
        return False
    return ours.newer_than(its) is True


def speak_of_the_same(one: Chunk, other: Chunk, its: Edition, others: Edition) -> bool:
    """Whether two passages are one place of two editions, say the same, or disagree."""
    if its.same_page(others) and _section(one) == _section(other):
        return True
    if one_place(one, other, its, others):
        return True
    if not share_wording(one, other):
        return False
    return same_text(one, other) or at_odds(one, other)


def one_place(one: Chunk, other: Chunk, its: Edition, others: Edition) -> bool:
    """Whether of two editions of a page the one passage stands for the other.

    Minutes and reports have one title and the same headings over and over. So where the paths are
    not alike too, and where no heading tells the place, the wording has to.
    """
    if not its.same_page(others):
        return False
    section = _section(one)
    if its.path == others.path and section and section == _section(other):
        return True
    return said_by(one, other) >= MOSTLY


def announces(question: str, news: Chunk, page: Chunk) -> bool:
    """Whether news only announce what a page says, for a question that is not after news."""
    if _ASKS_FOR_NEWS.search(question) or not _is_news(news) or _is_news(page):
        return False
    wanted = frozenset(analyze(question))
    held = [wanted & frozenset(analyze(chunk.embedded)) for chunk in (news, page)]
    if len(held[0]) < min(SPOKEN_OF, len(wanted)):
        return False
    kind = asked(question)
    return held[0] <= held[1] and kind.held(page.text) >= max(kind.held(news.text), 1.0)


def _is_news(chunk: Chunk) -> bool:
    return bool(_NEWS.search(chunk.heading) or _NEWS.search(re.sub(r"[-_/]", " ", chunk.doc)))


def _section(chunk: Chunk) -> tuple[str, ...]:
    """The headings under the page's title, without what tells editions apart."""
    return tuple(_bare(part) for part in chunk.heading.split(SEPARATOR)[1:])


def _bare(text: str) -> str:
    """Without years, versions and words of state, and without what joined them."""
    text = _ENDED_WORD.sub(" ", _VERSION.sub(" ", _YEAR.sub(" ", text.replace("_", " "))))
    return " ".join(re.findall(r"[^\W_]+", _STATE.sub(" ", text.casefold())))


def _version(text: str) -> tuple[int, ...]:
    found = _VERSION.search(text)
    return _numbers(found.group(1)) if found else ()


def _has_ended(told: Imprint, said: Mapping[str, str]) -> bool:
    if any(said.get(key, "").lower() not in ("", "false", "no", "null") for key in _ENDED_KEYS):
        return True
    return bool(
        _ENDED_WORD.search(f"{said.get('status', '')} {said.get('state', '')}")
        or _ENDED_TITLE.search(told.title)
        or _ENDED_PATH.search(told.doc)
        or _ENDED_HERE.search(told.opening)
    )


def _date_of(said: Mapping[str, str], opening: str) -> date | None:
    for key in _UPDATED_KEYS.split():
        if (found := _first_date(said.get(key, ""))) is not None:
            return found
    stated = [
        day
        for start, _, found in dates(opening)
        if _DATED_HERE.search(opening[:start]) and (day := _whole(found))
    ]
    return max(stated, default=None)


def _first_date(text: str) -> date | None:
    return next((day for _, _, found in dates(text) if (day := _whole(found))), None)


def _whole(found: Date) -> date | None:
    """A date of which year, month and day are known."""
    readings = found.readings()
    if not found.year or len(readings) != 1:
        return None
    (month, day), *_ = readings
    try:
        return date(found.year, month, day)
    except ValueError:
        return None
