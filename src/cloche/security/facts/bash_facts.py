"""The facts of a bash text: walks its syntax tree in the order in which the shell would."""

import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from cloche.security.facts.bash_syntax import Unreadable, parse_bash
from cloche.security.facts.commands import CommandReader
from cloche.security.facts.fact import Fact, shorten
from cloche.security.facts.places import Place
from cloche.security.facts.reading import DEPTH, At, Reading, Stream
from cloche.security.facts.redirects import RedirectReader
from cloche.security.facts.shell_state import ShellFunction, ShellState
from cloche.security.facts.spawning import spawns_without_end
from cloche.security.facts.streams import judge_output, stream_to_value
from cloche.security.facts.words import Value, Word, WordReader

if TYPE_CHECKING:
    from tree_sitter import Node

_UNSEEN = re.compile("[\x00\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]")
"""Characters that a reader of the command does not see, or that reorder what he sees."""
_TICKS = re.compile(r"`((?:\\.|[^`\\])*)`", re.DOTALL)
_LEAVERS = frozenset({"exit", "return", "break", "continue"})
_SUBSTITUTIONS = frozenset({"command_substitution", "process_substitution"})
_LEAVES = frozenset({"word", "number", "raw_string", "simple_expansion", "variable_name", "string_content"})
_REDIRECTS = frozenset({"file_redirect", "herestring_redirect", "heredoc_redirect"})


def read_bash(text: str, reading: Reading, at: At | None = None, state: ShellState | None = None) -> Place:
    """Add the facts of a text to `reading`; returns where the shell is after it."""
    at = at or reading.start()
    if reading.depth >= DEPTH:
        reading.add_construct("too_deep", text, "commands are nested too deeply to be read")
        return at.place
    # A text that evaluates itself is parsed again and again.
    reading.count(len(text) // 16)
    try:
        root = parse_bash(text)
    except Unreadable as error:
        reading.add_construct("parse_error", text, str(error))
        return at.place
    if root.has_error:
        reading.add_construct("parse_error", text, "it is not bash that can be read with certainty")
    elif _UNSEEN.search(text):
        reading.add_construct("parse_error", text, "it has characters that cannot be seen")
    elif joins_words(text):
        reading.add_construct("joined_lines", text, "a word continues on the next line")
    reading.depth += 1
    try:
        walk = BashWalk(reading, text, state or ShellState(reading.surroundings))
        return walk.read(root, at)
    finally:
        reading.depth -= 1


def joins_words(text: str) -> bool:
    """Whether a backslash joins two lines inside a word: the grammar takes them for two words."""
    at = text.find("\\\n")
    while at >= 0:
        if at > 0 and not text[at - 1].isspace() and at + 2 < len(text) and not text[at + 2].isspace():
            return True
        at = text.find("\\\n", at + 2)
    return False


class BashWalk:
    """A walk through the tree of one text."""

    def __init__(self, reading: Reading, source: str, state: ShellState) -> None:
        self.reading = reading
        self.state = state
        self._source = source
        self._outputs: dict[int, Value] = {}
        """What each substitution prints, by its position."""
        self._words = WordReader(source, state.values, self._outputs, reading.surroundings.home)
        self._commands = CommandReader(reading, state, read_bash, self._call)
        self._redirects = RedirectReader(self)
        self._certain = False
        """Whether the last `cd` cannot have failed where the next command runs."""
        self._level = 0
        self.later_words: list[Node] = []
        """Words of the next command that stand behind its redirections."""

    def read(self, node: "Node", at: At) -> Place:
        """Walk a node; returns the place after it."""
        self.reading.count()
        self._level += 1
        try:
            if self._level > DEPTH:
                self.reading.add_construct("too_deep", self.text(node), "commands are nested too deeply to be read")
                return at.place
            handler = _HANDLERS.get(node.type)
            return handler(self, node, at) if handler else self.read_statements(node, at)
        finally:
            self._level -= 1

    def text(self, node: "Node") -> str:
        """The source of a node."""
        return self._source[node.start_byte : node.end_byte]

    def between(self, start: int, end: int) -> str:
        """The source between two places."""
        return self._source[start:end]

    def read_words(self, node: "Node", at: At) -> list[Word]:
        """The words of one word; what is substituted in it is walked first."""
        self.read_substitutions(node, at)
        return self._words.read(node)

    def read_substitutions(self, node: "Node", at: At) -> None:
        """Walk the substitutions in a word or an expression."""
        source = self.text(node)
        if "(" not in source and "`" not in source:
            return
        for text in find_ticks(node, self.text):
            self.reading.add_construct("parse_error", text, "backticks inside ${} are not read with certainty")
            read_bash(text, self.reading, At(place=at.place, via=at.via), self.state)
        for each in _find_substitutions(node, self.reading):
            before = len(self.reading.facts)
            takes_input = self._source[each.start_byte : each.start_byte + 2] == ">("
            inner = At(place=at.place, via=at.via, stdin=at.stdin if takes_input else Stream())
            self.read_statements(each, inner)
            stream = self.judge(before, inner.stdin, each)
            self._outputs[each.start_byte] = stream_to_value(stream, process=each.type == "process_substitution")

    def judge(self, before: int, stdin: Stream, node: "Node") -> Stream:
        """What was printed by the commands whose facts came after `before`."""
        single = node.named_child_count == 1 or node.type == "command"
        return judge_output(self.reading.facts[before:], stdin, self.reading.origins, single=single)

    def read_statements(self, node: "Node", at: At) -> Place:
        """Walk the children one after another."""
        for child in node.named_children:
            if child.type in _REDIRECTS:
                continue
            self._certain = False
            after = self.read(child, at)
            if after is not at.place:
                certain = self._certain or self.state.stops_at_errors
                at = At(place=after if certain else at.place.join(after), via=at.via, stdin=at.stdin)
        return at.place

    def read_apart(self, node: "Node", at: At) -> Place:
        """Walk something that changes no folder of the shell around it."""
        self.read_statements(node, at)
        return at.place

    def read_list(self, node: "Node", at: At) -> Place:
        """Commands joined by && and ||, however many."""
        rights: list[tuple[str, Node]] = []
        while node.type == "list":
            left, *between, right = node.children
            rights.append((between[0].type if between else "&&", right))
            node = left
        place = self.read(node, at)
        certain = False
        for operator, right in reversed(rights):
            after = self.read(right, At(place=place, via=at.via, stdin=at.stdin))
            if operator == "&&":
                place = after
            elif self.text(right).partition(" ")[0].strip(";\n") in _LEAVERS:
                certain = True
            else:
                place = place.join(after)
        self._certain = certain
        return place

    def read_pipeline(self, node: "Node", at: At) -> Place:
        """The stages of a pipeline, each with what the one before prints."""
        stdin = at.stdin
        for stage in node.named_children:
            before = len(self.reading.facts)
            self.read(stage, At(place=at.place, via=at.via, stdin=stdin))
            stdin = self.judge(before, stdin, stage)
            if self.text(stage).startswith("$0"):
                self._report_bomb(node)
        return at.place

    def read_redirected(self, node: "Node", at: At) -> Place:
        """A command with redirections around it."""
        return self._redirects.read(node, at)

    def read_command(self, node: "Node", at: At) -> Place:
        """A simple command."""
        words: list[Word] = []
        redirects = [child for child in node.children if child.type in _REDIRECTS]
        later, self.later_words = self.later_words, []
        stdin = self._redirects.read_inputs(redirects, at)
        inner = at if stdin is None else At(place=at.place, via=at.via, stdin=stdin)
        for child in node.children:
            if child.type == "variable_assignment":
                self._read_assignment(child, at, lasting=False)
            elif child.type not in _REDIRECTS:
                words += self.read_words(child, inner)
        words += [word for each in later for word in self.read_words(each, inner)]
        before = len(self.reading.facts)
        place = self._commands.read(words, inner, self.text(node)) if words else at.place
        self._redirects.read_outputs(redirects, at, before, node)
        if node.next_sibling is not None and node.next_sibling.type == "&" and self.text(node).startswith("$0"):
            self._report_bomb(node)
        return place

    def read_declaration(self, node: "Node", at: At) -> Place:
        """`export`, `declare`, `unset` and the like."""
        words = [Word(text=kind, source=kind) for kind in [node.children[0].type]]
        for child in node.named_children:
            if child.type == "variable_assignment":
                self._read_assignment(child, at)
            else:
                words += self.read_words(child, at)
        return self._commands.read(words, at, self.text(node))

    def read_assignment(self, node: "Node", at: At) -> Place:
        """An assignment that lasts."""
        self._read_assignment(node, at)
        return at.place

    def _read_assignment(self, node: "Node", at: At, *, lasting: bool = True) -> None:
        name = node.child_by_field_name("name")
        value = node.child_by_field_name("value")
        words = self.read_words(value, at) if value is not None else [Word(text="", source="")]
        if name is None:
            return
        if name.type == "subscript":
            self.read_substitutions(name, at)
        key = self.text(name).partition("[")[0]
        self.state.assign(key, words[0] if len(words) == 1 else Word(text=None, source="", origin="computed"))
        fact = Fact(kind="variable", value=key, excerpt=shorten(self.text(node)), language="bash")
        self.reading.add(fact)

    def read_function(self, node: "Node", at: At) -> Place:
        """A definition: its body is read once as it is, and again at each call with the arguments."""
        name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
        if name is None or body is None:
            return at.place
        key = self.text(name)
        self.state.functions[key] = ShellFunction(body, self)
        self.read(body, At(place=at.place, via=(*at.via, "function")))
        if self.state.is_bomb(key):
            self._report_bomb(node)
        return at.place

    def read_loop(self, node: "Node", at: At) -> Place:
        """`for` and `while`: their variable may be anything."""
        variable = node.child_by_field_name("variable")
        if variable is not None:
            self.state.assign(self.text(variable), Word(text=None, source="", origin="computed"))
            self._guess_loop_value(node, self.text(variable), at)
        if spawns_without_end(node, self.text):
            self.reading.add_construct("endless_spawning", self.text(node), "a loop without end starts processes")
        return at.place.join(self.read_statements(node, at))

    def _guess_loop_value(self, node: "Node", name: str, at: At) -> None:
        words = [word for child in node.children_by_field_name("value") for word in self.read_words(child, at)]
        if len(words) == 1:
            self.state.values[name] = Value(guess=words[0].likely, origin=words[0].origin or "computed")

    def read_branches(self, node: "Node", at: At) -> Place:
        """`if` and `case`: what is in them may be done or not."""
        return at.place.join(self.read_statements(node, at))

    def read_expression(self, node: "Node", at: At) -> Place:
        """Tests, arithmetic and stray words: only what is substituted in them runs."""
        self.read_substitutions(node, at)
        return at.place

    def _call(self, function: ShellFunction, at: At) -> None:
        function.walk.read(function.body, at)

    def _report_bomb(self, node: "Node") -> None:
        self.reading.add_construct("fork_bomb", self.text(node), "it starts itself again and again")


def find_ticks(node: "Node", text: "Callable[[Node], str]") -> list[str]:
    """Commands in backticks that the grammar takes for text: those inside `${x:-...}`."""
    if node.type in _LEAVES or "`" not in text(node):
        return []
    if node.type in _SUBSTITUTIONS:
        return []
    inside = [found for child in node.named_children for found in find_ticks(child, text)]
    if node.type != "expansion" or inside or any(each.type in _SUBSTITUTIONS for each in node.named_children):
        return inside
    return _TICKS.findall(text(node)) or [text(node)]


def _find_substitutions(node: "Node", reading: Reading) -> "Iterator[Node]":
    """The outermost substitutions below a node, in order."""
    if node.type in _LEAVES:
        return
    if node.type in _SUBSTITUTIONS:
        yield node
        return
    stack = [node]
    while stack:
        reading.count()
        each = stack.pop()
        if each.type in _SUBSTITUTIONS:
            yield each
        else:
            stack.extend(reversed(each.named_children))


_Handler = Callable[[BashWalk, "Node", At], Place]

_HANDLERS: dict[str, _Handler] = {
    "list": BashWalk.read_list,
    "pipeline": BashWalk.read_pipeline,
    "redirected_statement": BashWalk.read_redirected,
    "command": BashWalk.read_command,
    "declaration_command": BashWalk.read_declaration,
    "unset_command": BashWalk.read_declaration,
    "variable_assignment": BashWalk.read_assignment,
    "function_definition": BashWalk.read_function,
    "for_statement": BashWalk.read_loop,
    "c_style_for_statement": BashWalk.read_loop,
    "while_statement": BashWalk.read_loop,
    "if_statement": BashWalk.read_branches,
    "case_statement": BashWalk.read_branches,
    "subshell": BashWalk.read_apart,
    **dict.fromkeys(
        (
            "word", "number", "string", "raw_string", "concatenation", "expansion", "simple_expansion", "test_command",
            "arithmetic_expansion", "command_substitution", "process_substitution", "ansi_c_string", "variable_name",
            "binary_expression", "unary_expression", "extglob_pattern", "comment", "heredoc_body", "brace_expression",
        ),
        BashWalk.read_expression,
    ),
}  # fmt: skip
