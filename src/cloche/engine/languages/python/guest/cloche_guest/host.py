"""The calls that the sandbox answers, as plain Python functions."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from pyodide.ffi import JsException, can_run_sync, run_sync

from cloche_guest import context, origin, seal

_NAMES = (
    "display", "clear", "input", "sleep", "shell", "kill", "interrupt", "fast", "mark", "ask", "answer", "piece",
    "room", "take", "put", "finish", "leave", "drop",
)  # fmt: skip
_late = False
_calls: dict[str, Callable[..., Any]] = {}


def disconnect() -> None:
    """Let go of the functions of the sandbox."""
    _calls.update({name: lambda *_args: None for name in _NAMES})
    origin.connect(_calls["mark"])


disconnect()


def connect(functions: dict[str, Any]) -> None:
    """Take the functions of the sandbox."""
    for name in _NAMES:
        seal.check(functions[name])
        _calls[name] = functions[name]
    origin.connect(_calls["mark"])


def call(name: str, *args: Any) -> Any:
    """Call a function of the sandbox."""
    return _calls[name](*args)


def display(message: dict[str, Any]) -> None:
    """Show one display message."""
    context.flush()
    _calls["display"](json.dumps(message))


def clear(wait: bool) -> None:
    """Forget the output shown so far, at once or when the next output comes."""
    context.flush()
    _calls["clear"](bool(wait))


def sleep(seconds: float) -> None:
    """Give up the interpreter for some time; an interrupt ends it early."""
    if wait(_calls["sleep"](float(seconds))) is False:
        raise KeyboardInterrupt


def ask(prompt: str, password: bool) -> str:
    """Ask the caller for one line of input."""
    if not can_run_sync():
        raise RuntimeError("input() cannot wait for an answer here")
    # What was printed stands before the question.
    context.flush()
    answer = json.loads(wait(_calls["input"](prompt, bool(password))))
    if answer.get("interrupted"):
        raise KeyboardInterrupt
    if answer.get("eof"):
        raise EOFError("EOF when reading a line")
    return str(answer["text"])


def begin_shell(request: dict[str, Any]) -> Any:
    """Hand a command to the shell; the promise of its JSON answer is returned at once."""
    context.flush()
    return _calls["shell"](json.dumps(request))


def kill(job: str) -> None:
    """End a command that was begun."""
    _calls["kill"](job)


def wait(promise: Any) -> Any:
    """Suspend this stack until a promise is settled; a rejected one means that the run was interrupted."""
    mine = context.active()
    context.flush()
    check_interrupt()
    whose = origin.suspend()
    try:
        result = run_sync(promise)
    except JsException as error:
        raise KeyboardInterrupt from error
    finally:
        context.resume(mine)
        origin.resume(whose)
    origin.check_stop()
    check_interrupt()
    return result


def check_interrupt() -> None:
    """Raise an interrupt that was kept."""
    if _late:
        forget_interrupt()
        raise KeyboardInterrupt


def prints_much() -> bool:
    """Whether output comes so fast that it should be collected."""
    return bool(_calls["fast"]())


def interrupt() -> bool:
    """Have the innermost wait end as interrupted; false if none is open."""
    return bool(_calls["interrupt"]())


def keep_interrupt() -> None:
    """Raise KeyboardInterrupt at the next check."""
    global _late
    _late = True


def forget_interrupt() -> None:
    """Start anew, with no interrupt kept."""
    global _late
    _late = False


def can_wait() -> bool:
    """Whether this stack can be suspended."""
    return bool(can_run_sync())
