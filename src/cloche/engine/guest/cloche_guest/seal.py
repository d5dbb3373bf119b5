"""Closes the ways from Python to JavaScript: proxies become opaque, their modules vanish, raw memory is out of reach."""

from __future__ import annotations

import gc
import sys
from typing import Any

_HIDDEN_BUILTINS = (
    "_ctypes", "_imp", "_pyodide_core", "_remote_debugging", "_signal", "_testbuffer", "_testcapi", "_testclinic",
    "_testclinic_limited", "_testinternalcapi", "_testlimitedcapi", "_thread", "_xxtestfuzz", "faulthandler", "posix",
)  # fmt: skip
"""Built-in modules that cannot be made a second time: a fresh copy would carry the functions that were replaced."""

_KEPT_SLOTS = {"__call__", "__await__", "__doc__", "__module__", "__vectorcalloffset__", "_js_type_flags", "_sig"}
_TP_GETATTRO, _TP_SETATTRO, _TP_FLAGS = 72, 76, 84
_IMMUTABLE = 1 << 8
_NAMES = ("js", "pyodide_js", "pyodide.http", "pyodide.console", "pyodide._package_loader", "pyodide._state")
_CORE_NAMES = ("trigger_fatal_error", "raw_call", "jsproxy_typedict", "create_proxy", "to_js", "destroy_proxies")


def hide_builtins() -> list[Any]:
    """Rename dangerous modules in the interpreter's table; the result must stay alive as long as the interpreter."""
    import ctypes  # noqa: PLC0415 - gone after this

    table = ctypes.c_void_p.in_dll(ctypes.pythonapi, "PyImport_Inittab").value or 0
    hidden: list[Any] = []
    while address := ctypes.c_uint32.from_address(table).value:
        name = ctypes.string_at(address).decode()
        if name in _HIDDEN_BUILTINS:
            replacement = ctypes.create_string_buffer(b"\x01" + name.encode())
            hidden.append(replacement)
            ctypes.c_uint32.from_address(table).value = ctypes.addressof(replacement)
        table += 8
    return hidden


def close_proxies(samples: list[Any]) -> None:
    """Take every attribute and method from all proxy types; what is left can only be called and awaited."""
    import ctypes  # noqa: PLC0415 - gone after this
    from pyodide.ffi import JsException, JsProxy  # noqa: PLC0415

    import _pyodide_core  # noqa: PLC0415

    types = {*_pyodide_core.jsproxy_typedict.values(), *(type(sample) for sample in samples), JsException}
    types = {ancestor for kind in types for ancestor in kind.__mro__ if issubclass(ancestor, (JsProxy, JsException))}
    generic = [ctypes.c_uint32.from_address(id(object) + slot).value for slot in (_TP_GETATTRO, _TP_SETATTRO)]
    for kind in sorted(types, key=lambda kind: len(kind.__mro__)):
        flags = ctypes.c_uint32.from_address(id(kind) + _TP_FLAGS)
        if flags.value != kind.__flags__:
            raise RuntimeError("the layout of type objects is not the expected one")
        _strip(kind, ctypes)
        for slot, value in zip((_TP_GETATTRO, _TP_SETATTRO), generic, strict=True):
            ctypes.c_uint32.from_address(id(kind) + slot).value = value
        ctypes.pythonapi.PyType_Modified(ctypes.py_object(kind))
        flags.value |= _IMMUTABLE


def _strip(kind: type, ctypes: Any) -> None:
    names = gc.get_referents(kind.__dict__)[0]
    for name in list(names):
        if name not in _KEPT_SLOTS and not (name.startswith("__") and callable(getattr(Exception, name, None))):
            names.pop(name)
    for name in ("__getattribute__", "__setattr__", "__delattr__", "__dir__", "__reduce__", "__reduce_ex__"):
        names.pop(name, None)


def forget_modules() -> None:
    """Drop the modules that stand for JavaScript, and those that reach raw memory."""
    import _pyodide_core  # noqa: PLC0415
    import pyodide.ffi  # noqa: PLC0415
    from _pyodide._importhook import jsfinder  # noqa: PLC0415

    jsfinder.jsproxies.clear()
    sys.meta_path[:] = [finder for finder in sys.meta_path if finder is not jsfinder]
    for module in (_pyodide_core, pyodide.ffi, sys.modules.get("_pyodide._core_docs")):
        for name in _CORE_NAMES:
            if module is not None and hasattr(module, name):
                delattr(module, name)
    for name in list(sys.modules):
        if name.startswith(("js.", "pyodide_js.")) or name == "_ctypes" or name.split(".")[0] == "ctypes":
            del sys.modules[name]
    for name in (*_NAMES, "_ctypes"):
        # None makes the import fail with ModuleNotFoundError.
        sys.modules[name] = None
