"""Markdown-it's flat tokens as a tree of blocks with their lines."""

from dataclasses import dataclass, field

from markdown_it.token import Token


@dataclass(slots=True)
class Node:
    """A block: `type` without `_open`, its lines `[first_line, end_line)`, raw `content`."""

    type: str
    tag: str = ""
    first_line: int = 0
    end_line: int = 0
    content: str = ""
    children: list["Node"] = field(default_factory=list)


def tree(tokens: list[Token]) -> list[Node]:
    """The top-level blocks in order."""
    root = Node("root")
    path = [root]
    for token in tokens:
        if token.nesting < 0:
            path.pop()
            continue
        first, end = token.map or (path[-1].first_line, path[-1].end_line)
        node = Node(token.type.removesuffix("_open"), token.tag, first, end, token.content)
        path[-1].children.append(node)
        if token.nesting > 0:
            path.append(node)
    return root.children
