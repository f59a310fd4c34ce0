"""Every pattern of the project, and hostile texts made from a pattern's own parse tree."""

import ast
import importlib
import pkgutil
import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from re import _constants as sre  # type: ignore[attr-defined]
from re import _parser  # type: ignore[attr-defined]
from types import ModuleType
from typing import Any

import bot
import ingest

_USES = ("compile", "search", "match", "fullmatch", "split", "findall", "finditer", "sub", "subn")
_ANCHORED = {"match", "fullmatch"}  # tried at one position only
_SAMPLES = " a0A.\n\t,-_|*`<>()[]{}\"'/\\:#!?&=@~+%;\r\u3042\u00e9"
_UNBOUNDED = 200  # a repetition that may go on for more than this can make a long run
_REPEATS = (sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT)
_SIGNS = (
    *" \t\n0aA.,-_|*`()[]{}<>\"'/\\:#!?&=@~+%;>•。\u00a0",
    "\r\n",
    *(
        "a ",
        "A ",
        "0 ",
        ". ",
        "a.",
        "0.",
        "0,",
        "a-",
        "a_",
        "a/",
        "a:",
        ", ",
        "- ",
        "| ",
        "|-",
        "a\n",
        "- a\n",
    ),
    *(
        "aA",
        "a0",
        "Aa ",
        "a, ",
        "a. ",
        "A. ",
        "<a ",
        "<a",
        "</",
        "[x](",
        "](",
        "[a]",
        "![",
        "**a",
        "`a",
        " `",
        "{#",
    ),
    *(
        "<!",
        "<@",
        "&a",
        "a@",
        "a@a.",
        "http://",
        "'a",
        '"a',
        "(a",
        "((",
        "a's ",
        "  \n",
        "\n\n",
        "\n ",
        "> ",
        "€0",
    ),
)


@dataclass(frozen=True)
class Found:
    """Where a pattern is written; `anchored`: it is tried at the start of a text only."""

    where: str
    pattern: str
    flags: int
    anchored: bool


def modules() -> Iterator[ModuleType]:
    """Every module of the project but the entries that run when they are imported."""
    for package in (bot, ingest):
        for info in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if not info.name.endswith("__main__"):
                yield importlib.import_module(info.name)


def all_patterns() -> list[Found]:
    """The compiled ones that a module holds, and those written where they are used."""
    found: dict[tuple[str, int], Found] = {}
    for module in modules():
        tree = ast.parse(Path(str(module.__file__)).read_text(encoding="utf-8"))
        for each in _held(module, tree):
            known = found.get((each.pattern, each.flags))
            if known is None or known.anchored:
                found[each.pattern, each.flags] = each
        for each in _written(module, tree):
            found.setdefault((each.pattern, each.flags), each)
    return list(found.values())


def _held(module: ModuleType, tree: ast.Module) -> Iterator[Found]:
    methods = _methods(tree)
    for name, value in vars(module).items():
        for pattern in _compiled(value, 3):
            anchored = (
                bool(methods.get(name)) and name.startswith("_") and methods[name] <= _ANCHORED
            )
            yield Found(
                f"{module.__name__}.{name}", pattern.pattern, pattern.flags & ~re.UNICODE, anchored
            )


def _methods(tree: ast.Module) -> dict[str, set[str]]:
    """What is done with each name: the methods called, and "" where it is passed on."""
    called: dict[str, set[str]] = {}
    owners = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            called.setdefault(node.value.id, set()).add(node.attr)
            owners.add(node.value)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node not in owners:
            called.setdefault(node.id, set()).add("")
    return called


def _compiled(value: object, depth: int) -> Iterator[re.Pattern[str]]:
    if isinstance(value, re.Pattern):
        yield value
    elif depth and isinstance(value, dict):
        for each in (*value.keys(), *value.values()):
            yield from _compiled(each, depth - 1)
    elif depth and isinstance(value, tuple | list | set | frozenset):
        for each in value:
            yield from _compiled(each, depth - 1)
    elif depth and isinstance(value, type) and value.__module__.split(".")[0] in ("bot", "ingest"):
        for each in vars(value).values():
            yield from _compiled(each, depth - 1)


def _written(module: ModuleType, tree: ast.Module) -> Iterator[Found]:
    """Calls such as `re.sub(...)` in functions; a name known only there counts as a word."""
    for node in ast.walk(tree):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
            continue
        owner = node.func.value
        if isinstance(owner, ast.Name) and owner.id == "re" and node.func.attr in _USES:
            pattern = _text(node.args[0], module)
            flags = sum(
                _flags(a, module) for a in (*node.args[1:], *(k.value for k in node.keywords))
            )
            where = f"{module.__name__}:{node.lineno}"
            yield Found(where, pattern, flags, node.func.attr in _ANCHORED)


def _text(node: ast.expr, module: ModuleType) -> str:
    if isinstance(node, ast.JoinedStr):
        return "".join(_text(v, module) for v in node.values)
    if isinstance(node, ast.BinOp):
        return _text(node.left, module) + _text(node.right, module)
    try:
        value = eval(compile(ast.Expression(_bare(node)), "", "eval"), dict(vars(module)))  # noqa: S307
    except NameError:
        return "word"
    return value if isinstance(value, str) else "word"


def _bare(node: ast.expr) -> ast.expr:
    return node.value if isinstance(node, ast.FormattedValue) else node


def _flags(node: ast.expr, module: ModuleType) -> int:
    if "re." not in ast.unparse(node) or isinstance(node, ast.Call):
        return 0
    value = eval(compile(ast.Expression(node), "", "eval"), dict(vars(module)))  # noqa: S307
    return int(value) if isinstance(value, re.RegexFlag) else 0


def hostile(found: Found) -> list[tuple[str, str, str]]:
    """(before, repeated, after): a run of each sign, and runs that this pattern almost matches."""
    tree = _parser.parse(found.pattern, found.flags)
    texts = {("", sign, after): None for sign in _SIGNS for after in ("", "\x00")}
    for seed in range(4):
        sampler = _Sampler(seed)
        sampler.sequence(tree)
        for before, body in sampler.runs:
            for after in ("", "\x00", "a", "\n", " ."):
                texts[before, body, after] = None
            texts["", before + body, ""] = None
            texts["", before + body, "\x00"] = None
            if before:
                texts["", before, ""] = None
                texts[before, before[-1], "\x00"] = None
        whole = sampler.text
        if whole:
            texts["", whole, ""] = None
            texts["", whole[:-1] or whole, ""] = None
    return list(texts)


class _Sampler:
    """Writes a text that the nodes accept, and notes what precedes each long repetition."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._first = seed == 0
        self.text = ""
        self.runs: list[tuple[str, str]] = []
        self._groups: dict[int, str] = {}

    def sequence(self, nodes: Any) -> None:
        for op, value in nodes:
            self._node(op, value)

    def _node(self, op: Any, value: Any) -> None:
        if op is sre.LITERAL:
            self.text += chr(value)
        elif op in (sre.NOT_LITERAL, sre.IN, sre.ANY, sre.CATEGORY):
            self.text += self._one(_accepted(op, value))
        elif op is sre.BRANCH:
            self.sequence(value[1][0] if self._first else self._random.choice(value[1]))
        elif op is sre.SUBPATTERN:
            start = len(self.text)
            self.sequence(value[3])
            if value[0]:
                self._groups[value[0]] = self.text[start:]
        elif op is sre.ATOMIC_GROUP:
            self.sequence(value)
        elif op in _REPEATS:
            self._repeat(*value)
        elif op is sre.GROUPREF:
            self.text += self._groups.get(value, "")
        elif op is sre.ASSERT and value[0] < 0 and not self.text:
            self.sequence(value[1])

    def _repeat(self, least: int, most: int, body: Any) -> None:
        before = self.text
        if int(most) > _UNBOUNDED:
            for sample in self._bodies(body):
                self.runs.append((before, sample))
        times = (
            least if self._first else max(least, min(int(most), self._random.choice((0, 1, 1, 2))))
        )
        for _ in range(min(times, 3)):
            self.sequence(body)

    def _bodies(self, body: Any) -> Iterator[str]:
        if len(body) == 1 and body[0][0] in (sre.NOT_LITERAL, sre.IN, sre.ANY, sre.CATEGORY):
            yield from _accepted(*body[0])[:3] if self._first else [self._one(_accepted(*body[0]))]
            return
        start, runs = self.text, self.runs
        self.sequence(body)
        sample, self.text = self.text[len(start) :], start
        self.runs = runs
        if sample:
            yield sample

    def _one(self, accepted: list[str]) -> str:
        return (accepted[0] if self._first else self._random.choice(accepted)) if accepted else ""


def _accepted(op: Any, value: Any) -> list[str]:
    if op is sre.ANY:
        return [c for c in _SAMPLES if c != "\n"]
    if op is sre.NOT_LITERAL:
        return [c for c in _SAMPLES if c != chr(value)]
    return [c for c in _letters(value) if _in(c, value)]


def _letters(items: Any) -> str:
    own = "".join(
        chr(v) if op is sre.LITERAL else chr(v[0])
        for op, v in items
        if op in (sre.LITERAL, sre.RANGE)
    )
    return _SAMPLES + own


_CATEGORIES = {
    sre.CATEGORY_DIGIT: r"\d",
    sre.CATEGORY_NOT_DIGIT: r"\D",
    sre.CATEGORY_SPACE: r"\s",
    sre.CATEGORY_NOT_SPACE: r"\S",
    sre.CATEGORY_WORD: r"\w",
    sre.CATEGORY_NOT_WORD: r"\W",
}


def _in(letter: str, items: Any) -> bool:
    negated, inside = False, False
    for op, value in items:
        if op is sre.NEGATE:
            negated = True
        elif op is sre.LITERAL:
            inside |= ord(letter) == value
        elif op is sre.RANGE:
            inside |= value[0] <= ord(letter) <= value[1]
        elif op is sre.CATEGORY:
            inside |= re.match(_CATEGORIES[value], letter) is not None
    return inside != negated
