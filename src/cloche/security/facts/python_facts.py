"""The facts of Python: what it imports and calls, and the commands, files and hosts in it."""

import ast
import shlex
import warnings
from collections.abc import Callable, Iterator, Sequence

from cloche.security.facts.cells import split_cell
from cloche.security.facts.fact import Access, Fact, shorten
from cloche.security.facts.operands import Host, find_urls
from cloche.security.facts.python_names import PythonNames
from cloche.security.facts.reading import DEPTH, At, Reading, TextReader
from cloche.security.facts.spelling import split_words
from cloche.security.facts.words import Word

SIZE = 64 * 1024
"""Characters of code that are parsed; longer code is not analysed."""
NESTING = 100
"""Brackets that may be open at once."""

_SHELLS = split_words(
    "os.system os.popen subprocess.getoutput subprocess.getstatusoutput asyncio.create_subprocess_shell "
    "asyncio.subprocess.create_subprocess_shell commands.getoutput get_ipython.().system get_ipython.().getoutput"
)
_STARTERS = split_words(
    "subprocess.run subprocess.call subprocess.check_call subprocess.check_output subprocess.Popen pty.spawn"
)
_EXECUTED = ("os.exec", "os.spawn", "os.posix_spawn")
_EVALUATED = split_words("eval exec compile builtins.eval builtins.exec builtins.compile")
_INTROSPECTION = split_words(
    "__subclasses__ __globals__ __builtins__ __code__ __closure__ __mro__ __getattribute__ gi_frame f_globals "
    "f_builtins tb_frame func_globals"
)
_HELD = frozenset(
    ("os", "subprocess", "builtins", "__builtins__", "sys", "shutil", "importlib", "socket", "ctypes", "pty")
)
"""Modules whose attributes should not be computed."""
_REQUESTS = split_words("requests httpx urllib urllib3 aiohttp websockets")
_PYTHON = "sys.executable"

_FILES: dict[str, Access] = {
    **dict.fromkeys(("os.remove", "os.unlink", "os.rmdir", "os.removedirs", "shutil.rmtree"), "remove"),
    **dict.fromkeys(
        (
            "os.mkdir", "os.makedirs", "os.chmod", "os.chown", "os.truncate", "os.mkfifo", "os.mknod", "shutil.chown",
        ),
        "write",
    ),
}  # fmt: skip
_TWO_FILES: dict[str, tuple[Access, Access]] = {
    **dict.fromkeys(("os.rename", "os.replace", "shutil.move"), ("remove", "write")),
    **dict.fromkeys(
        ("shutil.copy", "shutil.copy2", "shutil.copyfile", "shutil.copytree", "os.symlink", "os.link"),
        ("read", "write"),
    ),
}
_METHODS: dict[str, Access] = {
    **dict.fromkeys(("unlink", "rmdir", "rename", "replace"), "remove"),
    **dict.fromkeys(("write_text", "write_bytes", "touch", "mkdir", "chmod", "symlink_to", "hardlink_to"), "write"),
    **dict.fromkeys(("read_text", "read_bytes", "iterdir"), "read"),
}


def read_python(code: str, reading: Reading, at: At, run: TextReader) -> None:
    """Add the facts of Python or of a cell of IPython; `run` reads the commands in it."""
    tree = parse_python(code)
    if tree is None:
        cell = split_cell(code)
        for command in cell.commands:
            run(command, reading, At(place=at.place, via=(*at.via, "python")), None)
        for language, text in cell.code:
            note = f"{language} in a cell is not analysed"
            reading.add_construct("not_analysed", text, note, language=language)
        if cell.written is not None:
            reading.add_file(Word(text=cell.written, source=cell.written), "write", at.place, code)
        tree = parse_python(cell.python)
    if tree is None:
        reading.add_construct(
            "parse_error", code, "it is not Python that can be read with certainty", language="python"
        )
    else:
        PythonReader(reading, at, run, tree).read()


def parse_python(code: str) -> ast.Module | None:
    """The tree of a text; None if it is not Python, too long or too deep."""
    if len(code) > SIZE or _nesting(code) > NESTING:
        return None
    with warnings.catch_warnings():
        # Of escapes in strings: they are the code's own affair.
        warnings.simplefilter("ignore")
        try:
            return ast.parse(code)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None


def _nesting(code: str) -> int:
    """About how deep a text nests: brackets, and operators in a row."""
    deepest = depth = 0
    for char in code:
        if char in "([{":
            depth += 1
            deepest = max(deepest, depth)
        elif char in ")]}":
            depth = max(depth - 1, 0)
    return deepest


class PythonReader:
    """Reads one tree."""

    def __init__(self, reading: Reading, at: At, run: TextReader, tree: ast.Module) -> None:
        self._reading = reading
        self._at = at
        self._run = run
        self._tree = tree
        self._names = PythonNames(tree)

    def read(self) -> None:
        """Add all facts."""
        for module in sorted(self._names.modules):
            self._reading.add(Fact(kind="import", value=module, excerpt=f"import {module}", language="python"))
        for node in ast.walk(self._tree):
            self._reading.count()
            if isinstance(node, ast.Call):
                self._read_call(node)
            elif isinstance(node, ast.Attribute) and node.attr in _INTROSPECTION:
                self._construct("introspection", node, f"`{node.attr}` leads past names")
            elif isinstance(node, ast.While) and self._forks_forever(node):
                self._construct("fork_bomb", node, "it starts itself again and again")

    def _construct(self, name: str, node: ast.AST, note: str) -> None:
        self._reading.add_construct(name, _source(node), note, language="python")

    def _read_call(self, node: ast.Call) -> None:
        name = self._names.resolve(node.func)
        if name is None:
            if isinstance(node.func, ast.Subscript) and self._names.is_namespace(node.func.value):
                self._construct("computed_code", node, "which function is called is decided while it runs")
            return
        self._reading.add(Fact(kind="call", value=name, excerpt=shorten(_source(node)), language="python"))
        if name in ("getattr", "vars", "setattr"):
            self._check_lookup(name, node)
        elif self._names.is_import(node.func):
            self._check_import(node)
        elif name in _EVALUATED:
            self._read_evaluated(node)
        elif name in _SHELLS:
            self._read_shell(node.args[:1], node)
        elif name in _STARTERS or name.endswith("create_subprocess_exec") or name.startswith(_EXECUTED):
            self._read_started(name, node)
        self._read_files(name, node)
        self._read_hosts(name, node)

    def _check_lookup(self, name: str, node: ast.Call) -> None:
        if not node.args:
            return
        held = (self._names.resolve(node.args[0]) or "").partition(".")[0]
        computed = name == "vars" or len(node.args) < 2 or self._names.fold(node.args[1]) is None
        if held in _HELD and computed:
            self._construct("computed_code", node, f"which part of `{held}` is used is decided while it runs")

    def _check_import(self, node: ast.Call) -> None:
        module = self._names.guess(node.args[0]) if node.args else None
        if module is None:
            self._construct("computed_code", node, "which module is imported is decided while it runs")
        else:
            self._reading.add(Fact(kind="import", value=module, excerpt=shorten(_source(node)), language="python"))

    def _read_evaluated(self, node: ast.Call) -> None:
        if not node.args:
            return
        code = self._names.guess(node.args[0])
        if self._names.fold(node.args[0]) is None and self._names.resolve(node.args[0]) != "compile.()":
            self._report_code(node.args[0], node)
        if code is not None and self._reading.depth < DEPTH:
            self._reading.depth += 1
            read_python(code, self._reading, self._at, self._run)
            self._reading.depth -= 1

    def _report_code(self, value: ast.AST, node: ast.AST) -> None:
        self._construct("computed_code", node, "what is executed is decided while it runs")
        origin = self._names.find_origin(value)
        if origin != "computed":
            self._reading.add_code(origin, _source(node), language="python")

    def _read_shell(self, values: Sequence[ast.AST], node: ast.Call) -> None:
        """A command in one text."""
        for value in values:
            if self._names.fold(value) is None:
                self._report_code(value, node)
            text = self._names.guess(value)
            if text is None and isinstance(value, ast.JoinedStr):
                text = self._fill_format(value)
            if text is not None:
                self._run(text, self._reading, self._inner(), None)

    def _fill_format(self, value: ast.JoinedStr) -> str:
        """A format string with a variable of the shell in place of what is inserted."""
        return "".join(
            each.value if isinstance(each, ast.Constant) and isinstance(each.value, str) else '"$_"'
            for each in value.values
        )

    def _read_started(self, name: str, node: ast.Call) -> None:
        """A program with its arguments."""
        values: Sequence[ast.AST] = node.args
        if not values:
            values = [each.value for each in node.keywords if each.arg == "args"]
        if name.startswith(("os.spawn", "os.posix")):
            values = values[1:]
        if not values:
            return None
        first = values[0]
        shell = any(each.arg == "shell" and not _is_false(each.value) for each in node.keywords)
        if isinstance(first, ast.List | ast.Tuple):
            items = first.elts
            if shell and items:
                return self._read_shell(items[:1], node)
            return self._read_words(items, node)
        if name.endswith("create_subprocess_exec") or name.startswith(_EXECUTED):
            listed = [each for value in values[1:] for each in (_items(value) or [value])]
            if name.startswith("os.") and listed:
                # The first of its arguments is its own name again.
                listed = listed[1:]
            return self._read_words([first, *listed], node)
        return self._read_shell([first], node)

    def _read_words(self, items: Sequence[ast.AST], node: ast.Call) -> None:
        words = [self._make_word(each) for each in items]
        if not words:
            return
        if words[0] == _UNKNOWN:
            self._report_code(items[0], node)
        self._run(" ".join(words), self._reading, self._inner(), None)

    def _make_word(self, item: ast.AST) -> str:
        if self._names.resolve(item) == _PYTHON:
            return "python3"
        text = self._names.guess(item)
        return _UNKNOWN if text is None else shlex.quote(text)

    def _inner(self) -> At:
        return At(place=self._at.place, via=(*self._at.via, "python"))

    def _read_files(self, name: str, node: ast.Call) -> None:
        for value, access in self._list_files(name, node):
            text = self._names.guess(value)
            known = self._names.fold(value) is not None
            word = Word(text=text if known else None, guess=text, source=_source(value))
            self._reading.add_file(word, access, self._at.place, _source(node))

    def _list_files(self, name: str, node: ast.Call) -> Iterator[tuple[ast.AST, Access]]:
        args = node.args
        if name in ("open", "io.open", "builtins.open", "codecs.open") and args:
            mode = self._names.guess(args[1]) if len(args) > 1 else self._find_keyword(node, "mode")
            yield args[0], "write" if set(mode or "r") & set("wax+") else "read"
        elif name in _FILES and args:
            yield args[0], _FILES[name]
        elif name in _TWO_FILES and len(args) > 1:
            yield from zip(args[:2], _TWO_FILES[name], strict=True)
        else:
            yield from self._list_path_methods(name, node)

    def _list_path_methods(self, name: str, node: ast.Call) -> Iterator[tuple[ast.AST, Access]]:
        """Of `Path("x").unlink()`."""
        head, _, method = name.rpartition(".().")
        match node.func:
            case ast.Attribute(value=ast.Call(args=[path, *_])) if head in ("pathlib.Path", "Path"):
                if method == "open":
                    mode = self._names.guess(node.args[0]) if node.args else None
                    yield path, "write" if set(mode or "r") & set("wax+") else "read"
                elif method in _METHODS:
                    yield path, _METHODS[method]
            case _:
                pass

    def _find_keyword(self, node: ast.Call, name: str) -> str | None:
        return next((self._names.guess(each.value) for each in node.keywords if each.arg == name), None)

    def _read_hosts(self, name: str, node: ast.Call) -> None:
        if name in ("print", "logging.info") or name.startswith("re."):
            return
        hosts: list[Host] = []
        for value in [*node.args[:3], *(each.value for each in node.keywords)]:
            text = self._names.guess(value)
            if text is None and isinstance(value, ast.JoinedStr):
                text = self._fill_format(value)
            hosts += find_urls(text or "")
        root = name.partition(".")[0]
        if name.endswith((".create_connection", ".connect")) and node.args and (pair := _items(node.args[0])):
            hosts.append(Host(self._names.guess(pair[0])))
        elif root in _REQUESTS and name.endswith(_FETCHES) and node.args and not hosts:
            hosts.append(Host(None))
        for host in dict.fromkeys(hosts):
            self._reading.add_host(host, _source(node), language="python")

    def _forks_forever(self, node: ast.While) -> bool:
        if not (isinstance(node.test, ast.Constant) and node.test.value):
            return False
        calls = (each for each in ast.walk(node) if isinstance(each, ast.Call))
        return any(self._names.resolve(each.func) in ("os.fork", "os.forkpty") for each in calls)


_UNKNOWN = '"$_"'
_FETCHES = (".get", ".post", ".put", ".patch", ".delete", ".head", ".request", ".urlopen", ".urlretrieve", ".stream")


def _items(node: ast.AST) -> list[ast.expr]:
    return node.elts if isinstance(node, ast.List | ast.Tuple) else []


def _is_false(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and not node.value


def _source(node: ast.AST) -> str:
    """A short form of the code; long or deep expressions are cut."""
    try:
        return _unparse(node) if sum(1 for _ in zip(ast.walk(node), range(200), strict=False)) < 200 else "..."
    except RecursionError:
        return "..."


_unparse: Callable[[ast.AST], str] = ast.unparse
