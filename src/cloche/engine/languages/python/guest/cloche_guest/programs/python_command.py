"""Runs `python3` for the shell: a separate program inside the same interpreter."""

from __future__ import annotations

import atexit
import contextlib
import io
import json
import linecache
import os
import runpy
import sys
import types
import warnings
from collections.abc import Callable, Iterator
from typing import Any

from cloche_guest.cells import errors, kernel
from cloche_guest.packages import pip
from cloche_guest.programs import arguments, program_state, streams
from cloche_guest.programs.arguments import CommandPlan
from cloche_guest.protection import guard
from cloche_guest.waiting import call_origin

_LIBRARIES = ("/lib/", "/opt/")
_BROKEN_PIPE = 141


def run_command(
    argv: str,
    stdin: str | None,
    cwd: str,
    env: str,
    live: bool,
    run: int = 0,
    lines: float | None = None,
    size: float | None = None,
) -> str:
    """Run `python3` with these arguments; bytes are latin-1 text, and the answer has exit, stdout and stderr."""
    guard.restore_builtins()
    plan = arguments.parse_arguments(json.loads(argv))
    previous = program_state.enter_program(program_state.ProgramState(captured=not live))
    kernel.begin_program()
    whose = call_origin.enter_program(run)
    try:
        out, err = _streams(live)
        if not live:
            streams.limit_output(out, lines, size)
        given = stdin.encode("latin-1") if isinstance(stdin, str) else None
        # A program that is read from the input has used it up.
        inlet = streams.open_input(b"" if plan.kind == "stdin" and given is not None else given)
        exit_code = _guarded(lambda: _run(plan, given, inlet, cwd, env))
        answer = {**_answer(exit_code, live, out, err), "ended": streams.is_input_consumed(inlet)}
    finally:
        kernel.end_program()
        call_origin.leave_program(whose)
        program_state.switch_program(previous)
    return json.dumps(answer)


def _guarded(step: Callable[[], int]) -> int:
    """Run a step of the program and return its exit status, however it ends."""
    try:
        try:
            return step()
        finally:
            guard.restore_builtins()
    except BaseException as error:  # noqa: BLE001 - the program may end in any way
        return report(error)


def _answer(exit_code: int, live: bool, out: io.TextIOWrapper, err: io.TextIOWrapper) -> dict[str, Any]:
    program_state.flush_output()
    if not live:
        stdout, stderr = (streams.captured(stream).decode("latin-1") for stream in (out, err))
        return {"exit": exit_code, "stdout": stdout, "stderr": stderr}
    for stream in (out, err):
        with contextlib.suppress(BaseException):
            stream.flush()
    return {"exit": exit_code, "stdout": "", "stderr": ""}


def _streams(live: bool) -> tuple[io.TextIOWrapper, io.TextIOWrapper]:
    make = streams.open_output if live else streams.capture_output
    out, err = make(1), make(2)
    sys.stdout = sys.__stdout__ = out
    sys.stderr = sys.__stderr__ = err
    return out, err


def _run(plan: CommandPlan, given: bytes | None, inlet: io.TextIOWrapper, cwd: str, env: str) -> int:
    if plan.message is not None:
        (sys.stderr if plan.exit else sys.stdout).write(f"{plan.message}\n")
        return plan.exit
    source = plan.source
    if plan.kind == "stdin":
        if given is None:
            sys.stderr.write("python3: there is no interactive mode here; give a file, -c, -m or a script on stdin\n")
            return 2
        source = given
    program_state.replace_environ(json.loads(env))
    try:
        os.chdir(cwd)
    except OSError as error:
        raise SystemExit(f"python3: cannot work in {cwd}: {error.strerror}") from None
    sys.stdin = sys.__stdin__ = inlet
    sys.excepthook = sys.__excepthook__
    if plan.unbuffered:
        sys.stdout.reconfigure(write_through=True)
    with _own_modules(), warnings.catch_warnings(), _own_exit_functions():
        for option in plan.warnings:
            warnings._setoption(option)
        return _guarded(lambda: _start(plan, source))


def _start(plan: CommandPlan, source: str | bytes) -> int:
    library = [entry for entry in sys.path if entry.startswith(_LIBRARIES)]
    given = [] if plan.isolated else [entry for entry in os.environ.get("PYTHONPATH", "").split(":") if entry]
    main = types.ModuleType("__main__")
    main.__dict__.update(__builtins__=sys.modules["builtins"], __annotations__={})
    sys.modules["__main__"] = main
    first = "" if plan.kind in ("code", "stdin") else os.getcwd()  # noqa: PTH109
    if plan.kind == "file":
        first = os.path.dirname(os.path.realpath(plan.target))  # noqa: PTH120
    sys.path = [first, *given, *library]
    sys.argv = [plan.target, *plan.args]
    if plan.kind == "module":
        _start_module(plan)
    elif plan.kind == "file" and not os.path.isfile(plan.target):  # noqa: PTH113
        _start_folder(plan)
    else:
        _start_source(plan, source, main)
    return 0


def _start_module(plan: CommandPlan) -> None:
    if plan.source == "pip":
        raise SystemExit(pip.run_pip(plan.args, lambda text: sys.stdout.write(text)))
    if plan.source in ("venv", "ensurepip", "idlelib"):
        raise SystemExit(f"python3 -m {plan.source} is not available in this sandbox")
    try:
        runpy._run_module_as_main(str(plan.source))
    except ImportError as error:
        if error.name == str(plan.source).split(".")[0] and error.__traceback__ is not None:
            raise SystemExit(f"{sys.executable}: {error}") from None
        raise


def _start_folder(plan: CommandPlan) -> None:
    if not os.path.isdir(plan.target):  # noqa: PTH112
        message = f"python3: can't open file {os.path.abspath(plan.target)!r}: [Errno 2] No such file or directory\n"  # noqa: PTH100
        sys.stderr.write(message)
        raise SystemExit(2)
    sys.path[0] = plan.target
    runpy.run_path(plan.target, run_name="__main__")


def _start_source(plan: CommandPlan, source: str | bytes, main: types.ModuleType) -> None:
    name = {"code": "<string>", "stdin": "<stdin>"}.get(plan.kind, plan.target)
    if plan.kind == "file":
        with io.open_code(os.path.realpath(plan.target)) as stream:
            source = stream.read()
        if source.startswith(b"PK\x03\x04"):
            sys.path[0] = plan.target
            runpy.run_path(plan.target, run_name="__main__")
            return
        main.__file__ = os.path.abspath(plan.target)  # noqa: PTH100
    else:
        text = source if isinstance(source, str) else source.decode("utf-8", "replace")
        linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    exec(compile(source, name, "exec", dont_inherit=True), main.__dict__)


@contextlib.contextmanager
def _own_modules() -> Iterator[None]:
    """Hide the modules from the user's folders, and drop those that the program imports."""
    hidden = _take_user_modules()
    try:
        yield
    finally:
        _take_user_modules()
        sys.modules.update(hidden)
        linecache.checkcache()


def _take_user_modules() -> dict[str, Any]:
    taken: dict[str, Any] = {}
    for name, module in list(sys.modules.items()):
        file = getattr(module, "__file__", None) or ""
        if name != "__main__" and isinstance(file, str) and file and not file.startswith((*_LIBRARIES, "<")):
            taken[name] = sys.modules.pop(name)
    return taken


@contextlib.contextmanager
def _own_exit_functions() -> Iterator[None]:
    """Run the program's atexit functions when it ends."""
    functions: list[tuple[Any, tuple[Any, ...], dict[str, Any]]] = []
    register, unregister = atexit.register, atexit.unregister

    def add(function: Any, /, *args: Any, **options: Any) -> Any:
        functions.append((function, args, options))
        return function

    def remove(function: Any, /) -> None:
        functions[:] = [entry for entry in functions if entry[0] != function]

    atexit.register, atexit.unregister = add, remove
    try:
        yield
    finally:
        while functions:
            function, args, options = functions.pop()
            try:
                function(*args, **options)
            except BaseException as error:  # noqa: BLE001 - as the interpreter does at its end
                report(error)
        atexit.register, atexit.unregister = register, unregister


def report(error: BaseException) -> int:
    """Print a program's error as the interpreter would, and return its exit status."""
    with contextlib.suppress(BaseException):
        if isinstance(error, SystemExit):
            status, message = errors.exit_status(error)
            if message is not None:
                program_state.flush_output()
                sys.stderr.write(f"{message}\n")
            return status
        if _is_unread(error):
            return _BROKEN_PIPE
        program_state.flush_output()
        _tell(error)
    return 130 if isinstance(error, KeyboardInterrupt) else 1


def _is_unread(error: BaseException) -> bool:
    """Whether it ended because its output is no longer read."""
    return isinstance(error, BrokenPipeError) and streams.is_reader_gone(sys.__stdout__)


def _tell(error: BaseException) -> None:
    if sys.excepthook is not sys.__excepthook__:
        sys.excepthook(type(error), error, error.__traceback__)
        return
    linecache.checkcache()
    sys.stderr.write(errors.render(error))
