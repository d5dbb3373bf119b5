"""Runs pip for another Python than this one: `python -P run_pip.py WHEEL SETTINGS ARGS...`.

WHEEL is a pip to import, or empty for the installed one. SETTINGS is JSON: `environment`, the values that markers of
requirements are compared with (pip itself would use those of this Python), `addresses`, the URLs of wheels that the
owner gave, `source`, whether a source archive is fetched, and `memory` and `file`, limits in bytes. Nothing that is
downloaded may run here, so this process starts no other, except for the keyring a user may have chosen; `rules.py`
says what it opens. It ends when its standard input ends, which the process that started it holds open.
"""

import importlib
import importlib.util
import json
import os
import sys
import threading
from contextlib import suppress
from typing import Any

_STARTS = ("subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.fork", "os.forkpty", "os.startfile")


def main(wheel: str, settings: dict[str, Any], args: list[str]) -> int:
    """Prepare this process, then run pip in it."""
    if wheel:
        sys.path.insert(0, wheel)
    markers: Any = importlib.import_module("pip._vendor.packaging.markers")
    if not callable(getattr(markers, "default_environment", None)):
        sys.exit("ERROR: this version of pip cannot be told which Python it works for: install another one")
    markers.default_environment = lambda: dict(settings["environment"])
    _set_limits(settings["memory"], settings["file"])
    here = os.path.dirname(os.path.abspath(__file__))  # noqa: PTH100, PTH120 - cheap
    known, rules = _load_module(here, "..", "..", "network", "addresses.py"), _load_module(here, "rules.py")
    held = rules.PipRules(settings["addresses"], known.is_public_host, rules.find_public_files())
    rules.install_rules(held)
    if settings.get("source"):
        _load_module(here, "fetch_source.py").install_fetch()
    sys.addaudithook(_refuse_programs)
    sys.addaudithook(lambda event, args: held.check_connection(args[1]) if event == "socket.connect" else None)
    threading.Thread(target=_end_with_input, daemon=True).start()
    return importlib.import_module("pip._internal.cli.main").main(args)


def _load_module(*path: str) -> Any:
    """Load a module by its path: the Python that runs this may have no Cloche, and should not import all of it."""
    spec = importlib.util.spec_from_file_location(os.path.basename(path[-1])[:-3], os.path.join(*path))  # noqa: PTH118, PTH119 - cheap
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _end_with_input() -> None:
    with suppress(OSError):
        while os.read(0, 1024):
            pass
    os._exit(1)


def _refuse_programs(event: str, args: tuple[Any, ...]) -> None:
    if event in _STARTS and not (event == "subprocess.Popen" and _is_keyring(args[0])):
        raise PermissionError(1, "packages may not start programs on the host", str(args[0]) if args else event)


def _is_keyring(program: object) -> bool:
    return os.path.splitext(os.path.basename(os.fsdecode(str(program))))[0] == "keyring"  # noqa: PTH119, PTH122 - cheap


def _set_limits(memory: int, file: int) -> None:
    try:
        resource: Any = importlib.import_module("resource")
    except ImportError:
        return
    for limit, value in ((resource.RLIMIT_AS, memory), (resource.RLIMIT_FSIZE, file)):
        _, hard = resource.getrlimit(limit)
        with suppress(OSError, ValueError):
            resource.setrlimit(limit, (value if hard == resource.RLIM_INFINITY else min(value, hard), hard))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], json.loads(sys.argv[2]), sys.argv[3:]))
