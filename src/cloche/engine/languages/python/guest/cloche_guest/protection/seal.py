"""Closes the ways from Python to JavaScript: proxies become opaque, their modules vanish, raw memory is out of reach.

All of it is done before the memory snapshot is taken, so a restored interpreter is closed from its first moment.
"""

from __future__ import annotations

import _imp
import gc
import sys
from types import ModuleType
from typing import Any

_HIDDEN_BUILTINS = (
    "_ctypes", "_imp", "_pyodide_core", "_remote_debugging", "_signal", "_testbuffer", "_testcapi", "_testclinic",
    "_testclinic_limited", "_testinternalcapi", "_testlimitedcapi", "_thread", "_xxtestfuzz", "faulthandler", "posix",
)  # fmt: skip
"""Built-in modules that cannot be made a second time: a fresh copy would carry the functions that were replaced."""

_KEPT_SLOTS = {"__call__", "__await__", "__doc__", "__module__", "__vectorcalloffset__", "_js_type_flags"}
_TP_GETATTRO, _TP_SETATTRO, _TP_FLAGS = 72, 76, 84
_BYTES_HEADER = 16
_IMMUTABLE = 1 << 8
_CLOSED_MODULES = ("js", "pyodide_js", "pyodide.console")
_CORE_NEEDED = {"run_sync", "can_run_sync", "create_once_callable", "JsException"}

_NO_NAME = b"\x01"
_CHUNK = 1 << 17


def seal_interpreter() -> None:
    """Close everything; called once, when the interpreter is otherwise ready."""
    import ctypes

    _hide_builtins(ctypes)
    _close_proxies(ctypes)
    _forget_modules(ctypes)
    del ctypes
    gc.collect()


def _hide_builtins(ctypes: Any) -> None:
    table = ctypes.c_void_p.in_dll(ctypes.pythonapi, "PyImport_Inittab").value or 0
    size = 0
    while ctypes.c_uint32.from_address(table + size).value:
        size += 8
    entries = ctypes.string_at(table, size)
    # The runtime works with a nameless copy of the table, so search for it, in small pieces: memory that
    # is taken here would be part of the snapshot.
    for start in range(1024, id(object()) + _CHUNK, _CHUNK):
        piece = ctypes.string_at(start, _CHUNK + size)
        at = piece.find(entries)
        while at >= 0:
            if start + at != id(entries) + _BYTES_HEADER:
                _hide_entries(ctypes, start + at)
            at = piece.find(entries, at + 1)
    if any(_imp.is_builtin(name) for name in _HIDDEN_BUILTINS):
        raise RuntimeError("the table of built-in modules was not found")


def _hide_entries(ctypes: Any, table: int) -> None:
    while address := ctypes.c_uint32.from_address(table).value:
        if ctypes.string_at(address).decode("latin-1") in _HIDDEN_BUILTINS:
            ctypes.c_uint32.from_address(table).value = id(_NO_NAME) + _BYTES_HEADER
            ctypes.c_uint32.from_address(table + 4).value = 0
        table += 8


def _close_proxies(ctypes: Any) -> None:
    generic = [ctypes.c_uint32.from_address(id(object) + slot).value for slot in (_TP_GETATTRO, _TP_SETATTRO)]
    for kind in _proxy_types():
        flags = ctypes.c_uint32.from_address(id(kind) + _TP_FLAGS)
        if flags.value != kind.__flags__:
            raise RuntimeError("the layout of type objects is not the expected one")
        names = gc.get_referents(kind.__dict__)[0]
        for name in [name for name in names if name not in _KEPT_SLOTS]:
            names.pop(name)
        for slot, value in zip((_TP_GETATTRO, _TP_SETATTRO), generic, strict=True):
            ctypes.c_uint32.from_address(id(kind) + slot).value = value
        ctypes.pythonapi.PyType_Modified(ctypes.py_object(kind))
        flags.value |= _IMMUTABLE


def _proxy_types() -> list[type]:
    import _pyodide_core
    import js
    from pyodide.ffi import JsException

    # A type is made when the first object of its kind is seen; each kind is shown once, so that none comes later.
    kinds = ("Object", "Array", "Map", "Set", "WeakMap", "Date", "ArrayBuffer", "Uint8Array", "Error", "TypeError")
    shown: list[Any] = [getattr(js, kind).new() for kind in kinds]
    shown += [js.Promise.resolve(1), js.Array.of(), js.setTimeout, js.Object, js.Math]
    found = {base for kind in (*_pyodide_core.jsproxy_typedict.values(), JsException) for base in kind.__mro__}
    shown.clear()
    return sorted(found - {object, BaseException, Exception}, key=lambda kind: len(kind.__mro__))


def _forget_modules(ctypes: Any) -> None:
    import _pyodide_core
    from _pyodide import _importhook
    from pyodide.ffi import JsProxy

    # Restoring a snapshot hands over the list of Pyodide's packages, which cannot be read any more, nor is it needed.
    _importhook.register_module_not_found_hook = lambda *_packages: None
    _importhook.REPODATA_PACKAGES_IMPORT_TO_PACKAGE_NAME = {}
    jsfinder = _importhook.jsfinder
    kept: list[Any] = [_pyodide_core.jsproxy_typedict, *jsfinder.jsproxies.values()]
    kept += [module for module in sys.modules.values() if isinstance(module, JsProxy)]
    jsfinder.jsproxies.clear()
    sys.meta_path[:] = [finder for finder in sys.meta_path if finder is not jsfinder]
    for name in [name for name, module in sys.modules.items() if _is_closed(name) or isinstance(module, JsProxy)]:
        del sys.modules[name]
    modules: dict[str, Any] = sys.modules
    for name in _CLOSED_MODULES:
        # None makes the import fail with ModuleNotFoundError.
        modules[name] = None
    core = {name for name in vars(_pyodide_core) if not name.startswith("__")} - _CORE_NEEDED
    for names in [names for names in gc.get_objects() if type(names) is dict and "trigger_fatal_error" in names]:
        # The module itself, and the copy from which the interpreter would make it again.
        for name in core & names.keys():
            del names[name]
    for module in [module for module in sys.modules.values() if isinstance(module, ModuleType)]:
        if module.__name__.split(".")[0] in ("_pyodide_core", "pyodide", "_pyodide", "IPython"):
            kept += _clean(module, core | {"ctypes"}, JsProxy)
    for one in kept:
        # The snapshot and the C code expect these objects at their places: they stay, but no name leads to them.
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(one))


def _is_closed(name: str) -> bool:
    return name.split(".")[0] in ("js", "pyodide_js", "ctypes", "_ctypes")


def _clean(module: ModuleType, names: set[str], proxy: type) -> list[Any]:
    removed: list[Any] = []
    for name, value in list(vars(module).items()):
        if name in names or (isinstance(value, proxy) and name != "scheduleCallback"):
            delattr(module, name)
            if isinstance(value, proxy):
                removed.append(value)
    return removed


def check_opaque(function: Any) -> None:
    """Refuse a function of the sandbox whose proxy would not be opaque."""
    if not type(function).__flags__ & _IMMUTABLE:
        raise RuntimeError(f"a proxy of an unexpected kind: {type(function)!r}")
