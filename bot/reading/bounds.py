"""Limits that a text sets on a number: at least, at most. Pure; English and German."""

import re
from typing import Literal

from bot.lexicon import alternatives

Side = Literal["over", "under"]
OTHER: dict[Side, Side] = {"over": "under", "under": "over"}

# What the number is of stands between: "over a distance of 50", "more than EUR 50".
_NUMBER = r"(?:[a-z$€£]{1,4} ?|an? [a-z]{1,20} of )?(?P<number>\d[\d.,]{0,15}\d|\d)"
_MORE, _LESS, _THAN = (alternatives(kind) for kind in ("more", "less", "than"))
_BEFORE = re.compile(
    rf"(?P<not>(?:\b(?:{alternatives('limit_denials')})|n['’]t) )?"
    rf"\b(?:(?P<over>{alternatives('over')}|(?:{_MORE}) (?:{_THAN}))"
    rf"|(?P<under>{alternatives('under')}|(?:{_LESS}) (?:{_THAN}))) {_NUMBER}",
    re.IGNORECASE,
)
_AFTER = re.compile(
    r"(?P<number>\d[\d.,]{0,15}\d|\d)(?: [^\W\d_]{1,20})? (?:or|and|oder|und) "
    rf"(?:(?P<over>{_MORE}|over|above)|(?P<under>{_LESS}|under|below))\b",
    re.IGNORECASE,
)


def bounds(text: str) -> frozenset[tuple[str, Side]]:
    """Each number that is a limit, and on which side of it the text speaks of.

    The number itself counts to either side: "at least 5" and "over 5" are one.
    """
    said: set[tuple[str, Side]] = set()
    text = " ".join(text.split())
    for match in _BEFORE.finditer(text):
        side: Side = "over" if match["over"] else "under"
        said.add((_plain(match["number"]), OTHER[side] if match["not"] else side))
    for match in _AFTER.finditer(text):
        said.add((_plain(match["number"]), "over" if match["over"] else "under"))
    return frozenset(said)


def across(text: str, other: str) -> str | None:
    """A number that one text speaks of on one side alone and the other on the other alone."""
    mine, its = bounds(text), bounds(other)
    for number, side in sorted(mine):
        opposite = (number, OTHER[side])
        if opposite in its and (number, side) not in its and opposite not in mine:
            return number
    return None


def _plain(number: str) -> str:
    return number.replace(",", "")
