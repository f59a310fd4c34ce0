"""What a reader is told of a passage that changed, moved or went."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from bot.localslack import LocalSlack
from bot.localslack.limits import check_view
from bot.slack.views import Opened, build_passage_view
from bot.source import Resolved
from bot.stored import StoredCitation
from bot.types import Quote
from ingest.types import Chunk
from tests.slack.conftest import LEAVE, TRAVEL, kept, live
from tests.slack.test_app import text_of

GONE = datetime(2027, 1, 2, tzinfo=UTC)
CITED = datetime(2026, 12, 1, tzinfo=UTC)
AFTER = replace(LEAVE, id="cccccccccccc", text=LEAVE.text.replace("25 days", "27 <b> days"))


def view_of(resolved: Resolved, cited: StoredCitation | None = None) -> Any:
    view: Any = build_passage_view(Opened(resolved, cited, CITED))
    check_view(view, "modal")
    return view


def lines_of(view: Any) -> list[str]:
    """Texts of sections and context lines, in order."""
    texts = [b.get("text") or (b.get("elements") or [{}])[0] for b in view["blocks"]]
    return [text["text"] for text in texts if isinstance(text.get("text"), str)]


def difference(view: Any) -> list[tuple[str, str]]:
    """Each stretch of the comparison with its style."""
    return [
        (element["text"], "".join(element.get("style", {})))
        for block in view["blocks"]
        if block["type"] == "rich_text"
        for element in block["elements"][0]["elements"]
    ]


def test_a_live_passage_is_unchanged_since_it_was_cited() -> None:
    assert "Unchanged since it was cited on 2026-12-01." in lines_of(view_of(live(LEAVE)))


def test_a_changed_passage_is_shown_as_cited_then_what_took_its_place_with_the_words_marked() -> (
    None
):
    view = view_of(Resolved("changed", kept(LEAVE, retired_at=GONE), kept(AFTER, version=5)))
    lines = lines_of(view)
    assert text_of(view).startswith("Employees get 25 days of paid leave a year.")
    assert "This has changed since it was cited: see below." in lines
    assert any("id `cccccccccccc`" in line and "(version 5)" in line for line in lines)
    told = difference(view)
    assert ("25", "strike") in told
    assert "".join(text for text, style in told if style == "bold") == "27 <b>"
    assert "".join(text for text, style in told if style != "bold") == LEAVE.text
    assert LocalSlack.live_marks(view) == []


def test_a_moved_passage_tells_where_it_stands_now() -> None:
    there = replace(LEAVE, id="dddddddddddd", doc="people/leave.md", heading="Leave > Paid")
    lines = lines_of(view_of(Resolved("moved", kept(LEAVE, retired_at=GONE), kept(there))))
    at = lines.index("*The same text stands here now:*")
    assert lines[at + 1] == "*people/leave.md*\nLeave › Paid"
    assert "dddddddddddd" in lines[at + 2]
    assert lines[0] == "*people/handbook.md*\nHandbook › Benefits › Leave"


def test_a_removed_passage_tells_when_and_that_nothing_took_its_place() -> None:
    lines = lines_of(view_of(Resolved("removed", kept(LEAVE, retired_at=GONE), None)))
    assert (
        "*Removed on 2027-01-02*, after version 3 of people/handbook.md.\nNothing took its place."
    ) in lines


def test_a_removed_passage_tells_the_closest_that_is_left() -> None:
    resolved = Resolved("removed", kept(LEAVE, retired_at=GONE), None, kept(TRAVEL))
    lines = lines_of(view_of(resolved))
    assert TRAVEL.text in lines
    assert not any("Nothing took" in line for line in lines)


def test_the_slice_that_was_cited_is_shown_where_white_space_has_changed_since() -> None:
    cited = StoredCitation(
        1,
        LEAVE.id,
        LEAVE.doc,
        LEAVE.heading,
        10,
        42,
        "Contractors get\n10 days.",
        (Quote(LEAVE.id, "Contractors get\n10 days.", 10, 34),),
    )
    now = replace(LEAVE, text="Contractors get 10 days.")
    view = view_of(live(now), cited)
    assert text_of(view) == "*Contractors get*\n*10 days.*"
    assert any(line.startswith("characters 10–42 ") for line in lines_of(view))


def test_texts_of_many_pages_are_not_compared_but_shown() -> None:
    old = Chunk("1" * 12, "a.md", "A", 0, 0, "old words " * 1_000)
    new = Chunk("2" * 12, "a.md", "A", 0, 0, "new words " * 1_100)
    view = view_of(Resolved("changed", kept(old, retired_at=GONE), kept(new)))
    assert difference(view) == []
    assert sum(line.count("new") for line in lines_of(view)) == 1_100


@pytest.mark.parametrize("count", [1, 60])
def test_slack_takes_the_comparison_of_any_passage(count: int) -> None:
    old = Chunk("1" * 12, "a.md", "A", 0, 0, "word <!here> `x` " * count)
    new = Chunk("2" * 12, "a.md", "A", 0, 0, "other [l](https://x.y) " * count + "y" * 7_000)
    view = view_of(Resolved("changed", kept(old, retired_at=GONE), kept(new)))
    assert LocalSlack.live_marks(view) == []
    rich = [block for block in view["blocks"] if block["type"] == "rich_text"]
    sizes = [sum(len(e["text"]) for e in block["elements"][0]["elements"]) for block in rich]
    assert len(sizes) >= 3
    assert max(sizes) <= 2_500
