"""Which of two documents is the newer, and which passages that decides between. Pure.

A document's own word counts first: that it is superseded, its version, its date; the file's time
only where nothing is said. It decides between passages that speak of the same, and nowhere else.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from functools import cache

from bot import lexicon
from bot.distinct import said_by
from bot.reading.dates import dates
from bot.types import Hit
from ingest.analyze import analyze
from ingest.types import SEPARATOR, Chunk, Imprint

LOOKED_AT = 10  # hits from the first; what is below is no answer's
MOSTLY = 0.5  # of what the other passage says, up to values
SLACK_S = 24 * 60 * 60  # files that were copied or checked out together differ by less
WORDS_BEFORE = 3  # a date among which one says that the document is of it

_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_VERSION = re.compile(
    r"(?<![a-z\d])v(?:er(?:sion)?)?[\s._-]?(\d+(?:\.\d+)*)(?![\w])", re.IGNORECASE
)
_DOTTED = re.compile(r"(?<![\w.])v?(\d+(?:\.\d+)+)(?![\w.])", re.IGNORECASE)


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
        marks = (self.years, self.version, self.ended, other.years, other.version, other.ended)
        return self.path == other.path or (
            bool(self.title) and self.title == other.title and any(marks)
        )

    def named_in(self, question: str) -> bool:
        """Whether a question names it by its year or version."""
        years = {*self.years, *([self.dated.year] if self.dated else [])}
        return bool(_years(question) & years) or _version(question) == self.version != ()


def edition_of(doc: str, imprint: Imprint | None, today: date | None = None) -> Edition:
    """What a document says of itself; of an unknown one its path alone.

    `today` is by the machine's clock where it is not given.
    """
    told = imprint or Imprint(doc, "")
    said = {re.sub(r"[\s-]+", "_", k.strip().lower()): v for k, v in told.front_matter.items()}
    named = f"{told.title} {doc}"
    years = tuple(sorted(_years(named)))
    return Edition(
        title=_bare(told.title),
        path=_bare(doc),
        ended=_has_ended(told, said),
        years=years,
        version=_version(named) or _version(f"v{said.get('version', '')}"),
        dated=_date_of(said, told.opening),
        modified=told.modified,
        to_come=bool(years) and min(years) > (today or datetime.now(UTC).date()).year,
    )


def by_edition(
    question: str, hits: Sequence[Hit], imprints: Mapping[str, Imprint]
) -> tuple[list[Hit], dict[str, str]]:
    """The hits with newer passages before the older ones that speak of the same; what is replaced.

    A question that names the older edition gets that one; so does one for what was once. Entries
    of a changelog that speak alike stand newest first; news of a change stand behind the page that
    they announce. A hit that moves takes the score of its place. Replaced are, by id, passages of
    which another edition of the same page has the same place, or says most: with that one's id.

    Args:
        question: as it was asked, or completed.
        hits: best first.
        imprints: of their documents.
    """
    head, found = list(hits[:LOOKED_AT]), dict[str, str]()
    known = {h.chunk.doc: edition_of(h.chunk.doc, imprints.get(h.chunk.doc)) for h in head}
    for at in range(1, len(head)):
        for before in range(at):
            if _goes_before(question, head[at].chunk, head[before].chunk, known):
                head.insert(before, head.pop(at))
                break
    for at, its in enumerate(hit.chunk for hit in head):
        for ours in (hit.chunk for hit in head[:at]):
            if _is_wanted(question, ours, its, known) and _one_place(ours, its, known):
                found[its.id] = ours.id
                break
    moved = [*head, *hits[LOOKED_AT:]]
    placed = zip(moved, hits, strict=True)
    return [h if h.score == p.score else replace(h, score=p.score) for h, p in placed], found


def _goes_before(question: str, one: Chunk, other: Chunk, known: Mapping[str, Edition]) -> bool:
    if one.doc == other.doc:
        return _newer_entry(question, one, other)
    if _announces(question, other, one):
        return True
    if not _is_wanted(question, one, other, known):
        return False
    pages = known[one.doc].same_page(known[other.doc]) and _section(one) == _section(other)
    return pages or max(said_by(one, other), said_by(other, one)) >= MOSTLY


def _newer_entry(question: str, one: Chunk, other: Chunk) -> bool:
    """Whether of two entries of one changelog, much alike, the one is of the newer version."""
    ours, its = (_DOTTED.search(chunk.heading.rsplit(SEPARATOR, 1)[-1]) for chunk in (one, other))
    if not ours or not its or _asks_for(question, "once") or _DOTTED.search(question):
        return False
    return _numbers(ours[1]) > _numbers(its[1]) and said_by(one, other) >= MOSTLY


def _is_wanted(question: str, one: Chunk, other: Chunk, known: Mapping[str, Edition]) -> bool:
    """Whether a question is for the one document's edition rather than for the other's."""
    ours, its = known[one.doc], known[other.doc]
    named = ours.named_in(question), its.named_in(question)
    if one.doc == other.doc or named[0] != named[1]:
        return one.doc != other.doc and named[0]
    if _YEAR.search(question) or _asks_for(question, "once"):
        return False
    return ours.newer_than(its) is True


def _one_place(one: Chunk, other: Chunk, known: Mapping[str, Edition]) -> bool:
    """Whether of two editions of a page the one passage stands for the other.

    Minutes and reports have one title and the same headings over and over. So where the paths are
    not alike too, and where no heading tells the place, the wording has to.
    """
    ours, its, section = known[one.doc], known[other.doc], _section(one)
    placed = ours.path == its.path and section and section == _section(other)
    return ours.same_page(its) and (bool(placed) or said_by(one, other) >= MOSTLY)


def _announces(question: str, news: Chunk, page: Chunk) -> bool:
    """Whether news only announce what a page says, for a question that is not after news."""
    if _asks_for(question, "asks_news") or _DOTTED.search(question):
        return False
    if not _is_news(news) or _is_news(page):
        return False
    wanted = frozenset(analyze(question))
    held = [wanted & frozenset(analyze(chunk.embedded)) for chunk in (news, page)]
    return bool(held[0]) and held[0] <= held[1]


def _is_news(chunk: Chunk) -> bool:
    return bool(_words(f"{chunk.heading} {chunk.doc}") & frozenset(lexicon.listed("news")))


def _asks_for(question: str, kind: str) -> bool:
    return bool(_words(question) & lexicon.words(kind, question))


def _section(chunk: Chunk) -> tuple[str, ...]:
    """The headings under the page's title, without what tells editions apart."""
    return tuple(_bare(part) for part in chunk.heading.split(SEPARATOR)[1:])


def _bare(text: str) -> str:
    """Without years, versions and words of state, and without what joined them."""
    text = _VERSION.sub(" ", _YEAR.sub(" ", text.replace("_", " "))).casefold()
    states = {*lexicon.listed("ended"), *lexicon.listed("states")}
    return " ".join(word for word in re.findall(r"[^\W_]+", text) if word not in states)


def _words(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"[^\W_]+", text.casefold()))


def _years(text: str) -> set[int]:
    return {int(year) for year in _YEAR.findall(text)}


def _version(text: str) -> tuple[int, ...]:
    found = _VERSION.search(text)
    return _numbers(found.group(1)) if found else ()


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))


@cache
def _ended_marks() -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
    """In a title (in brackets or apart: "Archived projects" is one like any other), path, text."""
    ended, pages, be = (f"(?:{'|'.join(lexicon.listed(k))})" for k in ("ended", "pages", "be"))
    patterns = (
        rf"[\[(]\s*{ended}\b|^\W*{ended}\s*[:–—-]|\s[:–—-]\s*{ended}\W*$",
        rf"(?:^|/)_?(?:{ended}|old|alt)(?=/|[._-])|[._-](?:{ended}|old|alt)(?=/|\.\w+$|$)",
        rf"^\W*{ended}\b|\b{pages}\s+(?:has\s+)?{be}\s+(?:now\s+)?{ended}\b|\b{ended}\s+(?:by|durch)\b",
    )
    title, path, text = (re.compile(pattern, re.IGNORECASE) for pattern in patterns)
    return title, path, text


def _has_ended(told: Imprint, said: Mapping[str, str]) -> bool:
    keys = (said.get(key, "").lower() for key in lexicon.listed("ended_keys"))
    state = _words(f"{said.get('status', '')} {said.get('state', '')}")
    texts = zip(_ended_marks(), (told.title, told.doc, told.opening), strict=True)
    return (
        any(value not in ("", "false", "no", "null") for value in keys)
        or not state.isdisjoint(lexicon.listed("ended"))
        or any(mark.search(text) for mark, text in texts)
    )


def _date_of(said: Mapping[str, str], opening: str) -> date | None:
    for key in lexicon.listed("dated_keys"):
        if found := _dates_in(said.get(key, "")):
            return found[0][1]
    marks = frozenset(lexicon.listed("dated"))
    stated = [
        day
        for start, day in _dates_in(opening)
        if marks.intersection(re.findall(r"\w+", opening[:start].casefold())[-WORDS_BEFORE:])
    ]
    return max(stated, default=None)


def _dates_in(text: str) -> list[tuple[int, date]]:
    """Where they begin, and the dates of which year, month and day are known."""
    found = []
    for start, _, stated in dates(text):
        readings = stated.readings()
        if stated.year and len(readings) == 1:
            (month, day), *_ = readings
            try:
                found.append((start, date(stated.year, month, day)))
            except ValueError:  # a 31st of February
                continue
    return found
