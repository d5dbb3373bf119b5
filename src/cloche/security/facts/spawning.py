"""Finds what starts processes without end."""

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node

_CONDITIONS = frozenset({"if_statement", "case_statement", "list", "while_statement", "for_statement"})
_WAITING = frozenset({"wait", "sleep", "break", "read", "inotifywait", "exit", "return"})
"""Commands in a loop that keep it from running away."""
_NODES = 2000
"""Nodes of one body that are looked at."""


def find_spawned(body: "Node", text: "Callable[[Node], str]") -> tuple[frozenset[str], frozenset[str]]:
    """The commands in a body, and those in the background or, under no condition, in a pipeline."""
    calls: set[str] = set()
    spawned: set[str] = set()
    stack = [(body, False, False)]
    for _ in range(_NODES):
        if not stack:
            break
        node, beside, conditional = stack.pop()
        if node.type == "command" and (name := node.child_by_field_name("name")):
            calls.add(text(name))
            if beside:
                spawned.add(text(name))
        conditional = conditional or node.type in _CONDITIONS
        for child in node.named_children:
            background = child.next_sibling is not None and child.next_sibling.type == "&"
            stack.append((child, beside or background or (node.type == "pipeline" and not conditional), conditional))
    return frozenset(calls), frozenset(spawned)


def spawns_without_end(loop: "Node", text: "Callable[[Node], str]") -> bool:
    """Whether a loop that never ends puts commands into the background and waits for none."""
    condition, body = loop.child_by_field_name("condition"), loop.child_by_field_name("body")
    if condition is None or body is None or text(condition).strip(" ;") not in ("true", ":", "((1))", "[ 1 ]"):
        return False
    calls, spawned = find_spawned(body, text)
    waits = (calls - spawned) & _WAITING
    return bool(spawned) and not waits and any(child.type == "&" for child in body.children)
