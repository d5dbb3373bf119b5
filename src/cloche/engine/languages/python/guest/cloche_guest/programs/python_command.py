"""`python3` as other programs start it: the one program of an interpreter of its own."""

from __future__ import annotations

import atexit
import builtins
import contextlib
import io
import json
import linecache
import os
import runpy
import site
import sys
import types
from collections.abc import Callable
from typing import Any

from cloche_guest import engine_calls
from cloche_guest.cells import errors, kernel
from cloche_guest.packages import build_command, build_hooks, build_project, path_files, pip
from cloche_guest.programs import (
    arguments,
    finalization,
    interpreter_options,
    program_state,
    streams,
    virtual_environment,
)
from cloche_guest.programs.arguments import CommandPlan
from cloche_guest.protection import guard
from cloche_guest.subprocesses import processes, signals
from cloche_guest.waiting import call_origin, event_loop

_LIBRARIES = ("/lib/", "/opt/")
_SITES = ("/opt/packages",)
_CELL_NAMES = ("get_ipython", "display")
_BROKEN_PIPE = 141
_MORE = 'Type "help", "copyright", "credits" or "license" for more information.'


def run_program(request: str, last: bool = True) -> int:
    """Run `python3` to its end and return its exit status; argv, cwd, env, live, piped and run come as JSON.

    Unless it is the last that this interpreter runs, what it leaves in memory stays.
    """
    wanted = json.loads(request)
    plan = arguments.parse_arguments(wanted["argv"])
    program_state.set_captured(not wanted["live"])
    program_state.begin_program()
    processes.set_own_number(wanted.get("pid", 0))
    signals.begin_program()
    call_origin.enter_program(int(wanted["run"]))
    kernel.set_busy(True)
    try:
        _open_streams(plan, wanted)
        if last:
            finalization.begin_program()
        status = _guarded(lambda: _run(plan, wanted))
        _guarded(_run_exit_functions)
        if last:
            _guarded(finalization.finish_program)
        return _flush_last(status)
    finally:
        kernel.set_busy(False)
        call_origin.leave_program()


def _open_streams(plan: CommandPlan, wanted: dict[str, Any]) -> None:
    for name in _CELL_NAMES:
        vars(builtins).pop(name, None)
    streams.open_standard(live=wanted["live"], piped=wanted["piped"], unbuffered=plan.unbuffered)
    # What the cells' interpreter has registered is not this program's.
    atexit._clear()


def _guarded(step: Callable[[], int]) -> int:
    """Run a step of the program and return its exit status, however it ends."""
    try:
        try:
            return step()
        finally:
            guard.restore_builtins()
    except BaseException as error:  # noqa: BLE001 - the program may end in any way
        return report(error)


def _run_exit_functions() -> int:
    atexit._run_exitfuncs()
    return 0


def _flush_last(status: int) -> int:
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except BrokenPipeError:
            return status or _BROKEN_PIPE
        except BaseException:  # noqa: BLE001 - a program may have put anything in place of its streams, or closed them
            continue
    return status


def _run(plan: CommandPlan, wanted: dict[str, Any]) -> int:
    if plan.message is not None:
        (sys.stderr if plan.exit else sys.stdout).write(f"{plan.message}\n")
        return plan.exit
    source = plan.source
    plan.session = not wanted["piped"] and (plan.kind == "stdin" or plan.session)
    if plan.kind == "stdin" and not plan.session:
        source = sys.stdin.buffer.read()
    program_state.replace_environ(wanted["env"])
    if wanted.get("umask") is not None:
        os.umask(wanted["umask"])
    try:
        os.chdir(wanted["cwd"])
    except OSError as error:
        raise SystemExit(f"python3: cannot work in {wanted['cwd']}: {error.strerror}") from None
    sys.excepthook = sys.__excepthook__
    event_loop.run_on_demand()
    interpreter_options.apply_options(plan)
    return _start(plan, source)


def _start(plan: CommandPlan, source: str | bytes) -> int:
    library = [entry for entry in sys.path if entry.startswith(_LIBRARIES)]
    given = [] if plan.isolated else [entry for entry in os.environ.get("PYTHONPATH", "").split(":") if entry]
    main = types.ModuleType("__main__")
    main.__dict__.update(__builtins__=sys.modules["builtins"], __annotations__={})
    sys.modules["__main__"] = main
    first = "" if plan.kind in ("code", "stdin") else os.getcwd()  # noqa: PTH109
    if plan.kind == "file":
        first = os.path.dirname(os.path.realpath(plan.target))  # noqa: PTH120
    own = virtual_environment.enter_environment()
    sites = [*([own] if own else []), *(entry for entry in library if entry.startswith(_SITES))]
    sys.path = [
        *([] if plan.safe_path else [first]),
        *given,
        *(entry for entry in library if not entry.startswith(_SITES)),
        *sites,
    ]
    path_files.restore_paths()
    for folder in sites:
        path_files.read_path_files(folder)
    sys.argv = [plan.target, *plan.args]
    if plan.session:
        return _run_session(plan, source, main)
    _run_plan(plan, source, main)
    return 0


def _run_session(plan: CommandPlan, source: str | bytes, main: types.ModuleType) -> int:
    """Run the program, if there is one, then what is typed, as at a terminal."""
    import code

    program_state.set_captured(False)
    sys.displayhook = sys.__displayhook__
    sys.ps1, sys.ps2 = ">>> ", "... "
    if plan.kind != "stdin":
        _guarded(lambda: _run_plan(plan, source, main) or 0)
    quiet = plan.quiet or plan.kind != "stdin"
    banner = "" if quiet else f"Python {sys.version} on {sys.platform}\n{_MORE}"
    console = code.InteractiveConsole(vars(main), filename="<stdin>")
    console.raw_input = lambda prompt="": engine_calls.ask_user(prompt, password=False, session=True)
    if quiet:
        console.write = lambda data: sys.stderr.write(data) if data.strip() else None
    console.interact(banner, exitmsg="")
    return 0


def _run_plan(plan: CommandPlan, source: str | bytes, main: types.ModuleType) -> None:
    if plan.kind == "module":
        _start_module(plan)
    elif plan.kind == "file" and not os.path.isfile(plan.target):  # noqa: PTH113
        _start_folder(plan)
    else:
        _start_source(plan, source, main)


def _run_pip(args: list[str]) -> int:
    return pip.run_pip(args, lambda text: sys.stdout.write(text))


_OWN_MODULES: dict[str, Callable[[list[str]], int]] = {
    "pip": _run_pip,
    "venv": virtual_environment.run_venv,
    "build": build_command.run_build,
    "site": lambda _args: site._script() or 0,
    build_project.HOOK: lambda args: build_hooks.call_hook(*args),
}
"""Modules whose work is done here."""


def _start_module(plan: CommandPlan) -> None:
    if own := _OWN_MODULES.get(str(plan.source)):
        raise SystemExit(own(plan.args))
    if plan.source in ("ensurepip", "idlelib"):
        raise SystemExit(f"python3 -m {plan.source} is not available in this sandbox")
    try:
        _, spec, code = runpy._get_module_details(str(plan.source), _NoModule)
    except _NoModule as error:
        raise SystemExit(f"{sys.executable}: {error}") from None
    # Modules of the library are there as bytecode; what looks at its own name expects the source.
    sys.argv[0] = str(spec.origin).removesuffix("c") if str(spec.origin).endswith(".pyc") else spec.origin
    runpy._run_code(code, vars(sys.modules["__main__"]), None, "__main__", spec)


class _NoModule(Exception):
    """A module cannot be run, for this reason."""


def _start_folder(plan: CommandPlan) -> None:
    if not os.path.isdir(plan.target):  # noqa: PTH112
        message = f"python3: can't open file {os.path.abspath(plan.target)!r}: [Errno 2] No such file or directory\n"  # noqa: PTH100
        sys.stderr.write(message)
        raise SystemExit(2)
    sys.path[0] = plan.target
    runpy.run_path(plan.target, run_name="__main__")


def _start_source(plan: CommandPlan, source: str | bytes, main: types.ModuleType) -> None:
    name = {"code": "<string>", "stdin": "<stdin>"}.get(plan.kind, "")
    if plan.kind == "file":
        name = os.path.join(os.getcwd(), plan.target)  # noqa: PTH118, PTH109
        with io.open_code(os.path.realpath(plan.target)) as stream:
            source = stream.read()
        if source.startswith(b"PK\x03\x04"):
            sys.path[0] = plan.target
            runpy.run_path(plan.target, run_name="__main__")
            return
        main.__file__ = name
        if plan.skip_line:
            source = b"\n" + source.partition(b"\n")[2]
    else:
        text = source if isinstance(source, str) else source.decode("utf-8", "replace")
        linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    exec(compile(source, name, "exec", dont_inherit=True, optimize=plan.optimize), main.__dict__)


def report(error: BaseException) -> int:
    """Print a program's error as the interpreter would, and return its exit status."""
    with contextlib.suppress(BaseException):
        if isinstance(error, program_state.EndedBySignal):
            return program_state.SIGNALLED + error.number
        if isinstance(error, SystemExit):
            status, message = errors.exit_status(error)
            if message is not None:
                program_state.flush_output()
                sys.stderr.write(f"{message}\n")
            return status
        if isinstance(error, BrokenPipeError):
            # It was ended because nobody reads what it prints.
            return _BROKEN_PIPE
        program_state.flush_output()
        _tell(error)
    return 130 if isinstance(error, KeyboardInterrupt) else 1


def _tell(error: BaseException) -> None:
    if sys.excepthook is not sys.__excepthook__:
        sys.excepthook(type(error), error, error.__traceback__)
        return
    linecache.checkcache()
    sys.stderr.write(errors.render(error))
