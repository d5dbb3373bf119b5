"""Redirections: the files they name, here-documents and here-strings."""

import re
from typing import TYPE_CHECKING

from cloche.security.facts.operands import find_socket
from cloche.security.facts.places import Place
from cloche.security.facts.reading import At, Stream

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tree_sitter import Node

    from cloche.security.facts.bash_facts import BashWalk

_READS = ("<", "<&")
_DESCRIPTOR = re.compile(r"\d+-?|-")
_PARTS = ("heredoc_start", "heredoc_body", "heredoc_end", "heredoc_content", "file_redirect", "file_descriptor")


class RedirectReader:
    """Reads the redirections of one text."""

    def __init__(self, walk: "BashWalk") -> None:
        self._walk = walk

    def read(self, node: "Node", at: At) -> Place:
        """A command with its redirections around it."""
        body = node.child_by_field_name("body")
        redirects = node.children_by_field_name("redirect")
        stdin = self.read_inputs(redirects, at)
        inner = at if stdin is None else At(place=at.place, via=at.via, stdin=stdin)
        before = len(self._walk.reading.facts)
        self._walk.later_words = _list_words(redirects)
        self._check_gap(node, body, redirects)
        place = self._walk.read(body, inner) if body is not None else at.place
        self.read_outputs(redirects, inner, before, body if body is not None else node)
        return place

    def _check_gap(self, node: "Node", body: "Node | None", redirects: "Sequence[Node]") -> None:
        """Report text that the grammar has left out before a redirection; it does so with `-`, which is no matter."""
        if body is None or not redirects:
            return
        lost = self._walk.between(body.end_byte, redirects[0].start_byte).strip()
        if lost not in ("", "-", "\\"):
            self._walk.reading.add_construct("parse_error", self._walk.text(node), f"`{lost}` is not understood")

    def read_inputs(self, redirects: "Sequence[Node]", at: At) -> Stream | None:
        """What the command reads from its standard input; None if no redirection says so."""
        stdin: Stream | None = None
        for each in redirects:
            if each.type == "herestring_redirect":
                stdin = self._read_string(each, at)
            elif each.type == "heredoc_redirect":
                stdin = self._read_document(each, at)
                stdin = self.read_inputs(_inner_redirects(each), at) or stdin
            elif _operator(each) in _READS:
                stdin = self._read_file(each, at)
        return stdin

    def read_outputs(self, redirects: "Iterable[Node]", at: At, before: int, body: "Node") -> None:
        """The files that the command writes; its own facts came after `before`."""
        for each in redirects:
            if each.type == "heredoc_redirect":
                self.read_outputs(_inner_redirects(each), at, before, body)
                self._read_continuation(each, at, before, body)
            elif each.type == "file_redirect" and _operator(each) not in _READS:
                self._write_file(each, at, before, body)

    def _read_string(self, node: "Node", at: At) -> Stream:
        words = [word for child in node.named_children for word in self._walk.read_words(child, at)]
        if len(words) != 1:
            return Stream(origin="computed")
        origin = words[0].origin or ("computed" if words[0].text is None else "")
        return Stream(words[0].text, words[0].guess, origin)

    def _read_document(self, node: "Node", at: At) -> Stream:
        start = next((each for each in node.children if each.type == "heredoc_start"), None)
        body = next((each for each in node.children if each.type == "heredoc_body"), None)
        if start is None or body is None:
            return Stream("")
        marker, text = self._walk.text(start), self._walk.text(body)
        if not marker.isascii():
            # The parser sees the same in it as in another marker.
            self._walk.reading.add_construct("parse_error", marker, "where the here-document ends is not certain")
        if any(self._walk.text(each) == "<<-" for each in node.children):
            text = re.sub(r"^\t+", "", text, flags=re.MULTILINE)
        if re.search(r"['\"\\]", marker):
            return Stream(text)
        words = [word for each in body.named_children for word in self._expanded(each, at)]
        if not words:
            return Stream(text)
        origin = "network" if "network" in words else "decoded" if "decoded" in words else "computed"
        return Stream(None, text, origin)

    def _expanded(self, node: "Node", at: At) -> list[str]:
        """The origins of what is expanded in a here-document."""
        return [] if node.type == "heredoc_content" else [each.origin for each in self._walk.read_words(node, at)]

    def _read_file(self, node: "Node", at: At) -> Stream | None:
        target = node.child_by_field_name("destination")
        if target is None or _DESCRIPTOR.fullmatch(self._walk.text(target)):
            return None
        words = self._walk.read_words(target, at)
        source = self._walk.text(node)
        if target.type == "process_substitution":
            return Stream(origin=words[0].origin)
        reading = self._walk.reading
        for word in words:
            reading.add_file(word, "read", at.place, source)
        likely = words[0].likely if len(words) == 1 else None
        if likely is None:
            return Stream(origin="file")
        origin = "network" if find_socket(likely) is not None else reading.find_origin(at.place.resolve(likely))
        return Stream(origin=origin or "file")

    def _write_file(self, node: "Node", at: At, before: int, body: "Node") -> None:
        target = node.child_by_field_name("destination")
        if target is None or _DESCRIPTOR.fullmatch(self._walk.text(target)):
            return
        output = self._walk.judge(before, at.stdin, body)
        inner = At(place=at.place, via=at.via, stdin=output)
        reading = self._walk.reading
        for word in self._walk.read_words(target, inner):
            if target.type == "process_substitution":
                continue
            reading.add_file(word, "write", at.place, self._walk.text(node))
            self._note_content(at.place.resolve(word.likely) if word.likely is not None else frozenset(), output)

    def _note_content(self, paths: "frozenset[str | None]", output: Stream) -> None:
        """Remember what is in a file now, for when it is executed."""
        known = [path for path in paths if path is not None]
        if output.origin in ("network", "decoded"):
            self._walk.reading.note_origin(known, output.origin)
        elif output.likely is not None:
            self._walk.reading.written.update(dict.fromkeys(known, output.likely))

    def _read_continuation(self, node: "Node", at: At, before: int, body: "Node") -> None:
        """What follows `<<END` on its line: the rest of a pipeline or of a list."""
        stdin = self._walk.judge(before, at.stdin, body)
        for child in node.named_children:
            if child.type == "pipeline":
                self._walk.read_pipeline(child, At(place=at.place, via=at.via, stdin=stdin))
            elif child.type not in _PARTS and child not in node.children_by_field_name("argument"):
                self._walk.read(child, At(place=at.place, via=at.via))


def _operator(node: "Node") -> str:
    return next((each.type for each in node.children if not each.is_named and each.type.strip("<>&|") == ""), ">")


def _inner_redirects(node: "Node") -> "list[Node]":
    return [each for each in node.named_children if each.type == "file_redirect"]


def _list_words(redirects: "Iterable[Node]") -> "list[Node]":
    """The words of the command that stand behind its redirections: `rm > log -rf dir`."""
    found: list[Node] = []
    for each in redirects:
        if each.type == "file_redirect":
            found += each.children_by_field_name("destination")[1:]
        elif each.type == "heredoc_redirect":
            found += each.children_by_field_name("argument")
            found += _list_words(_inner_redirects(each))
    return found
