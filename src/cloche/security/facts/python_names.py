"""The names of a Python text: what its imports and assignments make of them."""

import ast
from collections.abc import Iterator

from cloche.security.facts.spelling import split_words
from cloche.security.facts.words import worst_origin

_NETWORK = split_words(
    "requests httpx urllib urllib2 urllib3 aiohttp http socket websocket websockets ftplib paramiko smtplib telnetlib "
    "pycurl asyncssh"
)
_DECODING = split_words("base64 binascii codecs zlib gzip bz2 lzma marshal pickle dill cloudpickle")
_PARTS = 40
"""How many attributes of one expression are followed."""
_PIECES = 4000
"""Nodes of one expression that are looked at for where it comes from."""


class PythonNames:
    """What names mean; flow is not followed, a name may mean all that it was ever given."""

    def __init__(self, tree: ast.AST) -> None:
        self.modules: set[str] = set()
        """What is imported, dotted."""
        self._aliases: dict[str, str] = {}
        self._texts: dict[str, str] = {}
        self._origins: dict[str, str] = {}
        nodes = list(ast.walk(tree))
        for node in nodes:
            self._note_import(node)
        for node in nodes:
            self._note_assignment(node)

    def resolve(self, node: ast.AST) -> str | None:
        """The dotted name of an expression, through imports, aliases and literal lookups; None if it is computed."""
        parts: list[str] = []
        for _ in range(_PARTS):
            match node:
                case ast.Attribute(value=value, attr=attr):
                    parts.append(attr)
                    node = value
                case ast.Name(id=name):
                    return ".".join([self._aliases.get(name, name), *reversed(parts)])
                case ast.Call(func=ast.Name(id="getattr"), args=[value, name, *_]) if text := self.fold(name):
                    parts.append(text)
                    node = value
                case ast.Call(func=function, args=[name, *_]) if self.is_import(function) and (text := self.fold(name)):
                    return ".".join([text, *reversed(parts)])
                case ast.Subscript(value=value, slice=key) if (text := self.fold(key)) and (
                    held := self._find_namespace(value)
                ):
                    parts.append(text)
                    node = held
                case ast.Call(func=function):
                    # A method of what a call returns: Path("x").unlink, Popen(...).wait.
                    parts.append("()")
                    node = function
                case ast.Subscript(value=value, slice=key) if (text := self.fold(key)) and self._is_table(value):
                    return ".".join([self._aliases.get(text, text), *reversed(parts)])
                case _:
                    return None
        return None

    def is_import(self, function: ast.AST) -> bool:
        """Whether a call of this imports a module by its name."""
        return _dotted(function) in ("__import__", "builtins.__import__", "importlib.import_module", "import_module")

    def fold(self, node: ast.AST | None) -> str | None:
        """The text of an expression if it is one literal, or literals added to each other."""
        pieces: list[str] = []
        waiting: list[ast.AST | None] = [node]
        for _ in range(_PARTS):
            if not waiting:
                return "".join(pieces)
            match waiting.pop():
                case ast.Constant(value=str(text)):
                    pieces.append(text)
                case ast.Constant(value=bytes(data)):
                    pieces.append(data.decode("latin-1"))
                case ast.BinOp(left=left, op=ast.Add(), right=right):
                    waiting += [right, left]
                case ast.JoinedStr(values=values):
                    waiting += reversed(values)
                case ast.FormattedValue(value=value, conversion=-1, format_spec=None):
                    waiting.append(value)
                case _:
                    return None
        return None

    def guess(self, node: ast.AST | None) -> str | None:
        """The text of an expression, also if it is a name that was set to a literal."""
        if isinstance(node, ast.Name):
            return self._texts.get(node.id)
        return self.fold(node)

    def find_origin(self, node: ast.AST) -> str:
        """Where a computed text comes from: `network`, `decoded` or `computed`."""
        return worst_origin(self._list_origins(node))

    def _list_origins(self, node: ast.AST) -> Iterator[str]:
        for number, each in enumerate(ast.walk(node)):
            if number > _PIECES:
                return
            if isinstance(each, ast.Name) and each.id in self._origins:
                yield self._origins[each.id]
            elif isinstance(each, ast.Call):
                name = self.resolve(each.func) or ""
                root = name.partition(".")[0]
                if root in _NETWORK and not name.startswith("urllib.parse"):
                    yield "network"
                elif root in _DECODING or name.endswith((".b64decode", ".fromhex", ".decompress")) or name == "chr":
                    yield "decoded"

    def is_namespace(self, node: ast.AST) -> bool:
        """Whether this is a table of names, in which a function can be looked up."""
        return self._is_table(node) or self._find_namespace(node) is not None

    def _find_namespace(self, node: ast.AST) -> ast.expr | None:
        """Whose names are in `x.__dict__` or `vars(x)`."""
        if self._is_table(node):
            return None
        match node:
            case ast.Attribute(value=value, attr="__dict__"):
                return value
            case ast.Call(func=ast.Name(id="vars"), args=[value]):
                return value
            case _:
                return None

    def _is_table(self, node: ast.AST) -> bool:
        name = _dotted(node)
        return name in ("sys.modules", "globals()", "locals()", "vars()", "__builtins__", "__builtins__.__dict__")

    def _note_import(self, node: ast.AST) -> None:
        if isinstance(node, ast.Import):
            for each in node.names:
                self.modules.add(each.name)
                if each.asname:
                    self._aliases[each.asname] = each.name
        elif isinstance(node, ast.ImportFrom) and node.module:
            self.modules.add(node.module)
            for each in node.names:
                self._aliases[each.asname or each.name] = f"{node.module}.{each.name}"

    def _note_assignment(self, node: ast.AST) -> None:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                self._note_value(name, value)
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                self._note_value(name, value)
            case ast.NamedExpr(target=ast.Name(id=name), value=value):
                self._note_value(name, value)
            case ast.With(items=items) | ast.AsyncWith(items=items):
                for item in items:
                    if isinstance(item.optional_vars, ast.Name):
                        self._note_value(item.optional_vars.id, item.context_expr)
            case _:
                pass

    def _note_value(self, name: str, value: ast.expr) -> None:
        if (text := self.fold(value)) is not None:
            self._texts.setdefault(name, text)
        elif isinstance(value, ast.Name | ast.Attribute | ast.Call) and self._is_held(known := self.resolve(value)):
            self._aliases[name] = known or ""
        origin = self.find_origin(value)
        if origin != "computed":
            self._origins[name] = origin

    def _is_held(self, known: str | None) -> bool:
        """Whether a dotted name is part of a module, or a builtin that executes."""
        if known is None or "()" in known:
            return False
        return known in _BUILTINS or known.partition(".")[0] in self._roots()

    def _roots(self) -> set[str]:
        return {module.partition(".")[0] for module in self.modules} | {"os", "subprocess", "builtins"}


_BUILTINS = frozenset({"eval", "exec", "compile", "open", "__import__", "getattr"})


def _dotted(node: ast.AST) -> str:
    """A plain dotted name, `globals()` included; empty if it is something else."""
    match node:
        case ast.Name(id=name):
            return name
        case ast.Attribute(value=ast.Name(id=name), attr=attr):
            return f"{name}.{attr}"
        case ast.Call(func=ast.Name(id=name), args=[]):
            return f"{name}()"
        case _:
            return ""
