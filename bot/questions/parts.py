"""A message's questions, and the parts of one: "what is the limit and who approves it?" Pure."""

import re

MAX_PARTS = 6

_QUESTION_END = re.compile(r"(?<=\?)\s+|(?<=[？؟])\s*")
_ITEM = re.compile(r"^[ \t]{0,8}(?:\d{1,2}[.)]|[a-z]\)|[-*•–])[ \t]{1,8}", re.MULTILINE)
_ASKS = re.compile(r"[?？؟]")
_VERB = r"(?:is|are|was|were|do|does|did|can|may|will|should|must|has|have)"
_ASKING = (
    r"(?:(?:for|in|on|at|by|to|from|with)\s{1,8})?"
    r"(?:what|who|whom|how|when|where|which|why|can|do|does|is|are|will|should|must)\b"
)
_NEXT_PART = re.compile(rf",?\s{{1,8}}(?:and|or)\s{{1,8}}(?={_ASKING})", re.IGNORECASE)
# "When is A, when is B, and how is C?" After a comma "who" or "which" may go on with a thing
# instead, unless the last part stands behind a comma as well.
_LIST = re.compile(rf",\s{{1,8}}(?:and|or)\s{{1,8}}{_ASKING}", re.IGNORECASE)
_LISTED = re.compile(rf",\s{{1,8}}(?={_ASKING})", re.IGNORECASE)
_SURELY = re.compile(
    rf",\s{{1,8}}(?=(?:what|how|why|(?:when|where)\s{{1,8}}{_VERB})\b)", re.IGNORECASE
)
_OPENS = re.compile(
    rf"\W{{0,8}}(?:(?:and|or)\s{{1,8}})?(?!when\s{{1,8}}(?!{_VERB}\b)){_ASKING}", re.IGNORECASE
)
# Words of earlier turns stand in brackets behind a follow-up, see `Query.standalone`.
_WITH_TOPIC = re.compile(r"(.+\S) \([^()]+\)", re.DOTALL)


def asks(message: str) -> bool:
    """Whether there is a question mark in it."""
    return _ASKS.search(message) is not None


def questions_of(message: str) -> list[str]:
    """The questions of a message in their order: sentences that end as one, and items of a list.

    What stands before the first question, between two or behind the last stays with the question
    after it, or with the last. A message that asks one thing comes back whole.
    """
    marks = list(_ITEM.finditer(message))
    bounds = [mark.end() for mark in marks] if len(marks) > 1 else []
    ends = [mark.start() for mark in marks] if len(marks) > 1 else []
    pieces = [message[a:b] for a, b in zip([0, *bounds], [*ends, len(message)], strict=True)]
    lead = pieces[0] if bounds else ""
    questions: list[str] = []
    for piece in pieces[1:] if bounds else pieces:
        sentences = [_ITEM.sub("", s.strip(), count=1) for s in _QUESTION_END.split(piece)]
        asked = [sentence for sentence in sentences if len(sentence.split()) > 1]
        while len(asked) > 1 and not _ASKS.search(asked[-1]):
            asked[-2:] = [f"{asked[-2]} {asked[-1]}"]
        questions += asked
    if lead.strip() and questions:
        questions[0] = f"{lead.strip()} {questions[0]}"
    return questions if len(questions) > 1 else [message]


def parts_of(question: str) -> list[str]:
    """What a question asks one after the other, without the words of earlier turns behind it.

    What a follow-up says itself counts as much as all of it with the words that it leans on: those
    are the last answer's, and would have it read out again.
    """
    own = without_topic(question)
    comma = _LISTED if _LIST.search(own) else _SURELY
    joined = _NEXT_PART.split(own)
    parts = [part for one in joined for part in _listed(one, comma) if len(part.split()) > 1]
    return parts if 1 < len(parts) <= MAX_PARTS else [own]


def _listed(text: str, comma: re.Pattern[str]) -> list[str]:
    """What it asks one after the other by commas; "if I am ill, what …" is one question."""
    parts: list[str] = []
    for piece in comma.split(text):
        if parts and not _OPENS.match(parts[-1]):
            parts[-1] += f", {piece}"
        else:
            parts.append(piece)
    return parts


def without_topic(question: str) -> str:
    """A question without the words of earlier turns behind it."""
    with_topic = _WITH_TOPIC.fullmatch(question)
    return with_topic.group(1) if with_topic else question
