"""Patterns take linear time on any text: `re` holds the interpreter while it searches."""

import re
from itertools import pairwise
from time import thread_time

import pytest

from tests.patterns import Found, all_patterns, hostile

_LENGTHS = (24, 64, 256, 1024, 4096)
_UNSEEN_S = 0.0015  # a time below this says nothing of growth
_TOO_LONG_S = 0.1
_HOPELESS_S = 1.0
_FOURFOLD = 8.0  # the time of four times the text: 4 is linear, 16 is quadratic


def _seconds(found: Found, text: str, times: int = 1) -> float:
    """The least of some runs, in the thread's own time: another process does not count."""
    pattern = re.compile(found.pattern, found.flags)
    taken = []
    for _ in range(times):
        start = thread_time()
        if found.anchored:
            pattern.match(text)
            pattern.fullmatch(text)
        else:
            for _ in pattern.finditer(text):
                pass
        taken.append(thread_time() - start)
    return min(taken)


def _text(before: str, repeated: str, after: str, length: int) -> str:
    return before + repeated * (length // len(repeated) + 1) + after


def _growth(found: Found, parts: tuple[str, str, str], shorter: int, longer: int) -> float:
    """How many times longer four times the text takes; 0 when that is too short to tell."""
    taken = _seconds(found, _text(*parts, longer), 3)
    if taken <= _UNSEEN_S:
        return 0.0
    before = _seconds(found, _text(*parts, shorter), 3)
    return taken / max(before, 1e-7) * 4 * shorter / longer


def _grows_on(found: Found, parts: tuple[str, str, str], length: int) -> bool:
    """Whether it still grows so at lengths past the bounds of the project's repetitions."""
    for shorter in (length, 4 * length):
        if _seconds(found, _text(*parts, 4 * shorter)) > _HOPELESS_S:
            return True
        if _growth(found, parts, shorter, 4 * shorter) <= _FOURFOLD:
            return False
    return True


def superlinear(found: Found) -> str | None:
    """The first text on which its time grows faster than the text, or None.

    A bounded repetition grows so up to its bound: thrice in a row, or a long time, is wanted.
    """
    for parts in hostile(found):
        for shorter, longer in pairwise((8, *_LENGTHS)):
            taken = _seconds(found, _text(*parts, longer))
            if taken <= _UNSEEN_S or _growth(found, parts, shorter, longer) <= _FOURFOLD:
                continue
            slow = taken > _TOO_LONG_S or _grows_on(found, parts, longer)
            # Measured anew: on a busy machine a cold cache looks like growth once, not each time.
            if slow and all(_growth(found, parts, shorter, longer) > _FOURFOLD for _ in range(3)):
                return f"{found.where}: {parts!r}, {longer} characters: {taken * 1000:.0f} ms"
    return None


@pytest.mark.timeout(600)  # half a minute alone
def test_no_pattern_takes_more_than_linear_time_on_a_run_of_any_sign() -> None:
    assert [slow for found in all_patterns() if (slow := superlinear(found))] == []


def test_every_pattern_of_the_project_is_looked_at() -> None:
    found = {each.where for each in all_patterns()}
    assert len(found) > 250
    named = {"bot.editions._VERSION", "ingest.parse.html._TAG", "bot.questions.parts._LISTED"}
    assert named <= found
    assert any(where.startswith("bot.questions.phrases:") for where in found)  # within a function


@pytest.mark.parametrize(
    ("pattern", "flags"),
    [
        (r"\b(?:updated|as\s+of)\s*(?:on|as\s+of)?\s*:?\s*$", re.IGNORECASE),
        (r"</?([A-Za-z][\w-]*)((?:\s+[^<>]*)?)/?>", 0),
        (r"[.!?…:]+[\"'”’»)\]*_`]*\s+(?=[^\sa-z])", 0),
        (r"\s*\{[#:][^{}]*\}\s*$", 0),
        (r"!?\[([^\]\n]*)\]\(\s*<?([^)\s>]*)>?[^)]*\)", 0),
        (r"\n[ \t]*(?=\n)|(?: {2,}|\\)\n", 0),
        (r"\w+(?:(?:[-./:@+=]|::)+\w+)*!", 0),
        (r"\s*(?>\r\n|\r|\n)\s*", 0),
    ],
)
def test_a_pattern_that_takes_quadratic_time_or_more_is_found(pattern: str, flags: int) -> None:
    assert superlinear(Found("here", pattern, flags, anchored=False)) is not None


@pytest.mark.parametrize(
    "pattern",
    [r"(?<!\s)\s+(?:and|or)\b", r"\w+(?:[-./]++\w+)*", r"<a[^<>]*>", r"\d[\d.,]{0,30} (?:x|y)"],
)
def test_a_pattern_that_takes_linear_time_passes(pattern: str) -> None:
    assert superlinear(Found("here", pattern, 0, anchored=False)) is None
