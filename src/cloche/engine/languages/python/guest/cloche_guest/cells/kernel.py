"""Functions that the sandbox calls: run a cell, complete, inspect, interrupt. Arguments and answers are JSON text."""

from __future__ import annotations

import itertools
import json
import os
import sys
from collections.abc import Callable
from typing import Any

from IPython.core.completer import provisionalcompleter, rectify_completions
from IPython.core.error import UsageError
from IPython.utils.tokenutil import token_at_cursor

from cloche_guest import engine_calls
from cloche_guest.cells import errors, module_completion, profile, rehearsal
from cloche_guest.cells.shell import GuestShell
from cloche_guest.programs import program_state, streams
from cloche_guest.protection import guard
from cloche_guest.waiting import call_origin, event_loop

_MATCHES = 500
_USER_CALLERS = ("/cells/shell.py", "/cells/kernel.py", "/programs/python_command.py", "/programs/streams.py")
"""Our files that call the user's code: an interrupt that arrives in them is the user's."""
_busy = False
# Whether an interrupt came while a cell was being prepared; None while no cell is.
_early: bool | None = None
_shell: GuestShell | None = None


def set_shell(shell: GuestShell) -> None:
    """Set the shell that runs the cells."""
    global _shell
    _shell = shell


def on_interrupt(_number: int, frame: Any) -> None:
    """Raise KeyboardInterrupt in user code; a late interrupt is dropped, an early one waits."""
    global _early
    if not _busy:
        _early = None if _early is None else True
        return
    if not is_ours(frame):
        raise KeyboardInterrupt
    if not engine_calls.interrupt() and not event_loop.cancel_wait():
        engine_calls.keep_interrupt()


def on_stop(_number: int, frame: Any) -> None:
    """Raise KeyboardInterrupt in background work; calls of the sandbox itself continue."""
    if _busy and not call_origin.runs_leftover():
        return
    if is_ours(frame):
        call_origin.keep_stop()
        return
    while frame is not None:
        if frame.f_code.co_filename.endswith("/cells/kernel.py"):
            return
        frame = frame.f_back
    raise KeyboardInterrupt


def on_tick(_number: int, _frame: Any) -> None:
    """Ask the sandbox whether there is so much output that lines should be sent in blocks."""
    if _busy:
        streams.buffer_in_blocks(engine_calls.prints_much())


def is_ours(frame: Any) -> bool:
    """Whether the event loop or a wait of ours runs here: an exception raised there would be lost, or break it."""
    while frame is not None:
        file = frame.f_code.co_filename
        if not file.startswith(("/lib/", "<frozen")):
            return "/cloche_guest/" in file and not file.endswith(_USER_CALLERS)
        frame = frame.f_back
    return True


def set_busy(value: bool) -> bool:
    """Allow or forbid interrupts, and return what was set before."""
    global _busy
    previous, _busy = _busy, value
    return previous


def execute(code: str, options: str = "{}") -> str:
    """Run one cell; the answer has ok, value, error, exit, execution_count and, on request, profile."""
    global _early
    _early = False
    shell, wanted = _retry_restored(lambda: _begin(options))
    if wanted.get("mode") != "rehearsal":
        return _execute(shell, code, wanted)
    with rehearsal.leaving_nothing(shell):
        return _execute(shell, code, wanted)


def _execute(shell: GuestShell, code: str, wanted: dict[str, Any]) -> str:
    result, problem, measured = _run(shell, code, wanted)
    return _retry_restored(lambda: _end(shell, result, problem, measured))


def _retry_restored[T](step: Callable[[], T]) -> T:
    """Run one of our own steps; if it fails because a cell has broken something, repair everything and try again."""
    try:
        return step()
    except BaseException:  # noqa: BLE001 - a cell may have replaced anything
        guard.restore_everything()
        return step()


def _begin(options: str) -> tuple[GuestShell, dict[str, Any]]:
    guard.restore_interpreter()
    engine_calls.forget_interrupt()
    wanted = json.loads(options)
    streams.set_input(wanted.get("stdin"))
    streams.buffer_in_blocks(False)
    call_origin.begin_cell(int(wanted.get("run", 0)))
    return _ready_shell(), wanted


def _run(shell: GuestShell, code: str, wanted: dict[str, Any]) -> tuple[Any, BaseException | None, Any]:
    result = problem = measured = None
    try:
        if wanted.get("profile"):
            measured = profile.Profile(f"Cell In[{shell.execution_count}]")
            measured.start()
        set_busy(True)
        if _take_early() or wanted.get("interrupted"):
            return None, KeyboardInterrupt(), measured
        mode = wanted.get("mode") or "cell"
        result = GuestShell.run_cell(shell, code, store_history=mode == "cell", silent=mode == "setup")
    except BaseException as error:  # noqa: BLE001 - the cell may have damaged the machinery itself
        problem = error
        guard.restore_everything()
    finally:
        set_busy(False)
        call_origin.end_cell()
        guard.restore_builtins()
        sys.settrace(None)
        sys.setprofile(None)
    return result, problem, measured


def _take_early() -> bool:
    global _early
    early, _early = _early, None
    return early is True


def _end(shell: GuestShell, result: Any, problem: BaseException | None, measured: profile.Profile | None) -> str:
    answer = _answer(shell, result, problem)
    if measured is not None:
        answer["profile"] = measured.stop()
    program_state.flush_output()
    return json.dumps(answer)


def _ready_shell() -> GuestShell:
    shell = _shell
    if shell is None:
        raise RuntimeError("the kernel has no shell")
    GuestShell.restore_parts(shell)
    return shell


def _answer(shell: GuestShell, result: Any, problem: BaseException | None) -> dict[str, Any]:
    error = problem or (result and (result.error_before_exec or result.error_in_exec)) or shell.failure
    count = result.execution_count if result is not None else None
    answer: dict[str, Any] = {"ok": error is None, "value": None, "error": None, "exit": None, "execution_count": count}
    if error is None:
        answer["value"], answer["data"] = shell.displayhook.value, shell.displayhook.data
    elif isinstance(error, SystemExit):
        status, message = errors.exit_status(error)
        if message is not None:
            sys.stderr.write(f"{message}\n")
        answer["exit"], answer["ok"] = status, status == 0
    else:
        answer["error"] = errors.describe(error, mode=_mode(shell))
        if isinstance(error, UsageError):
            answer["error"]["traceback"] = f"UsageError: {answer['error']['message']}\n"
    return answer


def _mode(shell: GuestShell) -> str:
    return str(getattr(shell.InteractiveTB, "mode", "Context"))


def cancel() -> bool:
    """Interrupt a cell that waits in asyncio; false if none does."""
    return event_loop.cancel_wait()


def complete(code: str, cursor: int) -> str:
    """Completions at the cursor."""
    guard.restore_interpreter()
    shell = _ready_shell()
    ahead = code[:cursor]
    try:
        set_busy(True)
        if imported := module_completion.complete_import(ahead):
            return _completion(imported[0], cursor - imported[1], cursor)
        matches = _matches(shell, code, cursor)
        member = module_completion.complete_member(ahead)
    except BaseException:  # noqa: BLE001 - objects of the guest may raise anything when looked at
        matches, member = [], None
    finally:
        set_busy(False)
    if member is not None:
        names = [match.text for match in matches if match.text.isidentifier()]
        return _completion(sorted({*names, *member[0]}), cursor - member[1], cursor)
    start, end = (matches[0].start, matches[0].end) if matches else (cursor, cursor)
    texts, types = [match.text for match in matches], [match.type or "" for match in matches]
    if texts and all(text.startswith(".") for text in texts):
        texts, start = [text[1:] for text in texts], start + 1
    return json.dumps({"matches": texts, "start": start, "end": end, "types": types})


def _matches(shell: GuestShell, code: str, cursor: int) -> list[Any]:
    with provisionalcompleter():
        found = rectify_completions(code, shell.Completer.completions(code, cursor))
        return list(itertools.islice(found, _MATCHES))


def _completion(names: list[str], start: int, end: int) -> str:
    types = ["module"] * len(names)
    return json.dumps({"matches": names[:_MATCHES], "start": start, "end": end, "types": types[:_MATCHES]})


def inspect(code: str, cursor: int, detail: int = 0) -> str:
    """What is known about the name at the cursor."""
    guard.restore_interpreter()
    shell = _ready_shell()
    try:
        set_busy(True)
        bundle = shell.object_inspect_mime(token_at_cursor(code, cursor), detail_level=detail)
    except BaseException:  # noqa: BLE001 - not found, or an object of the guest raised
        return json.dumps({"found": False, "data": {}})
    finally:
        set_busy(False)
    return json.dumps({"found": True, "data": {"text/plain": str(bundle.get("text/plain", ""))}})


def is_complete(code: str) -> str:
    """Whether a cell can run as it is: complete, incomplete (with the next indent) or invalid; and its number."""
    shell = _ready_shell()
    status, indent = shell.check_complete(code)
    answer: dict[str, Any] = {"status": status, "count": shell.execution_count}
    if status == "incomplete":
        answer["indent"] = " " * (indent or 0) if isinstance(indent, int) else str(indent or "")
    return json.dumps(answer)


def set_env(values: str) -> None:
    """Change the environment of the cells; null removes a variable."""
    for name, value in json.loads(values).items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = str(value)
