"""The audit table: every question to be read with one's own eyes, its candidates behind a click."""

from bot.evaluate.figures import is_lost
from bot.evaluate.markup import Child, Markup, el
from bot.evaluate.types import Question, Reply, Run, Shown, Trial, Way
from bot.evaluate.words import answerable_word, gold_notes, number

# What a reader may want to see alone, in the order of the buttons.
FILTERS = {
    "all": "all",
    "lost": "right passage not shown",
    "refused": "answerable, refused",
    "false": "unanswerable, passed",
    "note": "with a note",
}
WAYS: dict[Way, str] = {
    "raw": "raw turn",
    "standalone": "hand-written question",
    "page_withdrawn": "page withdrawn",
    "passage_withdrawn": "passage withdrawn",
}


def audit(run: Run) -> Markup:
    """Write the table."""
    marked = [(question, _marks(question, run.top_k)) for question in run.questions]
    counts = {name: sum(name in marks for _, marks in marked) for name in FILTERS}
    inputs = [
        el("input", type="radio", name="show", id=f"show-{name}", checked=name == "all")
        for name in FILTERS
    ]
    labels = [
        el("label", told, el("small", counts[name]), for_=f"show-{name}")
        for name, told in FILTERS.items()
    ]
    names = ("line", "question", "answerable", "came first", "rank", "evidence", "gate")
    head = el("div", [el("span", name) for name in names], class_="head row")
    rows = [_row(question, marks) for question, marks in marked]
    table = el("div", head, rows, class_="audit")
    title = el("h2", "Question by question")
    return el("section", title, inputs, el("div", labels, class_="filters"), table)


def _marks(question: Question, top_k: int) -> set[str]:
    asked = question.trials["asked"]
    marks = {"all"}
    if is_lost(question, top_k):
        marks.add("lost")
    if question.answerable is True and not asked.passed:
        marks.add("refused")
    if question.answerable is False and asked.passed:
        marks.add("false")
    if question.note:
        marks.add("note")
    return marks


def _row(question: Question, marks: set[str]) -> Markup:
    asked = question.trials["asked"]
    place = asked.places.get("reranked")
    first = asked.hits[0] if asked.hits else None
    tags = [el("em", question.kind)] if question.kind else []
    shown = asked.places.get("shown")
    rank: list[Child] = ["–" if place is None else str(place.rank or "none")]
    if place and shown and shown.rank != place.rank:
        rank.append(el("small", f"shown {shown.rank}"))
    summary = el(
        "summary",
        el("span", question.line),
        el("span", question.q, " ", tags, el("small", question.note)),
        el("span", answerable_word(question.answerable)),
        el("span", _where(first), class_="where") if first else el("span", "nothing"),
        el("span", rank, class_="rank bad" if "lost" in marks else "rank"),
        el("span", number(asked.evidence)),
        el("span", _gate(asked), class_="bad" if marks & {"refused", "false"} else None),
        class_="row",
    )
    parts = (_read_as(question), _missing(question), _hits(asked), _ways(question))
    reply = _reply(question.reply) if question.reply else None
    return el("details", summary, el("div", parts, reply, class_="inside"), class_=" ".join(marks))


def _where(hit: Shown) -> list[Child]:
    mark = el("b", "✓ ", title="a right passage") if hit.right else None
    return [mark, hit.doc.rsplit("/", 1)[-1], " › ", hit.heading]


def _gate(trial: Trial) -> str:
    return "passed" if trial.passed else "refused"


def _read_as(question: Question) -> Markup | None:
    asked = question.trials["asked"]
    if asked.standalone == question.q:
        return None
    return el("p", el("b", "Read as: "), asked.standalone)


def _missing(question: Question) -> Markup | None:
    notes = gold_notes(question)
    return el("p", f"Gold: {'; '.join(notes)}.", class_="bad") if notes else None


def _hits(trial: Trial) -> Markup:
    names = ("", "passage", "score", "evidence", "dense", "BM25")
    head = el("tr", [el("th", name) for name in names])
    rows = [_hit(n, hit) for n, hit in enumerate(trial.hits, start=1)]
    return el("div", el("table", el("thead", head), el("tbody", rows)), class_="wide")


def _hit(n: int, hit: Shown) -> Markup:
    features = ", ".join(f"{name} {value:.2f}" for name, value in hit.features.items())
    place = f"{hit.doc} › {hit.heading}, chars {hit.start}-{hit.end}"
    passage = [el("b", place), el("code", hit.id), el("p", hit.text), el("small", features)]
    cells = (
        f"✓ {n}" if hit.right else str(n),
        passage,
        number(hit.score),
        number(hit.evidence),
        str(hit.dense_rank or "–"),
        str(hit.lexical_rank or "–"),
    )
    return el("tr", [el("td", cell) for cell in cells], class_="right" if hit.right else None)


def _ways(question: Question) -> Markup | None:
    rows = []
    for way, name in WAYS.items():
        trial = question.trials.get(way)
        if trial is not None:
            place = trial.places.get("reranked")
            ranked = f"rank {place.rank or 'none'}, " if place else ""
            first = [": ", _where(trial.hits[0])] if trial.hits else None
            told = f"{ranked}evidence {number(trial.evidence)}, {_gate(trial)}"
            rows.append(el("li", el("b", name), " ", told, first))
    return el("ul", rows) if rows else None


def _reply(reply: Reply) -> Markup:
    if reply.abstained is not None:
        return el("p", el("b", "Abstained: "), reply.abstained.replace("_", " "), class_="reply")
    said = []
    for sentence in reply.sentences:
        verdict = {True: "upheld", False: "not upheld", None: ""}[sentence.faithful]
        small = el("small", " ".join(sentence.cited), " ", verdict)
        said.append(el("li", sentence.text, " ", small))
    wrong = [el("li", problem, class_="bad") for problem in reply.invalid]
    dropped = f"Dropped: {', '.join(reply.dropped)}." if reply.dropped else None
    title = el("b", f"Answered by {reply.generator}")
    return el(
        "div", title, el("ol", said, wrong), el("p", dropped) if dropped else None, class_="reply"
    )
