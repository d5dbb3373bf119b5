"""The functions of the engine that Python may call."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Any

from pyodide.ffi import JsException, can_run_sync, run_sync

from cloche_guest.programs import program_state
from cloche_guest.protection import seal
from cloche_guest.waiting import call_origin

_NAMES = (
    "display", "clear", "input", "sleep", "shell", "kill", "interrupt", "fast", "mark", "ask", "answer", "piece",
    "room", "take", "put", "finish", "leave", "drop", "close", "state", "poll", "port", "pipe", "start_child",
    "child_status", "signal_child", "rings", "await_ring", "block_ring", "handle_signals", "end", "alarm", "heap",
    "link", "derive_key",
)  # fmt: skip
LOOK = 0.1
"""Seconds between two looks for a signal, in a program that waits."""
_late = False
_acts: list[Callable[[], Any]] = []
_calls: dict[str, Callable[..., Any]] = {}


def disconnect() -> None:
    """Drop the engine's functions."""
    _calls.update({name: lambda *_args: None for name in _NAMES})
    call_origin.connect(_calls["mark"])


disconnect()


def connect(functions: dict[str, Any]) -> None:
    """Set the engine's functions."""
    for name in _NAMES:
        seal.check_opaque(functions[name])
        _calls[name] = functions[name]
    call_origin.connect(_calls["mark"])


def call_engine(name: str, *args: Any) -> Any:
    """Call a function of the engine."""
    return _calls[name](*args)


def display(message: dict[str, Any]) -> None:
    """Show one display message."""
    program_state.flush_output()
    _calls["display"](json.dumps(message))


def clear(wait: bool) -> None:
    """Clear the output shown so far, at once or with the next output."""
    program_state.flush_output()
    _calls["clear"](bool(wait))


def sleep(seconds: float) -> None:
    """Sleep, while other work may run; an interrupt ends it early."""
    end = time.monotonic() + seconds
    while True:
        # A program sees signals only between two waits.
        part = min(seconds, LOOK) if program_state.looks_for_signals() else seconds
        if wait_for(_calls["sleep"](float(part))) is False:
            raise KeyboardInterrupt
        seconds = end - time.monotonic()
        if part >= seconds and (seconds <= 0 or not program_state.looks_for_signals()):
            return


def wait_time(seconds: float | None) -> float:
    """How long to wait at most before signals are looked for; -1 if that is as long as one likes."""
    if not program_state.looks_for_signals():
        return -1 if seconds is None else max(seconds, 0)
    return LOOK if seconds is None else min(max(seconds, 0), LOOK)


def count_rings() -> int:
    """How often something has happened to a pipe or a process; to be read before one looks at them."""
    return int(_calls["rings"]())


def await_ring(rings: int, seconds: float | None = None) -> None:
    """Wait until something happens to a pipe or a process, or some seconds have passed."""
    part = LOOK if seconds is None else min(seconds, LOOK)
    if can_run_sync():
        wait_for(_calls["await_ring"](rings, part * 1000))
    else:
        _calls["block_ring"](rings, part * 1000)
        check_interrupt()


def ask_user(prompt: str, password: bool, session: bool = False) -> str:
    """Ask the caller for one line of input; at the prompt of a session, an interrupt is only for that line."""
    if not can_run_sync():
        raise RuntimeError("input() cannot wait for an answer here")
    # Earlier output comes before the prompt.
    program_state.flush_output()
    answer = json.loads(wait_for(_calls["input"](prompt, bool(password), session)))
    if answer.get("interrupted"):
        raise KeyboardInterrupt
    if answer.get("eof"):
        raise EOFError("EOF when reading a line")
    return str(answer["text"])


def begin_shell(request: dict[str, Any]) -> Any:
    """Start a shell command; return the promise of its JSON answer at once."""
    program_state.flush_output()
    return _calls["shell"](json.dumps(request))


def kill(job: str) -> None:
    """End a running command."""
    _calls["kill"](job)


def end_program(status: int) -> None:
    """End this program at once, if it is one; returns where its stack cannot be left for good."""
    if program_state.is_program() and can_run_sync():
        run_sync(_calls["end"](status))


def wait_for(promise: Any) -> Any:
    """Suspend this stack until a promise is settled; a rejected one means that the run was interrupted."""
    program_state.flush_output()
    check_interrupt()
    whose = call_origin.suspend_stack()
    try:
        result = run_sync(promise)
    except JsException as error:
        raise KeyboardInterrupt from error
    finally:
        call_origin.resume_stack(whose)
    call_origin.check_stop()
    check_interrupt()
    return result


def call_later(act: Callable[[], Any]) -> None:
    """Call this at the next check, where it may raise what it wants."""
    _acts.append(act)


def run_handlers() -> None:
    """Make the calls that are due."""
    while _acts:
        _acts.pop(0)()


def check_interrupt() -> None:
    """Raise a pending interrupt, and make the calls that are due."""
    run_handlers()
    if _late:
        forget_interrupt()
        raise KeyboardInterrupt


def prints_much() -> bool:
    """Whether there is so much output that it should be collected."""
    return bool(_calls["fast"]())


def interrupt() -> bool:
    """Interrupt the innermost wait; false if there is none."""
    return bool(_calls["interrupt"]())


def keep_interrupt() -> None:
    """Raise KeyboardInterrupt at the next check."""
    global _late
    _late = True


def forget_interrupt() -> None:
    """Start again, without a pending interrupt."""
    global _late
    _late = False


def can_wait() -> bool:
    """Whether this stack can be suspended."""
    return bool(can_run_sync())
