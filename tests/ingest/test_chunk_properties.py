"""What holds for every document, over generated Markdown."""

import re
from dataclasses import dataclass
from itertools import pairwise
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from ingest.chunk import chunk
from ingest.parse import parse
from ingest.types import Chunk, Sizes

SIZES = Sizes(20, 32)


def count_tokens(text: str) -> int:
    return len(re.findall(r"\w+|[^\w\s]", text))


def cut(text: str, path: str = "page.md", sizes: Sizes = SIZES) -> tuple[Chunk, ...]:
    return chunk("docs", path, path, parse(path, text.encode()), count_tokens, sizes)


@dataclass
class Page:
    """Blocks with words of their own: `w` in text, `h` in headings, `x` where words are lost."""

    draw: st.DrawFn
    number: int = 0

    def words(self, least: int = 1, most: int = 12, letter: str = "w") -> str:
        count = self.draw(st.integers(least, most))
        self.number += count
        marks = st.sampled_from(["", "", "", ".", ",", "?", ":"])
        numbers = range(self.number - count, self.number)
        return " ".join(f"{letter}{n}{self.draw(marks)}" for n in numbers)

    def block(self) -> str:
        return getattr(self, self.draw(st.sampled_from(KINDS)))()

    def paragraph(self) -> str:
        return "\n".join(self.words(1, 25) for _ in range(self.draw(st.integers(1, 3))))

    def items(self) -> str:
        mark = self.draw(st.sampled_from(["-", "*", "1."]))
        gap = self.draw(st.sampled_from(["\n", "\n\n"]))
        items = [f"{mark} {self.words()}" for _ in range(self.draw(st.integers(1, 6)))]
        items += [f"{mark} {self.words()}\n\n   - {self.words()}\n     - {self.words()}"]
        return gap.join(items)

    def table(self) -> str:
        rows = [f"| {self.words()} | {self.words()} |" for _ in range(self.draw(st.integers(1, 6)))]
        return "\n".join([f"| {self.words(1, 3)} | {self.words(1, 3)} |", "|---|---|", *rows])

    def fence(self) -> str:
        lines = [self.draw(st.sampled_from(["", "# ", "  "])) + self.words() for _ in range(5)]
        return "\n".join(["```sh", *lines, "", self.words(), "```"])

    def quote(self) -> str:
        return f"> {self.words()}\n> # {self.words()}\n>\n> {self.words(1, 30)}"

    def html(self) -> str:
        rows = "".join(f"<tr><td>{self.words()}</td></tr>\n\n" for _ in range(4))
        return f"<table>\n<tr><th>{self.words()}</th></tr>\n{rows}</table>"

    def comment(self) -> str:
        return f"<!-- {self.words(letter='x')}\n\n# {self.words(letter='x')}\n-->"

    def definition(self) -> str:
        return f"[{self.words(1, 1, 'd')}]: http://example.org"

    def bold(self) -> str:
        return f"**{self.words(1, 3)}**"

    def heading(self) -> str:
        if self.draw(st.booleans()):
            return f"{self.words(1, 4, 'h')}\n-----"
        return "#" * self.draw(st.integers(1, 4)) + f" {self.words(1, 30, 'h')}"


KINDS = [name for name in vars(Page) if not name.startswith("_") and name not in ("words", "block")]
KINDS = [name for name in KINDS if name not in ("draw", "number")]


@st.composite
def pages(draw: st.DrawFn) -> list[str]:
    page = Page(draw)
    return [page.block() for _ in range(draw(st.integers(0, 14)))]


def words_of(text: str, letter: str = "w") -> list[str]:
    return re.findall(rf"\b{letter}\d+\b", text)


@settings(deadline=None)
@given(pages(), st.sampled_from(["\n", "\r\n", "\r"]))
def test_passages_are_slices_in_order_that_lose_nothing_and_cross_no_heading(
    blocks: list[str], end: str
) -> None:
    text = "\n\n".join(blocks).replace("\n", end)
    passages = cut(text)
    assert all(text[p.start : p.end] == p.text == p.text.strip() for p in passages)
    assert all(a.end <= b.start for a, b in pairwise(passages))
    assert words_of(" ".join(p.text for p in passages)) == words_of(text)
    assert not any(words_of(p.text, "h") and words_of(p.text) for p in passages)
    sections = parse("page.md", text.encode()).sections
    told = [text[b.start : b.end] for s in sections for b in s.blocks]
    paths = [" ".join(s.heading) for s in sections]
    assert set(words_of(" ".join(paths + told), "h")) == set(words_of(text, "h"))
    assert not any(words_of(p.embedded, "x") for p in passages)


@settings(deadline=None)
@given(pages())
def test_passages_fit_the_window_and_have_ids_of_their_own(blocks: list[str]) -> None:
    passages = cut("\n\n".join(blocks))
    code = {line.strip() for b in blocks if b[:3] == "```" for line in b.split("\n")}
    assert all(
        count_tokens(p.embedded) <= SIZES.ceiling - 2 for p in passages if p.text not in code
    )
    assert all(p.visible.strip() for p in passages)
    assert len({p.id for p in passages}) == len(passages)
    for passage in passages:
        for context in passage.context:
            assert context.end <= passage.start
            assert context.text


@settings(deadline=None)
@given(pages(), st.sampled_from(["\r\n", "\r"]))
def test_line_ends_leave_ids_alone(blocks: list[str], end: str) -> None:
    text = "\n\n".join(blocks)
    assert [p.id for p in cut(text.replace("\n", end))] == [p.id for p in cut(text)]


@settings(deadline=None)
@given(pages(), pages())
def test_a_section_inserted_above_leaves_the_ids_below_alone(
    above: list[str], below: list[str]
) -> None:
    title = "---\ntitle: T\n---\n\n"
    rest = "\n\n".join(["# Rest", *below])
    first = "\n\n".join(block.replace("w", "v").replace("h", "g") for block in above)
    kept = {p.id for p in cut(title + rest)}
    assert kept <= {p.id for p in cut(f"{title}{first}\n\n{rest}")}


def test_an_edit_in_a_long_section_is_felt_around_it_and_nowhere_else() -> None:
    random = Random(7)
    felt = []
    for number in range(150):
        section = [
            " ".join(f"v{number}x{at}x{n}" for n in range(random.randint(10, 90)))
            for at in range(60)
        ]
        at, edit = random.randrange(60), random.choice(["insert", "reword", "delete"])
        edited = list(section)
        edited[at : at + (edit != "insert")] = [] if edit == "delete" else ["Quite another text."]
        before, after = (
            {p.id for p in cut("# T\n\n" + "\n\n".join(blocks), sizes=Sizes(200, 256))}
            for blocks in (section, edited)
        )
        assert len(before) > 12
        felt.append(max(len(before - after), len(after - before)))
    assert max(felt) <= 5
    assert sum(felt) / len(felt) < 1.7


MARKS = "ab .:\n\r\t#->*_`|~[](){}<>%!=1\\\"'\ufeff\u2028\f\x00é中"


@settings(deadline=None)
@given(
    st.text(st.sampled_from(MARKS), max_size=200),
    st.sampled_from(["a.md", "a.mdx", "a.md.erb", "a.md.njk", "a.txt"]),
    st.sampled_from(["", "---\n", "\ufeff---\na: b\n---\n", "<!--", "```\n", "<table>"]),
)
def test_any_text_at_all_is_read_into_slices(body: str, path: str, head: str) -> None:
    text = head + body
    passages = cut(text, path)
    assert all(text[p.start : p.end] == p.text for p in passages)
    assert all(a.end <= b.start for a, b in pairwise(passages))
    fenced = any(b.kind == "fence" for s in parse(path, text.encode()).sections for b in s.blocks)
    assert all(count_tokens(p.embedded) <= SIZES.ceiling - 2 for p in passages if not fenced)
