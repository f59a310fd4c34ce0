"""Who does what: the source says the same of somebody else. Pure, English.

A run of words that a sentence and its source share is the pivot; what stands right before it is
what it is said of. No grammar: a name in the pivot's place that the source uses elsewhere tells.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from bot.reading.statements import Statement
from ingest.analyze import analyze, normal, words

_BREAK = re.compile(
    r"[,;:.!?()|>\n]|\s-\s|\b(?:and|or|but|if|when|that|which|who|while|because|than|for|with|by|to|as"
    r"|from|in|on|at|after|before|under|per|into|until|of|without|up|they|he|she|it|you|we|i|those|ones?|this)\b",
    re.IGNORECASE,
)
_PASSIVE = re.compile(r"\b\w+(?:ed|en|un|ld|ght|ade|id|nt|t)\s+by\b", re.IGNORECASE)
_LINKS = re.compile(
    r"\s*(?:(?:may|might|can|could|must|shall|should|will|would|has|have|had|to|also|later|then)\s+)*",
    re.IGNORECASE,
)
_PAST = re.compile(
    r"\w{3,}ed|beat|won|lost|sold|bought|gave|paid|told|sent|led|met|made|took|got|hit|left|saw|shot"
    r"|taught|wrote|found|\w+s",
    re.IGNORECASE,
)
_WHICH = re.compile(r"\(\)|,\s(?:which|who)\b")
_THE = re.compile(r"(?<!is )(?<!are )(?<!was )(?<!were )(?<!been )\b(?:an?|the)\b", re.IGNORECASE)
_AGENT = re.compile(
    r"\b(?:is|are|was|were|be|been|being)\s(?:\w+\s)?(?P<verb>\w{3,}(?:ed|en|wn|ld|ght|ade|id|nt|t))\b(?:\s[\w-]+){0,6}?\sby\s"
    r"(?P<agent>(?:(?:an?|the|your|our|its|their)\s)?[\w-]+(?:\s[\w-]+)?)",
    re.IGNORECASE,
)
_STOP = re.compile(r"[,;:.!?()]")
_NO_NOUN = re.compile(r"(?:ed|ing|ly)$")
_SENTENCE = re.compile(r"[;:.!?](?=\s|$)")
_MODAL = re.compile(
    r"may|might|shall|also|always|currently|now|then|already|still|just|often|usually|never|even"
    r"|only|soon|once|recently|later|first|finally|eventually|probably|likely",
    re.IGNORECASE,
)
_NUMBER = re.compile(
    r"\d.*|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|hundred|thousand"
)
_PIVOT = 2  # words besides numbers that two texts share in a row when they say the same

Token = tuple[int, int, tuple[str, ...]]


def other_doers(claim: Statement, source: Sequence[Statement]) -> Iterator[str]:
    """What the source says of another doer, and nowhere of the one that the sentence names."""
    known = frozenset().union(*(s.stems for s in source))
    heading = source[0].stems if source else frozenset()
    mine = _tokens(claim.text)
    parts = [Statement(part) for s in source for part in _SENTENCE.split(s.text) if part]
    told = [(_tokens(s.text), s) for s in parts]
    for i in range(1, len(mine)):
        doer = _before(mine, claim.text, i)
        if not doer or not _acts(mine, claim.text, i) or not doer <= known or doer <= heading:
            continue
        found = [(its, s, j) for its, s in told for j in _pivots(mine[i:], its)]
        if any(doer & _said(its[:j]) for its, _, j in found) or any(
            doer & frozenset(a[2]) and b[2] == mine[i][2]
            for its, _ in told
            for a, b in pairwise(its)
        ):
            continue
        for its, statement, j in found:
            if _by(its, statement.text, j) != _by(mine, claim.text, i):
                continue
            other = _before(its, statement.text, j)
            if other and not other & _said(mine[:i]):
                yield f"the source says it of {min(other)!r}, not of {min(doer)!r}"


def _acts(tokens: Sequence[Token], text: str, at: int) -> bool:
    """Whether a word may be a verb and the one before it its subject."""
    text = normal(text)
    subject, verb = (text[t[0] : t[1]].casefold() for t in tokens[at - 1 : at + 1])
    linked = bool(text[tokens[at - 1][1] : tokens[at][0]].strip())
    plural = subject.endswith("s")
    return not _NO_NOUN.search(subject) and (linked or plural or bool(_PAST.fullmatch(verb)))


def _by(tokens: Sequence[Token], text: str, at: int) -> bool:
    """Whether a word is followed by "by": then what stands before it is done to."""
    return re.match(r"\s+by\b", normal(text)[tokens[at][1] :]) is not None


def _passive(statement: Statement) -> bool:
    return _PASSIVE.search(statement.text) is not None


def _tokens(text: str) -> list[Token]:
    found = words(normal(text))
    return [t for t in found if t[2] and not _MODAL.fullmatch(text[t[0] : t[1]])]


def _said(tokens: Sequence[Token]) -> frozenset[str]:
    return frozenset(stem for token in tokens for stem in token[2])


def _pivots(mine: Sequence[Token], its: Sequence[Token]) -> Iterator[int]:
    """Where in the source a run begins that the sentence goes on with, of enough words."""
    for j in range(1, len(its)):
        shared = 0
        for (*_, a), (*_, b) in zip(mine, its[j:], strict=False):
            if a != b:
                break
            shared += not _NUMBER.fullmatch(a[0])
            if shared == _PIVOT:
                yield j
                break


def _before(tokens: Sequence[Token], text: str, at: int) -> frozenset[str]:
    """The stems of the word right before the pivot; none when something sets it off."""
    start, end, stems = tokens[at - 1]
    text = _WHICH.sub(lambda match: " " * len(match.group()), normal(text))
    gap = text[end : tokens[at][0]]
    if _BREAK.search(gap) or _THE.search(gap) or _NUMBER.fullmatch(text[start:end].casefold()):
        return frozenset()
    return frozenset(stems)


def exchanged_roles(claim: Statement, source: Sequence[Statement]) -> Iterator[str]:
    """A asks B, where the source has B ask A."""
    text, mine = normal(claim.text), _tokens(claim.text)
    for i in range(1, len(mine) - 1):
        doer, verb, done_to = (frozenset(mine[k][2]) for k in (i - 1, i, i + 1))
        links = text[mine[i - 1][1] : mine[i][0]]
        goes_on = not _STOP.search(text[mine[i][1] : mine[i + 1][0]])
        named = all(map(str.isalpha, doer | verb | done_to))
        if not (_LINKS.fullmatch(links) and goes_on and named) or doer & done_to:
            continue
        if not (_PAST.fullmatch(text[mine[i][0] : mine[i][1]]) or links.strip()):
            continue
        for statement in source[1:]:
            if _passive(statement) == _passive(claim) and _exchanged(
                _tokens(statement.text), doer, verb, done_to
            ):
                yield f"in the source {min(done_to)!r} {min(verb)!r} {min(doer)!r}"


def _exchanged(
    its: Sequence[Token], doer: frozenset[str], verb: frozenset[str], done_to: frozenset[str]
) -> bool:
    for j, (*_, stems) in enumerate(its):
        before, after = _said(its[:j]), _said(its[j + 1 :])
        if frozenset(stems) == verb and doer <= after - before and done_to <= before - after:
            return True
    return False


def other_agents(claim: Statement, source: Sequence[Statement]) -> Iterator[str]:
    """Done by somebody else than the source says."""
    its = [agent for s in source for part in _SENTENCE.split(s.text) for agent in _agents(part)]
    for verb, agent in _agents(claim.text):
        found = [other for v, other in its if v == verb]
        if found and not any(agent & other for other in found):
            yield f"the source has {verb!r} by {min(found[0])!r}, not by {min(agent)!r}"


def _agents(text: str) -> Iterator[tuple[str, frozenset[str]]]:
    for match in _AGENT.finditer(text):
        verb, agent = analyze(match["verb"]), frozenset(analyze(match["agent"]))
        if verb and agent and all(map(str.isalpha, agent)):
            yield verb[0], agent
