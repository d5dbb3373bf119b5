"""Prepares the interpreter for its memory snapshot, and connects it again after a restore."""

from __future__ import annotations

import gc
import json
import os
import random
import signal
import sys
import tempfile
import uuid
from typing import Any

from IPython.extensions.deduperreload import deduperreload_patching
from traitlets.config import Config

from cloche_guest import engine_calls, suspension
from cloche_guest.cells import display, kernel, plain_data
from cloche_guest.cells.magics import GuestMagics
from cloche_guest.cells.shell import GuestShell
from cloche_guest.net import names, polls, sockets, tls
from cloche_guest.packages import installed_packages, micropip, package_imports
from cloche_guest.programs import program_state, python_command, streams
from cloche_guest.protection import guard, refusals, replaced_modules, seal
from cloche_guest.subprocesses import asyncio_processes, processes, signals
from cloche_guest.system import accounts, alarms, calls, derived_keys, programs
from cloche_guest.waiting import blocking_waits, event_loop

_WARM = (
    "1+1", "x = 5", "print(1)", "x", "%who", "1/0", "def broken(:", "import json; json.dumps([1])", "%time 1", "len?",
    "from IPython.display import HTML, display; display(HTML('<b>x</b>'))", "[1, 2]", "'a'", "%%time\n1", "%pwd",
    "HTML('x')", "import asyncio", "class A: pass", "A()", "import sys; sys.exit(0)", "%timeit -n1 -r1 1",
)  # fmt: skip


def prepare(limits: str) -> None:
    """Set everything up with the engine's limits, given as JSON; run some code to warm it up, and forget that code."""
    sys.dont_write_bytecode = True
    known = json.loads(limits)
    plain_data.set_limits(known["dataLimit"], known["dataDepth"], known["dataValues"])
    display.set_limits(known["displayLimit"], known["displayDepth"], known["valueLimit"])
    for part in (event_loop, blocking_waits, refusals, processes, signals, asyncio_processes):
        part.install()
    for part in (accounts, alarms, calls, derived_keys, programs):
        part.install()
    for part in (package_imports, installed_packages, names, sockets, tls, polls, replaced_modules):
        part.install()
    sys.executable = processes.PYTHON
    micropip.register_module()
    streams.install()
    shell = GuestShell.instance(config=_config())
    shell.register_magics(GuestMagics)
    shell.remember_parts()
    kernel.set_shell(shell)
    guard.remember_interpreter(kernel.on_interrupt)
    _warm_up(shell)
    _tame_autoreload()
    gc.collect()
    seal.seal_interpreter()
    replaced_modules.close_memory()
    guard.remember_interpreter(kernel.on_interrupt)


def _tame_autoreload() -> None:
    # It would write into objects through raw memory, which is closed; without a place to write it does nothing.
    deduperreload_patching.DeduperReloaderPatchingMixin.infer_field_offset = staticmethod(lambda _obj, _field: -1)


def _config() -> Config:
    config = Config()
    config.InteractiveShell.colors = "nocolor"
    config.InteractiveShell.banner1 = ""
    config.InteractiveShell.history_length = 1000
    config.InteractiveShell.xmode = "Context"
    config.InteractiveShell.enable_tip = False
    config.Completer.use_jedi = False
    config.HistoryManager.enabled = False
    config.StoreMagics.autorestore = False
    return config


def _warm_up(shell: GuestShell) -> None:
    out, err = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = streams.capture_output(1), streams.capture_output(2)
    try:
        for cell in _WARM * 2:
            kernel.execute(cell)
        for text in ("os.pa", "import js", "js.d", "%ti", "pri"):
            kernel.complete(text, len(text))
        kernel.inspect("len", 3)
        kernel.is_complete("for i in x:")
        _try_program()
    finally:
        sys.stdout, sys.stderr = out, err
    shell.reset(new_session=True, aggressive=False)
    shell.execution_count = 1
    for name in ("last_exc", "last_type", "last_value", "last_traceback"):
        if hasattr(sys, name):
            delattr(sys, name)


def _try_program() -> None:
    program = {"argv": ["-c", "import runpy"], "cwd": os.getcwd(), "env": {}, "live": False, "piped": False, "run": 0}  # noqa: PTH109
    with program_state.preserved():
        python_command.run_program(json.dumps(program), last=False)
    event_loop.keep_running()
    processes.set_own_number(0)


def resume(env: str, seed: str, cwd: str, **functions: Any) -> None:
    """Connect a restored interpreter to the functions of its sandbox; `seed` is fresh randomness, if it needs any."""
    engine_calls.connect(functions)
    if seed:
        _reseed(bytes.fromhex(seed))
    if suspension.is_suspended():
        suspension.wake(json.loads(env))
    else:
        _begin(json.loads(env), cwd)
    suspension.hide_modules()


def _begin(env: dict[str, str], cwd: str) -> None:
    program_state.replace_environ(env)
    os.chdir(cwd)
    if "" not in sys.path:
        sys.path.insert(0, "")
    shell = GuestShell.instance()
    shell.starting_dir = cwd
    shell.user_ns["_dh"][:] = [cwd]
    streams.install()
    streams.remember_descriptors()
    guard.remember_finders()
    package_imports.Within.invalidate_caches()
    signal.signal(signal.SIGINT, kernel.on_interrupt)
    signal.signal(signal.SIGURG, kernel.on_tick)
    signal.signal(signal.SIGUSR1, kernel.on_stop)


def _reseed(entropy: bytes) -> None:
    random.seed(entropy + os.urandom(32))
    tempfile._name_sequence = None
    uuid._node = uuid._last_timestamp = None
