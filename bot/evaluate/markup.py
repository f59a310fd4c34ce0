"""HTML and SVG from Python: every text is escaped, whatever it holds."""

from collections.abc import Iterable
from html import escape

VOID = frozenset({"meta", "input", "br", "line", "rect", "circle", "polyline", "path"})


class Markup(str):
    """Text that is markup already."""

    __slots__ = ()


Child = str | int | None | Iterable["Child"]
Value = str | float | bool | None


def el(name: str, /, *children: Child, **attributes: Value) -> Markup:
    """An element.

    Args:
        name: of the element.
        children: markup as it is, other text escaped, None left out, and any nesting of these.
        attributes: underscores stand for hyphens, a trailing one is dropped (`class_`); True writes
            the name alone, None and False nothing.
    """
    written = "".join(_attribute(key, value) for key, value in attributes.items())
    if name in VOID and not children:
        return Markup(f"<{name}{written}/>")
    return Markup(f"<{name}{written}>{join(children)}</{name}>")


def join(children: Iterable[Child]) -> Markup:
    """Write children one after the other."""
    return Markup("".join(_child(child) for child in children))


def _child(child: Child) -> str:
    if child is None:
        return ""
    if isinstance(child, Markup):
        return child
    if isinstance(child, str | int):
        return escape(str(child), quote=False)
    return join(child)


def _attribute(key: str, value: Value) -> str:
    if value is None or value is False:
        return ""
    name = key.rstrip("_").replace("_", "-")
    if value is True:
        return f" {name}"
    told = f"{value:g}" if isinstance(value, float) else str(value)
    return f' {name}="{escape(told)}"'
