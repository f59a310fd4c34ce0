"""A fragment ("and in Berlin?") put in the place of its like in the question before it. Pure."""

import re
from collections.abc import Sequence

from bot.questions.parts import parts_of
from bot.questions.phrases import CLAUSE, PREPOSITION, Fragment, placed_in
from bot.types import Turn
from ingest.analyze import analyze, identifiers

MAX_WORDS = 6  # of a fragment; more is a question of its own
MAX_BARE_WORDS = 3  # of one without a lead-in: "the Pro plan?"

_SMALL_TALK = (
    r"ok(?:ay)?|thanks|thank you|thx|great|cool|wow|really|right|well|oh|hm+|yes|no|sorry|wait"
    r"|actually|please"
)
_POLITE = re.compile(rf"(?:(?:{_SMALL_TALK})\b[\s,.!?:;–-]*)+", re.IGNORECASE)
_SAYS_SOMETHING = re.compile(r"\w")
_GOES_ON = re.compile(
    r"(?:and|but|or|so|also|plus|then)\b[\s,]*|(?:what|how) about\b|what if (?:it|that|this)"
    r"(?:['’]?s| is| was)?\b|(?:the )?same (?:question |thing )?(?=(?:for|in|on|with|at)\b)",
    re.IGNORECASE,
)
_CORRECTS = re.compile(r"(?:i (?:meant|mean)|rather|make that)\b|(?<=no, )", re.IGNORECASE)

_SHIFTS = re.compile(
    r"\b(?:unrelated|different (?:thing|question|topic)|(?:an)?other (?:question|topic)"
    r"|new question|something else|by the way|btw)\b",
    re.IGNORECASE,
)
_POINTS_BACK = re.compile(
    r"\b(?:it|its|this|that|these|those|they|them|their|theirs|he|him|his|she|her|hers|there|then"
    r"|ones?|same|such|other|others|another|else|more|less|instead|too|also|either|both|again)\b",
    re.IGNORECASE,
)
OWN_TOPIC_WORDS = 3
# Stems that open no topic.
_GENERAL = frozenset(
    (
        "need",
        "ask",
        "want",
        "know",
        "tell",
        "find",
        "use",
        "work",
        "happen",
        "mean",
        "get",
        "give",
        "go",
        "make",
        "take",
        "far",
        "long",
        "ahead",
        "thing",
        "one",
        "much",
        "exampl",
    )
)


def standing_alone(question: str, history: Sequence[Turn]) -> str | None:
    """The question that a fragment stands for; None when it is no fragment or nothing is alike.

    A chain is followed: after "and in Berlin?" comes "and in Paris?".
    """
    before: list[str] = []
    for turn in history:
        if turn.role == "user" and _SAYS_SOMETHING.search(_POLITE.sub("", turn.text)):
            before.append(_completed(turn.text, before) or turn.text)
    return _completed(question, before)


def points_back(text: str) -> bool:
    """Whether it has a word that stands for something said elsewhere."""
    return bool(_POINTS_BACK.search(text))


def own_words(question: str) -> frozenset[str]:
    """The stems that can open a topic."""
    return frozenset(analyze(question)) - _GENERAL


def leans(question: str, history: Sequence[Turn]) -> bool:
    """Whether a question may mean something that was spoken of before.

    It does not when it says that it is about something else, or names an identifier, or has
    several words of weight, none of them said before, and no word that points back. The "it" of a
    second part stands for what the first one speaks of.
    """
    if not history or _SHIFTS.search(question) or identifiers(question):
        return False
    if points_back(parts_of(question)[0]):
        return True
    own = own_words(question)
    said = {token for turn in history for token in analyze(turn.text)}
    return len(own) < OWN_TOPIC_WORDS or bool(own & said)


def _completed(question: str, before: Sequence[str]) -> str | None:
    """The last question, or for a code the last one about a code, with the fragment in it."""
    found = fragment(question) if before else None
    if found is None:
        return None
    codes = identifiers(found.phrase) or found.phrase.isdigit()
    last = next((text for text in reversed(before) if codes and identifiers(text)), before[-1])
    core = last.strip().rstrip("?.! ")
    core = core[_opening(core) :]
    placed = placed_in(core, found)
    return f"{placed}?" if placed else None


def _opening(text: str) -> int:
    """Where a text begins to say something."""
    polite = _POLITE.match(text)
    return polite.end() if polite and polite.end() < len(text) else 0


def fragment(question: str) -> Fragment | None:
    """The phrase of a follow-up without a clause of its own, else None."""
    text = " ".join(question.split()).rstrip("?.! ")
    start = _opening(text)
    said_no = bool(re.match(r"no\b", text, re.IGNORECASE)) and start > 0
    text = text[start:]
    corrects = said_no
    goes_on = False
    while (lead := _GOES_ON.match(text) or _CORRECTS.match(text)) and lead.end():
        corrects = corrects or bool(_CORRECTS.match(text))
        goes_on = True
        text = text[lead.end() :].lstrip(" ,:-")
    words = text.split()
    if not words or len(words) > MAX_WORDS or CLAUSE.search(text + " "):
        return None
    preposition = PREPOSITION.match(text)
    if not goes_on and not corrects and not preposition and not _names_a_thing(question, words):
        return None
    if not preposition:
        return Fragment("", text, corrects)
    phrase = text[preposition.end() :].strip()
    return Fragment(preposition.group(), phrase, corrects) if phrase else None


def _names_a_thing(question: str, words: Sequence[str]) -> bool:
    """Whether words without a lead-in are a fragment: "ERR_4022?", "the Pro plan?", "Berlin?"."""
    if len(words) > MAX_BARE_WORDS or not question.rstrip().endswith("?"):
        return False
    named = all(word[:1].isupper() for word in words)
    return named or words[0].lower() == "the" or bool(identifiers(" ".join(words)))
