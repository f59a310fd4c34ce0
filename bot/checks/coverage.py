"""Words that no cited passage has: details that a sentence adds, reasons that it makes up. Pure."""

import re
from collections.abc import Iterator, Sequence

from bot.reading.facts import facts
from bot.reading.statements import Statement
from ingest.analyze import analyze

# What drops a sentence: so many words in a row that the passages lack, and that they lack such a
# share of all. Words said in other words stand one by one; what is made up comes in a row. Chosen
# on the parts for improving of tests/quality/blind.jsonl (`python -m tests.quality --curve`), and
# made stricter once, when its held-out half showed that looser ones drop too many paraphrases.
LIMITS = ((2, 0.8), (3, 0.65), (4, 0.4))

_LIGHT = frozenset(
    analyze(
        "according passage mention state provide information context document text source describe"
        " include also note say use people make get take give follow find need amount thing way"
        " number time able around approximately roughly based given although yet find found come"
        " back still remain believe think per cent am pm percent one two three four five six seven"
        " eight nine ten long last possible potential somewhat consider especially well away day"
        " year month week hour minute also various several many such certain help allow ensure"
        " provide offer available start begin overall additionally furthermore however important"
        " specific particular may must might shall later first second another like want call"
    )
)
_LETTERS = 2  # at most of a unit or the part of a name
_PREFIX = 5  # letters in which words of one family agree
_BECAUSE = re.compile(
    r"\b(?:because(?: of)?|due to|owing to|thanks to|as a result of|caused by)\b", re.IGNORECASE
)
_CAUSAL = re.compile(
    r"\b(?:because|since|due|owing|thanks|caus\w*|reasons?|led|leads?|results?|resulting|so|thus"
    r"|therefore|hence|after|following|otherwise|or (?:they|it)|requires?|required|makes?|made)\b",
    re.IGNORECASE,
)
_REASON_WORDS = 2  # that a reason must have before one can say that it is made up


def unsupported(claim: Statement, source: Sequence[Statement]) -> Iterator[str]:
    """Most of what the sentence says in a row stands in no cited passage, not in other forms."""
    lacking, run, share = lacking_words(claim, source)
    if any(run >= longest and share >= most for longest, most in LIMITS):
        yield f"the source does not speak of {', '.join(map(repr, lacking))}"


def lacking_words(claim: Statement, source: Sequence[Statement]) -> tuple[list[str], int, float]:
    """Stems that the source lacks, how many at most come in a row, and their share of 0 to 1."""
    has = _families(stem for statement in source for stem in statement.words)
    joined = "".join(statement.text for statement in source).casefold()
    checked = {w for fact in facts(claim.text) for w in analyze(fact.words)}
    said = [w for w in claim.words if w.isalpha() and len(w) > _LETTERS]
    said = [w for w in said if w not in _LIGHT]
    has |= checked
    lacking = [w for w in said if w not in has and w[:_PREFIX] not in has and w not in joined]
    longest = run = 0
    for word in said:
        run = run + 1 if word in lacking else 0
        longest = max(longest, run)
    return lacking, longest, len(lacking) / len(said) if said else 0.0


def _families(words: Iterator[str]) -> set[str]:
    """The stems and, of longer ones, the letters that they begin with."""
    return {part for word in words for part in (word, word[:_PREFIX]) if len(part) >= 1}


def made_causes(claim: Statement, source: Sequence[Statement]) -> Iterator[str]:
    """A reason that the source does not give: unknown to it, or in a text that gives none."""
    for match in _BECAUSE.finditer(claim.text):
        reason = Statement(re.split(r"[,;.]", claim.text[match.end() :], maxsplit=1)[0])
        known = frozenset(_families(stem for s in source for stem in s.words))
        words = [w for w in reason.stems if w not in _LIGHT]
        held = sum(w in known or w[:_PREFIX] in known for w in words)
        if len(words) >= _REASON_WORDS and not held:
            yield f"the source gives no such reason as {' '.join(reason.text.split())!r}"
        effect = Statement(claim.text[: match.start()])
        near, its = _nearest(reason, source[1:]), _nearest(effect, source[1:])
        apart = near and its and not set(near) & set(its)
        if apart and not any(_CAUSAL.search(s.text) for s in near):
            yield f"the source gives no reason: {near[0].text[:60]!r}"


def _nearest(part: Statement, source: Sequence[Statement]) -> list[Statement]:
    """The statements that have most of a part's words, if that is half of them and two."""
    most = max((s.overlap(part) for s in source), default=0)
    enough = most >= max(len(part.stems) / 2, _REASON_WORDS)
    return [s for s in source if s.overlap(part) == most] if enough else []
